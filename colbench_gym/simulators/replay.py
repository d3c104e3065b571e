"""A user that says again what was said before: replies from a recorded run, never a new one."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from colbench_gym.errors import ConfigError, SimulatorError
from colbench_gym.protocol import spoken
from colbench_gym.types import Message, Reply, Task

EPISODES = "episodes.jsonl"
SCHEMA = "colbench-episode/1"

LONGEST_QUOTE = 120
"""Characters of a question that an error quotes."""


class ReplayUser:
    """Replies recorded in a file, found again by the task and all that the agent has said so far.

    The same question may get another reply later in a dialogue, so a question alone finds nothing: what is compared is
    the task (its id where the file has one, its description always) and the list of the agent's messages, character by
    character. Whatever was not recorded is an error, never a call and never a guess.

    Two formats are read, also mixed: our own `episodes.jsonl` (a run directory will do), and the official trajectory
    files, which have no task ids (there the description, and the reference where the file holds it, tell tasks apart).

    Args:
        path: the file, or a run directory.

    Raises:
        ConfigError: the file cannot be read, a line of it is damaged or of neither format, it holds no reply, or two
            lines hold different replies to the same dialogue.
    """

    def __init__(self, path: str | Path) -> None:
        file = Path(path).expanduser()
        self._path = file / EPISODES if file.is_dir() else file
        self._replies: dict[bytes, tuple[Reply, int]] = {}
        digest = hashlib.sha256()
        for number, record in self._records(digest):
            self._remember(number, record)
        if not self._replies:
            raise ConfigError(f"{self._path} holds no reply of a user. Mend: name a file of recorded dialogues")
        self._sha256 = digest.hexdigest()

    @property
    def identity(self) -> Mapping[str, Any]:
        """Kind, and sha256 of the file."""
        return {"kind": "replay", "sha256": self._sha256}

    def __len__(self) -> int:
        """Number of recorded replies."""
        return len(self._replies)

    def reply(self, task: Task, messages: Sequence[Message]) -> str:
        """The recorded reply.

        Raises:
            SimulatorError: none was recorded for this task and these messages of the agent.
        """
        return self.respond(task, messages).text

    def respond(self, task: Task, messages: Sequence[Message]) -> Reply:
        """As `reply`, with the details that were recorded as given away (in our own format)."""
        said = [message["content"] for message in messages if message["role"] == "assistant"]
        for name in (("id", task.id), ("reference", task.reference), ("description",)):
            found = self._replies.get(_key(name, task.description, said))
            if found is not None:
                return found[0]
        question = said[-1] if said else ""
        quoted = question if len(question) <= LONGEST_QUOTE else question[:LONGEST_QUOTE] + "..."
        raise SimulatorError(
            f"{self._path} holds no reply for task {task.id} to message {len(said)} of the agent, {quoted!r}. Mend: "
            "replay the very messages and tasks that were recorded (same agent, same seed), or use another user"
        )

    def _records(self, digest: Any) -> Iterator[tuple[int, dict[str, Any]]]:
        """The file's objects with their line numbers, one line at a time."""
        try:
            stream = self._path.open("rb")
        except OSError as error:
            raise ConfigError(f"{self._path} cannot be read ({error.strerror}). Mend: name a recorded file") from None
        with stream:
            for number, line in enumerate(stream, start=1):
                digest.update(line)
                if not line.strip():
                    continue
                try:
                    record = json.loads(line.decode("utf-8-sig" if number == 1 else "utf-8"))
                except (ValueError, RecursionError) as error:
                    raise self._fail(number, f"damaged ({error})", "delete the line, or record it again") from None
                if not isinstance(record, dict):
                    raise self._fail(number, f"a {type(record).__name__}, no object", "one dialogue a line")
                yield number, record

    def _remember(self, number: int, record: Mapping[str, Any]) -> None:
        disclosed: Sequence[Any] = ()
        names: list[tuple[str, ...]] = []
        if "messages" in record:
            if record.get("schema") != SCHEMA:
                raise self._fail(number, f"of schema {record.get('schema')!r}", f"record it as {SCHEMA}")
            key = record.get("key")
            if not isinstance(key, dict) or not isinstance(key.get("task_id"), str):
                raise self._fail(number, "without key.task_id", "record the episode again")
            names.append(("id", key["task_id"]))
            dialogue, description = record["messages"], None
            disclosed = record.get("disclosed") or ()
        elif "dialogue_history" in record:
            dialogue, task = record["dialogue_history"], record.get("task")
            description = task.get("problem_description") if isinstance(task, dict) else task
            reference = task.get("ground_truth") if isinstance(task, dict) else None
            if not isinstance(description, str):
                raise self._fail(number, "without a task description", "task.problem_description must be a text")
            names.append(("reference", reference) if isinstance(reference, str) else ("description",))
        else:
            raise self._fail(number, "no recorded dialogue", "it needs 'messages' or 'dialogue_history'")
        turns = list(self._turns(number, dialogue))
        if description is None:
            description = turns[0][1] if turns and turns[0][0] == "user" else ""
        said: list[str] = []
        replies = 0
        for place, (role, content) in enumerate(turns):
            if role == "assistant":
                said.append(content)
            elif place > 0 and turns[place - 1][0] == "assistant":
                given = tuple(map(str, disclosed[replies])) if replies < len(disclosed) else ()
                replies += 1
                for name in names:
                    self._keep(number, _key(name, description, said), Reply(content, given), said)

    def _turns(self, number: int, dialogue: Any) -> Iterator[tuple[str, str]]:
        if not isinstance(dialogue, list):
            raise self._fail(number, "its dialogue is no list", "record it again")
        for message in dialogue:
            role = message.get("role") if isinstance(message, dict) else None
            content = message.get("content") if isinstance(message, dict) else None
            if role not in ("user", "assistant") or not isinstance(content, str):
                raise self._fail(number, "a message without role and content", "roles are 'user' and 'assistant'")
            yield role, spoken(content) if role == "assistant" else content

    def _keep(self, number: int, key: bytes, reply: Reply, said: Sequence[str]) -> None:
        before = self._replies.get(key)
        if before is None:
            self._replies[key] = (reply, number)
        elif before[0].text != reply.text:
            raise ConfigError(
                f"{self._path}, lines {before[1]} and {number}: different replies to the same dialogue (message "
                f"{len(said)} of the agent, {said[-1][:LONGEST_QUOTE]!r}). Mend: keep one of the lines; a user that "
                "says different things to the same words cannot be replayed from more than one sample of a task"
            )

    def _fail(self, number: int, what: str, mend: str) -> ConfigError:
        return ConfigError(f"{self._path}, line {number}: {what}. Mend: {mend}")


def _key(name: Iterable[str], description: str, said: Sequence[str]) -> bytes:
    """A digest of the task's name in its format, its description and the agent's messages: a fixed few bytes however
    long the dialogue."""
    parts = json.dumps([*name, None, description, *said])  # escapes what UTF-8 cannot hold
    return hashlib.sha256(parts.encode()).digest()[:16]
