"""Landlock: the kernel refuses this process every file but the ones named here. Needs no privilege (Linux >= 5.13).

What it does not refuse: asking whether a path exists and how large it is (stat), and changing modes or times. The
first gives no contents away and is impossible under bubblewrap, where the paths are not there; the second is refused
by the seccomp filter.
"""

from __future__ import annotations

import ctypes
import os
import struct
from collections.abc import Iterable

from colbench_gym.grading.sandbox import kernel

# The three calls have the same numbers on every architecture.
_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_VERSION_FLAG = 1
_RULE_PATH_BENEATH = 1

_READ_FILE = 1 << 2
_READ_DIRECTORY = 1 << 3


def abi_version() -> int:
    """The kernel's Landlock version, 1 or more; 0 where it has none or it is switched off."""
    return max(0, kernel.libc().syscall(ctypes.c_long(_CREATE_RULESET), None, ctypes.c_size_t(0), _VERSION_FLAG))


def restrict(readable: Iterable[str], listable: Iterable[str]) -> None:
    """Refuse, for this process and all its children for ever, every file access but the given ones.

    Args:
        readable: files that may be read; directories that may be read with all that is in them.
        listable: directories of which (and below which) only the names may be read.

    Raises:
        OSError: no Landlock here, or a path cannot be opened.
    """
    version = abi_version()
    if version == 0:
        raise OSError("this kernel has no Landlock")
    # A right that is "handled" is refused unless a rule grants it, so handle all that this kernel knows.
    files = (1 << 13) - 1
    if version >= 2:
        files |= 1 << 13  # moving files between directories
    if version >= 3:
        files |= 1 << 14  # truncating
    if version >= 5:
        files |= 1 << 15  # ioctl on devices
    network = 0b11  # TCP bind and connect, from version 4
    scopes = 0b11  # abstract Unix sockets and signals to processes outside, from version 6
    size = 24 if version >= 6 else 16 if version >= 4 else 8
    attributes = ctypes.create_string_buffer(struct.pack("=QQQ", files, network, scopes), 24)
    ruleset = kernel.syscall(_CREATE_RULESET, attributes, ctypes.c_size_t(size), 0, what="Landlock ruleset")
    try:
        for path in readable:
            _allow(ruleset, path, _READ_FILE | _READ_DIRECTORY if os.path.isdir(path) else _READ_FILE)
        for path in listable:
            _allow(ruleset, path, _READ_DIRECTORY)
        kernel.syscall(_RESTRICT_SELF, ruleset, 0, what="Landlock")
    finally:
        os.close(ruleset)


def _allow(ruleset: int, path: str, rights: int) -> None:
    descriptor = os.open(path, os.O_PATH)
    try:
        rule = ctypes.create_string_buffer(struct.pack("=Qi", rights, descriptor))
        kernel.syscall(_ADD_RULE, ruleset, _RULE_PATH_BENEATH, rule, 0, what=f"Landlock rule for {path}")
    finally:
        os.close(descriptor)
