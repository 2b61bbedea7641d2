"""One file's Python: text with a tree. Knows no meaning."""
