"""The grader's side: gives jobs to jailed children and makes sure that every test gets an outcome.

A job runs in up to three kinds of child, each only if the one before was not enough:

1. The first child sends its results in bulk. Nearly every job ends here.
2. If it died, sent nonsense or was silent for `_PATIENCE_SECONDS`, it is killed, without blame, and the tests that
   have no outcome yet go to a fresh child that sends every result at once, so that it is known which test it is in.
3. If that one dies, or is silent for the test's time limit and `_GRACE_SECONDS` more, the test it was in is blamed
   and the tests after it go to a fresh child. After `_MAX_KILLS` kills for silence the tests left are not run.

So a job of n tests with a limit of s seconds ends within `_PATIENCE_SECONDS + n * (s + _GRACE_SECONDS)`, and one
whose every test ignores its limit within `_PATIENCE_SECONDS + _MAX_KILLS * (s + _GRACE_SECONDS)`.
"""

from __future__ import annotations

import atexit
import collections
import contextlib
import os
import selectors
import threading
import time
import weakref
from collections.abc import Iterator, Sequence
from types import CodeType, TracebackType
from typing import Literal

from colbench_gym.errors import GraderError
from colbench_gym.grading.sandbox import isolation as isolation_module
from colbench_gym.grading.sandbox.process import Child, Zygote, ZygoteDied
from colbench_gym.grading.sandbox.wire import FrameReader, GarbledFrames, Job, Outcome, pack_job

_PATIENCE_SECONDS = 0.4
_GRACE_SECONDS = 0.6
_MAX_KILLS = 2
_LEAST_TURNS = 2
_SPARE_CHILDREN = 2
"""Children kept forked ahead of need while there are jobs left: they start up while others run."""
_FAILED_STARTS = 5
"""After so many children in a row that never said hello there is something wrong with the machine."""
_RECEIVE_BYTES = 1 << 18

_End = Literal["complete", "closed", "silent", "garbled"]


class _Progress:
    """How far one job has come."""

    __slots__ = ("deaths", "flush_each", "job", "kills", "outcomes", "tests")

    def __init__(self, job: Job) -> None:
        self.job = job
        self.outcomes: dict[int, Outcome] = {}
        self.tests: tuple[tuple[int, CodeType], ...] = job.tests
        self.flush_each = len(job.tests) == 1
        self.kills = 0
        self.deaths = 0

    def give_up(self, kind: Literal["lost", "timed_out"], reason: bytes) -> None:
        """Settle the tests that are left without running them."""
        self.outcomes.update((index, Outcome(kind, reason)) for index, _ in self.tests)
        self.tests = ()


class _Attempt:
    """A child at work on (the rest of) a job. `deadline` is the time at which it will have been silent too long."""

    __slots__ = ("child", "deadline", "progress", "reader", "silence", "zygote")

    def __init__(self, progress: _Progress, zygote: Zygote, child: Child) -> None:
        self.progress = progress
        self.zygote = zygote
        self.child = child
        self.reader = FrameReader(tuple(index for index, _ in progress.tests))
        self.silence = progress.job.seconds + _GRACE_SECONDS if progress.flush_each else _PATIENCE_SECONDS
        self.deadline = time.monotonic() + self.silence


def _turns() -> threading.Semaphore:
    """One turn per processor: with more programs than that at a time, the clock would judge the load, not the code."""
    if hasattr(os, "sched_getaffinity"):
        processors = len(os.sched_getaffinity(0))
    else:
        processors = os.cpu_count() or 1
    return threading.Semaphore(max(_LEAST_TURNS, processors))


