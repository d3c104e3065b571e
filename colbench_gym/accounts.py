"""What an episode uses up: requests, tokens, and the time that counts against its limits.

Whoever plays an episode opens an account for it; whatever asks a server on its behalf, at any depth, finds it with
`current_account()` and charges it. The same account tells those below when nobody waits for them any more.
"""

from __future__ import annotations

import itertools
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Literal

from colbench_gym.errors import ColbenchError, ConfigError

Party = Literal["agent", "user", "grader"]
COUNTS = ("requests", "prompt_tokens", "completion_tokens")


class GivenUp(ColbenchError):
    """Nobody waits for this episode any more: its time is over, or the run is being stopped."""


class BudgetSpent(ColbenchError):
    """The run has used what it was allowed to use. The episodes in play are no results of anybody's."""


@dataclass(frozen=True, slots=True)
class Price:
    """What a party's tokens cost, in any one currency, for a million tokens."""

    prompt: float = 0.0
    completion: float = 0.0

    @classmethod
    def parse(cls, text: str) -> Price:
        """`IN/OUT`, as price lists have it: `0.15/0.60`.

        Raises:
            ConfigError: it is no such thing.
        """
        try:
            prompt, completion = (float(part) for part in text.split("/"))
        except ValueError:
            raise ConfigError(f"{text!r} is no price. Mend: IN/OUT for a million tokens, such as 0.15/0.60") from None
        if not (0 <= prompt < float("inf") and 0 <= completion < float("inf")):
            raise ConfigError(f"{text!r} is no price. Mend: two numbers of at least 0")
        return cls(prompt, completion)

    def of(self, counts: Mapping[str, int]) -> float:
        """What these tokens cost."""
        return (self.prompt * counts["prompt_tokens"] + self.completion * counts["completion_tokens"]) / 1e6


class Purse:
    """What a whole run may use, and has used. Any thread may ask and charge.

    Args:
        max_requests, max_tokens: of both parties together; None for no limit.
        max_cost: in the currency of `prices`.
        prices: by party; a party without one costs nothing.

    Raises:
        ConfigError: a limit is negative, or `max_cost` is given without a price.
    """

    def __init__(
        self,
        *,
        max_requests: int | None = None,
        max_tokens: int | None = None,
        max_cost: float | None = None,
        prices: Mapping[str, Price] | None = None,
    ) -> None:
        self.prices = dict(prices or {})
        self.limits = {"requests": max_requests, "tokens": max_tokens, "cost": max_cost}
        for name, limit in self.limits.items():
            if limit is not None and not limit >= 0:
                raise ConfigError(f"max_{name}={limit}. Mend: a number of at least 0")
        if max_cost is not None and not any(price != Price() for price in self.prices.values()):
            raise ConfigError(
                "a limit on the cost needs to know what tokens cost. Mend: --agent-price IN/OUT, --user-price IN/OUT "
                "(for a million tokens)"
            )
        self._lock = threading.Lock()
        self._used: dict[str, dict[str, int]] = {}

    @property
    def is_limited(self) -> bool:
        return any(limit is not None for limit in self.limits.values())

    @property
    def used(self) -> dict[str, dict[str, int]]:
        """Counts by party, as `Account.usage`."""
        with self._lock:
            return {party: dict(counts) for party, counts in self._used.items()}

    def charge(self, party: str, counts: Mapping[str, int]) -> None:
        with self._lock:
            _add(self._used, party, counts)

    def exceeded(self, mean: Mapping[str, float] | None = None, episodes: int = 0) -> str | None:
        """The limit that is reached, in words; None if there is none.

        Args:
            mean: `requests`, `tokens` and `cost` of one episode.
            episodes: how many of them to reckon with on top of what was used.
        """
        with self._lock:
            used = amounts_of(self._used, self.prices)
        for name, limit in self.limits.items():
            if limit is None:
                continue
            more = episodes * mean[name] if mean else 0.0
            # What is used must stay below the limit, for one more request to fit; what is foreseen may meet it.
            if used[name] >= limit or used[name] + more > limit:
                form = "{:,.2f}" if name == "cost" else "{:,}"
                return f"max_{name} = {form.format(limit)} ({form.format(used[name])} used)"
        return None

    def check(self) -> None:
        """Raises BudgetSpent when a limit is reached."""
        if limit := self.exceeded():
            raise BudgetSpent(f"the run has reached {limit}. Mend: raise that limit; the same command goes on then")


