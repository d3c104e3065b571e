"""Starts the browser and sees to it that it ends with its owner, whatever way the owner ends.

Run as a script: `python -I -S guardian.py OWNER_PID CHROMIUM FLAG...`, by Playwright's driver, in place of Chromium.
What the driver starts, and may kill, only waits for the guardian proper, which is in a session of its own. When the
owner (the process that renders), the driver, the process that waits or the browser is gone, the guardian kills what is
left of the browser and removes its profile. An owner killed by SIGKILL runs no clean-up of its own, and a fork of it
may hold the driver's pipe open, so that the driver would not notice.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import select
import shutil
import signal
import sys
import tempfile

_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36
_DRIVER_SECONDS = 5.0
"""How long the driver may take to notice that its owner is gone, before it is killed too."""
_PIPES = (3, 4)
"""On which Chromium speaks with the driver. The guardian must not hold them open."""


def main(owner: int, program: str, flags: list[str]) -> int:
    driver, waiting = os.getppid(), os.getpid()
    guardian = os.fork()
    if guardian == 0:
        os.setsid()
        return guard(owner, driver, waiting, program, flags)
    close_pipes()
    return os.waitstatus_to_exitcode(os.waitpid(guardian, 0)[1])


def guard(owner: int, driver: int, waiting: int, program: str, flags: list[str]) -> int:
    try:
        owner_end, driver_end, waiting_end = map(os.pidfd_open, (owner, driver, waiting))
    except ProcessLookupError:
        return 1
    profile = tempfile.mkdtemp(prefix="colbench-browser-")
    library = ctypes.CDLL(None)
    # All the browser's processes become children of this one in the end, so that it can wait for the last.
    library.prctl(_PR_SET_CHILD_SUBREAPER, 1)
    browser = os.fork()
    if browser == 0:
        os.setpgid(0, 0)
        library.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        os.execv(program, [program, *flags, f"--user-data-dir={profile}"])
    close_pipes()
    browser_end = os.pidfd_open(browser)
    ready, _, _ = select.select([owner_end, driver_end, waiting_end, browser_end], [], [])
    with contextlib.suppress(ProcessLookupError):
        os.killpg(browser, signal.SIGKILL)
    with contextlib.suppress(ChildProcessError):
        while True:
            os.wait()
    shutil.rmtree(profile, ignore_errors=True)
    # Once the process that waits has ended, the driver removes its temporary folders and ends too, or is made to.
    if owner_end in ready and os.fork() == 0:
        os.closerange(0, 3)
        if not select.select([driver_end], [], [], _DRIVER_SECONDS)[0]:
            with contextlib.suppress(ProcessLookupError):
                os.kill(driver, signal.SIGKILL)
    return 0


def close_pipes() -> None:
    for pipe in _PIPES:
        os.close(pipe)


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), sys.argv[2], sys.argv[3:]))
