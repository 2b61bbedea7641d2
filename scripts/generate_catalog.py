"""Write the catalog of what torch does.

    python scripts/generate_catalog.py [--check]

Sources: the declarations that the torch wheel ships for its own code generator (`native_functions.yaml`,
`derivatives.yaml`), signatures, running torch's own operator samples and small layers, and `catalog/overlay.py` for
what none of these can say. Needs torch, PyYAML and expecttest. `--check` writes nothing and fails if a file differs.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parent.parent / "server")]

from catalog.build import build  # noqa: E402  the path comes first

TARGET = Path(__file__).parent.parent / "server" / "devls" / "library" / "data"
BY_OTHERS = {"versions.json"}  # scripts/compare_versions.py


def text_of(content: dict[str, Any]) -> str:
    """JSON with one record per line, so that differences can be read."""
    lines = [
        f"{json.dumps(key)}:{json.dumps(value, separators=(',', ':'), ensure_ascii=True)}"
        for key, value in content.items()
    ]
    return "{\n" + ",\n".join(lines) + "\n}\n"


def wanted_files() -> dict[str, str]:
    """The text of every data file by its name."""
    return {f"{name}.json": text_of(content) for name, content in build().items()}


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--check", action="store_true", help="fail if a file is out of date")
    check = parser.parse_args().check
    stale = []
    wanted = wanted_files()
    for name, text in wanted.items():
        path = TARGET / name
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            stale.append(name)
            if not check:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding="utf-8")
    extra = [
        name
        for name in (str(path.relative_to(TARGET)) for path in TARGET.rglob("*.json"))
        if name not in wanted and name not in BY_OTHERS
    ]
    for name in extra:
        if not check:
            (TARGET / name).unlink()
    verb = "out of date" if check else "wrote"
    print(f"{verb}: {', '.join(stale + extra)}" if stale or extra else "up to date")
    return 1 if check and (stale or extra) else 0


if __name__ == "__main__":
    sys.exit(main())
