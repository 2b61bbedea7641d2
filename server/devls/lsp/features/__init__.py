"""Requests that the server answers, one file per feature; each registers its own handlers."""
