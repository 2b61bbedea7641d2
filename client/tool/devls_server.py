"""Starts the server on the libraries bundled with the extension and on no others.

Run with `python -I -S`, which keeps every other place of packages off the path.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "libs"))

from devls.__main__ import main  # noqa: E402  the path above is what finds it

if __name__ == "__main__":
    sys.exit(main([]))
