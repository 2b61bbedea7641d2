"""The graph: how operations record it, and how a backward walks it."""
