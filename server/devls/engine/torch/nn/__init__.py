"""Modules: registration, attributes, calls, construction, mode."""
