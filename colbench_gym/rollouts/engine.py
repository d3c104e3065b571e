"""Many episodes at a time in this process, each in a thread: none waits for another's slow turn."""

from __future__ import annotations

import collections
import queue
import threading
import time
from typing import Protocol

import gymnasium

from colbench_gym.accounts import Account, BudgetSpent, GivenUp, Purse
from colbench_gym.errors import ColbenchError
from colbench_gym.rollouts.playing import EpisodeInPlay, Item, Run
from colbench_gym.types import Episode

_LOOK_SECONDS = 0.1
"""How often deadlines are looked at."""
_AHEAD = 16
"""Items that may wait for a thread, so that none waits for an item."""
_END_SECONDS = 5.0
"""How long `close` waits for episodes in play to notice that they are given up."""


class RunStopped(ColbenchError):
    """A run was ended before its time, because going on would have been no use."""


class Engine(Protocol):
    """What plays the items of a run. Used by one thread."""

    @property
    def outstanding(self) -> int:
        """Items that were submitted, and neither finished nor taken back."""
        ...

    @property
    def room(self) -> int:
        """How many more items it wants now."""
        ...

    def submit(self, item: Item) -> None: ...

    def finished(self, timeout: float) -> list[Episode]:
        """The episodes that have ended since the last call; waits up to `timeout` seconds for one.

        An episode that was cut off because the run may use no more is not among them, and no longer outstanding.
        """
        ...

    def close(self) -> None:
        """Gives up what is in play."""
        ...


class LocalEngine:
    """Plays up to `concurrency` episodes at a time.

    An episode over its time is recorded as the failure of the party that was at work, at once: the thread that plays it
    is abandoned, and another takes its place.

    Args:
        run: what to play.
        concurrency: episodes in play at a time.
        turn_seconds, episode_seconds: limits on one turn (an action and what follows from it) and one episode; None for
            none. Backing off and queueing do not count.
        purse: what the run may use.
    """

    def __init__(
        self,
        run: Run,
        *,
        concurrency: int,
        turn_seconds: float | None = None,
        episode_seconds: float | None = None,
        purse: Purse | None = None,
    ) -> None:
        self._run = run
        self._concurrency = concurrency
        self._limits = {"turn": turn_seconds, "episode": episode_seconds}
        self._purse = purse
        self._lock = threading.Condition()
        self._waiting: collections.deque[Item] = collections.deque()
        self._live: set[_Job] = set()
        self._results: queue.SimpleQueue[Episode | BaseException | None] = queue.SimpleQueue()
        self._outstanding = 0
        self._bug: BaseException | None = None
        self._look_at = 0.0
        self._workers: set[threading.Thread] = set()
        self._idle = 0
        self._closed = False

    @property
    def outstanding(self) -> int:
        return self._outstanding

    @property
    def room(self) -> int:
        return max(0, self._concurrency + _AHEAD - self._outstanding)

    def submit(self, item: Item) -> None:
        with self._lock:
            self._waiting.append(item)
            self._outstanding += 1
            if self._idle >= len(self._waiting):
                self._lock.notify()
            elif len(self._workers) < self._concurrency:
                self._hire()

    def take_back(self, count: int) -> list[Item]:
        """Up to `count` items that nobody has begun; they are no longer outstanding."""
        with self._lock:
            items = [self._waiting.pop() for _ in range(min(count, len(self._waiting)))]
            self._outstanding -= len(items)
            return items

    def finished(self, timeout: float) -> list[Episode]:
        """See `Engine.finished`. An exception that is nobody's failure but a bug is raised here, after the rest."""
        episodes: list[Episode] = []
        until = time.monotonic() + timeout
        while self._outstanding:
            self._look_at_deadlines()
            wait = 0.0 if episodes or self._bug else min(_LOOK_SECONDS, until - time.monotonic())
            try:
                result = self._results.get(timeout=wait) if wait > 0 else self._results.get_nowait()
            except queue.Empty:
                if wait > 0:
                    continue
                break
            if isinstance(result, BaseException):
                self._bug = result  # stays outstanding: the next call raises it
                continue
            self._outstanding -= 1
            if result is not None:
                episodes.append(result)
        if self._bug and not episodes:
            raise self._bug
        return episodes

    def close(self) -> None:
        with self._lock:
            self._closed = True
            self._waiting.clear()
            self._lock.notify_all()
            live, workers = list(self._live), list(self._workers)
        for job in live:
            job.account.give_up()
        self._run.close()
        until = time.monotonic() + _END_SECONDS
        for worker in workers:
            worker.join(max(0.0, until - time.monotonic()))

    def _hire(self) -> None:
        worker = threading.Thread(target=self._work, daemon=True, name="colbench-episode")
        self._workers.add(worker)
        worker.start()

    def _work(self) -> None:
        """Plays what is waiting, one episode after the other, until the engine is closed."""
        me = threading.current_thread()
        env: gymnasium.Env[str, str] | None = None
        while (item := self._next()) is not None:
            result: Episode | BaseException | None
            job: _Job | None = None
            try:
                env = self._run.make_env() if env is None else env
                job = _Job(self._run.episode(env, item, Account(self._purse)))
                with self._lock:
                    self._live.add(job)
                result = job.episode.play()
            except (BudgetSpent, GivenUp):
                result = None
            except BaseException as error:  # handed to the thread that waits in `finished`
                result = error
            if job is not None and not self._settle(job):
                break
            self._results.put(result)
        with self._lock:
            self._workers.discard(me)
        if env is not None:
            env.close()

    def _next(self) -> Item | None:
        with self._lock:
            self._idle += 1
            try:
                while not self._waiting:
                    if self._closed:
                        return None
                    self._lock.wait()
                return self._waiting.popleft()
            finally:
                self._idle -= 1

    def _settle(self, job: _Job) -> bool:
        """Whether the caller is the first to say how this episode ended, and therefore the one who is believed."""
        with self._lock:
            if job not in self._live:
                return False
            self._live.remove(job)
            return True

    def _look_at_deadlines(self) -> None:
        now = time.monotonic()
        if now < self._look_at:
            return
        self._look_at = now + _LOOK_SECONDS
        with self._lock:
            live = list(self._live)
        for job in live:
            taken = {"turn": job.account.turn_seconds, "episode": job.account.seconds}
            over = [what for what, limit in self._limits.items() if limit is not None and taken[what] > limit]
            if over and self._settle(job):
                self._results.put(job.episode.timed_out(over[0], self._limits[over[0]] or 0.0))
                self._abandon(job)

    def _abandon(self, job: _Job) -> None:
        """Another thread takes the place of one that may hang for ever; if not, it will find that nobody waits."""
        job.account.give_up()
        with self._lock:
            self._workers.discard(job.thread)
            if self._waiting and len(self._workers) < self._concurrency:
                self._hire()


class _Job:
    """An episode in play, and the thread that plays it."""

    def __init__(self, episode: EpisodeInPlay) -> None:
        self.episode = episode
        self.account = episode.account
        self.thread = threading.current_thread()
