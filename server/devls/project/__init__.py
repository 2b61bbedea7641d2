"""Many files: what is open, what is on disk, and who imports whom."""
