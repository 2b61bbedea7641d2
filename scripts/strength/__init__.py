"""Programs that try to knock the analyzer over: mutants of real files, random Python, and bombs."""
