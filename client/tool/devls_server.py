"""Starts the server on the libraries bundled with the extension and on no others.

Run with `python -I -S`, which keeps every other place of packages off the path.
"""

# ruff: noqa: INP001  a program, not part of a package

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "libs"))

from devls.__main__ import main

if __name__ == "__main__":
    sys.exit(main([]))
