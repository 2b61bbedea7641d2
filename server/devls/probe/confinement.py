"""Confinement of a made-up program by Linux: files by Landlock, all else by a filter of system calls.

torch's own C++ asks the system without asking Python. Each part is left out where the system has none, and Landlock's is as much
as its version knows.
"""

from __future__ import annotations

import contextlib
import ctypes
import functools
import os
import platform
import struct
import sys
import sysconfig
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_SET_PARENT_DEATH_SIGNAL, _SET_SECCOMP, _NO_NEW_PRIVILEGES = 1, 22, 38  # linux/prctl.h

# linux/landlock.h. The rights that are handled and granted nowhere are refused everywhere.
_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_EXECUTE, _WRITE_FILE, _READ, _REMOVE_AND_MAKE, _REFER, _TRUNCATE = (
    1 << 0,
    1 << 1,
    0b11 << 2,
    0b1_1111_1111 << 4,
    1 << 13,
    1 << 14,
)
_READ_FILE = 1 << 2
_BIND_AND_CONNECT = 0b11
_SCOPES = 0b11  # signals and abstract sockets stay among its own
_PATH_BENEATH = 1

_READABLE = (
    "/usr", "/lib", "/lib32", "/lib64", "/nix/store", "/etc/ld.so.cache", "/etc/localtime", "/dev/null", "/dev/zero", "/dev/random",
    "/dev/urandom", "/proc/self", "/proc/cpuinfo", "/proc/meminfo", "/sys/devices/system/cpu", "/sys/devices/system/node",
)  # fmt: skip
"""Files that the C library and torch read beside the folders that Python imports from."""

# Numbers of system calls on x86_64 and on aarch64, which has none of the older ones (-1).
_CALLS = {
    "fork": (57, -1), "vfork": (58, -1), "execve": (59, 221), "execveat": (322, 281), "setsid": (112, 157), "setpgid": (109, 154),
    "kill": (62, 129), "tkill": (200, 130), "rt_sigqueueinfo": (129, 138), "rt_tgsigqueueinfo": (297, 240), "pidfd_send_signal": (424, 424), "pidfd_open": (434, 434), "ptrace": (101, 117),
    "process_vm_writev": (311, 271), "process_vm_readv": (310, 270), "socket": (41, 198), "socketpair": (53, 199),
    "connect": (42, 203), "bind": (49, 200), "listen": (50, 201), "sendto": (44, 206), "sendmsg": (46, 211), "sendmmsg": (307, 269),
    "chmod": (90, -1), "fchmod": (91, 52), "fchmodat": (268, 53), "fchmodat2": (452, 452), "chown": (92, -1), "fchown": (93, 55),
    "lchown": (94, -1), "fchownat": (260, 54), "utime": (132, -1), "utimes": (235, -1), "futimesat": (261, -1),
    "utimensat": (280, 88), "setxattr": (188, 5), "lsetxattr": (189, 6), "fsetxattr": (190, 7), "removexattr": (197, 14),
    "lremovexattr": (198, 15), "fremovexattr": (199, 16), "shmget": (29, 194), "msgget": (68, 186), "semget": (64, 190),
    "mq_open": (240, 180), "io_uring_setup": (425, 425), "bpf": (321, 280), "perf_event_open": (298, 241), "unshare": (272, 97),
    "setns": (308, 268), "mount": (165, 40), "umount2": (166, 39), "chroot": (161, 51), "pivot_root": (155, 41),
    "add_key": (248, 217), "request_key": (249, 218), "keyctl": (250, 219), "userfaultfd": (323, 282), "setrlimit": (160, 164),
    "prlimit64": (302, 261), "mknod": (133, -1), "mknodat": (259, 33), "open_by_handle_at": (304, 265), "flock": (73, 32),
}  # fmt: skip
_CLONE, _CLONE3, _PRCTL, _TGKILL, _FCNTL = (56, 220), (435, 435), (157, 167), (234, 131), (72, 25)
_MACHINES = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}
"""Which of the numbers a machine has, and what the kernel calls it (linux/audit.h)."""

