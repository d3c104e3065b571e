"""Agents without a model: the floor, a line from asking nothing to asking everything, and the ceiling.

Those for Frontend, `scripted:blank`, `scripted:generic` and `scripted:follow`, are in `follow.py`. For Backend:

`scripted:guess` answers at once with what a careless reader would assume. `scripted:ask` asks about one topic a turn
and writes the function from what it was told in English. Both know the *families* of the embedded tasks (what may
vary, and in which words people say it) but nothing about the task at hand beyond its description and the dialogue.
`scripted:oracle`, for both domains, reads the reference: no agent, but the ceiling that a run can be measured against.

On a task that is not embedded there is no family to recognise: `guess` and `ask` then hand in a function with the asked
signature that returns None, and `ask` first asks about topics that any function may have.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from colbench_agents.follow import Blank, Follow
from colbench_gym.errors import AgentError, ConfigError
from colbench_gym.protocol import ANSWER_MARKER, signature_in
from colbench_gym.specs import Spec
from colbench_gym.tasks.families import family_called
from colbench_gym.tasks.family import DetailSpec, Family, Value
from colbench_gym.types import Agent, AgentReply, Ceiling, Domain, Message, Task

VERSION = 1
NAMES: Mapping[Domain, tuple[str, ...]] = {
    "backend": ("guess", "ask", "oracle"),
    "frontend": ("blank", "generic", "follow", "oracle"),
}

_QUESTIONS = (
    "What should I know about {}?",
    "What is your rule on {}?",
    "How do you want me to treat {}?",
    "Could you tell me more about {}?",
)
_ANY_FUNCTION = ("result format", "limits", "rounding", "order", "missing input", "special cases")


def make(spec: Spec, *, domain: Domain, max_turns: int) -> Agent | Ceiling:
    """The agent that a specification names.

    Args:
        spec: for Backend `scripted:guess` or `scripted:ask[?questions=N]`; for Frontend `scripted:blank`,
            `scripted:generic[?turns=N]` or `scripted:follow[?turns=N]`; for both `scripted:oracle`.
        domain, max_turns: of the environment. By default `ask` asks in every turn but the last, and `generic` and
            `follow` use every turn.

    Raises:
        ConfigError: another name, one of the other domain, or an option that it does not take.
    """
    if spec.rest not in NAMES[domain]:
        names = ", ".join(f"scripted:{name}" for name in NAMES[domain])
        raise ConfigError(f"no agent {spec.text!r} for the domain {domain}. Mend: one of {names}")
    if spec.rest == "ask":
        spec.only_options("questions")
        return Ask(spec.take("questions", max_turns - 1))
    if spec.rest in ("follow", "generic"):
        spec.only_options("turns")
        return Follow(spec.take("turns", max_turns, least=1), listens=spec.rest == "follow")
    spec.only_options()
    return Blank() if spec.rest == "blank" else Ask(0) if spec.rest == "guess" else Oracle()


class Ask:
    """Asks at most `questions` questions, then answers. With 0 questions it guesses."""

    def __init__(self, questions: int) -> None:
        self.questions = questions

    @property
    def identity(self) -> Mapping[str, object]:
        name = f"scripted:ask?questions={self.questions}" if self.questions else "scripted:guess"
        return {"name": name, "version": VERSION}

    def act(self, messages: Sequence[Message]) -> AgentReply:
        signature = signature_in(messages[0]["content"])
        if signature is None:
            raise AgentError(
                f"{self.identity['name']} found no function signature in the description: it plays Backend only. "
                "Mend: scripted:follow, scripted:generic or scripted:blank for Frontend"
            )
        name = signature.split("(")[0].removeprefix("def ").strip()
        family = family_called(name)
        if family is not None and family.signature(name) != signature:
            family = None  # somebody else's function of the same name
        asked = [message["content"] for message in messages if message["role"] == "assistant"]
        told = " ".join(message["content"] for message in messages[1:] if message["role"] == "user")
        known = values_told(family, told) if family else {}
        if len(asked) < self.questions:
            question = _next_question(family, known, asked)
            if question is not None:
                return AgentReply(question)
        if family is None:
            code = f"{signature}:\n    return None"
        else:
            careless = {spec.name: spec.careless for spec in family.details}
            code = family.source({**careless, **known}, name)
        return AgentReply(f"{ANSWER_MARKER}\n{code}")


class Oracle:
    """Hands in the reference."""

    @property
    def identity(self) -> Mapping[str, object]:
        return {"name": "scripted:oracle", "version": VERSION, "ceiling": True}

    def act_knowing(self, task: Task, messages: Sequence[Message]) -> AgentReply:
        return AgentReply(f"{ANSWER_MARKER}\n{task.reference}")


def values_told(family: Family, text: str) -> dict[str, Value]:
    """The values of the details that `text` states, read sentence by sentence."""
    return {
        spec.name: value
        for spec in family.details
        for value in spec.options
        if any(sentence in text for sentence in spec.sentences(value))
    }


def _next_question(family: Family | None, known: Mapping[str, Value], asked: Sequence[str]) -> str | None:
    """The next question: about every unknown detail once by its first topic, then by its second, and so on."""
    if family is None:
        topics = list(_ANY_FUNCTION)
    else:
        unknown: list[DetailSpec] = [spec for spec in family.details if spec.name not in known]
        rounds = max((len(spec.topics) for spec in unknown), default=0)
        topics = [spec.topics[n] for n in range(rounds) for spec in unknown if n < len(spec.topics)]
    for topic in topics:
        if not any(question.format(topic) in asked for question in _QUESTIONS):
            return _QUESTIONS[len(asked) % len(_QUESTIONS)].format(topic)
    return None
