"""What agents that prompt a language model share: what the model is told, and what of its words is the action."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from colbench_gym import prompts
from colbench_gym.completions import encodable
from colbench_gym.errors import ConfigError
from colbench_gym.protocol import script
from colbench_gym.types import Domain, Message

_HISTORY = "{dialogue_history}"
_THINKING = re.compile(r"\s*<(think|thinking|reasoning)>(?P<thoughts>.*?)(?:</\1>(?P<rest>.*))?", re.DOTALL)
_THINKING_END = re.compile(
    r"(?P<thoughts>(?:(?!<(?:think|thinking|reasoning)>).)*?)</(?:think|thinking|reasoning)>(?P<rest>.*)", re.DOTALL
)


@dataclass(frozen=True, slots=True)
class AgentPrompt:
    """What an agent's model is told.

    Attributes:
        name: a version of ours, or the file's name.
        text: what the model is told.
        sha256: over the file, before the number of turns is filled in.
        max_turns: how many turns the model is told that it has.
    """

    name: str
    text: str
    sha256: str
    max_turns: int

    @classmethod
    def read(cls, domain: Domain, *, max_turns: int, file: str | os.PathLike[str] | None = None) -> AgentPrompt:
        """The newest of our instructions (those for a single turn if there is only one), or a file of one's own.

        {max_turns} in it stands for the number of turns, {dialogue_history} for the dialogue so far (see `request`);
        any other brace is text.

        Raises:
            ConfigError: the file cannot be read, or is empty.
        """
        if file is None:
            name = prompts.instructions_name(domain, max_turns=max_turns)
            template = prompts.read(name)
        else:
            name = Path(file).name
            try:
                template = Path(file).read_text(encoding="utf-8")
            except (OSError, ValueError) as error:
                reason = getattr(error, "strerror", None) or "it is no UTF-8 text"
                raise ConfigError(
                    f"the agent prompt {os.fspath(file)!r} cannot be read: {reason}. Mend: a text file"
                ) from None
            if not template.strip():
                raise ConfigError(f"the agent prompt {os.fspath(file)!r} is empty. Mend: say what the agent has to do")
        text = template.replace("{max_turns}", str(max_turns)).strip()
        return cls(name, text, hashlib.sha256(template.encode()).hexdigest(), max_turns)

    @property
    def identity(self) -> Mapping[str, object]:
        """For the identity of an agent that uses it."""
        return {"prompt": self.name, "prompt_sha256": self.sha256, "max_turns": self.max_turns}

    def request(self, messages: Sequence[Message]) -> list[dict[str, str]]:
        """What the model is asked: the system message, then the dialogue as it is.

        A prompt with {dialogue_history} is sent whole and as one user message, as the benchmark's published scores were
        made.
        """
        if _HISTORY in self.text:
            return [{"role": "user", "content": self.text.replace(_HISTORY, encodable(script(messages)))}]
        told = [{"role": "system", "content": self.text}]
        return told + [{"role": one["role"], "content": encodable(one["content"])} for one in messages]


def split_thinking(content: str) -> tuple[str, str | None]:
    """What a model says, and the thoughts in `<think>` tags before it (None if there are none).

    Some chat templates open the thoughts in the prompt, so that only their end is seen. Thoughts that never end leave
    nothing said.
    """
    found = _THINKING.fullmatch(content) or _THINKING_END.fullmatch(content)
    if found is None:
        return content, None
    return (found["rest"] or "").lstrip(), found["thoughts"].strip()
