"""The engine put together: importing this has every floor register what it knows.

Lower floors ask questions and announce moments without knowing who answers or listens (`core/questions.py`,
`core/moments.py`). Each module that registers something is named here; a test holds the list complete.
"""

from __future__ import annotations
