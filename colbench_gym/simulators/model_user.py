"""A model as the person, wherever it runs: what it is asked, and what becomes of its reply.

The model's own words or an error: a refusal or a reply out of the part is a SimulatorError, never words put into the
person's mouth and never another user's reply.
"""

from __future__ import annotations

import base64
import hashlib
import os
import re
import threading
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any, ClassVar, get_args

from colbench_gym.completions import encodable, excerpt
from colbench_gym.errors import ConfigError, SimulatorError
from colbench_gym.grading.render import Geometry
from colbench_gym.protocol import script
from colbench_gym.simulators.chat_replies import (
    FAULTS,
    clean,
    disclosed,
    fault_in,
    finished,
    fit,
    shingles,
    without_reasoning,
)
from colbench_gym.simulators.chat_vision import Picture, pictures, without_page
from colbench_gym.simulators.page_replies import ECHO_WORDS, PAGE_FAULTS, page_fault_in
from colbench_gym.types import Domain, Message, Profile, Reply, Task

PLACEHOLDERS = ("problem_description", "hidden_information", "dialogue_history")

_PLACEHOLDER = re.compile(r"\{([A-Za-z_]\w*)\}")
_ATTEMPTS = 2
_LONGEST_MESSAGE = 8000
"""Characters of one message of the dialogue that the model is shown; of a longer one the middle is left out."""

ChatMessage = dict[str, Any]
"""A message in OpenAI's form; its `content` is text, or a list of parts of the types `text` and `image_url`."""


class Faulty(Exception):
    """The model answered, but with nothing that may be said."""

    def __init__(self, fault: str, excerpt: str, reminder: str | None = None) -> None:
        super().__init__(f"{fault} ({excerpt})" if excerpt else fault)
        self.fault = fault
        self.reminder = reminder


@dataclass(frozen=True, slots=True)
class ChatUsage:
    """What a user has cost so far, over all dialogues and threads.

    Attributes:
        requests: requests sent (the client library's retries included) or, of a local model, completions made.
        replies: replies handed out.
        repeats: replies asked for a second time because the first was faulty.
        prompt_tokens, completion_tokens: as the server or the tokenizer counted them (0 if not counted).
    """

    requests: int = 0
    replies: int = 0
    repeats: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0


