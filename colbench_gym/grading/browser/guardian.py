"""Starts the browser and sees to it that it ends with its owner, whatever way the owner ends.

Run as a script: `python -I -S guardian.py OWNER_PID CHROMIUM FLAG...`, by Playwright's driver, in place of Chromium.
It stays between the two: when the owner (the process that renders), the driver or the browser is gone, or on SIGTERM,
it kills what is left of the browser's process group and removes the browser's profile. An owner killed by SIGKILL runs
no clean-up of its own, and a fork of it may hold the driver's pipe open, so that the driver would not notice.
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
_DRIVER_SECONDS = 5.0
"""How long the driver may take to notice that its owner is gone, before it is killed too."""
_PIPES = (3, 4)
"""On which Chromium speaks with the driver. The guardian must not hold them open."""


def main(owner: int, program: str, flags: list[str]) -> int:
    driver = os.getppid()
    try:
        owner_end = os.pidfd_open(owner)
        driver_end = os.pidfd_open(driver)
    except ProcessLookupError:
        return 1
    profile = tempfile.mkdtemp(prefix="colbench-browser-")
    stop, stopper = os.pipe()
    os.set_blocking(stopper, False)
    signal.set_wakeup_fd(stopper, warn_on_full_buffer=False)
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, lambda *_: None)
    browser = os.fork()
    if browser == 0:
        os.setpgid(0, 0)
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        os.execv(program, [program, *flags, f"--user-data-dir={profile}"])
    for pipe in _PIPES:
        os.close(pipe)
    browser_end = os.pidfd_open(browser)
    ready, _, _ = select.select([owner_end, driver_end, browser_end, stop], [], [])
    with contextlib.suppress(ProcessLookupError):
        os.killpg(browser, signal.SIGKILL)
    _, status = os.waitpid(browser, 0)
    shutil.rmtree(profile, ignore_errors=True)
    # Once this process has ended, the driver removes its temporary folders and ends too. Only a fork can wait for that.
    if owner_end in ready and os.fork() == 0:
        os.closerange(0, 3)
        if not select.select([driver_end], [], [], _DRIVER_SECONDS)[0]:
            with contextlib.suppress(ProcessLookupError):
                os.kill(driver, signal.SIGKILL)
    return 0 if os.waitstatus_to_exitcode(status) == 0 else 1


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), sys.argv[2], sys.argv[3:]))
