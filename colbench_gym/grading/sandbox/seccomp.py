"""The system-call filter: an allow-list; every other call fails with EPERM.

One filter serves the zygote and its children. It lets the zygote fork with exactly the flags of the C library's
fork(), and nothing else that makes a process or a thread; its children are kept from forking by a process limit of
zero (limits.py).

The filter is a classic BPF program over `struct seccomp_data`: the call's number at byte 0, the architecture at 4,
the six 64-bit arguments from 16 on. A test of an argument reads its low half, which is all the kernel looks at for
`int` arguments; pointers are tested in both halves.
"""

from __future__ import annotations

import ctypes
import errno
import platform
import struct
from typing import NamedTuple

from colbench_gym.grading.sandbox import kernel

PROVEN_MACHINES = frozenset({"x86_64"})
"""Architectures on which the self-check has passed with this filter. The others are refused."""


class Machine(NamedTuple):
    """The numbers of one architecture: its tag in `seccomp_data`, and its calls."""

    audit_tag: int
    numbers: dict[str, int]


# fmt: off
_MACHINES: dict[str, Machine] = {
    "x86_64": Machine(0xC000003E, {
        "read": 0, "write": 1, "open": 2, "close": 3, "stat": 4, "fstat": 5, "lstat": 6, "poll": 7, "lseek": 8,
        "mmap": 9, "mprotect": 10, "munmap": 11, "brk": 12, "rt_sigaction": 13, "rt_sigprocmask": 14,
        "rt_sigreturn": 15, "ioctl": 16, "pread64": 17, "readv": 19, "writev": 20, "access": 21, "select": 23,
        "sched_yield": 24, "mremap": 25, "madvise": 28, "dup": 32, "dup2": 33, "pause": 34, "nanosleep": 35,
        "getitimer": 36, "alarm": 37, "setitimer": 38, "getpid": 39, "sendto": 44, "recvfrom": 45, "recvmsg": 47,
        "shutdown": 48, "getsockname": 51, "getpeername": 52, "socketpair": 53, "getsockopt": 55, "clone": 56,
        "exit": 60, "uname": 63, "fcntl": 72, "getcwd": 79, "readlink": 89, "gettimeofday": 96, "getrusage": 98,
        "sysinfo": 99, "times": 100, "getuid": 102, "getgid": 104, "geteuid": 107, "getegid": 108, "getppid": 110,
        "sigaltstack": 131, "prctl": 157, "arch_prctl": 158, "gettid": 186, "time": 201, "futex": 202,
        "sched_getaffinity": 204, "getdents64": 217, "set_tid_address": 218, "restart_syscall": 219,
        "clock_gettime": 228, "clock_getres": 229, "clock_nanosleep": 230, "exit_group": 231, "epoll_wait": 232,
        "epoll_ctl": 233, "openat": 257, "newfstatat": 262, "readlinkat": 267, "faccessat": 269, "pselect6": 270,
        "ppoll": 271, "set_robust_list": 273, "epoll_pwait": 281, "eventfd2": 290, "epoll_create1": 291, "dup3": 292,
        "prlimit64": 302, "getrandom": 318, "statx": 332, "rseq": 334, "clone3": 435, "faccessat2": 439,
    }),
    "aarch64": Machine(0xC00000B7, {
        "getcwd": 17, "eventfd2": 19, "epoll_create1": 20, "epoll_ctl": 21, "epoll_pwait": 22, "dup": 23, "dup3": 24,
        "fcntl": 25, "ioctl": 29, "faccessat": 48, "openat": 56, "close": 57, "getdents64": 61, "lseek": 62,
        "read": 63, "write": 64, "readv": 65, "writev": 66, "pread64": 67, "pselect6": 72, "ppoll": 73,
        "readlinkat": 78, "newfstatat": 79, "fstat": 80, "exit": 93, "exit_group": 94, "set_tid_address": 96,
        "futex": 98, "set_robust_list": 99, "nanosleep": 101, "getitimer": 102, "setitimer": 103,
        "clock_gettime": 113, "clock_getres": 114, "clock_nanosleep": 115, "sched_getaffinity": 123,
        "sched_yield": 124, "restart_syscall": 128, "sigaltstack": 132, "rt_sigaction": 134, "rt_sigprocmask": 135,
        "rt_sigreturn": 139, "times": 153, "uname": 160, "getrusage": 165, "prctl": 167, "gettimeofday": 169,
        "getpid": 172, "getppid": 173, "getuid": 174, "geteuid": 175, "getgid": 176, "getegid": 177, "gettid": 178,
        "sysinfo": 179, "socketpair": 199, "getsockname": 204, "getpeername": 205, "sendto": 206, "recvfrom": 207,
        "getsockopt": 209, "shutdown": 210, "recvmsg": 212, "brk": 214, "munmap": 215, "mremap": 216, "clone": 220,
        "mmap": 222, "mprotect": 226, "madvise": 233, "prlimit64": 261, "getrandom": 278, "statx": 291, "rseq": 293,
        "clone3": 435, "faccessat2": 439,
    }),
}
# fmt: on