class Part(ABC):
    """The person's part in one domain: what the model is asked, and which of its replies may be said.

    Args:
        prompt: file with a prompt of one's own (see `read_prompt`); by default the newest of ours.

    Raises:
        ConfigError: the prompt is unusable.
    """

    domain: ClassVar[Domain]
    version: ClassVar[int]
    """Raised whenever the checks or the cut of a reply, or what is shown, change: scores against other versions are not
    comparable."""
    faults: ClassVar[Mapping[str, str]]
    again: ClassVar[str]

    def __init__(self, prompt: str | os.PathLike[str] | None) -> None:
        self.prompt_name, self.template = read_prompt(prompt, self.domain)

    @property
    def identity(self) -> dict[str, Any]:
        return {
            "domain": self.domain,
            "version": self.version,
            "prompt": self.prompt_name,
            "prompt_sha256": hashlib.sha256(self.template.encode()).hexdigest(),
        }

    @abstractmethod
    def fault(self, text: str, task: Task, messages: Sequence[Message], raw: str) -> str | None:
        """The first fault of a cleaned and fitted reply (`raw` before that); None if it may be said."""

    @abstractmethod
    def _hidden(self, task: Task) -> str:
        """What {hidden_information} stands for."""

    def _heard(self, text: str) -> str:
        """A message of the agent, as the person takes it in."""
        return text

    def _seen(self, task: Task, messages: Sequence[Message]) -> list[ChatMessage]:
        """Parts that follow the last message's words."""
        return []

    def request(self, task: Task, messages: Sequence[Message], reminder: str | None = None) -> list[ChatMessage]:
        """What the model is asked.

        The prompt is the system message, and the dialogue follows in turns: the agent as `user`, the person, whom the
        model plays, as `assistant`. Nobody can forge a turn, and small models keep to the part much better than when
        they read a dialogue as text. A prompt with {dialogue_history} is sent the other way, whole and as one user
        message, as the benchmark's published scores were made; that form also suits templates without a system role.
        What is seen follows the words of the last message.

        Raises:
            SimulatorError, TaskError, MissingExtra: what the person sees cannot be rendered (Frontend).
        """
        # The description has its own place in a prompt that asks for it; else it is the dialogue's first message.
        whole, described = "{dialogue_history}" in self.template, "{problem_description}" in self.template
        heard = [
            {**message, "content": _shortened(self._heard(message["content"]))}
            if message["role"] == "assistant"
            else {**message, "content": _shortened(message["content"])}
            for message in (messages[1:] if described else messages)
        ]
        values = {
            "problem_description": task.description,
            "hidden_information": self._hidden(task),
            "dialogue_history": script(heard),
        }
        # One pass: what a value holds is text, whatever it looks like.
        text = _PLACEHOLDER.sub(lambda match: values[match[1]], self.template).strip()
        roles = {"assistant": "user", "user": "assistant"}
        turns = [{"role": roles[message["role"]], "content": message["content"]} for message in heard]
        asked = [{"role": "user", "content": text}] if whole else [{"role": "system", "content": text}, *turns]
        asked: list[ChatMessage] = [{**message, "content": encodable(message["content"])} for message in asked]
        seen = self._seen(task, messages)
        # Last of all, where it weighs most; a second system message is more than many chat templates allow.
        last = f"[{encodable(reminder)}]" if reminder else ""
        if seen:
            words = [{"type": "text", "text": asked[-1]["content"]}]
            asked[-1]["content"] = [*words, *seen, *([{"type": "text", "text": last}] if last else [])]
        elif last:
            asked[-1]["content"] += f"\n\n{last}"
        return asked

    def speech(self, content: str, cut_off: bool, task: Task, messages: Sequence[Message]) -> str:
        """The person's words in a completion.

        Args:
            content: what the model wrote.
            cut_off: whether it ran into its limit of tokens.
            task, messages: what it was asked about.

        Raises:
            Faulty: they may not be said. It holds no excerpt yet.
        """
        said = without_reasoning(content)
        if said is None or (not said.strip() and content.strip()):
            raise self.faulty("only reasoning")
        text = clean(finished(said) if cut_off else said)
        if cut_off and not text:
            raise self.faulty(self.fault(clean(said), task, messages, said) or "unfinished")
        text = fit(text, self.domain)
        if fault := self.fault(text, task, messages, said):
            raise self.faulty(fault)
        return text

    def faulty(self, fault: str, excerpt: str = "") -> Faulty:
        return Faulty(fault, excerpt, f"Your last try could not be used: {self.faults[fault]}. {self.again}")


class BackendPart(Part):
    """The person knows the function and no code."""

    domain = "backend"
    version = 1
    faults = FAULTS
    again = (
        "Say it again as the person you are playing, in one or two short sentences of plain spoken English, without "
        "any code."
    )

    def __init__(self, prompt: str | os.PathLike[str] | None) -> None:
        super().__init__(prompt)
        self._prompt_words = shingles(_PLACEHOLDER.sub(" ", self.template))

    def fault(self, text: str, task: Task, messages: Sequence[Message], raw: str) -> str | None:
        return fault_in(text, task, messages, self._prompt_words, raw=raw)

    def _hidden(self, task: Task) -> str:
        if not task.details:
            return task.reference
        return task.reference + "\n\nIn words:\n" + "\n".join(f"- {detail.sentence}" for detail in task.details)


