"""`--executor dask://HOST:PORT`: analyze files on the workers of a Dask cluster.

Each worker has devls installed, and the program at the same place in its file system. It analyzes its part in a process of its own,
as `--jobs` does: workers have threads, and go on living. Findings come back with digests of the texts that were read.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import devls
from devls.cli import parallel
from devls.cli.complaints import CommandError
from devls.cli.shards import digest_of
from devls.text.reading import reason_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from devls.cli.outcomes import Outcome
    from devls.cli.parallel import Work

SCHEME: Final = "dask://"

_PATIENCE_S: Final = 20
"""Until a scheduler answers, and until it has a worker."""

_PARTS: Final = 2
"""For each thread of a worker: each part begins with another process, which has yet to run what its files import."""

# Files of the folder that is checked must not be imported in place of modules of devls.
_PROGRAM: Final = "import sys; sys.path.pop(0); from devls.cli.dask_workers import serve; serve()"


@dataclass(frozen=True)
class Part:
    """A worker's results for some files."""

    version: str
    """Of devls."""
    outcomes: list[Outcome]
    digests: dict[str, str]
    """Of what each file held."""


class DaskPool:
    """Analyzes files on the workers of a cluster."""

    def __init__(self, work: Work, executor: str) -> None:
        """Of the scheduler that `executor` names.

        Raises:
            CommandError: if Dask is not installed.
        """
        self._work, self._executor = work, executor
        try:
            import distributed  # noqa: PLC0415  few ask
        except ImportError:
            raise CommandError("--executor needs the package distributed: install devls[dask]") from None
        self._distributed = distributed

    def outcomes(self, paths: Sequence[str]) -> Iterator[Outcome]:
        """Yield results of some files, as they come.

        Raises:
            CommandError: if the cluster does not do what it was asked for, or has other files.
        """
        if not paths:
            return
        here = {path: digest_of(path) for path in paths}
        try:
            with self._connected() as client:
                futures = [client.submit(analyze, each, pure=False) for each in self._requests(client, paths)]
                for _, part in self._distributed.as_completed(futures, loop=client.loop, with_results=True):
                    self._require_same(part, here)
                    yield from part.outcomes
        except CommandError as error:
            raise CommandError(f"--executor {self._executor}: {error}") from None
        except Exception as error:  # noqa: BLE001  workers that die, networks that end: each has an error of its own
            raise CommandError(f"--executor {self._executor}: {reason_of(error)}") from None

    def _connected(self) -> Any:
        address = f"tcp://{self._executor.removeprefix(SCHEME)}"
        try:
            client = self._distributed.Client(address, timeout=_PATIENCE_S, set_as_default=False)
        except (OSError, ValueError):
            raise CommandError("no scheduler answers there") from None
        try:
            client.wait_for_workers(1, timeout=_PATIENCE_S)
        except (OSError, self._distributed.TimeoutError):
            client.close()
            raise CommandError("the scheduler has no workers") from None
        return client

    def _requests(self, client: Any, paths: Sequence[str]) -> list[bytes]:
        parts = parallel.divided(paths, _PARTS * sum(client.nthreads().values()))
        return [pickle.dumps((self._work, os.getcwd(), part)) for part in parts]  # noqa: PTH109

    @staticmethod
    def _require_same(part: Part, here: dict[str, str]) -> None:
        if part.version != devls.__version__:
            raise CommandError(f"a worker has devls {part.version}, this is {devls.__version__}")
        for path, digest in part.digests.items():
            if digest != here[path]:
                raise CommandError(f"{path} is not the same on a worker")


def analyze(request: bytes) -> Part:
    """Analyze a part of the files: on a worker, in another process.

    Raises:
        CommandError: if that cannot be done there.
    """
    _, folder, paths = pickle.loads(request)  # noqa: S301  of the client, whose code a worker runs anyway
    if not os.path.isdir(folder):  # noqa: PTH112
        raise CommandError(f"a worker has no folder {folder}: the program has to be at the same place there")
    ran = subprocess.run(
        [sys.executable, "-c", _PROGRAM], input=request, cwd=folder, capture_output=True, check=False
    )
    if ran.returncode:
        last = ran.stderr.decode("utf-8", "replace").strip().rpartition("\n")[2]
        raise CommandError(
            f"a worker failed on {paths[0]}: {last or f'its process ended with {ran.returncode}'}"
        )
    part: Part = pickle.loads(ran.stdout)  # noqa: S301  of the process that was started
    return part


def serve() -> None:
    """Analyze the part that standard input tells of, and write what was found: the process of a worker."""
    work, _, paths = pickle.loads(sys.stdin.buffer.read())  # noqa: S301  of `analyze`
    output, sys.stdout = sys.stdout, sys.stderr
    outcomes = parallel.analyzed(work, paths)
    output.buffer.write(
        pickle.dumps(Part(devls.__version__, outcomes, {path: digest_of(path) for path in paths}))
    )
    output.flush()
