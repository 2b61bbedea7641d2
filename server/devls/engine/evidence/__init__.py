"""Presumptions about code that is not there, and the tests that support or refute them."""
