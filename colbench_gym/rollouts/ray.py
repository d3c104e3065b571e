"""Episodes on a Ray cluster: the same run, played by worker processes on any number of machines.

The driver (this process) keeps the store and the queue; every worker is a Ray actor with a `LocalEngine` of its own,
and so with its own sandbox and renderer. The two talk in one kind of call, `exchange`: items go there, finished
episodes come back. A call waits a moment for episodes and ends with what there is, so no worker waits for another, and
no more is under way than what the workers have in hand. When the queue is empty, items that a worker has not begun are
taken back and given to one that has nothing to do.
"""

from __future__ import annotations

import collections
import logging
import os
import pickle
import secrets
import socket
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from colbench_gym.accounts import Account, Price, Purse, amounts_of
from colbench_gym.errors import ColbenchError, ConfigError, MissingExtra
from colbench_gym.rollouts.engine import LocalEngine, RunStopped
from colbench_gym.rollouts.playing import Item, Run, RunConfig
from colbench_gym.types import Episode

_AHEAD = 16
"""Items that a worker has beyond those in play, so that it is never idle between two exchanges."""
_EXCHANGE_SECONDS = 0.5
"""How long an exchange waits for the first episode: so old is what the driver knows of a worker's spending."""
_GATHER_SECONDS = 0.05
"""An exchange lasts at least so long: an episode in each would cost more than the episode, if it is a short one."""
_DEATHS = 3
"""So many workers may be lost while they have an item; the last of them has nothing else."""
_LOSSES = 5
"""So many times in a row a worker is lost before it has finished an episode; then it is not replaced any more."""
_START_SECONDS = 300.0
"""How long the cluster may take until there is a worker."""
_CONNECT_SECONDS = 10.0
"""How long the cluster's head may take to accept a connection."""
_CAUSE_CHARACTERS = 300
"""Of what Ray says about a loss; general advice follows."""
_STORE_BYTES = 128 << 20
"""Ray's shared memory on a cluster of our own. Little passes through it: an exchange is a few hundred kilobytes."""

_log = logging.getLogger(__name__)


class WorkerLost(ColbenchError):
    """The process that played an episode has ended, and not by itself."""


