"""Whether a Dask cluster of two workers, and four parts merged, find what one process finds; and how long each takes.

    python benchmarks/dask_workers.py FOLDER

Needs the package distributed, and says so where it is missing. Exit status 1 if a single byte differs.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SERVER = Path(__file__).resolve().parent.parent / "server"


def devls(folder: Path, *argv: str) -> float:
    """Run a command in a folder. Returns the seconds it took."""
    began = time.monotonic()
    environment = {**os.environ, "PYTHONPATH": str(SERVER)}
    ran = subprocess.run([sys.executable, "-m", "devls", *argv], cwd=folder, env=environment, check=False)
    if ran.returncode > 1:
        raise SystemExit(f"devls {' '.join(argv)} ended with {ran.returncode}")
    return time.monotonic() - began


def main() -> int:
    try:
        from distributed import LocalCluster  # noqa: PLC0415  said if it is missing
    except ImportError:
        print("NOT RUN: the package distributed is not installed (devls[dask])")
        return int(bool(os.environ.get("CI")))
    folder = Path(sys.argv[1]).resolve()
    check = ("check", ".", "--no-cache")
    with tempfile.TemporaryDirectory() as place:
        one, workers, merged = (
            str(Path(place, name)) for name in ("one.json", "workers.json", "merged.json")
        )
        took = {
            "one process": devls(
                folder, *check, "--jobs", "1", "--output-format", "json", "--output-file", one
            )
        }
        with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster:
            executor = ("--executor", cluster.scheduler_address.replace("tcp://", "dask://"))
            took["two workers"] = devls(
                folder, *check, *executor, "--output-format", "json", "--output-file", workers
            )
            parts = [str(Path(place, f"{number}.part")) for number in (1, 2, 3, 4)]
            took["four parts on two workers"] = sum(
                devls(folder, *check, *executor, "--shard", f"{number}/4", "--output-file", part)
                for number, part in enumerate(parts, 1)
            )
        devls(folder, "merge", *parts, "--output-format", "json", "--output-file", merged)
        found = [Path(each).read_bytes() for each in (one, workers, merged)]
    for name, seconds in took.items():
        print(f"{name:28}{seconds:7.1f} s")
    same = found[0] == found[1] == found[2]
    print(f"{len(found[0])} bytes of findings, {'identical' if same else 'DIFFERENT'}")
    return int(not same)


if __name__ == "__main__":
    os.environ.setdefault("PYTHONPATH", str(SERVER))  # of the workers
    sys.exit(main())