# linux/bpf_common.h and linux/seccomp.h: load a word of the call, compare, return.
_LOAD, _JUMP_IF_EQUAL, _JUMP_IF_AT_LEAST, _JUMP_IF_SET, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_ALLOW, _FAIL = 0x7FFF0000, 0x00050000
_AT_NUMBER, _AT_MACHINE, _AT_FIRST_ARGUMENT, _AT_SECOND_ARGUMENT = 0, 4, 16, 24
_NOT_PERMITTED, _NO_SUCH_CALL = 1, 38
_A_THREAD = 0x00010000  # of clone
# linux/fcntl.h: to whom, and with which signal, it is told that a pipe can be read.
_SET_OWNER, _SET_SIGNAL, _SET_OWNER_OF_KIND = 8, 10, 15
_FILTER = 2


def end_with_parent(parent: int) -> None:
    """Have this process killed when its parent is, which has this number; end at once if that has happened."""
    if sys.platform.startswith("linux"):
        ctypes.CDLL(None).prctl(_SET_PARENT_DEATH_SIGNAL, 9, 0, 0, 0)
        if parent and os.getppid() != parent:
            os._exit(1)


@functools.cache
def prepared() -> tuple[tuple[tuple[str, int], ...], bytes]:
    """Readable paths with their rights, and the filter of calls without its end; empty where there is none for this machine.

    The same for all programs of a worker, so that this is found out once, before there is any.
    """
    places = tuple((place, rights) for place in dict.fromkeys(_places()) if (rights := _rights(place)))
    known = _MACHINES.get(platform.machine())
    return places, b"" if known is None else b"".join(_instructions(*known))


def confine() -> None:
    """Refuse, from now on and for good, what is outside of this process but reading what Python and torch are made of."""
    if not sys.platform.startswith("linux"):
        return
    libc = ctypes.CDLL(None, use_errno=True)
    libc.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0)
    with contextlib.suppress(OSError):
        _confine_files(libc)
    _drop_capabilities(libc)
    _filter_calls(libc)


def _confine_files(libc: ctypes.CDLL) -> None:
    """Landlock, from Linux 5.13 on."""
    version = libc.syscall(_CREATE_RULESET, None, 0, 1)
    if version < 1:
        return
    files = _EXECUTE | _WRITE_FILE | _READ | _REMOVE_AND_MAKE
    files |= (_REFER if version >= 2 else 0) | (_TRUNCATE if version >= 3 else 0)
    network = _BIND_AND_CONNECT if version >= 4 else 0
    scopes = _SCOPES if version >= 6 else 0
    sizes = {1: 8, 2: 8, 3: 8, 4: 16, 5: 16}
    rules = (ctypes.c_uint64 * 3)(files, network, scopes)
    ruleset = libc.syscall(_CREATE_RULESET, rules, sizes.get(version, 24), 0)
    if ruleset < 0:
        return
    try:
        for place, rights in prepared()[0]:
            _let_read(libc, ruleset, place, rights)
        libc.syscall(_RESTRICT_SELF, ruleset, 0)
    finally:
        os.close(ruleset)


def _places() -> Iterator[str]:
    """Readable paths: all that Python imports from, and the files of the system's libraries."""
    yield from _READABLE
    yield from (sys.prefix, sys.base_prefix, sys.exec_prefix, sys.base_exec_prefix)
    yield from sysconfig.get_paths().values()
    yield from sys.path
    yield from os.environ.get("LD_LIBRARY_PATH", "").split(os.pathsep)
    torch = sys.modules.get("torch")
    if torch is not None and torch.__file__:
        yield str(Path(torch.__file__).parent)
    yield str(Path(__file__).parents[2])


def _rights(place: str) -> int:
    # The root of all files would be all of them; nobody imports from there.
    if not os.path.isabs(place) or Path(place).resolve() == Path("/"):  # noqa: PTH117
        return 0
    return _READ if Path(place).is_dir() else _READ_FILE


