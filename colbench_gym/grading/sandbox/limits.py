"""Resource limits: what a child may use up before it is stopped. They hold without any privilege or kernel feature."""

from __future__ import annotations

import mmap
import resource

MEMORY_BYTES = 512 << 20
"""What a child may allocate on top of what the zygote had mapped when it was ready."""

_DESCRIPTORS = 32
_STACK_BYTES = 8 << 20
_CPU_SLACK_SECONDS = 3


def address_space_in_use() -> int:
    """Bytes of address space this process has mapped, to within a page.

    There is no /proc in the jail to ask, so this asks the kernel: it looks for the smallest limit under which one
    more page can be mapped.

    Raises:
        MemoryError: not even a terabyte is enough to map a page.
    """
    before = resource.getrlimit(resource.RLIMIT_AS)
    ceiling = (1 << 40) if before[1] == resource.RLIM_INFINITY else before[1]
    page = mmap.PAGESIZE
    too_small, enough = 0, ceiling // page
    try:
        while enough - too_small > 1:
            middle = (too_small + enough) // 2
            resource.setrlimit(resource.RLIMIT_AS, (middle * page, before[1]))
            try:
                mmap.mmap(-1, page).close()
                enough = middle
            except (OSError, MemoryError):
                too_small = middle
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)
    return (enough - 1) * page


def limit_zygote(*, memory: bool) -> None:
    """Set the limits that hold alike for the zygote and its children. Call it when everything is preloaded.

    Args:
        memory: limit the address space as well. Not every system knows that limit.

    Raises:
        OSError, ValueError: a limit cannot be set.
    """
    for limit, wanted in (
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_NOFILE, _DESCRIPTORS),
        (resource.RLIMIT_STACK, _STACK_BYTES),
        (resource.RLIMIT_MEMLOCK, 0),
    ):
        _, hard = resource.getrlimit(limit)
        value = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        resource.setrlimit(limit, (value, value))
    if memory:
        ceiling = address_space_in_use() + MEMORY_BYTES
        _, hard = resource.getrlimit(resource.RLIMIT_AS)
        ceiling = ceiling if hard == resource.RLIM_INFINITY else min(ceiling, hard)
        resource.setrlimit(resource.RLIMIT_AS, (ceiling, ceiling))


def forbid_processes() -> None:
    """No new process and no new thread from here on. Does nothing for the superuser, whom the kernel exempts."""
    resource.setrlimit(resource.RLIMIT_NPROC, (0, 0))


def limit_cpu(seconds: float) -> None:
    """Be killed after that much processor time, in case the grader is gone or stopped and cannot do it."""
    whole = int(seconds) + _CPU_SLACK_SECONDS
    resource.setrlimit(resource.RLIMIT_CPU, (whole, whole))