_ALLOW = 0x7FFF0000
_KILL_PROCESS = 0x80000000
_FAIL = 0x00050000

_FORK_FLAGS = 0x01200011
"""CLONE_CHILD_SETTID | CLONE_CHILD_CLEARTID | SIGCHLD: what glibc's fork() passes, and nothing but it does."""

_WRITING_FLAGS = 0o1 | 0o2 | 0o100 | 0o1000 | 0o2000 | 0o20000000
"""O_WRONLY, O_RDWR, O_CREAT, O_TRUNC, O_APPEND, O_TMPFILE."""

_SOCKET_TYPE_FLAGS = 0o2000000 | 0o4000
"""SOCK_CLOEXEC and SOCK_NONBLOCK, which ride on the type of a socket."""

_AF_UNIX, _SOCK_STREAM = 1, 1
_SIGKILL = 9
_TCGETS, _FIONREAD, _FIONBIO = 0x5401, 0x541B, 0x5421
_F_DUPFD, _F_GETFD, _F_SETFD, _F_GETFL, _F_SETFL, _F_DUPFD_CLOEXEC = 0, 1, 2, 3, 4, 1030


class _Test(NamedTuple):
    """`argument & mask` must be one of `values`; `whole` looks at all 64 bits, then `values` must be (0,)."""

    argument: int
    values: tuple[int, ...]
    mask: int = 0xFFFFFFFF
    whole: bool = False


class _Rule(NamedTuple):
    """The call is allowed if every test holds and fails with `error` otherwise."""

    tests: tuple[_Test, ...]
    error: int


_RULES: dict[str, _Rule] = {
    "open": _Rule((_Test(1, (0,), mask=_WRITING_FLAGS),), errno.EPERM),
    "openat": _Rule((_Test(2, (0,), mask=_WRITING_FLAGS),), errno.EPERM),
    "clone": _Rule((_Test(0, (_FORK_FLAGS,)),), errno.EAGAIN),
    "prlimit64": _Rule((_Test(0, (0,)),), errno.EPERM),
    # Of a terminal's many powers none; asking whether it is one fails the way it fails for a file.
    "ioctl": _Rule((_Test(1, (_TCGETS, _FIONREAD, _FIONBIO)),), errno.ENOTTY),
    # F_SETOWN with F_SETSIG would send any signal to any process of the same user, without kill().
    "fcntl": _Rule(
        (_Test(1, (_F_DUPFD, _F_GETFD, _F_SETFD, _F_GETFL, _F_SETFL, _F_DUPFD_CLOEXEC)),),
        errno.EPERM,
    ),
    # A child asks to die with the zygote, and may not take that back.
    "prctl": _Rule((_Test(0, (kernel.PR_SET_PDEATHSIG,)), _Test(1, (_SIGKILL,))), errno.EPERM),
    # asyncio wakes itself through a socket pair. Datagrams are out: they can be sent to any socket by name.
    "socketpair": _Rule(
        (_Test(0, (_AF_UNIX,)), _Test(1, (_SOCK_STREAM,), mask=0xFFFFFFFF ^ _SOCKET_TYPE_FLAGS)),
        errno.EPERM,
    ),
    "sendto": _Rule((_Test(4, (0,), whole=True),), errno.EPERM),
}

