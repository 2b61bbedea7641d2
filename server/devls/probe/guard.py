"""Limits of a made-up program: those of the system, and those beyond what Linux and Python enforce.

This is a second line. The first is that the programs are made up of numbers, names of torch and checked variables' names.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

from devls.probe.confinement import confine

_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND

_REFUSED = (
    "socket.", "os.remove", "os.rename", "os.mkdir", "os.rmdir", "os.link", "os.symlink", "os.truncate", "os.chmod",
    "os.chown", "os.utime", "os.setxattr", "os.removexattr", "os.system", "os.exec", "os.fork", "os.forkpty", "os.posix_spawn",
    "os.spawn", "os.startfile", "os.kill", "os.killpg", "signal.pthread_kill", "subprocess.Popen", "pty.spawn", "shutil.",
    "tempfile.", "webbrowser.open", "urllib.Request", "ftplib.", "smtplib.", "http.client.", "winreg.", "sqlite3.connect",
)  # fmt: skip


def install() -> None:
    """Refuse, from now on and for good, to write files, to read what torch does not need, to reach the network, to start programs."""
    confine()
    sys.addaudithook(_judge)


def _judge(event: str, arguments: tuple[Any, ...]) -> None:
    if event == "open":
        path, _mode, flags = arguments
        if isinstance(flags, int) and flags & _WRITING and path != os.devnull:
            raise PermissionError(f"a question to torch opens {path!r} to write")
    elif event.startswith(_REFUSED):
        raise PermissionError(f"a question to torch asks for {event}")


def limit(cpu_s: int, memory_mb: int) -> None:
    """Bound the time and memory of this process, and let it write nothing (where the system can)."""
    import resource  # noqa: PLC0415  there is none on Windows

    def lower(limit: int, value: int) -> None:
        hard = resource.getrlimit(limit)[1]
        if hard != resource.RLIM_INFINITY:
            value = min(value, hard)
        resource.setrlimit(limit, (value, value))

    lower(resource.RLIMIT_CPU, cpu_s)
    lower(resource.RLIMIT_CORE, 0)
    lower(resource.RLIMIT_FSIZE, 0)
    lower(resource.RLIMIT_NOFILE, 64)
    pages = Path("/proc/self/statm")
    if pages.exists():
        used = int(pages.read_text(encoding="ascii").split()[5]) * resource.getpagesize()
        lower(resource.RLIMIT_DATA, used + memory_mb * 2**20)
        # Shared resources count here only. Stacks and arenas of threads take far more addresses than memory.
        reserved = int(pages.read_text(encoding="ascii").split()[0]) * resource.getpagesize()
        lower(resource.RLIMIT_AS, reserved + 4 * memory_mb * 2**20)