class Sandbox:
    """Runs untrusted programs in isolated children of one zygote.

    Starts when it is first used. May be used by several threads at once: each call has its own jobs in flight, and all
    together have no more than there are processors (or two). In a fork of the process that used it, it starts a zygote
    of its own and leaves the parent's alone.

    Args:
        isolation: `auto` for the best that works here, a name of `isolation.NAMES` to demand exactly that, or
            `unsafe` for limits only, which do not protect this machine's files or network from the programs.
        packages: third-party packages the programs may import besides the standard library.
        unproven_machine: accept an architecture on which the self-check has not passed. For the self-check.
    """

    def __init__(
        self,
        isolation: str = "auto",
        packages: frozenset[str] = frozenset(),
        *,
        unproven_machine: bool = False,
    ) -> None:
        isolation_module.check_name(isolation)
        self._unproven_machine = unproven_machine
        self._wanted = isolation
        self._packages = packages
        self._lock = threading.Lock()
        self._turns = _turns()
        self._zygote: Zygote | None = None
        self._calls = 0
        self._spares: collections.deque[tuple[Zygote, Child]] = collections.deque()
        self._closed = False
        _registry.all.add(self)

    def __enter__(self) -> Sandbox:
        self._running_zygote()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    @property
    def isolation(self) -> str:
        """What stands between the programs and this machine: a name of `isolation.NAMES`, or `none`.

        Raises:
            IsolationUnavailable: what was asked for does not work here.
        """
        return self._running_zygote().walls.name

    def close(self) -> None:
        """End the zygote and all its children. The sandbox cannot be used afterwards."""
        with self._lock:
            self._closed = True
            self._drop_zygote()

    def rest(self) -> None:
        """End the zygote and all its children, unless a call of `run` is using them. The next call starts anew."""
        with self._lock:
            if not self._calls:
                self._drop_zygote()

    def run(self, jobs: Sequence[Job], *, in_flight: int = 2) -> list[dict[int, Outcome]]:
        """Run every job in a process of its own.

        Args:
            jobs: what to run. Indices of tests are unique within a job.
            in_flight: how many jobs this call runs at a time, at least 1; there is no gain in more than there are
                processors.

        Returns:
            For each job, in order, an outcome for every index of its tests.

        Raises:
            IsolationUnavailable: what was asked for does not work here.
            GraderError: this machine starts no more processes.
        """
        if in_flight < 1:
            raise ValueError("in_flight must be at least 1")
        everything = [_Progress(job) for job in jobs]
        with self._in_use(), selectors.DefaultSelector() as selector:
            run = _Run(self, selector, everything)
            try:
                run.loop(in_flight)
            finally:
                run.abandon()
        return [progress.outcomes for progress in everything]

    @contextlib.contextmanager
    def _in_use(self) -> Iterator[None]:
        with self._lock:
            self._calls += 1
        try:
            yield
        finally:
            with self._lock:
                self._calls -= 1

    def _running_zygote(self) -> Zygote:
        """The zygote, started if there is none."""
        zygote = self._zygote
        if zygote is None:
            with self._lock:
                if self._closed:
                    raise GraderError("this sandbox is closed. Mend: make a new one")
                if self._zygote is None:
                    self._zygote = isolation_module.start(
                        self._wanted, self._packages, unproven_machine=self._unproven_machine
                    )
                zygote = self._zygote
        return zygote

    def _replace(self, dead: Zygote) -> None:
        """Drop a zygote that died, unless another thread has done so. The next use starts a new one."""
        with self._lock:
            if self._zygote is dead:
                self._drop_zygote()

    def _drop_zygote(self) -> None:
        for _ in range(len(self._spares)):
            self._spares.popleft()[1].end()
        if self._zygote is not None:
            self._zygote.close()
            self._zygote = None

    def _child(self) -> tuple[Zygote, Child]:
        """A child to give a job to: one from the reserve, or a new one."""
        while True:
            try:
                zygote, child = self._spares.popleft()
            except IndexError:
                zygote = self._running_zygote()
                try:
                    return zygote, zygote.spawn()
                except ZygoteDied:
                    self._replace(zygote)
                    continue
            if zygote is self._zygote:
                return zygote, child
            child.end()

    def _reserve(self, count: int) -> None:
        """Have that many children ready."""
        while len(self._spares) < count:
            zygote = self._running_zygote()
            try:
                self._spares.append((zygote, zygote.spawn()))
            except ZygoteDied:
                self._replace(zygote)

    def _forget(self) -> None:
        """In a fork: let go of everything that belongs to the parent process."""
        self._lock = threading.Lock()
        self._turns = _turns()
        self._calls = 0
        for _, child in self._spares:
            child.socket.close()
        self._spares = collections.deque()
        if self._zygote is not None:
            self._zygote.forget()
            self._zygote = None