_REFUSED: dict[str, int] = {"clone3": errno.ENOSYS}
"""Calls that fail with another error than EPERM: on ENOSYS the C library falls back to clone, whose flags are seen."""


def _instruction(code: int, if_true: int, if_false: int, operand: int) -> bytes:
    return struct.pack("=HBBI", code, if_true, if_false, operand)


def _load(offset: int) -> bytes:
    return _instruction(0x20, 0, 0, offset)


def _and(mask: int) -> bytes:
    return _instruction(0x54, 0, 0, mask)


def _return(action: int) -> bytes:
    return _instruction(0x06, 0, 0, action)


def _skip_unless_equal(value: int, skipped: int) -> bytes:
    return _instruction(0x15, 0, skipped, value)


def _skip_if_equal(value: int, skipped: int) -> bytes:
    return _instruction(0x15, skipped, 0, value)


def _skip_unless_at_least(value: int, skipped: int) -> bytes:
    return _instruction(0x35, 0, skipped, value)


def _argument_test(test: _Test, error: int) -> list[bytes]:
    """Falls through if the test holds, returns the error otherwise."""
    offset = 16 + 8 * test.argument
    if test.whole:
        fail = _return(_FAIL | error)
        return [_load(offset), _skip_if_equal(0, 1), fail, _load(offset + 4), _skip_if_equal(0, 1), fail]
    steps = [_load(offset)] if test.mask == 0xFFFFFFFF else [_load(offset), _and(test.mask)]
    # Each comparison jumps over the comparisons after it and the failing return.
    for position, value in enumerate(test.values):
        steps.append(_skip_if_equal(value, len(test.values) - position))
    return [*steps, _return(_FAIL | error)]


def _ranges(numbers: list[int]) -> list[tuple[int, int]]:
    """Sorted numbers as inclusive runs of neighbours."""
    runs: list[tuple[int, int]] = []
    for number in sorted(numbers):
        if runs and runs[-1][1] == number - 1:
            runs[-1] = (runs[-1][0], number)
        else:
            runs.append((number, number))
    return runs


def program(machine_name: str) -> bytes:
    """The filter for an architecture as BPF instructions of 8 bytes each.

    Raises:
        KeyError: there is no table for this architecture.
    """
    machine = _MACHINES[machine_name]
    # Another architecture's numbers mean other calls (a 64-bit process may make 32-bit calls): no such call is honest.
    steps = [_load(4), _skip_if_equal(machine.audit_tag, 1), _return(_KILL_PROCESS), _load(0)]
    if machine_name == "x86_64":
        steps += [_skip_unless_at_least(0x40000000, 1), _return(_KILL_PROCESS)]  # the x32 twins of the calls

    for name, error in _REFUSED.items():
        steps += [_skip_unless_equal(machine.numbers[name], 1), _return(_FAIL | error)]
    for name, rule in _RULES.items():
        if name not in machine.numbers:
            continue
        body = [step for test in rule.tests for step in _argument_test(test, rule.error)] + [_return(_ALLOW)]
        steps += [_skip_unless_equal(machine.numbers[name], len(body)), *body]
    plain = [number for name, number in machine.numbers.items() if name not in _RULES and name not in _REFUSED]
    for first, last in _ranges(plain):
        if first == last:
            steps += [_skip_unless_equal(first, 1), _return(_ALLOW)]
        else:
            above = _instruction(0x25, 1, 0, last)
            steps += [_skip_unless_at_least(first, 2), above, _return(_ALLOW)]
    return b"".join([*steps, _return(_FAIL | errno.EPERM)])


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("instructions", ctypes.c_void_p))


def install() -> None:
    """Put the filter on this process and all its children, for ever. Needs `kernel.forbid_new_privileges()` first.

    Raises:
        OSError: this kernel or a surrounding container refuses filters.
        KeyError: there is no table for this architecture.
    """
    instructions = program(platform.machine())
    buffer = ctypes.create_string_buffer(instructions, len(instructions))
    filter_program = _Program(len(instructions) // 8, ctypes.addressof(buffer))
    mode = ctypes.c_ulong(2)
    kernel.prctl(kernel.PR_SET_SECCOMP, mode, ctypes.byref(filter_program), what="seccomp filter")
