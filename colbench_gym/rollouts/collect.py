"""Whole runs: thousands of episodes, which can be interrupted and resumed."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from colbench_gym.accounts import Purse, amounts_of
from colbench_gym.errors import ConfigError
from colbench_gym.rollouts.engine import Engine, LocalEngine, RunStopped
from colbench_gym.rollouts.episodes import EpisodeStore, Status, read_episodes
from colbench_gym.rollouts.playing import Item, Run, RunConfig
from colbench_gym.types import Agent, Ceiling

CONCURRENCY = 16
TURN_SECONDS = 1200.0
EPISODE_SECONDS = 7200.0
FAILURES_IN_A_ROW = 50
"""So many failed episodes without a good one between them end a run: the server is gone, or a key is wrong."""

ENGINES = ("local", "ray")
_FIRST_EPISODES = 4
"""With a limit on what the run may use, so many are played before the rest: to learn what an episode uses."""


@dataclass
class Collected:
    """What one call of `collect` did.

    Attributes:
        items: the episodes that the run was to have.
        played: episodes that were played now, failed ones included.
        failed: how many of these failed, by boundary.
        missing: episodes that are still not there.
        stopped_by: the limit that ended it, in words; None if none did.
        is_ceiling: whether what played reads the reference, and is no agent.
    """

    items: list[Item]
    played: int = 0
    failed: Counter[str] = field(default_factory=Counter)
    missing: int = 0
    stopped_by: str | None = None
    is_ceiling: bool = False

    def read(self, directory: str | os.PathLike[str]) -> Iterator[dict[str, Any]]:
        """Those of the episodes that are in the run directory, as JSON data: earlier calls may have played others."""
        wanted = set(self.items)
        for record in read_episodes(directory):
            if (record["key"]["task_id"], record["key"]["sample"]) in wanted:
                yield record


def collect(
    config: RunConfig,
    directory: str | os.PathLike[str],
    *,
    samples_per_task: int = 1,
    episodes: int | None = None,
    concurrency: int = CONCURRENCY,
    turn_seconds: float | None = TURN_SECONDS,
    episode_seconds: float | None = EPISODE_SECONDS,
    purse: Purse | None = None,
    retry_failed: bool = False,
    failures_in_a_row: int | None = FAILURES_IN_A_ROW,
    engine: str = "local",
    address: str | None = None,
    workers: int | None = None,
    agent: Agent | Ceiling | None = None,
    on_start: Callable[[int, int], None] | None = None,
    on_episode: Callable[[Mapping[str, Any]], None] | None = None,
) -> Collected:
    """Plays the episodes of a run that are not yet in its directory.

    Episode i plays task i modulo the number of tasks; its sample number says how often that task came before (whole
    blocks of the task list, as in the official files).

    Args:
        config: what to play.
        directory: the run directory.
        samples_per_task: episodes of each task.
        episodes: how many in all, instead of every task `samples_per_task` times.
        concurrency: episodes in play at a time; of each worker, with `engine="ray"`.
        turn_seconds, episode_seconds: limits on one turn and one episode, None for none; an episode that exceeds one
            has failed. Time spent backing off from a server, or in a queue for a batch, does not count.
        purse: limits on requests, tokens and cost, for all that is in the directory. No episode is begun that would,
            at the mean of those before it, exceed one.
        retry_failed: play failed episodes of earlier calls again.
        failures_in_a_row: see `FAILURES_IN_A_ROW`; None to go on whatever happens.
        engine: `local`, threads of this process; `ray`, workers of a Ray cluster (extra `ray`).
        address: of the Ray cluster; by default the one that the environment names, else one on this machine.
        workers: of the Ray cluster; by default one a processor.
        agent: the agent, if it is already made (it must be the one that `config.agent` names).
        on_start: called with the number of episodes already there, and of all.
        on_episode: called with the JSON data of each new episode.

    Raises:
        ConfigError: bad arguments, or a directory that holds something else.
        RunStopped: too many failures in a row.
    """
    for name, value in (
        ("samples_per_task", samples_per_task),
        ("episodes", episodes),
        ("concurrency", concurrency),
        ("turn_seconds", turn_seconds),
        ("episode_seconds", episode_seconds),
        ("failures_in_a_row", failures_in_a_row),
    ):
        if value is not None and not value > 0:
            raise ConfigError(f"{name}={value}. Mend: a number greater than 0")
    if engine not in ENGINES:
        raise ConfigError(f"engine={engine!r}. Mend: one of {', '.join(ENGINES)}")
    purse = Purse() if purse is None else purse
    run = Run(config, agent)
    items = planned(run, samples_per_task=samples_per_task, episodes=episodes)
    with EpisodeStore(directory, {**asdict(config), "identities": run.identities}) as store:
        missing = [item for item in items if store.status_of(run.key(item)) in open_states(retry_failed)]
        result = Collected(items, missing=len(missing), is_ceiling=bool(run.identities["agent"].get("ceiling")))
        if on_start is not None:
            on_start(len(items) - len(missing), len(items))
        if not missing:
            return result
        budget = _Budget(purse)
        if purse.is_limited:
            for record in read_episodes(directory):
                budget.add(record["usage"])
                for party, counts in record["usage"].items():
                    purse.charge(party, counts)
        players = _engine(
            engine,
            run,
            address=address,
            workers=workers,
            concurrency=concurrency,
            turn_seconds=turn_seconds,
            episode_seconds=episode_seconds,
            purse=purse,
        )
        try:
            _drive(players, iter(missing), store, budget, result, failures_in_a_row, on_episode)
        finally:
            players.close()
    return result


def planned(run: Run, *, samples_per_task: int, episodes: int | None) -> list[Item]:
    """The episodes of a run, in whole blocks of the task list."""
    total = episodes or samples_per_task * len(run.tasks)
    ids = [run.tasks.id_at(index) for index in range(min(total, len(run.tasks)))]
    return [Item(ids[number % len(ids)], number // len(ids)) for number in range(total)]


def open_states(retry_failed: bool) -> tuple[Status | None, ...]:
    """What is to be played: what is not there and, if it is to be tried again, what failed."""
    return (None, "failed") if retry_failed else (None,)


def _engine(name: str, run: Run, *, address: str | None, workers: int | None, **limits: Any) -> Engine:
    if name == "local":
        if run.identities["user"].get("kind") == "human":
            limits["concurrency"] = 1  # one person, one dialogue
        return LocalEngine(run, **limits)
    from colbench_gym.rollouts.ray import RayEngine

    return RayEngine(run, address=address, workers=workers, **limits)


class _Budget:
    """Whether another episode may be begun.

    What is in play is reckoned at the mean of the episodes so far: a limit is met before it is hit, where every request
    in play would be paid for in vain.
    """

    def __init__(self, purse: Purse) -> None:
        self.purse = purse
        self._episodes = 0
        self._sums: Counter[str] = Counter()

    def add(self, usage: Mapping[Any, Mapping[str, int]]) -> None:
        """An episode's usage."""
        self._episodes += 1
        self._sums.update(amounts_of(usage, self.purse.prices))

    def broken_by(self, in_play: int) -> str | None:
        """The limit that is reached, or that `in_play` episodes would exceed, in words; None if there is none."""
        mean = {name: total / self._episodes for name, total in self._sums.items()} if self._episodes else None
        return self.purse.exceeded(mean, in_play)

    def allows(self, in_play: int) -> bool:
        """Whether another episode may be begun beside those in play."""
        if not self.purse.is_limited:
            return True
        known = self._episodes > 0 or in_play < _FIRST_EPISODES
        return known and self.broken_by(in_play + 1) is None