class Account:
    """One episode's.

    Attributes:
        party: who is at work: whom charges are put down to, and whose failure it is when time runs out.
    """

    def __init__(self, purse: Purse | None = None) -> None:
        self.party: Party = "agent"
        self._usage: dict[str, dict[str, int]] = {}
        self._purse = purse
        self._lock = threading.Lock()
        self._given_up = False
        self._listeners: dict[int, Callable[[], object]] = {}
        self._numbers = itertools.count()
        self._waiting = 0
        self._waited = self._waiting_since = 0.0
        self._began = self._turn_began = self._counted()

    # -- what is used

    @property
    def usage(self) -> dict[str, dict[str, int]]:
        """Until now, by party: `requests`, `prompt_tokens` and `completion_tokens`."""
        with self._lock:
            return {party: dict(counts) for party, counts in self._usage.items()}

    def charge(self, *, requests: int = 0, prompt_tokens: int = 0, completion_tokens: int = 0) -> None:
        """Puts an amount down to the party at work."""
        counts = {"requests": requests, "prompt_tokens": prompt_tokens, "completion_tokens": completion_tokens}
        with self._lock:
            _add(self._usage, self.party, counts)
        if self._purse is not None:
            self._purse.charge(self.party, counts)

    def before_request(self) -> None:
        """To be called before every request to a server.

        Raises:
            GivenUp: nobody waits for it.
            BudgetSpent: the run may ask no more.
        """
        if self._given_up:
            raise GivenUp("this episode was given up")
        if self._purse is not None:
            self._purse.check()

    # -- time

    def begin_turn(self) -> None:
        with self._lock:
            self._turn_began = self._counted()

    @contextmanager
    def waiting(self) -> Iterator[None]:
        """Time in here counts against no limit: backing off before a server is asked again, queueing for a batch.

        Of several at a time (candidates of one turn, say) the clock stands still as long as one of them waits.
        """
        with self._lock:
            self._waiting += 1
            if self._waiting == 1:
                self._waiting_since = time.monotonic()
        try:
            yield
        finally:
            with self._lock:
                self._waiting -= 1
                if self._waiting == 0:
                    self._waited += time.monotonic() - self._waiting_since

    @property
    def seconds(self) -> float:
        """Seconds since the account was opened, without waits."""
        with self._lock:
            return self._counted() - self._began

    @property
    def turn_seconds(self) -> float:
        """Seconds since the turn began, without waits."""
        with self._lock:
            return self._counted() - self._turn_began

    def _counted(self) -> float:
        """The time (monotonic seconds) on a clock that stands still during waits."""
        return (self._waiting_since if self._waiting else time.monotonic()) - self._waited

    # -- the end

    @property
    def given_up(self) -> bool:
        return self._given_up

    def give_up(self) -> None:
        """Tells all that work for this episode to stop."""
        with self._lock:
            self._given_up = True
            listeners = list(self._listeners.values())
        for listener in listeners:
            listener()

    @contextmanager
    def on_given_up(self, listener: Callable[[], object]) -> Iterator[None]:
        """While in here, `listener` is called (from another thread) when the episode is given up."""
        number = next(self._numbers)
        with self._lock:
            self._listeners[number] = listener
            late = self._given_up
        try:
            if late:
                listener()
            yield
        finally:
            with self._lock:
                del self._listeners[number]


_current: ContextVar[Account | None] = ContextVar("colbench_account", default=None)


def current_account() -> Account:
    """The account of the episode that this thread (or task) works for; one that nobody reads, if there is none."""
    account = _current.get()
    return Account() if account is None else account


@contextmanager
def charged_to(account: Account) -> Iterator[Account]:
    """What happens in here is put down to `account`."""
    token = _current.set(account)
    try:
        yield account
    finally:
        _current.reset(token)


def amounts_of(usage: Mapping[str, Mapping[str, int]], prices: Mapping[str, Price]) -> dict[str, float]:
    """`requests`, `tokens` and `cost` of counts by party."""
    return {
        "requests": sum(counts["requests"] for counts in usage.values()),
        "tokens": sum(counts["prompt_tokens"] + counts["completion_tokens"] for counts in usage.values()),
        "cost": sum(prices.get(party, Price()).of(counts) for party, counts in usage.items()),
    }


def _add(usage: dict[str, dict[str, int]], party: str, counts: Mapping[str, int]) -> None:
    kept = usage.setdefault(party, dict.fromkeys(COUNTS, 0))
    for name in COUNTS:
        kept[name] += counts[name]
