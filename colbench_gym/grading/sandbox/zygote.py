"""The jailed parent: imports everything once, locks itself in, then forks one child for every job it is asked for.

Run as a program by the grader (host.py): `python zygote.py DESCRIPTOR SETTINGS`, where DESCRIPTOR is its end of the
control socket and SETTINGS is JSON (see `Settings`). Over the control socket come requests: one byte, with one end of
a socket pair attached. Every request is answered by a fork; the child talks over that socket with the grader and with
nobody else. The zygote never reads a job, so nothing that untrusted code can write ever reaches it.
"""

from __future__ import annotations

import array
import gc
import importlib
import importlib.machinery
import json
import os
import signal
import socket
import sys
import time
import types
from collections.abc import Sequence
from typing import TYPE_CHECKING, NoReturn, TypedDict

if TYPE_CHECKING:
    from colbench_gym.grading.sandbox import wire

READY = b"R"
HELLO = b"H"

_FLUSH_SECONDS = 0.1
"""A child that holds results back sends them when they are this old, so that silence means a test is running."""

_READ_BYTES = 1 << 16


class Settings(TypedDict):
    """How to lock in.

    Attributes:
        user: numeric user and group to become, or None to stay who it is.
        landlock, seccomp, memory: whether to use these.
        readable, listable: see `landlock.restrict`.
        exposed: paths to keep in reach of `user` (see `mounts.expose`).
        package_roots: directories in which the third-party packages lie.
        importable: top-level names that may be imported from there.
        preloaded: packages to import before locking in.
    """

    user: int | None
    landlock: bool
    seccomp: bool
    memory: bool
    readable: list[str]
    listable: list[str]
    exposed: list[str]
    package_roots: list[str]
    importable: list[str]
    preloaded: list[str]


class PackageFinder:
    """Finds the third-party packages that were asked for.

    With their directory on `sys.path` the other packages in it would be found as well, and fail as unreadable files
    instead of as missing modules, which is not what a program expects that tries `import pandas` and can do without.
    """

    def __init__(self, roots: list[str], names: list[str]) -> None:
        self._roots = roots
        self._names = frozenset(names)

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: types.ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        if path is None and fullname in self._names:
            return importlib.machinery.PathFinder.find_spec(fullname, self._roots, target)
        return None


def _import_without_the_package() -> None:
    """Make `colbench_gym.grading.sandbox.X` importable without running the packages' `__init__` files.

    They would import half of the library; here only this directory exists.
    """
    for name in ("colbench_gym", "colbench_gym.grading", "colbench_gym.grading.sandbox"):
        module = types.ModuleType(name)
        module.__path__ = []
        sys.modules[name] = module
    sys.modules["colbench_gym.grading.sandbox"].__path__ = [os.path.dirname(os.path.abspath(__file__))]


_WARM_UP = """
class A:
    def __init__(self, x):
        self.x = x

def f(values):
    found = {}
    for position, value in enumerate(values):
        found[str(position)] = A(value).x * 2.0
    return [found, sum(values), sorted(values), "a".upper(), tuple(values)]
"""


def warm_up() -> None:
    """Run a harmless job a few times, here where it is trusted.

    The interpreter rewrites code that has run and fills its caches of attributes. What is done here is shared; done
    in the children it would be done anew, and a page copied for every bit of it, in each of them.
    """
    from colbench_gym.grading.sandbox import evaluate, wire

    standard_streams = sys.stdin, sys.stdout, sys.stderr
    modules = set(sys.modules)
    test = compile("f([3, 1, 2])", "<warm-up>", "eval")
    packed = wire.pack_job(wire.Job("strict", _WARM_UP, tuple((i, test) for i in range(10)), 1.0), flush_each=False)
    packed_frames: list[bytes] = []
    for _ in range(20):
        job, _ = wire.unpack_job(packed[4:])
        evaluate.run(job, lambda index, outcome: packed_frames.append(wire.pack_frame(index, outcome)))
    sys.stdin, sys.stdout, sys.stderr = standard_streams
    for name in set(sys.modules) - modules:
        del sys.modules[name]


