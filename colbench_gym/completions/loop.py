"""The event loop that carries all requests of a process, and the clock that each call runs on."""

from __future__ import annotations

import asyncio
import atexit
import concurrent.futures
import contextlib
import functools
import os
import threading
from collections.abc import AsyncIterator, Coroutine, Iterator
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any, ClassVar, TypeVar

from colbench_gym.accounts import Account, current_account
from colbench_gym.errors import ColbenchError
from colbench_gym.types import Usage

_END_SECONDS = 2.0
"""How long the end of the process waits for connections to close."""
_CALLS_OF_A_CLIENT = 32
"""A client looks at all its connections for every request: many in one would cost more than the requests themselves."""
_T = TypeVar("_T")


@dataclass(slots=True)
class Call:
    """The requests that are made for one piece of work (a reply, an action), and the time they may take.

    Attributes:
        seconds: that are left for it, back-off aside.
        backoff: seconds that are left for backing off.
        requests: HTTP requests sent for it.
        status: HTTP status of the last answer; 0 before the first.
        prompt_tokens, completion_tokens: as the server counted them.
        is_waiting: the last try failed and no other has begun.
        account: what it is charged to.
    """

    seconds: float
    backoff: float
    requests: int = 0
    status: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    is_waiting: bool = False
    account: Account = field(default_factory=current_account)
    _alarm: asyncio.Timeout = field(init=False, repr=False)
    _since: float = field(default=0.0, repr=False)
    _standing_still: contextlib.ExitStack = field(default_factory=contextlib.ExitStack, repr=False)

    @property
    def counts(self) -> dict[str, int]:
        """What it has used until now: requests and tokens."""
        return {
            "requests": self.requests,
            "prompt_tokens": self.prompt_tokens,
            "completion_tokens": self.completion_tokens,
        }

    @property
    def counted(self) -> str:
        return "1 request" if self.requests == 1 else f"{self.requests} requests"

    def __str__(self) -> str:
        return f"{self.counted}, the last answered by {self.status}" if self.status else self.counted

    def used(self, usage: Usage) -> None:
        """Charges tokens."""
        self.prompt_tokens += usage.prompt_tokens
        self.completion_tokens += usage.completion_tokens
        self.account.charge(prompt_tokens=usage.prompt_tokens, completion_tokens=usage.completion_tokens)

    # What follows runs on the event loop.

    @contextlib.asynccontextmanager
    async def timed(self) -> AsyncIterator[None]:
        """Raises TimeoutError when the time is over; `is_waiting` then tells whether it went into backing off."""
        self.is_waiting = False
        self._alarm = asyncio.timeout(self.seconds)
        self._since = asyncio.get_running_loop().time()
        try:
            async with self._alarm:
                yield
        finally:
            self._spend()
            self._standing_still.close()

    def attempt_begins(self) -> None:
        """Ends a back-off.

        Raises:
            GivenUp, BudgetSpent: no further request may be sent.
        """
        self.account.before_request()
        self._turn(waiting=False)
        self.requests += 1
        self.account.charge(requests=1)

    def attempt_failed(self) -> None:
        """What follows is back-off, or the end."""
        self._turn(waiting=True)

    def _turn(self, *, waiting: bool) -> None:
        if waiting == self.is_waiting or self._alarm.expired():
            return
        self._spend()
        self.is_waiting = waiting
        self._alarm.reschedule(self._since + (self.backoff if waiting else self.seconds))
        if waiting:
            self._standing_still.enter_context(self.account.waiting())
        else:
            self._standing_still.close()

    def _spend(self) -> None:
        now = asyncio.get_running_loop().time()
        if self.is_waiting:
            self.backoff = max(0.0, self.backoff - (now - self._since))
        else:
            self.seconds = max(0.0, self.seconds - (now - self._since))
        self._since = now


current_call: ContextVar[Call] = ContextVar("colbench_call")
"""What the running task sends its requests for."""


class Background:
    """An event loop in a thread of its own, and the clients whose connections live on it."""

    _running: ClassVar[Background | None] = None
    _lock: ClassVar[threading.Lock] = threading.Lock()
    _of_parents: ClassVar[list[Background]] = []
    """Those of processes that this one was forked from: their threads are not here, their connections not ours."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._clients: dict[tuple[str, str, float, int], list[_Client]] = {}
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True, name="colbench-completions")
        self._thread.start()

    @classmethod
    def running(cls) -> Background:
        """The one of this process."""
        with cls._lock:
            if cls._running is None:
                cls._running = cls()
            return cls._running

    @classmethod
    def forked(cls) -> None:
        cls._lock = threading.Lock()
        if cls._running is not None:
            cls._of_parents.append(cls._running)
            cls._running = None

    @classmethod
    def exiting(cls) -> None:
        if cls._running is not None:
            cls._running.close()

    def start(self, work: Coroutine[Any, Any, _T]) -> concurrent.futures.Future[_T]:
        return asyncio.run_coroutine_threadsafe(work, self._loop)

    @contextlib.contextmanager
    def client(self, url: str, key: str, timeout: float, retries: int) -> Iterator[Any]:
        """An `openai.AsyncOpenAI` for one call; on the loop only."""
        shared = self._clients.setdefault((url, key, timeout, retries), [])
        client = next((client for client in shared if client.calls < _CALLS_OF_A_CLIENT), None)
        if client is None:
            client = _Client(_made_client(url, key, timeout, retries))
            shared.append(client)
        client.calls += 1
        try:
            yield client.library
        finally:
            client.calls -= 1

    def close(self) -> None:
        """Cancels what is under way and closes all connections."""
        concurrent.futures.wait([self.start(self._end())], timeout=_END_SECONDS)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(_END_SECONDS)
        if not self._thread.is_alive():
            self._loop.close()

    async def _end(self) -> None:
        others = asyncio.all_tasks() - {asyncio.current_task()}
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)
        for shared in self._clients.values():
            for client in shared:
                await client.library.close()


@dataclass(slots=True)
class _Client:
    """One of the client library's, and how many calls it carries now."""

    library: Any
    calls: int = 0


def _made_client(url: str, key: str, timeout: float, retries: int) -> Any:
    import httpx2
    import openai

    # No limit of its own: the callers decide how many calls there are, and an idle connection is kept for the next.
    limits = httpx2.Limits(max_connections=None, max_keepalive_connections=None)
    http_client = _http_client_type()(limits=limits)
    return openai.AsyncOpenAI(api_key=key, base_url=url, timeout=timeout, max_retries=retries, http_client=http_client)


@functools.cache
def _http_client_type() -> Any:
    """An HTTP client that tells the running task's `Call` of every request (the client library repeats some)."""
    import openai

    class TellingClient(openai.DefaultAsyncHttpxClient):
        async def send(self, request: Any, **options: Any) -> Any:
            call = current_call.get()
            try:
                call.attempt_begins()
            except ColbenchError as error:
                # The one kind of error that the library neither wraps nor answers with another request.
                raise openai.OpenAIError from error
            try:
                response = await super().send(request, **options)
            except Exception:
                call.attempt_failed()
                raise
            call.status = response.status_code
            if response.is_error:
                call.attempt_failed()
            return response

    return TellingClient


os.register_at_fork(after_in_child=Background.forked)
atexit.register(Background.exiting)
