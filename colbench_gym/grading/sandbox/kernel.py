"""The few Linux system calls that Python does not wrap.

Importable everywhere; calling anything here off Linux raises OSError or AttributeError, so callers ask
`sys.platform` first. Standard library only: this runs inside the jail as well.
"""

from __future__ import annotations

import ctypes
import functools
import os
import signal

PR_SET_PDEATHSIG = 1
PR_SET_DUMPABLE = 4
PR_SET_SECCOMP = 22
PR_SET_NO_NEW_PRIVS = 38

CLONE_NEWNS = 0x00020000
MS_NOSUID, MS_NODEV, MS_BIND, MS_REC, MS_PRIVATE = 2, 4, 4096, 16384, 1 << 18


@functools.cache
def libc() -> ctypes.CDLL:
    """The C library this interpreter runs on."""
    return ctypes.CDLL(None, use_errno=True)


def checked(result: int, what: str) -> int:
    """`result`, unless it is negative: then an OSError that names `what` failed and why."""
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")
    return result


def syscall(number: int, *arguments: object, what: str) -> int:
    """Call the kernel by number.

    Raises:
        OSError: the call failed; the text starts with `what`.
    """
    return checked(libc().syscall(ctypes.c_long(number), *arguments), what)


def prctl(option: int, first: object, second: object = 0, *, what: str) -> None:
    """Set a property of this process.

    Raises:
        OSError: the call failed; the text starts with `what`.
    """
    zero = ctypes.c_ulong(0)
    checked(libc().prctl(option, first, second, zero, zero), what)


def forbid_new_privileges() -> None:
    """No set-uid program may ever give this process or its children more rights. Landlock and seccomp demand it."""
    prctl(PR_SET_NO_NEW_PRIVS, ctypes.c_ulong(1), ctypes.c_ulong(0), what="no_new_privs")


def forbid_inspection() -> None:
    """No other process of the same user may read this one's memory through /proc or ptrace, nor its core."""
    prctl(PR_SET_DUMPABLE, ctypes.c_ulong(0), ctypes.c_ulong(0), what="dumpable")


def die_with_parent() -> None:
    """Be killed when the thread that forked this process ends. Cleared by a change of user: call it after."""
    prctl(PR_SET_PDEATHSIG, ctypes.c_ulong(signal.SIGKILL), ctypes.c_ulong(0), what="parent death signal")


def private_mounts() -> None:
    """Give this process a mount table of its own; what it mounts from now on is seen by it and its children only.

    Raises:
        OSError: not allowed (needs CAP_SYS_ADMIN).
    """
    checked(libc().unshare(CLONE_NEWNS), "a private mount table")
    mount(None, "/", None, MS_REC | MS_PRIVATE)


def mount(source: str | None, target: str, kind: str | None, flags: int, options: str = "") -> None:
    """mount(2).

    Raises:
        OSError: the call failed; the text names `target`.
    """
    encoded = [None if text is None else os.fsencode(text) for text in (source, target, kind)]
    checked(libc().mount(*encoded, ctypes.c_ulong(flags), os.fsencode(options)), f"mount on {target}")
