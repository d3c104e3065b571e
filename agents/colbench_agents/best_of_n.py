"""Several candidates for every turn, of which a scorer chooses one (arXiv 2503.15478, figure 3a; docs/agents.md).

A trained critic is a scorer, too: `scorer=module:attribute`.
"""

from __future__ import annotations

import hashlib
import math
import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from contextvars import copy_context
from dataclasses import asdict, replace
from typing import Any
from urllib.parse import urlencode

from colbench_agents.scorers import Scorer, make_scorer
from colbench_gym.accounts import current_account
from colbench_gym.errors import AgentError, ConfigError
from colbench_gym.rollouts.agents import Serial, as_reply, make_agent
from colbench_gym.rollouts.batching import Batcher
from colbench_gym.specs import Spec
from colbench_gym.types import Agent, AgentReply, BatchAgent, Ceiling, Domain, Message, SamplingAgent, Usage

VERSION = 1
"""Raised whenever the same inner agent and scorer would lead to another choice."""

CANDIDATES = 16
"""As in the paper."""


def make(spec: Spec, *, domain: Domain, max_turns: int) -> BestOfN:
    """The agent that `best-of-n:INNER?n=16&scorer=SCORER&OPTIONS` names; OPTIONS are the inner agent's.

    Raises:
        MissingExtra: the inner agent or the scorer needs an extra that is not installed.
        ConfigError: the specification is no such thing, or the inner agent does not sample.
    """
    if not spec.rest:
        raise ConfigError(f"{spec.text!r} names no agent. Mend: best-of-n:INNER?n=16&scorer=first")
    options = {name: value for name, value in spec.options.items() if name not in ("n", "scorer")}
    inner = make_agent(
        f"{spec.rest}?{urlencode(options)}" if options else spec.rest, domain=domain, max_turns=max_turns
    )
    n = spec.take("n", CANDIDATES, least=1)
    return BestOfN(inner, n, make_scorer(spec.options.get("scorer", "first"), domain))


class BestOfN:
    """An agent that draws `n` actions from another one and takes the one that a scorer thinks best; of several, the
    first.

    Candidate i's seed follows from the turn's seed and i alone: the candidates of best-of-4 are the first four of
    best-of-16. Candidates of all dialogues go into the inner agent's batches, if it has any.

    Args:
        inner: the agent that is drawn from.
        n: candidates a turn.
        scorer: what chooses.

    Attributes:
        requests_per_action: the most requests to a server that one action takes, if `inner` asks one.

    Raises:
        ConfigError: the inner agent does not sample, or `n` is less than 1.
    """

    def __init__(self, inner: Agent | Ceiling, n: int, scorer: Scorer) -> None:
        if n < 1:
            raise ConfigError(f"best-of-n: n={n}. Mend: at least 1")
        self.inner = inner
        self.n = n
        self._scorer = scorer
        self.requests_per_action = n + getattr(scorer, "requests_per_action", 0)
        if preview := getattr(inner, "preview", None):
            # Only then: who can say what it would send is taken for one that asks a server.
            self.preview = preview
        self._batcher: Batcher | None = None
        if isinstance(inner, BatchAgent):
            self._batcher = Batcher(inner)
        elif isinstance(inner, SamplingAgent):
            self._draw_one = Serial(inner).act_seeded if getattr(inner, "serial", False) else inner.act_seeded
        else:
            raise ConfigError(
                f"best-of-n: {inner.identity} does not sample: {n} candidates would be one. Mend: an agent with "
                "act_seeded(messages, seed) or act_batch(dialogues, seeds)"
            )

    @property
    def identity(self) -> Mapping[str, Any]:
        return {
            "kind": "best-of-n",
            "version": VERSION,
            "n": self.n,
            "scorer": dict(self._scorer.identity),
            "agent": dict(self.inner.identity),
        }

    def act(self, messages: Sequence[Message]) -> AgentReply:
        """As `act_seeded`, with the seed 0."""
        return self.act_seeded(messages, 0)

    def act_seeded(self, messages: Sequence[Message], seed: int) -> AgentReply:
        """The best of `n` actions; its `usage` is that of all of them.

        Raises:
            AgentError: a candidate could not be drawn, or the scorer gave no usable scores.
        """
        candidates = self._draw(messages, [derived_seed(seed, "candidate", number) for number in range(self.n)])
        scores = self._scores(messages, [candidate.text for candidate in candidates], derived_seed(seed, "scorer"))
        best = candidates[scores.index(max(scores))]
        return replace(best, usage=_total([candidate.usage for candidate in candidates]))

    def _scores(self, messages: Sequence[Message], texts: Sequence[str], seed: int) -> list[float]:
        given = list(self._scorer.score(messages, texts, seed))
        try:
            scores = [float(score) for score in given]
        except (TypeError, ValueError):
            scores = []
        if len(scores) != len(texts) or any(math.isnan(score) for score in scores):
            raise AgentError(
                f"best-of-n: the scorer gave {given!r} for {len(texts)} candidates. Mend: a number for each"
            )
        return scores

    def _draw(self, messages: Sequence[Message], seeds: Sequence[int]) -> list[AgentReply]:
        account = current_account()
        before = account.usage
        if self._batcher is not None:
            replies = self._batcher.act_each([(messages, seed) for seed in seeds])
        else:
            replies = _each([lambda seed=seed: as_reply(self._draw_one(messages, seed)) for seed in seeds])
        usage = _total([reply.usage for reply in replies])
        # Done by whoever asks a server. It cannot be left to the run: a judge charges the same account.
        if usage is not None and account.usage == before:
            account.charge(**asdict(usage))
        return replies


def derived_seed(seed: int, *parts: object) -> int:
    """A seed (0 to 2**31 - 1) of their own for these parts, from the turn's."""
    text = "/".join(map(str, (seed, *parts)))
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:4], "big") >> 1


def _each(functions: Sequence[Callable[[], AgentReply]]) -> list[AgentReply]:
    """What these return, computed at the same time and charged to the caller's account."""
    futures: list[Future[AgentReply]] = [Future() for _ in functions]

    def work(future: Future[AgentReply], function: Callable[[], AgentReply]) -> None:
        try:
            future.set_result(function())
        except BaseException as error:
            future.set_exception(error)

    threads = [
        threading.Thread(
            target=copy_context().run, args=(work, future, function), daemon=True, name="colbench-candidate"
        )
        for future, function in zip(futures, functions, strict=True)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return [future.result() for future in futures]


def _total(usages: Sequence[Usage | None]) -> Usage | None:
    known = [usage for usage in usages if usage is not None]
    if not known:
        return None
    return Usage(sum(usage.prompt_tokens for usage in known), sum(usage.completion_tokens for usage in known))
