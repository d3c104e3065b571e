"""Requests of many episodes, handed to an agent that batches as they come."""

from __future__ import annotations

import collections
import threading
from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from typing import Any

from colbench_gym.accounts import Account, current_account
from colbench_gym.errors import AgentError, ColbenchError
from colbench_gym.rollouts.agents import as_reply
from colbench_gym.types import AgentReply, BatchAgent, Message


class Batcher:
    """A batching agent, to be called by any number of threads with one dialogue each.

    Whatever is waiting when the agent is free goes into its next batch: nobody waits for a batch to fill. Time in the
    queue counts against no limit of an episode, time in a batch does.

    Args:
        agent: called from one thread only.
    """

    def __init__(self, agent: BatchAgent) -> None:
        self._agent = agent
        self._waiting: collections.deque[_Request] = collections.deque()
        self._changed = threading.Condition()
        self._thread: threading.Thread | None = None
        self._closed = False

    @property
    def identity(self) -> Mapping[str, Any]:
        return self._agent.identity

    def act(self, messages: Sequence[Message]) -> AgentReply:
        return self.act_seeded(messages, 0)

    def act_seeded(self, messages: Sequence[Message], seed: int) -> AgentReply:
        """As `SamplingAgent.act_seeded`.

        Raises:
            AgentError: the agent failed on this dialogue.
        """
        return self.act_each([(messages, seed)])[0]

    def act_each(self, wanted: Sequence[tuple[Sequence[Message], int]]) -> list[AgentReply]:
        """An action for each of these dialogues and seeds, in order.

        Raises:
            AgentError: the agent failed on one of them.
        """
        account = current_account()
        requests = [_Request(messages, seed, account) for messages, seed in wanted]
        with self._changed:
            if self._closed:
                raise AgentError("the run is over")
            self._waiting.extend(requests)
            if self._thread is None:
                self._thread = threading.Thread(target=self._serve, daemon=True, name="colbench-batcher")
                self._thread.start()
            self._changed.notify()
        with account.waiting():
            for request in requests:
                request.begun.result()
        return [request.reply.result() for request in requests]

    def close(self) -> None:
        """Turns away what is waiting. A batch that is being computed ends by itself."""
        with self._changed:
            self._closed = True
            self._changed.notify()

    def _serve(self) -> None:
        while True:
            with self._changed:
                while not self._waiting and not self._closed:
                    self._changed.wait()
                closed = self._closed
                count = len(self._waiting) if closed else min(len(self._waiting), max(1, self._agent.max_batch))
                batch = [self._waiting.popleft() for _ in range(count)]
            live = [request for request in batch if not (closed or request.account.given_up)]
            for request in batch:
                request.begun.set_result(None)
                if request not in live:
                    request.reply.set_exception(AgentError("this episode was given up"))
            if live:
                self._answer(live)
            if closed:
                return

    def _answer(self, batch: list[_Request]) -> None:
        try:
            replies = self._ask(batch)
        except Exception as error:
            if len(batch) == 1:
                failure = error if isinstance(error, ColbenchError) else _raised(error)
                batch[0].reply.set_exception(failure)
                return
            # One dialogue's fault must not be the others'.
            for request in batch:
                self._answer([request])
            return
        for request, reply in zip(batch, replies, strict=True):
            request.reply.set_result(reply)

    def _ask(self, batch: list[_Request]) -> list[AgentReply]:
        replies = self._agent.act_batch([one.messages for one in batch], [one.seed for one in batch])
        if len(replies) != len(batch):
            raise AgentError(f"act_batch() returned {len(replies)} replies for {len(batch)} dialogues")
        return [as_reply(reply) for reply in replies]


class _Request:
    """One dialogue on its way through a batch. `begun` is set when its batch is."""

    __slots__ = ("account", "begun", "messages", "reply", "seed")

    def __init__(self, messages: Sequence[Message], seed: int, account: Account) -> None:
        self.messages = messages
        self.seed = seed
        self.account = account
        self.begun: Future[None] = Future()
        self.reply: Future[AgentReply] = Future()


def _raised(error: Exception) -> AgentError:
    failure = AgentError(f"the agent raised {type(error).__name__}: {error}")
    failure.__cause__ = error
    return failure
