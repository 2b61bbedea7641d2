"""Text only: ranges, edits and positions. Knows no Python."""
