"""The semantics of Python: statements, expressions, calls, classes, containers. Knows no torch."""