class _Run:
    """One call of `Sandbox.run`."""

    def __init__(self, sandbox: Sandbox, selector: selectors.BaseSelector, everything: list[_Progress]) -> None:
        self._sandbox = sandbox
        self._selector = selector
        self._waiting = collections.deque(progress for progress in everything if progress.tests)
        # Jobs that were running when the zygote died. One of them may have killed it, so they are tried one by one.
        self._suspects: collections.deque[_Progress] = collections.deque()
        self._live: set[_Attempt] = set()
        self._failed_starts = 0

    def loop(self, in_flight: int) -> None:
        live, waiting, suspects = self._live, self._waiting, self._suspects
        while waiting or suspects or live:
            # Wait for a turn only with nothing to look after meanwhile.
            while waiting and len(live) < in_flight and self._sandbox._turns.acquire(blocking=not live):
                self._begin(waiting.popleft())
            if suspects and not waiting and not live:
                self._sandbox._turns.acquire()
                self._begin(suspects.popleft())
            if not live:
                continue
            timeout = min(attempt.deadline for attempt in live) - time.monotonic()
            for key, _ in self._selector.select(max(0.0, timeout)):
                self._receive(key.data)
            now = time.monotonic()
            for attempt in [attempt for attempt in live if attempt.deadline <= now]:
                self._finish(attempt, "silent")

    def abandon(self) -> None:
        """Kill what is still running: there is nothing, unless this call is being interrupted."""
        for attempt in list(self._live):
            self._release(attempt)

    def _begin(self, progress: _Progress) -> None:
        """Start an attempt; the caller has taken a turn for it."""
        job = progress.job
        if len(progress.tests) < len(job.tests):
            job = job._replace(tests=progress.tests)
        try:
            payload = pack_job(job, flush_each=progress.flush_each)
            zygote, child = self._sandbox._child()
        except BaseException:
            self._sandbox._turns.release()
            raise
        try:
            child.give(payload)
        except OSError:
            child.end()
            self._sandbox._turns.release()
            self._waiting.appendleft(progress)
            self._note_failed_start(zygote)
            return
        self._failed_starts = 0
        attempt = _Attempt(progress, zygote, child)
        self._live.add(attempt)
        self._selector.register(child.socket, selectors.EVENT_READ, attempt)
        # At least one, for the next call: its job finds a child that is up already.
        self._sandbox._reserve(max(1, min(_SPARE_CHILDREN, len(self._waiting))))

    def _note_failed_start(self, zygote: Zygote) -> None:
        if not zygote.alive():
            self._sandbox._replace(zygote)
        self._failed_starts += 1
        if self._failed_starts >= _FAILED_STARTS:
            raise GraderError(
                "the sandbox cannot start processes. Mend: raise the limit on processes (ulimit -u, or the "
                "container's pids limit) or free memory"
            )
        # The lack may pass: it may be the children of other graders.
        time.sleep(0.05 * self._failed_starts)

    def _receive(self, attempt: _Attempt) -> None:
        try:
            data = attempt.child.socket.recv(_RECEIVE_BYTES)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if not data:
            self._finish(attempt, "closed")
            return
        frames_before = len(attempt.reader.frames)
        try:
            attempt.reader.feed(data)
        except GarbledFrames:
            self._finish(attempt, "garbled")
            return
        if attempt.reader.complete:
            self._finish(attempt, "complete")
        elif len(attempt.reader.frames) > frames_before:
            attempt.deadline = time.monotonic() + attempt.silence

    def _release(self, attempt: _Attempt) -> None:
        self._live.remove(attempt)
        self._selector.unregister(attempt.child.socket)
        attempt.child.end()
        self._sandbox._turns.release()

    def _finish(self, attempt: _Attempt, end: _End) -> None:
        """Take the results of an attempt that is over, and see to the tests that are left."""
        self._release(attempt)
        progress = attempt.progress
        progress.outcomes.update(attempt.reader.frames)
        if end == "complete":
            progress.tests = ()
            return
        progress.tests = tuple(test for test in progress.tests if test[0] not in attempt.reader.frames)
        if end == "closed" and not attempt.zygote.answers():
            self._after_death(attempt)
            return
        if not progress.tests:
            # Every test has its frame, and then came more. Whoever wrote that is not to be believed.
            last = progress.job.tests[-1][0]
            progress.outcomes[last] = Outcome("lost", b"the process sent what it was not asked for")
            return
        if not progress.flush_each:
            progress.flush_each = True
        else:
            blamed = progress.tests[0][0]
            progress.tests = progress.tests[1:]
            if end == "silent":
                progress.kills += 1
                progress.outcomes[blamed] = Outcome("timed_out", b"ignored its time limit and was killed")
                if progress.kills >= _MAX_KILLS:
                    progress.give_up("timed_out", b"not run: earlier tests ignored their time limit")
            elif end == "garbled":
                progress.outcomes[blamed] = Outcome("lost", b"the process sent what it was not asked for")
            else:
                progress.outcomes[blamed] = Outcome("lost", b"the process ended")
        if progress.tests:
            self._waiting.appendleft(progress)

    def _after_death(self, attempt: _Attempt) -> None:
        """The zygote died under this attempt, perhaps by its doing. Once more, by itself; not a third time."""
        self._sandbox._replace(attempt.zygote)
        attempt.progress.deaths += 1
        if attempt.progress.deaths > 1:
            attempt.progress.give_up("lost", b"the sandbox died twice while this ran")
        elif attempt.progress.tests:
            self._suspects.append(attempt.progress)