class FrontendPart(Part):
    """The person sees two pictures, the page wanted and the agent's last one, and reads no code.

    Both pages are rendered as they are graded. The pictures are parts of the last message, each behind a line that says
    what it is, so that any prompt can speak of Picture 1 and Picture 2. Where the official set-up puts them relative to
    its text is not known to us; under its prompt file they stand behind it, in that order.

    Args:
        prompt: as for `Part`. {hidden_information} is the reference's code there; ours does not ask for it.
        geometry: how pages are rendered.
        profile: how they are cut out of messages.

    Raises:
        ConfigError: an argument, or the prompt, is unusable.
    """

    domain = "frontend"
    version = 1
    faults = PAGE_FAULTS
    again = (
        "Look at the pictures above again and say it as the person you are playing, in a few sentences of plain spoken "
        "English, without any code."
    )

    def __init__(self, prompt: str | os.PathLike[str] | None, geometry: str, profile: str) -> None:
        super().__init__(prompt)
        for name, value, kind in (("geometry", geometry, Geometry), ("profile", profile, Profile)):
            if value not in get_args(kind):
                raise ConfigError(f"user: {name}={value}. Mend: one of {', '.join(get_args(kind))}")
        self._geometry: Any = geometry
        self._profile: Any = profile
        self._prompt_words = shingles(_PLACEHOLDER.sub(" ", self.template), ECHO_WORDS)

    @property
    def identity(self) -> dict[str, Any]:
        return {**super().identity, "geometry": self._geometry, "profile": self._profile}

    def fault(self, text: str, task: Task, messages: Sequence[Message], raw: str) -> str | None:
        return page_fault_in(text, task, self._prompt_words)

    def _hidden(self, task: Task) -> str:
        return task.reference

    def _heard(self, text: str) -> str:
        return without_page(text, self._profile)

    def _seen(self, task: Task, messages: Sequence[Message]) -> list[ChatMessage]:
        parts: list[ChatMessage] = []
        for one in pictures(task, messages, self._geometry, self._profile):
            parts.append({"type": "text", "text": one.caption if isinstance(one, Picture) else one})
            if isinstance(one, Picture):
                address = "data:image/png;base64," + base64.b64encode(one.png).decode()
                parts.append({"type": "image_url", "image_url": {"url": address}})
        return parts


def without_pictures(messages: Sequence[ChatMessage]) -> list[ChatMessage]:
    """The same request, for somebody who sees nothing."""
    return [
        {**message, "content": [part for part in message["content"] if part["type"] == "text"]}
        if isinstance(message["content"], list)
        else message
        for message in messages
    ]


def make_part(
    domain: Domain, *, prompt: str | os.PathLike[str] | None, geometry: str | None, profile: str | None
) -> Part:
    """The person's part in a domain.

    Raises:
        ConfigError: the prompt is unusable, or an option is, or is none of that domain's.
    """
    if domain == "frontend":
        return FrontendPart(prompt, geometry or "default", profile or "strict")
    given = [name for name, value in (("geometry", geometry), ("profile", profile)) if value is not None]
    if given:
        raise ConfigError(f"user: {given[0]} is for the domain frontend. Mend: leave it out")
    return BackendPart(prompt)


