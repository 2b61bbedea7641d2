"""What a made-up program may not do: limits of the system, and what neither Linux nor Python lets it do.

This is a second line. The first is that the programs are made up of numbers, names of torch and checked variables' names.
"""

from __future__ import annotations

import ctypes
import os
import sys
from pathlib import Path
from typing import Any

_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND

_REFUSED = (
    "socket.", "os.remove", "os.rename", "os.mkdir", "os.rmdir", "os.link", "os.symlink", "os.truncate", "os.chmod",
    "os.chown", "os.utime", "os.setxattr", "os.removexattr", "os.system", "os.exec", "os.fork", "os.forkpty", "os.posix_spawn",
    "os.spawn", "os.startfile", "os.kill", "os.killpg", "signal.pthread_kill", "subprocess.Popen", "pty.spawn", "shutil.",
    "tempfile.", "webbrowser.open", "urllib.Request", "ftplib.", "smtplib.", "http.client.", "winreg.", "sqlite3.connect",
)  # fmt: skip


# linux/landlock.h. The rights that are handled and granted nowhere are refused everywhere.
_CREATE_RULESET, _RESTRICT_SELF, _NO_NEW_PRIVILEGES = 444, 446, 38
_EXECUTE, _WRITE_FILE, _REMOVE_AND_MAKE, _REFER, _TRUNCATE = (
    1 << 0,
    1 << 1,
    0b1_1111_1111 << 4,
    1 << 13,
    1 << 14,
)
_BIND_AND_CONNECT = 0b11
_SCOPES = 0b11  # signals and abstract sockets stay among its own


def install() -> None:
    """Refuse, from now on and for good, to write files, to reach the network and to start programs."""
    _confine()
    sys.addaudithook(_judge)


def _confine() -> None:
    """Have Linux refuse it, where it can (Landlock, 5.13): torch's own C++ does not ask Python."""
    if not sys.platform.startswith("linux"):
        return
    libc = ctypes.CDLL(None, use_errno=True)
    version = libc.syscall(_CREATE_RULESET, None, 0, 1)
    if version < 1:
        return
    files = _EXECUTE | _WRITE_FILE | _REMOVE_AND_MAKE
    files |= (_REFER if version >= 2 else 0) | (_TRUNCATE if version >= 3 else 0)
    network = _BIND_AND_CONNECT if version >= 4 else 0
    scopes = _SCOPES if version >= 6 else 0
    sizes = {1: 8, 2: 8, 3: 8, 4: 16, 5: 16}
    rules = (ctypes.c_uint64 * 3)(files, network, scopes)
    ruleset = libc.syscall(_CREATE_RULESET, rules, sizes.get(version, 24), 0)
    if ruleset >= 0:
        libc.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0)
        libc.syscall(_RESTRICT_SELF, ruleset, 0)
        os.close(ruleset)


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
