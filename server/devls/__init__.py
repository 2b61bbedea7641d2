"""devls: find device and autograd pitfalls in PyTorch code, by executing it abstractly."""

import os
import sys

__version__ = "0.1.0"


def _look_elsewhere_than_here() -> None:
    """Keep `python -m devls` from importing what lies in the working folder: that is what is checked, and is never run.

    While Python looks for the module to run, `argv[0]` is "-m". Its own imports until then are its own affair:
    `devls` and `python -I -m devls` look there for nothing at all.
    """
    if sys.argv[:1] == ["-m"] and any(each.endswith("devls") for each in sys.orig_argv):
        try:
            here = os.getcwd()  # noqa: PTH109  pathlib is not imported yet, and might be found here
        except OSError:
            return
        if sys.path[:1] in ([""], [here]):
            del sys.path[0]


_look_elsewhere_than_here()
