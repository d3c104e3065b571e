"""The grader's end of a zygote: starting it, asking it for children, noticing that it is gone, ending it."""

from __future__ import annotations

import array
import contextlib
import json
import os
import select
import signal
import socket
import struct
import subprocess
import sys
from typing import NamedTuple

from colbench_gym.errors import GraderError, IsolationUnavailable
from colbench_gym.grading.sandbox import bubblewrap, zygote
from colbench_gym.grading.sandbox.contents import Contents

NOBODY = 65534
"""The user and group that the superuser's zygote becomes."""

_START_SECONDS = 60.0
"""How long a zygote may take to import everything. A loaded machine with slow disks needs a while for pandas."""
_HELLO_SECONDS = 10.0
_END_SECONDS = 5.0

_CREDENTIALS = struct.Struct("iii")
_SCM_CREDENTIALS = 2
_CREDENTIALS_SPACE = 64

# What the interpreter inside is to assume, and nothing of this process's environment. A fixed hash seed, because the
# order of a set must not depend on the run. Symbols bound at the start, or every child would bind them anew. One
# thread for numerical libraries, because a process with threads cannot be forked safely.
_ENVIRONMENT = {
    "PATH": "/usr/bin:/bin",
    "PYTHONHASHSEED": "0",
    "LD_BIND_NOW": "1",
    "LC_ALL": "C.UTF-8",
    "TZ": "UTC",
    "OPENBLAS_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
}


class Walls(NamedTuple):
    """Which kinds of isolation a zygote is started with."""

    bubblewrap: bool
    landlock: bool
    seccomp: bool

    @property
    def name(self) -> str:
        """What `Sandbox.isolation` reports."""
        parts = [("bwrap", self.bubblewrap), ("landlock", self.landlock), ("seccomp", self.seccomp)]
        return "+".join(name for name, used in parts if used) or "none"


class ZygoteDied(Exception):
    """The zygote is gone, so there are no more children from it."""


class Child:
    """A process that has been asked for, and gets one job or none.

    Attributes:
        socket: the grader's end of the pair it shares with the child.
    """

    __slots__ = ("_process", "socket")

    def __init__(self, connection: socket.socket) -> None:
        self.socket = connection
        self._process: int | None = None

    def give(self, payload: bytes) -> None:
        """Wait until the child is there, take hold of its process, and send it its job.

        Raises:
            OSError: the child is gone, or was never started.
        """
        self.socket.settimeout(_HELLO_SECONDS)
        if sys.platform == "linux":
            # The kernel fills in the sender's number and translates it into this process's numbering. The child waits
            # for its job meanwhile, so the number cannot have been given to another process yet.
            hello, ancillary, _, _ = self.socket.recvmsg(1, _CREDENTIALS_SPACE)
            number = next((_CREDENTIALS.unpack(data)[0] for _, kind, data in ancillary if kind == _SCM_CREDENTIALS), 0)
            if hello != zygote.HELLO or number <= 0:
                raise ConnectionError("the child never started")
            self._process = os.pidfd_open(number)
        elif self.socket.recv(1) != zygote.HELLO:
            raise ConnectionError("the child never started")
        # A job too large for the child's memory kills it while it reads. That is an outcome, which the end of its
        # socket will tell, and not a failure to start.
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            self.socket.sendall(payload)
        self.socket.setblocking(False)

    def end(self) -> None:
        """Kill it, whatever it is doing, and let go of it.

        Without a hold on the process (other systems than Linux) closing its socket is all that can be done.
        """
        if self._process is not None:
            try:
                signal.pidfd_send_signal(self._process, signal.SIGKILL)
            except ProcessLookupError:
                pass  # it ended by itself, as most do
            finally:
                os.close(self._process)
                self._process = None
        self.socket.close()


