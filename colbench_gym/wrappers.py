"""Other shapes of the observation."""

from __future__ import annotations

from typing import Any

import gymnasium

from colbench_gym.envs.base import ColbenchEnv
from colbench_gym.prompts import instructions
from colbench_gym.spaces import ChatMessageList
from colbench_gym.types import Message


def _colbench(env: gymnasium.Env[Any, Any]) -> ColbenchEnv:
    inner = env.unwrapped
    if not isinstance(inner, ColbenchEnv):
        raise TypeError(f"{type(inner).__name__} is no ColBench environment")
    return inner


class LastMessage(gymnasium.ObservationWrapper[str, str, str]):
    """Observe only the newest message of the dialogue, for agents that keep the history themselves."""

    def observation(self, observation: str) -> str:
        return _colbench(self).messages[-1]["content"]


class ChatMessages(gymnasium.ObservationWrapper[list[Message], str, str]):
    """Observe the dialogue as a list of `{"role", "content"}`, as chat templates and chat servers take it."""

    def __init__(self, env: gymnasium.Env[str, str]) -> None:
        super().__init__(env)
        self.observation_space = ChatMessageList()

    def observation(self, observation: str) -> list[Message]:
        return _colbench(self).messages


class WithInstructions(gymnasium.ObservationWrapper[str, str, str]):
    """Put the rules of the game in front of every observation, for models that know nothing of the protocol.

    Args:
        version: of `colbench_gym.instructions()`; the latest by default.
    """

    def __init__(self, env: gymnasium.Env[str, str], version: str | None = None) -> None:
        super().__init__(env)
        inner = _colbench(env)
        self.instructions = instructions(inner.domain, max_turns=inner.max_turns, version=version)

    def observation(self, observation: str) -> str:
        return f"{self.instructions}\n\n{observation}"
