"""What a run would ask of servers, before it asks anything."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import Any, Protocol, runtime_checkable

from colbench_gym.accounts import Price, Purse
from colbench_gym.protocol import USER_CHARACTERS
from colbench_gym.rollouts.collect import open_states, planned
from colbench_gym.rollouts.episodes import key_of, statuses
from colbench_gym.rollouts.playing import Run
from colbench_gym.types import Message, Task

_CHARACTERS_PER_TOKEN = 4
"""Rule of thumb for English and code."""
_USER_ATTEMPTS = 2
_LOOKED_AT = 20
"""Tasks whose length stands for that of all."""


@runtime_checkable
class Previewing(Protocol):
    """An agent that can say what it would send; `requests_per_action` times a turn, if it has that attribute."""

    def preview(self, messages: list[Message]) -> Mapping[str, Any]: ...


@runtime_checkable
class PreviewingUser(Protocol):
    """A user that can say what it would send."""

    def preview(self, task: Task, messages: list[Message]) -> Mapping[str, Any]: ...


def foresee(
    run: Run,
    directory: str | os.PathLike[str],
    *,
    samples_per_task: int = 1,
    episodes: int | None = None,
    retry_failed: bool = False,
    purse: Purse | None = None,
) -> dict[str, Any]:
    """What `collect` with these arguments would ask of servers. Sends nothing.

    Requests are the most there can be (every turn taken, every reply of the user asked for twice), without repeats
    after failures. Tokens are an estimate of that case: four characters a token, and every completion as long as it may
    be.

    Returns:
        JSON data: `episodes`, `missing`, `max_turns`, `first_request` (the agent's, as it would be sent; None if it
        asks no server that is known here), and `parties`: for `agent` and `user` None, or `model`, `endpoint`,
        `requests`, `prompt_tokens`, `completion_tokens` (None where completions have no limit) and `cost` (None without
        a price).
    """
    items = planned(run, samples_per_task=samples_per_task, episodes=episodes)
    known = statuses(directory)
    missing = [item for item in items if known.get(key_of(run.key(item))) in open_states(retry_failed)]
    tasks = [run.tasks[run.tasks.index_of(item.task_id)] for item in missing[:_LOOKED_AT]]
    prices = {} if purse is None else purse.prices
    requests = [run.agent.preview(_opening(task)) for task in tasks] if isinstance(run.agent, Previewing) else []
    asked = [run.user.preview(task, _opening(task)) for task in tasks] if isinstance(run.user, PreviewingUser) else []
    longest_reply = USER_CHARACTERS[run.domain] // _CHARACTERS_PER_TOKEN
    longest_action = (requests[0].get("max_tokens") if requests else None) or longest_reply
    growth = longest_action + longest_reply
    turns = run.max_turns
    each = getattr(run.agent, "requests_per_action", 1)
    agent = _share(requests, len(missing) * turns * each, turns, growth, run.identities["agent"], prices.get("agent"))
    user = _share(
        asked, len(missing) * (turns - 1) * _USER_ATTEMPTS, turns, growth, run.identities["user"], prices.get("user")
    )
    return {
        "episodes": len(items),
        "missing": len(missing),
        "max_turns": turns,
        "first_request": dict(requests[0]) if requests else None,
        "parties": {"agent": agent, "user": user},
    }


def _opening(task: Task) -> list[Message]:
    return [Message(role="user", content=task.description)]


def _share(
    firsts: Sequence[Mapping[str, Any]],
    requests: int,
    turns: int,
    growth: int,
    identity: Mapping[str, Any],
    price: Price | None,
) -> dict[str, Any] | None:
    """One party's share, if its first requests look like these. A dialogue grows by `growth` tokens a turn."""
    if not firsts:
        return None
    lengths = [len(json.dumps(first["messages"])) / _CHARACTERS_PER_TOKEN for first in firsts]
    longest = firsts[0].get("max_tokens")
    prompt_tokens = round(requests * (fmean(lengths) + growth * (turns - 1) / 2))
    cost = None
    if price is not None and longest is not None:
        cost = round(price.of({"prompt_tokens": prompt_tokens, "completion_tokens": requests * longest}), 4)
    return {
        "model": identity.get("model"),
        "endpoint": identity.get("endpoint"),
        "requests": requests,
        "prompt_tokens": prompt_tokens,
        "completion_tokens": None if longest is None else requests * longest,
        "cost": cost,
    }