def _let_read(libc: ctypes.CDLL, ruleset: int, place: str, rights: int) -> None:
    try:
        # By its name: what a process calls itself is another folder for each.
        opened = os.open(place, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return  # there is no such place
    try:
        libc.syscall(_ADD_RULE, ruleset, _PATH_BENEATH, struct.pack("=Qi", rights, opened), 0)
    finally:
        os.close(opened)


def _drop_capabilities(libc: ctypes.CDLL) -> None:
    """Have no more power than anybody, be it root who asks."""
    version = 0x20080522  # linux/capability.h: two words of each kind
    libc.capset(struct.pack("=Ii", version, 0), bytes(24))


def _filter_calls(libc: ctypes.CDLL) -> None:
    """seccomp: no processes but threads of this one, no network, no signals to others, no changes of who may do what."""
    code = prepared()[1]
    if not code:
        return
    code += b"".join(_last_instructions(_MACHINES[platform.machine()][0], os.getpid()))
    buffer = ctypes.create_string_buffer(code, len(code))
    program = struct.pack("@HP", len(code) // 8, ctypes.addressof(buffer))
    libc.prctl(_SET_SECCOMP, _FILTER, program, 0, 0)


def _each(code: int, value: int, jump: int = 0, otherwise: int = 0) -> bytes:
    return struct.pack("=HBBI", code, jump, otherwise, value)


_REFUSED, _ALLOWED = _each(_RETURN, _FAIL | _NOT_PERMITTED), _each(_RETURN, _ALLOW)


def _instructions(column: int, machine: int) -> Iterator[bytes]:
    yield _each(_LOAD, _AT_MACHINE)
    yield _each(_JUMP_IF_EQUAL, machine, 1, 0)
    yield _REFUSED  # numbers of another machine mean other calls
    yield _each(_LOAD, _AT_NUMBER)
    yield _each(_JUMP_IF_AT_LEAST, 0x40000000, 0, 1)
    yield _REFUSED  # and so do those of x32
    for number in (numbers[column] for numbers in _CALLS.values() if numbers[column] >= 0):
        yield _each(_JUMP_IF_EQUAL, number, 0, 1)
        yield _REFUSED
    # The C library then uses the older call, whose flags can be seen here.
    yield _each(_JUMP_IF_EQUAL, _CLONE3[column], 0, 1)
    yield _each(_RETURN, _FAIL | _NO_SUCH_CALL)
    yield _each(_JUMP_IF_EQUAL, _CLONE[column], 0, 4)
    yield _each(_LOAD, _AT_FIRST_ARGUMENT)
    yield _each(_JUMP_IF_SET, _A_THREAD, 1, 0)
    yield _REFUSED
    yield _ALLOWED
    yield from _refused_for(_PRCTL[column], _AT_FIRST_ARGUMENT, (_SET_PARENT_DEATH_SIGNAL,))
    owned = (_SET_OWNER, _SET_SIGNAL, _SET_OWNER_OF_KIND)
    yield from _refused_for(_FCNTL[column], _AT_SECOND_ARGUMENT, owned)


def _last_instructions(column: int, own: int) -> Iterator[bytes]:
    """A process may end itself by a signal, as `abort` does, and no other one."""
    yield _each(_JUMP_IF_EQUAL, _TGKILL[column], 0, 3)
    yield _each(_LOAD, _AT_FIRST_ARGUMENT)
    yield _each(_JUMP_IF_EQUAL, own, 1, 0)
    yield _REFUSED
    yield _ALLOWED


def _refused_for(number: int, argument: int, values: tuple[int, ...]) -> Iterator[bytes]:
    """A call is refused whose argument is one of some values, and allowed with any other."""
    yield _each(_JUMP_IF_EQUAL, number, 0, 2 + 2 * len(values))
    yield _each(_LOAD, argument)
    for value in values:
        yield _each(_JUMP_IF_EQUAL, value, 0, 1)
        yield _REFUSED
    yield _ALLOWED
