"""The semantics of torch and of the libraries around it."""