class ModelUser(ABC):
    """The person, played by a model that `_complete` asks.

    Keeps no dialogue between calls, so one object may serve any number of dialogues and threads.
    """

    kind: ClassVar[str]
    mend: ClassVar[str]
    _not_carried: ClassVar[tuple[str, ...]] = ("_lock", "_counts", "_faults")

    def __init__(self, part: Part) -> None:
        self._part = part
        self._start()

    def _start(self) -> None:
        """What does not travel between processes."""
        self._lock = threading.Lock()
        self._counts: Counter[str] = Counter()
        self._faults: Counter[str] = Counter()

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name not in self._not_carried}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._start()

    @property
    def prompt_name(self) -> str:
        """The prompt's name: a version of ours, or the file's."""
        return self._part.prompt_name

    @property
    def usage(self) -> ChatUsage:
        """What it has cost until now."""
        with self._lock:
            return ChatUsage(**self._counts)

    @property
    def faults(self) -> Mapping[str, int]:
        """Fault -> how many replies had it until now, those that were asked for again included."""
        with self._lock:
            return dict(self._faults)

    def reply(self, task: Task, messages: Sequence[Message]) -> str:
        """The next thing the person says, never code.

        Backend: at most two sentences and 400 characters. Frontend: at most 1000 characters.

        Raises:
            SimulatorError: the model failed, or twice said what the person would not say.
            TaskError: the task's reference cannot be rendered (Frontend).
            MissingExtra: pages cannot be rendered here (Frontend).
        """
        return self.respond(task, messages).text

    def respond(self, task: Task, messages: Sequence[Message]) -> Reply:
        """As `reply`, with the names of the details that evidently stand in it (see `chat_replies.disclosed`).

        A faulty reply is asked for once more. What changes is a reminder that names the fault, behind everything else:
        at temperature 0 the same request would bring the same words, and another temperature another person.
        """
        call = self._begun()
        faults: list[str] = []
        reminder: str | None = None
        for attempt in range(_ATTEMPTS):
            self._count(repeats=int(attempt > 0))
            try:
                text = self._attempt(task, messages, reminder, call)
            except Faulty as faulty:
                faults.append(str(faulty))
                reminder = faulty.reminder
                with self._lock:
                    self._faults[faulty.fault] += 1
                continue
            self._count(replies=1)
            return Reply(text, disclosed(text, task.details))
        again = "the same twice" if len(set(faults)) == 1 else f"then {faults[1]}"
        raise self._error(f"gave no usable reply: {faults[0]}, {again}", self.mend)

    def _attempt(self, task: Task, messages: Sequence[Message], reminder: str | None, call: Any) -> str:
        content, cut_off = self._complete(lambda: self._part.request(task, messages, reminder), call)
        try:
            return self._part.speech(content, cut_off, task, messages)
        except Faulty as faulty:
            raise self._part.faulty(faulty.fault, self._excerpt(content)) from None

    def _begun(self) -> Any:
        """Something to keep account of one reply with, handed to each of its completions."""
        return None

    @abstractmethod
    def _complete(self, request: Callable[[], list[ChatMessage]], call: Any) -> tuple[str, bool]:
        """One completion, and whether it ran into the limit of tokens.

        Raises:
            Faulty: it holds nothing to be said.
            SimulatorError: there was none.
        """

    @abstractmethod
    def _name(self) -> str:
        """Who it is, for an error's text."""

    def _error(self, problem: str, mend: str) -> SimulatorError:
        return SimulatorError(f"the user {self._name()} {problem}. Mend: {mend}")

    def _count(self, **amounts: int) -> None:
        with self._lock:
            self._counts.update(amounts)

    def _excerpt(self, text: str) -> str:
        return excerpt(text)


def read_prompt(file: str | os.PathLike[str] | None = None, domain: Domain = "backend") -> tuple[str, str]:
    """Name and text of a prompt: our newest, or a file of one's own.

    {problem_description}, {hidden_information} and {dialogue_history} may stand in it; in Backend the second must, else
    the person would know nothing. Other braces than those around a single word are text.

    Raises:
        ConfigError: the file cannot be read, or holds another placeholder or lacks {hidden_information}.
    """
    if file is None:
        name = NEWEST_PROMPT[domain]
        packaged = resources.files("colbench_gym.prompts") / f"{name}.txt"
        return name, packaged.read_text(encoding="utf-8")
    try:
        text = Path(file).read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "it is no UTF-8 text"
        raise ConfigError(f"the user prompt {os.fspath(file)!r} cannot be read: {reason}. Mend: a text file") from None
    found = set(_PLACEHOLDER.findall(text))
    unknown = sorted(found - set(PLACEHOLDERS))
    known = ", ".join(f"{{{name}}}" for name in PLACEHOLDERS)
    if unknown:
        raise ConfigError(
            f"the user prompt {os.fspath(file)!r} holds {{{unknown[0]}}}, which stands for nothing. Mend: {known}"
        )
    if domain == "backend" and "hidden_information" not in found:
        raise ConfigError(
            f"the user prompt {os.fspath(file)!r} lacks {{hidden_information}}: its person would know nothing. "
            f"Mend: put it where the reference belongs ({known})"
        )
    return Path(file).name, text


NEWEST_PROMPT: Mapping[Domain, str] = {"backend": "user_backend_v1", "frontend": "user_frontend_v1"}


def _shortened(text: str) -> str:
    """A message as a person would skim it: an endless one would fill the model's context and fail the episode."""
    if len(text) <= _LONGEST_MESSAGE:
        return text
    half = _LONGEST_MESSAGE // 2
    return f"{text[:half]}\n[... {len(text) - 2 * half} characters left out ...]\n{text[-half:]}"
