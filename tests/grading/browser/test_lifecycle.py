"""Where browsers come from and that none is left over. Each case is a process of its own, as it ends in its own way."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

import psutil
import pytest

pytestmark = pytest.mark.browser

START = """
import os, sys, time
from colbench_gym.grading import render
PAGE = "<p>hello"
render.render(PAGE)
"""
GONE_SECONDS = 10.0


class Program:
    """A running Python program that has said `ready`, and the processes below it at that moment."""

    def __init__(self, code: str) -> None:
        self.process = subprocess.Popen([sys.executable, "-c", START + code], stdout=subprocess.PIPE, text=True)
        assert self.process.stdout is not None
        assert self.process.stdout.readline() == "ready\n"
        self.below = psutil.Process(self.process.pid).children(recursive=True)

    def assert_all_gone(self) -> None:
        """Everything below it ends, and the browsers' profiles with it."""
        assert len(self.below) >= 5
        _, left = psutil.wait_procs(self.below, timeout=GONE_SECONDS)
        assert not left

    def end(self) -> int:
        code = self.process.wait(timeout=30)
        assert self.process.stdout is not None
        self.process.stdout.close()
        return code


READY = "print('ready', flush=True)\n"


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_killed(number: signal.Signals):
    program = Program(READY + "time.sleep(99)")
    program.process.send_signal(number)
    assert program.end() != 0
    program.assert_all_gone()


def test_killed_while_a_page_hogs_the_browser():
    program = Program(
        "import threading\n"
        "page = '<script src=https://cdn.tailwindcss.com></script><script>tailwind.config={};while(1){}</script>'\n"
        "threading.Thread(target=render.render, args=[page], daemon=True).start(); time.sleep(1.5)\n"
        + READY
        + "time.sleep(99)"
    )
    program.process.kill()
    program.end()
    program.assert_all_gone()


def test_killed_while_a_fork_lives_on():
    program = Program("if os.fork() == 0: time.sleep(20); os._exit(0)\n" + READY + "time.sleep(99)")
    fork = [process for process in program.below if process.ppid() == program.process.pid and "-c" in process.cmdline()]
    program.below = [process for process in program.below if process not in fork]
    program.process.kill()
    program.assert_all_gone()
    assert len(fork) == 1
    fork[0].kill()
    program.end()


def test_interrupted_between_pages_it_goes_on():
    """Ctrl-C reaches the whole process group, Playwright's driver too."""
    program = subprocess.run(
        [
            sys.executable,
            "-c",
            START
            + "import signal\n"
            + "try:\n    os.killpg(0, signal.SIGINT); time.sleep(5)\nexcept KeyboardInterrupt:\n    pass\n"
            + "print(render.render(PAGE).width)",
        ],
        capture_output=True,
        text=True,
        timeout=60,
        start_new_session=True,
        check=False,
    )
    assert program.stdout == "1280\n", program.stderr


@pytest.mark.parametrize("ending", ["", "raise ValueError", "sys.exit(3)", "render.close()", "del render"])
def test_an_ordinary_end(ending: str):
    program = Program(READY + "time.sleep(.5)\n" + ending)
    program.end()
    program.assert_all_gone()


def test_close_and_start_anew():
    program = Program(
        "render.close()\n"
        "import psutil\n"
        "left = psutil.wait_procs(psutil.Process().children(recursive=True), timeout=10)[1]\n"
        "print('ready', flush=True) if not left else print(left, flush=True)\n"
        "render.close()\n"
        "assert render.render(PAGE).width == 1280"
    )
    assert program.end() == 0


def test_a_fork_has_a_browser_of_its_own():
    code = """
child = os.fork()
if child == 0:
    same = render.render(PAGE).png == before
    render.close()
    os._exit(0 if same else 1)
assert os.waitpid(child, 0)[1] == 0
assert render.render(PAGE).png == before
"""
    program = Program("before = render.render(PAGE).png\n" + READY + code)
    assert program.end() == 0
    program.assert_all_gone()


def test_workers_of_every_kind():
    code = """
import multiprocessing
if __name__ == "__main__":
    for method in ("fork", "spawn", "forkserver"):
        worker = multiprocessing.get_context(method).Process(target=render.render, args=[PAGE])
        worker.start()
        worker.join()
        assert worker.exitcode == 0, method
"""
    program = Program(READY + code)
    assert program.end() == 0
    program.assert_all_gone()


def test_the_profile_is_removed(tmp_path):
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    for ending in ("", "os.kill(os.getpid(), 9)"):
        subprocess.run([sys.executable, "-c", START + ending], env=environment, check=False, timeout=60)
        deadline = time.monotonic() + GONE_SECONDS
        while list(tmp_path.iterdir()) and time.monotonic() < deadline:
            time.sleep(0.1)
        assert not list(tmp_path.iterdir())
