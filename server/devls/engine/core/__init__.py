"""The machine that runs code, its state of affairs, and the events it sends. Knows neither Python's semantics nor torch."""
