"""A person at the terminal plays the simulated user."""

from __future__ import annotations

import sys
import tempfile
import threading
import unicodedata
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TextIO

from colbench_gym.errors import SimulatorError
from colbench_gym.grading.render import Unrenderable, render
from colbench_gym.protocol import USER_CHARACTERS, last_snippet
from colbench_gym.types import Domain, Message, Reply, Task

HELP: Mapping[Domain, str] = {
    "backend": """\
Type your reply, at most two sentences and 400 characters, and end it with an empty line.
Speak from the hidden reference only, and never in code.
/reference shows the hidden reference, /dialogue what was said so far, /help this text; Ctrl-D ends.""",
    "frontend": """\
Type your reply, at most 1000 characters, and end it with an empty line.
Say how the page proposed differs from the one you want, as somebody who sees both; never in code.
/pictures writes both as pictures into a folder, /reference shows the wanted page's HTML, /dialogue what was said so
far, /help this text; Ctrl-D ends.""",
}

_TURN = threading.Lock()
"""There is one terminal: dialogues of parallel environments take turns at it."""


class HumanUser:
    """A person who types the replies.

    A reply may have several lines; an empty line ends it (a pasted text would otherwise spill into the next turn).
    Line breaks become blanks. A reply that is too long is refused, not cut, and asked for again.

    Args:
        domain: sets the longest reply.
        reads: where replies come from; standard input by default.
        writes: where the dialogue is shown; standard error by default, so that a program's output stays its own.
    """

    def __init__(
        self, domain: Domain = "backend", *, reads: TextIO | None = None, writes: TextIO | None = None
    ) -> None:
        self._domain: Domain = domain
        self._reads = reads
        self._writes = writes

    @property
    def identity(self) -> Mapping[str, Any]:
        """Kind and domain; who the person is, we do not know."""
        return {"kind": "human", "domain": self._domain}

    def reply(self, task: Task, messages: Sequence[Message]) -> str:
        """What the person types.

        Raises:
            SimulatorError: the input ended (Ctrl-D) before there was a reply.
        """
        with _TURN:
            return self._ask(task, messages)

    def respond(self, task: Task, messages: Sequence[Message]) -> Reply:
        """As `reply`; which details were given away is not known and reported as none."""
        return Reply(self.reply(task, messages))

    def _ask(self, task: Task, messages: Sequence[Message]) -> str:
        characters = USER_CHARACTERS[self._domain]
        turn = sum(message["role"] == "assistant" for message in messages)
        if turn <= 1:
            self._show(f"\n=== task {task.id}\n{task.description}\n")
            self._show(HELP[self._domain])
        self._show(f"\n--- agent, message {turn}\n{messages[-1]['content'] if messages else ''}")
        while True:
            self._show("--- you", end="\n> ")
            text = self._typed(task, messages)
            if text is None:
                continue
            if len(text) <= characters:
                return text
            self._show(f"{len(text)} characters are too many, the limit is {characters}: please say it shorter.")

    def _typed(self, task: Task, messages: Sequence[Message]) -> str | None:
        """One reply; None after a command or a blank one."""
        lines: list[str] = []
        reads = sys.stdin if self._reads is None else self._reads
        while True:
            line = reads.readline()
            if line == "" and not lines:
                raise SimulatorError(f"the person's input ended before a reply on task {task.id}. Mend: play it again")
            text = line.strip()
            if not lines and text.startswith("/"):
                self._obey(text, task, messages)
                return None
            if text:
                lines.append(text)
            if line == "" or not text:
                return " ".join(lines) or None

    def _obey(self, command: str, task: Task, messages: Sequence[Message]) -> None:
        if command == "/reference":
            self._show(f"\n--- hidden reference\n{task.reference}")
            for detail in task.details:
                self._show(f"* {detail.sentence}")
        elif command == "/dialogue":
            for message in messages:
                self._show(f"\n{'agent' if message['role'] == 'assistant' else 'you'}: {message['content']}")
        elif command == "/help":
            self._show(HELP[self._domain])
        elif command == "/pictures" and self._domain == "frontend":
            self._draw(task, messages)
        else:
            self._show(f"There is no {command}; /help lists what there is.")

    def _draw(self, task: Task, messages: Sequence[Message]) -> None:
        """Writes the wanted page and the newest proposed one as PNG files and shows their paths."""
        folder = Path(tempfile.mkdtemp(prefix="colbench-"))
        for name, html in (("wanted", task.reference), ("proposed", last_snippet(messages))):
            if html is None:
                self._show(f"{name}: no page yet")
                continue
            try:
                picture = render(html).png
            except Unrenderable as error:
                self._show(f"{name}: cannot be rendered ({error})")
                continue
            path = folder / f"{name}.png"
            path.write_bytes(picture)
            self._show(f"{name}: {path}")

    def _show(self, text: str, end: str = "\n") -> None:
        writes = sys.stderr if self._writes is None else self._writes
        # An agent's words reach a terminal here: without escape sequences, and without half of a surrogate pair.
        clean = "".join(
            "\ufffd" if letter not in "\n\t" and unicodedata.category(letter) in ("Cc", "Cs") else letter
            for letter in text
        )
        writes.write(clean + end)
        writes.flush()