class RayEngine:
    """An `Engine` whose episodes are played by the workers of a Ray cluster.

    A lost worker is replaced, and what it had is played again. An item that was lost with its worker twice is given to
    a worker that has nothing else; if that one is lost as well, the item is a failed episode (infrastructure).

    Args:
        run: what to play. Every worker makes its own from the configuration; if the agent was given as an object, it is
            pickled.
        address: of the cluster. By default the one that this process is connected to already, or that the environment
            variable RAY_ADDRESS names, or one that is started on this machine and ends with the engine.
        workers: how many; by default one for each processor of the cluster.
        concurrency: episodes in play at a time, of each worker.
        turn_seconds, episode_seconds: as for `LocalEngine`.
        purse: what the run may use. Workers learn of each other's spending with every exchange.

    Raises:
        MissingExtra: Ray is not installed.
        ConfigError: the cluster cannot be reached, the agent cannot be pickled, or the user is a person.
    """

    def __init__(
        self,
        run: Run,
        *,
        address: str | None = None,
        workers: int | None = None,
        concurrency: int,
        turn_seconds: float | None = None,
        episode_seconds: float | None = None,
        purse: Purse | None = None,
    ) -> None:
        if run.identities["user"].get("kind") == "human":
            raise ConfigError("a person cannot sit at a worker of a cluster. Mend: engine 'local'")
        self._run = run
        self._concurrency = concurrency
        self._purse = Purse() if purse is None else purse
        self._ray = _ray(address)
        agent = None if run.given_agent is None else _pickled(self._ray, run.given_agent)
        self._is_ours = _connect(self._ray, address, workers)
        if self._is_ours:
            _let_print(self._ray, False)
        self._setup = self._ray.put(
            _Setup(
                os.getcwd(),
                list(sys.path),
                run.config,
                agent,
                {"concurrency": concurrency, "turn_seconds": turn_seconds, "episode_seconds": episode_seconds},
                self._purse.prices,
            )
        )
        # An actor that dies is replaced by us: one that Ray restarts would know nothing of its items.
        self._player = self._ray.remote(num_cpus=1, max_restarts=0, max_task_retries=0, scheduling_strategy="SPREAD")(
            _Player
        )
        self._waiting: collections.deque[Item] = collections.deque()
        self._deaths: collections.Counter[Item] = collections.Counter()
        count = workers or max(1, int(self._ray.cluster_resources().get("CPU", 1)))
        self._workers = [self._hire(number) for number in range(count)]
        self._no_worker_since: float | None = time.monotonic()

    @property
    def outstanding(self) -> int:
        return len(self._waiting) + sum(worker.outstanding for worker in self._workers)

    @property
    def room(self) -> int:
        return max(0, len(self._workers) * (self._concurrency + _AHEAD) - self.outstanding)

    def submit(self, item: Item) -> None:
        self._waiting.append(item)

    def finished(self, timeout: float) -> list[Episode]:
        """See `Engine.finished`.

        Raises:
            ConfigError: a worker plays another run than the driver: other versions, other tasks.
            RunStopped: there is no worker, and none can be had.
            Exception: a bug that a worker met, as `LocalEngine` raises it.
        """
        episodes: list[Episode] = []
        until = time.monotonic() + timeout
        while self.outstanding and not episodes:
            self._give_out()
            calls = {worker.call: worker for worker in self._workers if worker.call is not None}
            wait = max(0.0, until - time.monotonic())
            if self._ray.wait(list(calls), num_returns=1, timeout=wait)[0]:
                for call in self._ray.wait(list(calls), num_returns=len(calls), timeout=0)[0]:
                    episodes += self._heard(calls[call])
            elif self._no_worker_since is not None and time.monotonic() - self._no_worker_since > _START_SECONDS:
                raise RunStopped(
                    f"no worker has come up in {_START_SECONDS:g} s. Mend: see with `ray status` whether the cluster "
                    "has a free processor; the same command goes on"
                )
            elif wait == 0:
                break
        return episodes

    def close(self) -> None:
        """Kills the workers: what they have in play is played again when the run is resumed."""
        for worker in self._workers:
            self._ray.kill(worker.actor)
        self._workers = []
        if self._is_ours:
            self._ray.shutdown()
            _let_print(self._ray, True)

    # -- workers

    def _hire(self, number: int, losses: int = 0) -> _Worker:
        actor = self._player.remote()
        return _Worker(number, actor, actor.start.remote(self._setup), losses)

    def _give_out(self) -> None:
        """Begins an exchange with every worker that is not in one and has something to do."""
        hungry = [worker for worker in self._workers if self._hunger(worker)]
        reserved = sum(map(self._room_of, hungry))
        lacking = sum(map(self._hunger, hungry)) - len(self._waiting)
        for worker in self._workers:
            if not worker.is_up or worker.call is not None:
                continue
            if worker in hungry:
                reserved -= self._room_of(worker)
            # What hungry ones have room for is left to them: nobody hoards what was taken back for somebody else.
            items = self._items_for(worker, max(self._hunger(worker), len(self._waiting) - reserved))
            worker.items.update(dict.fromkeys(items))
            # Items are begun in order: those beyond the first `concurrency` wait.
            unbegun = max(0, worker.outstanding - self._concurrency)
            give_back = (unbegun + 1) // 2 if lacking > 0 and not items else 0
            lacking -= give_back
            if worker.outstanding:
                worker.call = worker.actor.exchange.remote(items, give_back, self._left())

    def _room_of(self, worker: _Worker) -> int:
        return self._concurrency + _AHEAD - worker.outstanding

    def _hunger(self, worker: _Worker) -> int:
        """How many items it could begin at once."""
        if not worker.is_up or self._has_last_chance(worker):
            return 0
        return max(0, self._concurrency - worker.outstanding)

    def _has_last_chance(self, worker: _Worker) -> bool:
        """Whether it has an item whose next loss is the last, and nothing else."""
        return any(self._is_last_chance(item) for item in worker.items)

    def _is_last_chance(self, item: Item) -> bool:
        return self._deaths[item] >= _DEATHS - 1

    def _items_for(self, worker: _Worker, most: int) -> list[Item]:
        """Takes from the queue what this worker is to have now: at most `most`, and no more than it has room for."""
        if self._has_last_chance(worker):
            return []
        room = min(most, self._room_of(worker))
        items: list[Item] = []
        passed_over: list[Item] = []
        while self._waiting and len(items) < room:
            item = self._waiting.popleft()
            if not self._is_last_chance(item):
                items.append(item)
            elif worker.outstanding or items:
                passed_over.append(item)
            else:
                items.append(item)
                break
        self._waiting.extendleft(reversed(passed_over))
        return items

    def _left(self) -> dict[str, float]:
        """What the run may still use, of each limit that there is."""
        used = amounts_of(self._purse.used, self._purse.prices)
        return {name: limit - used[name] for name, limit in self._purse.limits.items() if limit is not None}

    def _heard(self, worker: _Worker) -> Sequence[Episode]:
        """Takes in what a worker's call has come to."""
        call, worker.call = worker.call, None
        try:
            answer = self._ray.get(call)
        except self._ray.exceptions.RayTaskError as error:
            raise error.cause from error
        except self._ray.exceptions.RayError as error:
            return self._lost(worker, error)
        if not worker.is_up:
            self._compare(answer)
            worker.is_up = True
            self._no_worker_since = None
            return []
        for item in answer.given_back:
            del worker.items[item]
            self._waiting.append(item)
        for episode in answer.episodes:
            del worker.items[Item(episode.key["task_id"], episode.key["sample"])]
            worker.losses = 0
        # What was cut off because the run may use no more has left no episode; which it was, is not said.
        if not answer.outstanding:
            worker.items.clear()
        worker.cut_off = len(worker.items) - answer.outstanding
        for party, counts in answer.used.items():
            self._purse.charge(party, counts)
        return answer.episodes

    def _compare(self, identities: Mapping[str, Any]) -> None:
        here = self._run.identities
        for name in sorted({*here, *identities}):
            if here.get(name) != identities.get(name):
                raise ConfigError(
                    f"a worker would play another run: its {name} is {identities.get(name)!r}, here it is "
                    f"{here.get(name)!r}. Mend: the same versions, files and settings on every machine of the cluster"
                )

    def _lost(self, worker: _Worker, error: Exception) -> list[Episode]:
        """Replaces a worker and gives its items to others. The episodes of those that are not tried again."""
        self._ray.kill(worker.actor)  # it may only be out of reach, and must not play on
        cause = " ".join(str(error).split())[:_CAUSE_CHARACTERS]
        _log.warning("worker %d was lost, with %d episodes to redo: %s", worker.number, worker.outstanding, cause)
        given_up = []
        for item in reversed(worker.items):
            self._deaths[item] += 1
            if self._deaths[item] < _DEATHS:
                self._waiting.appendleft(item)
            else:
                given_up.append(self._failed(item, cause))
        losses = 0 if given_up else worker.losses + 1
        self._workers.remove(worker)
        if losses < _LOSSES:
            self._workers.append(self._hire(worker.number, losses))
        elif not self._workers:
            raise RunStopped(
                f"the last worker was lost {losses} times in a row and is not replaced any more: {cause} "
                "Mend: that; then the same command goes on"
            )
        if self._no_worker_since is None and not any(other.is_up for other in self._workers):
            self._no_worker_since = time.monotonic()
        return given_up

    def _failed(self, item: Item, cause: str) -> Episode:
        """The record of an item that has cost too many workers."""
        env = self._run.make_env()
        try:
            return self._run.episode(env, item, Account()).failed(
                WorkerLost(
                    f"{_DEATHS} workers were lost while they had this episode, the last one with nothing else: {cause}"
                )
            )
        finally:
            env.close()


