"""Entry points of a file, isolation of runs, incremental reuse, and cost."""