def _drive(
    engine: Engine,
    missing: Iterator[Item],
    store: EpisodeStore,
    budget: _Budget,
    result: Collected,
    failures_in_a_row: int | None,
    on_episode: Callable[[Mapping[str, Any]], None] | None,
) -> None:
    """Feeds the engine and stores what comes back, until nothing is left or a limit is met."""
    in_a_row = 0
    last: Mapping[str, str] = {}
    item = next(missing, None)
    while True:
        while item is not None and engine.room and budget.allows(engine.outstanding):
            engine.submit(item)
            item = next(missing, None)
        if not engine.outstanding:
            if item is not None:
                result.stopped_by = budget.broken_by(1)
            elif result.missing:
                # Given up in play: what was reached then is reached still.
                result.stopped_by = budget.broken_by(0)
            return
        for episode in engine.finished(timeout=1.0):
            store.append(episode)
            budget.add(episode.usage)
            result.played += 1
            result.missing -= 1
            last = episode.error or {}
            if episode.status == "failed":
                result.failed[last["boundary"]] += 1
            if on_episode is not None:
                on_episode(episode.to_dict())
            in_a_row = in_a_row + 1 if episode.status == "failed" else 0
        if failures_in_a_row is not None and in_a_row >= failures_in_a_row:
            raise RunStopped(
                f"{in_a_row} episodes in a row have failed, the last with: {last['message']} Mend: that; then the same "
                "command with --retry-failed goes on"
            )