def lock_in(settings: Settings) -> None:
    """Give up every right that grading does not need. There is no way back from any of it.

    The order matters; each step would be impossible or undone later or earlier.
    """
    from colbench_gym.grading.sandbox import kernel, landlock, limits, mounts, seccomp

    if settings["user"] is not None:
        # While root: afterwards the interpreter's own files may be out of reach.
        mounts.expose(settings["exposed"])
        os.setgroups([])
        os.setresgid(settings["user"], settings["user"], settings["user"])
        os.setresuid(settings["user"], settings["user"], settings["user"])
    if settings["landlock"] or settings["seccomp"]:
        kernel.forbid_new_privileges()
        # After the change of user, which switches inspection on or off by a system setting.
        kernel.forbid_inspection()
    if settings["landlock"]:
        # After the change of user, because the rules open their paths with this process's rights: what cannot be
        # opened now could not be read in the child either, and is noticed here.
        landlock.restrict(settings["readable"], settings["listable"])
    # Late, so that the memory limit is counted from everything that is mapped.
    limits.limit_zygote(memory=settings["memory"])
    # Children are reaped by the kernel: wait4() would cost a call per child.
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    # So far errors went to the grader; from here on there may be untrusted code that would like to write there.
    os.dup2(0, 2)
    if settings["seccomp"]:
        # Last: hardly any of the calls above would pass it.
        seccomp.install()
    # A module that nothing has imported yet stands for all that a child may still want to read.
    with open(os.path.join(os.path.dirname(os.__file__), "this.py"), "rb") as module:
        module.read(1)


def serve(control: socket.socket, *, die_with_parent: bool) -> NoReturn:
    """Fork a child for every request until the control socket closes."""
    from colbench_gym.grading.sandbox import evaluate, kernel, limits, wire

    control_descriptor = control.fileno()
    space = socket.CMSG_SPACE(array.array("i").itemsize)
    exit_now = os._exit
    while True:
        message, ancillary, _, _ = control.recvmsg(1, space)
        if not message:
            exit_now(0)
        descriptor = array.array("i", ancillary[0][2])[0]
        try:
            process = os.fork()
        except OSError:
            # Too many processes or too little memory. The grader sees its socket close before the hello.
            os.close(descriptor)
            continue
        if process:
            os.close(descriptor)
            continue
        try:
            os.close(control_descriptor)
            if die_with_parent:
                kernel.die_with_parent()
            limits.forbid_processes()
            os.write(descriptor, HELLO)
            work(descriptor, evaluate, limits, wire)
        finally:
            exit_now(0)


def work(descriptor: int, evaluate: types.ModuleType, limits: types.ModuleType, wire_module: types.ModuleType) -> None:
    """What a child does: read one job, run it, send one frame per test.

    Everything it calls after the untrusted code has started is held in local names, so that an answer which
    replaces, say, `os.write` harms nothing but its own result.
    """
    pack_frame, monotonic, write = wire_module.pack_frame, time.monotonic, os.write
    body = _read_job(descriptor, wire_module)
    if body is None:
        return
    job, flush_each = wire_module.unpack_job(body)
    limits.limit_cpu(len(job.tests) * (job.seconds + 1))
    held: list[bytes] = []
    last_flush = monotonic()

    def flush() -> None:
        nonlocal last_flush
        data = memoryview(b"".join(held))
        held.clear()
        while data:
            data = data[write(descriptor, data) :]
        last_flush = monotonic()

    def emit(index: int, outcome: wire.Outcome) -> None:
        held.append(pack_frame(index, outcome))
        if flush_each or monotonic() - last_flush > _FLUSH_SECONDS:
            flush()

    evaluate.run(job, emit)
    flush()


def _read_job(descriptor: int, wire_module: types.ModuleType) -> bytes | None:
    """The body of the job, or None if the grader closed the socket: a child kept in reserve was not needed."""
    data = os.read(descriptor, _READ_BYTES)
    if not data:
        return None
    length = wire_module.job_length(data[:4])
    parts, received = [data[4:]], len(data) - 4
    while received < length:
        part = os.read(descriptor, 1 << 20)
        if not part:
            return None
        parts.append(part)
        received += len(part)
    return b"".join(parts)


def main() -> NoReturn:
    control = socket.socket(fileno=int(sys.argv[1]))
    settings: Settings = json.loads(sys.argv[2])
    sys.argv = [""]
    if settings["importable"]:
        sys.meta_path.append(PackageFinder(settings["package_roots"], settings["importable"]))
    _import_without_the_package()

    from colbench_gym.grading.sandbox import evaluate

    for name in settings["preloaded"]:
        importlib.import_module(name)
    evaluate.prepare()
    warm_up()
    lock_in(settings)
    # What exists now is shared with all children; a collection that walked over it would copy it in every one, and
    # hardly any child lives long enough to need one at all.
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 50)
    control.sendall(READY)
    serve(control, die_with_parent=sys.platform == "linux")


if __name__ == "__main__":
    main()