class _Setup(NamedTuple):
    """What a worker is made of."""

    folder: str
    path: list[str]
    config: RunConfig
    agent: bytes | None
    limits: Mapping[str, Any]
    prices: Mapping[str, Price]


class _Exchanged(NamedTuple):
    """A worker's answer.

    Attributes:
        episodes: finished since the last exchange.
        given_back: items that the worker had not begun, and has no more.
        outstanding: items it still has.
        used: by party, since the last exchange.
    """

    episodes: list[Episode]
    given_back: list[Item]
    outstanding: int
    used: dict[str, dict[str, int]]


@dataclass(eq=False)
class _Worker:
    """What the driver knows of a worker.

    Attributes:
        call: the call that it is in, if any.
        losses: how often it was replaced since it finished an episode.
        is_up: whether it has answered `start`.
        items: what it was given and has not finished, in order.
        cut_off: how many of these it has dropped, because the run may use no more.
    """

    number: int
    actor: Any
    call: Any
    losses: int
    is_up: bool = False
    items: dict[Item, None] = field(default_factory=dict)
    cut_off: int = 0

    @property
    def outstanding(self) -> int:
        return len(self.items) - self.cut_off


class _Player:
    """The actor: a local engine behind one call."""

    def start(self, setup: _Setup) -> dict[str, Any]:
        """Makes the run. Its identities, for the driver to compare with its own."""
        if os.path.isdir(setup.folder):  # on this machine, or one that shares it: relative paths mean the same
            os.chdir(setup.folder)
        sys.path += [folder for folder in setup.path if folder not in sys.path]
        agent = None if setup.agent is None else pickle.loads(setup.agent)
        run = Run(setup.config, agent)
        self._purse = Purse(prices=setup.prices)
        self._reported: dict[str, dict[str, int]] = {}
        self._engine = LocalEngine(run, purse=self._purse, **setup.limits)
        return run.identities

    def exchange(self, items: Sequence[Item], give_back: int, left: Mapping[str, float]) -> _Exchanged:
        """Takes items and hands over what has finished.

        Args:
            items: to play.
            give_back: how many items to return, of those not begun.
            left: what the run may still use, of each limit that there is.
        """
        own = amounts_of(self._purse.used, self._purse.prices)
        self._purse.limits = {name: own[name] + amount for name, amount in left.items()}
        for item in items:
            self._engine.submit(item)
        given_back = self._engine.take_back(give_back)
        if not given_back:
            time.sleep(_GATHER_SECONDS)
        episodes = self._engine.finished(0.0 if given_back else _EXCHANGE_SECONDS)
        used = self._purse.used
        new = {party: _minus(counts, self._reported.get(party, {})) for party, counts in used.items()}
        self._reported = used
        return _Exchanged(episodes, given_back, self._engine.outstanding, new)