class Zygote:
    """A running zygote.

    Args:
        walls: how it is isolated.
        contents: what it may read.

    Raises:
        IsolationUnavailable: it could not lock itself in; the text holds what it said.
        GraderError: it did not start in time.
    """

    def __init__(self, walls: Walls, contents: Contents) -> None:
        self.walls = walls
        control, inner = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
        program = [contents.interpreter, "-s", "-P", "-B", "-S", os.path.join(contents.code, "zygote.py")]
        program += [str(inner.fileno()), json.dumps(_settings(walls, contents))]
        if walls.bubblewrap:
            bwrap = bubblewrap.executable()
            if bwrap is None:
                raise IsolationUnavailable("bubblewrap is not installed")
            program = bubblewrap.command(bwrap, contents, program)
        try:
            self._process = subprocess.Popen(
                program,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                pass_fds=[inner.fileno()],
                env=_ENVIRONMENT,
                cwd="/",
                # Ctrl-C in a terminal goes to its whole session. The grader decides when the zygote ends.
                start_new_session=True,
            )
        except OSError:
            control.close()
            raise
        finally:
            inner.close()
        self._control = control
        self._await_ready()

    def _await_ready(self) -> None:
        self._control.settimeout(_START_SECONDS)
        try:
            answer = self._control.recv(1)
        except TimeoutError:
            self.close()
            raise GraderError(f"the sandbox did not start within {_START_SECONDS:.0f} s") from None
        stderr = self._process.stderr
        assert stderr is not None
        if answer != zygote.READY:
            said = stderr.read().decode("utf-8", "replace").strip().splitlines()
            self.close()
            raise IsolationUnavailable(said[-1] if said else "the sandbox ended without a word")
        stderr.close()
        # A zygote that is behind with its forks makes the next request wait for a place in the queue.
        self._control.settimeout(_HELLO_SECONDS)
        self._ended = select.poll()
        self._ended.register(self._control, select.POLLIN)

    def spawn(self) -> Child:
        """Ask for a child. Returns at once; the child comes up meanwhile.

        Raises:
            ZygoteDied: there is nobody to ask.
        """
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            if sys.platform == "linux":
                ours.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
            rights = array.array("i", [theirs.fileno()])
            self._control.sendmsg([b"F"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, rights)])
        except OSError as error:
            ours.close()
            raise ZygoteDied(str(error)) from error
        finally:
            theirs.close()
        return Child(ours)

    def alive(self) -> bool:
        """Whether it still holds its end of the control socket, which it closes only by dying."""
        # Once it has said that it is ready it says no more, so all that can be read is the end.
        return self._control.fileno() >= 0 and not self._ended.poll(0)

    def answers(self) -> bool:
        """Whether it still starts children, asked by having it start one.

        A dying zygote takes its children along before its own end of the control socket closes: for a moment `alive`
        would have a child blamed for its parent's death.
        """
        try:
            child = self.spawn()
        except ZygoteDied:
            return False
        child.socket.settimeout(_HELLO_SECONDS)
        try:
            return child.socket.recv(1) == zygote.HELLO
        except OSError:
            return False
        finally:
            child.end()

    def close(self) -> None:
        """End it and all its children. Harmless when it is gone already."""
        self._control.close()
        try:
            self._process.wait(_END_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        if self._process.stderr is not None:
            self._process.stderr.close()

    def forget(self) -> None:
        """Let go of it in a fork of the process that started it, where it goes on serving that process."""
        self._control.close()
        # Not a child of the fork: this makes `subprocess` notice that, so that it does not warn of it later.
        self._process.poll()


def _settings(walls: Walls, contents: Contents) -> zygote.Settings:
    locked = walls.landlock or walls.seccomp
    becomes_nobody = locked and os.geteuid() == 0
    return {
        "user": NOBODY if becomes_nobody else None,
        "landlock": walls.landlock,
        "seccomp": walls.seccomp,
        "memory": sys.platform == "linux",
        "readable": contents.readable() if walls.landlock else [],
        "listable": contents.listable() if walls.landlock else [],
        "exposed": contents.needed() if becomes_nobody and not walls.bubblewrap else [],
        "package_roots": list(contents.package_roots),
        "importable": sorted({os.path.basename(path).split(".")[0] for path in contents.packages}),
        "preloaded": list(contents.preloaded),
    }
