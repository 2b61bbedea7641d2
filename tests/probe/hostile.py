"""Programs that do harm, and how to see whether they did: what must not happen behind the guard."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import sys
import time
from pathlib import Path

PRIVATE = "nobody reads this file"

_LIBC = "import ctypes, os, time; libc = ctypes.CDLL(None, use_errno=True)\n"
_ENDLESS = "\nwhile True: pass"

PROGRAMS = {
    # files, by Python and by the C library
    "open to write": "open({mark!r}, 'w').write('x')",
    "creat": _LIBC + "r = libc.creat({mark!r}.encode(), 0o600)",
    "open by libc": _LIBC + "r = libc.open({kept!r}.encode(), os.O_WRONLY | os.O_TRUNC)",
    "unlink by libc": _LIBC + "r = libc.unlink({kept!r}.encode())",
    "rename by libc": _LIBC + "r = libc.rename({kept!r}.encode(), {mark!r}.encode())",
    "mkdir by libc": _LIBC + "r = libc.mkdir({mark!r}.encode(), 0o700)",
    "symlink by libc": _LIBC + "r = libc.symlink(b'/', {mark!r}.encode())",
    "mkfifo by libc": _LIBC + "r = libc.mkfifo({mark!r}.encode(), 0o600)",
    "truncate by libc": _LIBC + "r = libc.truncate({kept!r}.encode(), 0)",
    "chmod": "import os; os.chmod({kept!r}, 0o777)",
    "chmod by libc": _LIBC + "r = libc.chmod({kept!r}.encode(), 0o777)",
    "chown by libc": _LIBC + "r = libc.chown({kept!r}.encode(), 12345, 12345)",
    "utime by libc": _LIBC + "r = libc.utimes({kept!r}.encode(), None)",
    "setxattr by libc": _LIBC + "r = libc.setxattr({kept!r}.encode(), b'user.x', b'x', 1, 0)",
    "torch.save": "import torch; torch.save({{}}, {mark!r})",
    "read": "r = open({secret!r}).read()",
    "read by libc": _LIBC + "b = ctypes.create_string_buffer(99); libc.read(libc.open({secret!r}.encode(), 0), b, 98); r = b.value",
    "list": "import os; r = os.listdir(os.path.dirname({secret!r}))",
    "read by numpy": "import numpy; r = bytes(numpy.fromfile({secret!r}, dtype='uint8'))",
    "environment of the parent": "import os; r = open(f'/proc/{{os.getppid()}}/environ').read()",
    # the network
    "tcp": "import socket; socket.create_connection(('127.0.0.1', {tcp}), 5)",
    "udp": "import socket; socket.socket(2, 2).sendto(b'x', ('127.0.0.1', {udp}))",
    "udp by libc": _LIBC + "s = libc.socket(2, 2, 0); a = bytes([2, 0, {udp} >> 8, {udp} & 255, 127, 0, 0, 1]) + bytes(8)\n"
    "r = libc.sendto(s, b'x', 1, 0, a, 16)",
    "tcp by libc": _LIBC + "s = libc.socket(2, 1, 0); a = bytes([2, 0, {tcp} >> 8, {tcp} & 255, 127, 0, 0, 1]) + bytes(8)\n"
    "r = libc.connect(s, a, 16)",
    # processes
    "fork": "import os\nif os.fork() == 0:" + _ENDLESS.replace("\n", "\n    "),
    "fork by libc": _LIBC + "if libc.fork() == 0:" + _ENDLESS.replace("\n", "\n    "),
    "fork without end by libc": _LIBC + "for _ in range(200): libc.fork()\ntime.sleep(1000)",
    "fork by number": _LIBC + "n = 57 if os.uname().machine == 'x86_64' else 220\nif libc.syscall(n, 17, 0, 0, 0, 0) == 0:"
    + _ENDLESS.replace("\n", "\n    "),
    "daemon by libc": _LIBC + "libc.daemon(0, 0)" + _ENDLESS,
    "session of its own": _LIBC + "libc.setsid(); libc.setpgid(0, 0)\nif libc.fork() == 0: time.sleep(1000)\ntime.sleep(1000)",
    "system by libc": _LIBC + "r = libc.system(b'sleep 1000 &')",
    "exec by libc": _LIBC + "libc.execv(b'/bin/sleep', (ctypes.c_char_p * 3)(b'sleep', b'1000', None))",
    "kill the parent by libc": _LIBC + "r = libc.kill(os.getppid(), 9)",
    "kill the parent by number": _LIBC + "n = (234, 129) if os.uname().machine == 'x86_64' else (131, 138); p = os.getppid()\n"
    "r = libc.syscall(n[0], p, p, 9); i = (ctypes.c_int * 32)(9, 0, -1); r = libc.syscall(n[1], p, 9, i)",
    "kill the parent by a pipe": _LIBC + "import fcntl; a, b = os.pipe(); fcntl.fcntl(a, 10, 9); fcntl.fcntl(a, 8, os.getppid())\n"
    "fcntl.fcntl(a, 4, 0o20000); r = os.write(b, b'x')",
    "kill the client's group by libc": _LIBC + "r = libc.kill(-os.getpgid({client}), 9)",
    "outlive the parent": _LIBC + "libc.prctl(1, 0, 0, 0, 0); time.sleep(1000)",
    # what never ends
    "close the pipe and go on": "import os, time; os.closerange(0, 64); time.sleep(1000)",
    "threads": "import threading, time\nfor _ in range(2000): threading.Thread(target=time.sleep, args=(1000,)).start()",
    "shared memory": "import mmap\nm = [mmap.mmap(-1, 2**30) for _ in range(64)]\nfor each in m:\n    for n in range(0, 2**30, 4096): each[n] = 1",
}  # fmt: skip


class Surroundings:
    """A folder with files to be harmed, and sockets to be reached."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(exist_ok=True)
        self.folder = folder
        self.kept, self.secret = folder / "kept", folder / "secret"
        self.kept.write_text("kept")
        self.secret.write_text(PRIVATE)
        self.kept.chmod(0o640)
        self._before = self._state()
        self.tcp, self.udp = socket.create_server(("127.0.0.1", 0)), socket.socket(type=socket.SOCK_DGRAM)
        self.udp.bind(("127.0.0.1", 0))
        self.tcp.setblocking(False)
        self.udp.setblocking(False)

    def filled(self, program: str) -> str:
        return program.format(
            mark=str(self.folder / "mark"),
            kept=str(self.kept),
            secret=str(self.secret),
            tcp=self.tcp.getsockname()[1],
            udp=self.udp.getsockname()[1],
            client=os.getpid(),
        )

    def harm(self, answer: object) -> str:
        """Harm that was done; empty if there was none."""
        if [each.name for each in sorted(self.folder.iterdir())] != ["kept", "secret"]:
            return "files have come or gone"
        if self._state() != self._before:
            return "a file is another one"
        if PRIVATE in str(answer) or "'secret'" in str(answer) or "PATH=" in str(answer):
            return "something was read"
        for reach in (self.tcp.accept, lambda: self.udp.recv(9)):
            with contextlib.suppress(BlockingIOError):
                reach()
                return "somebody was reached"
        return ""

    def close(self) -> None:
        self.tcp.close()
        self.udp.close()

    def _state(self) -> object:
        status = self.kept.stat()
        attributes = os.listxattr(self.kept) if sys.platform.startswith("linux") else []
        return self.kept.read_text(), status.st_mode, status.st_uid, status.st_mtime_ns, attributes


MARK = "DEVLS_MARKED"
"""A variable by whose value processes are counted, whatever group they are in: their children have it, too."""


def marked(value: str) -> list[int]:
    """The processes, but zombies, that have the variable with this value in their environment."""
    found = []
    wanted = f"{MARK}={value}".encode()
    for place in Path("/proc").iterdir():
        if place.name.isdigit() and int(place.name) != os.getpid():
            with contextlib.suppress(OSError):
                if wanted in (place / "environ").read_bytes().split(b"\0"):
                    found.append(int(place.name))
    return found


def gone(value: str, seconds: float, *, but: int = 0) -> bool:
    """Wait until there is no such process any more, or but so many."""
    end = time.monotonic() + seconds
    while len(marked(value)) > but:
        if time.monotonic() > end:
            return False
        time.sleep(0.01)
    return True


def come(value: str, count: int, seconds: float) -> bool:
    """Wait until there are so many such processes."""
    end = time.monotonic() + seconds
    while len(marked(value)) < count:
        if time.monotonic() > end:
            return False
        time.sleep(0.01)
    return True


def end_all(value: str) -> None:
    """Kill those that are left."""
    for each in marked(value):
        with contextlib.suppress(ProcessLookupError):
            os.kill(each, signal.SIGKILL)