class _Registry:
    """The sandboxes of this process, by what was asked for, and all of them."""

    def __init__(self) -> None:
        self.all: weakref.WeakSet[Sandbox] = weakref.WeakSet()
        self._shared: dict[tuple[str, frozenset[str]], Sandbox] = {}
        self._lock = threading.Lock()

    def shared(self, isolation: str, packages: frozenset[str]) -> Sandbox:
        with self._lock:
            key = (isolation, packages)
            if key not in self._shared:
                self._shared[key] = Sandbox(isolation, packages)
            return self._shared[key]

    def rest_shared(self) -> None:
        with self._lock:
            sandboxes = list(self._shared.values())
        for sandbox in sandboxes:
            sandbox.rest()

    def close_all(self) -> None:
        for sandbox in list(self.all):
            sandbox.close()

    def forget_all(self) -> None:
        """In a fork: keep the objects, because others hold them, but let go of the parent's processes."""
        # The thread that held the lock, if one did, does not exist in the fork.
        self._lock = threading.Lock()
        for sandbox in list(self.all):
            sandbox._forget()


_registry = _Registry()
atexit.register(_registry.close_all)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_registry.forget_all)


def shared_sandbox(isolation: str = "auto", packages: frozenset[str] = frozenset()) -> Sandbox:
    """This process's sandbox of that kind. It starts when it is first used and ends with the process, or rests before.

    Raises:
        ConfigError: there is no isolation of that name.
    """
    return _registry.shared(isolation, packages)


def rest() -> None:
    """Lets this process's shared sandboxes rest; see `Sandbox.rest`."""
    _registry.rest_shared()
