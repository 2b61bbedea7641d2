"""What torch and its friends do, as data."""