def _minus(counts: Mapping[str, int], before: Mapping[str, int]) -> dict[str, int]:
    return {name: count - before.get(name, 0) for name, count in counts.items()}


def _ray(address: str | None) -> Any:
    """The library. It reads these variables when it is imported; those that are set are respected.

    Whoever reaches a cluster's ports may run code as its owner, and Ray listens on all addresses of a machine: one of
    our own asks for a token that only its own processes know. (If the library is imported already, it is too late.)
    """
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    if _named(address) is None and "ray" not in sys.modules and "RAY_AUTH_MODE" not in os.environ:
        os.environ.update(RAY_AUTH_MODE="token", RAY_AUTH_TOKEN=secrets.token_hex(32))
    try:
        import ray
    except ImportError as error:
        raise MissingExtra("ray", "the engine 'ray'") from error
    return ray


def _named(address: str | None) -> str | None:
    return address or os.environ.get("RAY_ADDRESS")


def _connect(ray: Any, address: str | None, workers: int | None) -> bool:
    """Connects this process to a cluster. Whether it had to be, so that it is to be disconnected in the end."""
    quiet: dict[str, Any] = {"log_to_driver": False, "logging_level": logging.ERROR}
    if ray.is_initialized():
        if address is not None:
            raise ConfigError(f"this process is already connected to a Ray cluster. Mend: leave out {address}")
        return False
    address = _named(address)
    if address is None:
        ray.init("local", num_cpus=workers, include_dashboard=False, object_store_memory=_STORE_BYTES, **quiet)
        return True
    try:
        host, _, port = address.rpartition("://")[2].rpartition(":")
        if host and port.isdecimal():  # Ray itself would try for minutes
            socket.create_connection((host, int(port)), timeout=_CONNECT_SECONDS).close()
        ray.init(address, **quiet)
    except (OSError, RuntimeError, ValueError) as error:
        raise ConfigError(
            f"no connection to a Ray cluster at {address} ({error}). Mend: the address that `ray start --head` named, "
            "and the versions of Python and Ray that run there"
        ) from error
    return True


def _let_print(ray: Any, on: bool) -> None:
    """Ray tells of lost workers on standard output, the place of `--json`, and has no setting that keeps it from it."""
    ray._private.worker._worker_logs_enabled = on


def _pickled(ray: Any, agent: object) -> bytes:
    try:
        return ray.cloudpickle.dumps(agent)
    except Exception as error:  # whatever an agent's own __reduce__ raises
        raise ConfigError(
            f"the agent cannot be sent to workers ({type(error).__name__}: {error}). Mend: make it picklable, or name "
            "it as module:attribute, so that each worker makes its own"
        ) from error
