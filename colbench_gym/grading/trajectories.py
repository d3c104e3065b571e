"""Grading answers that others recorded, in both profiles side by side.

Two kinds of file, told apart by their content:

- JSON lines, one official trajectory each: `task`, `dialogue_history`, `answer`, `reward` (DESIGN of the official
  files: docs/protocol.md). A line may also be `{task_id: {...}}`, as leaderboard harnesses write submissions.
- one JSON object `{task_id: {...}}`.

An entry needs `answer` (text, or null where none was given) and its task: either in its own `task` dictionary, or by
its id among the tasks that the caller gives; an id that is a number and no task's id is a position in that list.

Official frontend trajectories hold the path of a picture in `answer`. The page itself stands in `dialogue_history`,
and is taken from there.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

from colbench_gym.errors import TaskError
from colbench_gym.grading.pages import PageGrader
from colbench_gym.grading.render import Geometry
from colbench_gym.grading.unit_tests import grades_or_errors
from colbench_gym.protocol import last_snippet, official_code, snippet_in, spoken
from colbench_gym.tasks.load import task_from_record
from colbench_gym.types import Grade, Message, Profile, Task


@dataclass(frozen=True, slots=True)
class RecordedAnswer:
    """One entry of a file.

    Attributes:
        id: the task's id.
        line: 1-based line of the file; None in a file that is one JSON object.
        task: what it answers.
        answer: raw text; None where none was given.
        recorded: the reward the file states, if it does.
        dialogue: the recorded messages of a frontend trajectory, whose last page is the answer; else empty.
    """

    id: str
    line: int | None
    task: Task
    answer: str | None
    recorded: float | None
    dialogue: tuple[Message, ...] = ()

    def answer_under(self, profile: Profile) -> str | None:
        """What is graded under `profile`."""
        return last_snippet(self.dialogue, profile) if self.dialogue else self.answer


@dataclass(frozen=True, slots=True)
class FileGrade:
    """A recorded answer and what it is worth.

    Attributes:
        entry: what was graded.
        strict: None if the task cannot be judged by; `error` then says why.
        official: always there.
        error: text of the TaskError that `strict` met.
    """

    entry: RecordedAnswer
    strict: Grade | None
    official: Grade
    error: str | None = None

    @property
    def difference(self) -> str:
        """Why the two profiles disagree; empty where they agree."""
        if self.strict is None:
            return f"strict cannot judge: {self.error}"
        if self.entry.task.domain == "frontend":
            return why_pages_differ(self.strict, self.official)
        return why_they_differ(self.strict, self.official, self.entry.answer)


def grade_file(
    path: str | os.PathLike[str],
    tasks: Sequence[Task] | None = None,
    *,
    isolation: str = "auto",
    in_flight: int = 2,
    similarity: str = "mini",
    renderer: str = "chromium",
) -> Iterator[FileGrade]:
    """Grade every answer in a file, in its order, in both profiles.

    Frontend answers are rendered in the geometry `default` for `strict`, and in `official` for `official`.

    Args:
        path, tasks: see `read_answers`.
        isolation, in_flight: backend; see `grade_many`.
        similarity, renderer: frontend; see `grade`.

    Raises:
        TaskError: the file cannot be read as either kind; the text gives file, line and field. Nothing is graded then.
        IsolationUnavailable, GraderError, MissingExtra: see `grade`.
    """
    entries = read_answers(path, tasks)
    for domain, group in groupby(entries, key=lambda entry: entry.task.domain):
        if domain == "backend":
            yield from _grade_functions(list(group), isolation, in_flight)
        else:
            yield from _grade_pages(list(group), similarity, renderer)


def _grade_functions(entries: list[RecordedAnswer], isolation: str, in_flight: int) -> Iterator[FileGrade]:
    pairs = [(entry.task, entry.answer) for entry in entries]
    strict = grades_or_errors(pairs, profile="strict", isolation=isolation, in_flight=in_flight)
    official = grades_or_errors(pairs, profile="official", isolation=isolation, in_flight=in_flight)
    for entry, by_strict, by_official in zip(entries, strict, official, strict=True):
        if isinstance(by_official, TaskError):
            raise by_official
        if isinstance(by_strict, TaskError):
            yield FileGrade(entry, None, by_official, str(by_strict))
        else:
            yield FileGrade(entry, by_strict, by_official)


def _grade_pages(entries: list[RecordedAnswer], similarity: str, renderer: str) -> Iterator[FileGrade]:
    def grades(profile: Profile, geometry: Geometry) -> Iterator[Grade]:
        grader = PageGrader(similarity, geometry=geometry, renderer=renderer, profile=profile)
        return grader.grade_many((entry.task, entry.answer_under(profile)) for entry in entries)

    for entry, strict, official in zip(
        entries, grades("strict", "default"), grades("official", "official"), strict=True
    ):
        yield FileGrade(entry, strict, official)


# --- reading


def read_answers(path: str | os.PathLike[str], tasks: Sequence[Task] | None = None) -> list[RecordedAnswer]:
    """The entries of a trajectory file or a results file.

    Args:
        path: the file.
        tasks: where entries that hold only an id find their task.

    Raises:
        TaskError: not readable, not JSON, or a field is missing or of the wrong type.
    """
    name = os.fspath(path)
    try:
        text = Path(name).read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise TaskError(f"{name}: cannot be read: {error.strerror}. Mend: give the path of a results file.") from error
    except UnicodeDecodeError as error:
        raise TaskError(f"{name}: byte {error.start} is not UTF-8. Mend: save the file as UTF-8.") from error
    if not text.strip():
        raise TaskError(f"{name}: is empty. Mend: give a file with answers in it.")
    by_id = _TaskTable(tasks or ())
    return [
        _entry(data, key, where, line, by_id)
        for line, where, item in _records(name, text)
        for key, data in _keyed(item, where, line)
    ]


def trajectory_of(line: str, name: str, number: int) -> tuple[RecordedAnswer, Mapping[str, Any]]:
    """One line of an official trajectory file: its answer, and the JSON object itself.

    Raises:
        TaskError: it is not JSON, or no trajectory with a `task` of its own and a `dialogue_history`.
    """
    where = f"{name}, line {number}"
    try:
        data = json.loads(line)
    except ValueError as error:
        raise TaskError(f"{where}: not JSON ({error}). Mend: one object a line.") from None
    if not isinstance(data, dict) or "task" not in data or not isinstance(data.get("dialogue_history"), list):
        raise TaskError(f"{where}: no trajectory. Mend: an object with `task`, `dialogue_history`, `answer`, `reward`.")
    return _entry(data, None, where, number, _TaskTable(())), data


def _records(name: str, text: str) -> Iterator[tuple[int | None, str, Any]]:
    """Line (None for a whole file), where that is in words, and the JSON value."""
    try:
        whole = json.loads(text)
    except json.JSONDecodeError as failure:
        first, _, rest = text.strip().partition("\n")
        try:
            json.loads(first)
        except json.JSONDecodeError:
            # Neither one object over several lines nor one value a line: say where reading stopped.
            raise TaskError(
                f"{name}, line {failure.lineno}: not JSON ({failure.msg}). Mend: give a JSONL file of trajectories "
                "or a JSON object of task ids."
            ) from failure
        del rest
    else:
        single_line = "\n" not in text.strip()
        yield (1, f"{name}, line 1", whole) if single_line else (None, name, whole)
        return
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            try:
                yield number, f"{name}, line {number}", json.loads(line)
            except json.JSONDecodeError as error:
                raise TaskError(
                    f"{name}, line {number}: not JSON ({error.msg}, column {error.colno}). Mend: one object a line."
                ) from error


def _keyed(item: Any, where: str, line: int | None) -> Iterator[tuple[str | None, Mapping[str, Any]]]:
    """Entries of one JSON value: itself if it is a trajectory, else its values by task id."""
    if isinstance(item, list):
        for position, part in enumerate(item):
            if not isinstance(part, dict) or "answer" not in part:
                raise TaskError(f"{where}, item {position}: no object with an `answer`. Mend: {_ACCEPTED}.")
            yield None, part
    elif not isinstance(item, dict):
        raise TaskError(f"{where}: a JSON {type(item).__name__} instead of an object. Mend: {_ACCEPTED}.")
    elif "answer" in item or "task" in item:
        yield None, item
    else:
        for key, value in item.items():
            if not isinstance(value, dict):
                raise TaskError(f"{where}, key {key!r}: the value is no object. Mend: {_ACCEPTED}.")
            yield key, value


_ACCEPTED = (
    "each answer is an object with `answer` (text or null), `task` (unless it is found by its id) and, optionally, "
    "`reward` and `task_id`"
)


class _TaskTable:
    def __init__(self, tasks: Sequence[Task]) -> None:
        self.tasks = tasks
        self.by_id: dict[str, Task] | None = None

    def find(self, key: str) -> Task | None:
        if self.by_id is None:
            self.by_id = {task.id: task for task in (self.tasks[index] for index in range(len(self.tasks)))}
        if key in self.by_id:
            return self.by_id[key]
        if key.isdecimal() and int(key) < len(self.tasks):
            return self.tasks[int(key)]
        return None


def _entry(data: Mapping[str, Any], key: str | None, where: str, line: int | None, tasks: _TaskTable) -> RecordedAnswer:
    if key is not None:
        where = f"{where}, key {key!r}"
    if "answer" not in data:
        raise TaskError(f"{where}, field `answer`: missing. Mend: {_ACCEPTED}.")
    answer = data["answer"]
    if answer is not None and not isinstance(answer, str):
        raise TaskError(f"{where}, field `answer`: {type(answer).__name__} instead of text or null. Mend: {_ACCEPTED}.")
    recorded = data.get("reward")
    if recorded is not None and not isinstance(recorded, int | float):
        raise TaskError(f"{where}, field `reward`: {type(recorded).__name__} instead of a number. Mend: {_ACCEPTED}.")
    identifier = key if key is not None else data.get("task_id")
    if identifier is not None:
        identifier = str(identifier)
    if "task" in data:
        fallback = f"line-{line}" if line is not None else "unnamed"
        task = _task(data["task"], identifier or fallback, where)
    elif identifier is None:
        raise TaskError(f"{where}, field `task`: missing. Mend: {_ACCEPTED}.")
    else:
        found = tasks.find(identifier)
        if found is None:
            raise TaskError(
                f"{where}: no task has the id {identifier!r}, and the entry has no `task` of its own. "
                "Mend: name the task set that the answers belong to."
            )
        task = found
    dialogue = _dialogue(data, answer, where) if task.domain == "frontend" else ()
    reward = None if recorded is None else float(recorded)
    return RecordedAnswer(identifier or task.id, line, task, answer, reward, dialogue)


def _dialogue(data: Mapping[str, Any], answer: str | None, where: str) -> tuple[Message, ...]:
    """The messages of a frontend trajectory. Where `content` holds no page, the raw `output` is looked at."""
    recorded = data.get("dialogue_history") or []
    if not recorded and answer and answer.strip().lower().endswith((".png", ".jpg")):
        raise TaskError(
            f"{where}, field `answer`: the path of a picture, and no `dialogue_history` to take the page from. "
            "Mend: give the page's HTML as `answer`."
        )
    messages: list[Message] = []
    for number, message in enumerate(recorded):
        if not isinstance(message, dict) or message.get("role") not in ("user", "assistant"):
            raise TaskError(f"{where}, field `dialogue_history[{number}]`: no object with role user or assistant.")
        texts = [text for text in (message.get("content"), message.get("output")) if isinstance(text, str)]
        holding = [text for text in texts if snippet_in(text) is not None] or texts or [""]
        messages.append(Message(role=message["role"], content=spoken(holding[0])))
    return tuple(messages)


def _task(data: Any, identifier: str, where: str) -> Task:
    """The `task` dictionary of a trajectory. Some harnesses keep only what grading needs, without the description."""
    mend = "a task has the field `ground_truth`, a backend task also `test_cases`"
    if not isinstance(data, dict):
        raise TaskError(f"{where}, field `task`: {type(data).__name__} instead of an object. Mend: {mend}.")
    return task_from_record(
        {**data, "problem_description": data.get("problem_description") or "(not recorded)"},
        default_id=identifier,
        source=where.partition(", ")[0],
        fail=lambda field, text: TaskError(f"{where}, field `task.{field}`: {text}. Mend: {mend}."),
    )


# --- explaining


def why_they_differ(strict: Grade, official: Grade, answer: str | None) -> str:
    """One sentence that says why two grades of one answer differ; empty where they agree on every test.

    Args:
        strict: grade under `strict`.
        official: grade of the same answer under `official`.
        answer: the raw answer.
    """
    by_strict: Mapping[str, Mapping[str, str]] = strict.details["tests"]
    by_official: Mapping[str, Mapping[str, str]] = official.details["tests"]
    lost = [name for name in by_strict if by_strict[name]["kind"] == "pass" != by_official[name]["kind"]]
    won = [name for name in by_strict if by_official[name]["kind"] == "pass" != by_strict[name]["kind"]]
    if not lost and not won:
        return ""
    reasons = []
    if lost:
        reasons.append(_why_official_fails([by_official[name] for name in lost], official.details.get("note"), answer))
    if won:
        kinds = {by_strict[name]["kind"] for name in won}
        reasons.append(
            f"official passes {_tests(won)}, where strict finds {', '.join(sorted(kinds)).replace('_', ' ')}: strict "
            "judges the value on the left of `f(...) == literal`, seeds `random` and asks no object's own `__eq__`"
        )
    return "; ".join(reasons)


def why_pages_differ(strict: Grade, official: Grade) -> str:
    """One sentence that says why one profile finds a page where the other does not; empty where they agree on that."""
    notes = strict.details.get("note"), official.details.get("note")
    if notes[0] == notes[1]:
        return ""
    return f"strict: {notes[0] or 'a page'}; official, which wants closed tags in lower case: {notes[1] or 'a page'}"


def _tests(names: Sequence[str]) -> str:
    return (
        f"{len(names)} test{'s' if len(names) != 1 else ''} ({', '.join(names[:3])}{', ...' if len(names) > 3 else ''})"
    )


def _why_official_fails(results: Sequence[Mapping[str, str]], note: str | None, answer: str | None) -> str:
    first = results[0]
    if note is not None and (first["kind"] in ("refused", "lost") or note.endswith(": 0")):
        return f"official: {note}"
    first_line = official_code(answer or "").strip().partition("\n")[0].strip()
    for result in results:
        if result.get("exception") == "NameError":
            if f"name {first_line!r} is not defined" == result.get("message"):
                return f"official takes {first_line!r}, which stands before the code, for a part of it"
            return (
                "official executes code inside a function, where top-level names are invisible to the functions of "
                f"the answer: {result.get('message', '')}"
            )
    for result in results:
        if result["kind"] == "not_compiled":
            fences = (answer or "").count("```") or (answer or "").count("~~~")
            where = "cuts code at the first fence only" if fences else "takes the whole text for code"
            return f"official {where}, which gives {result.get('exception', 'no program')}"
    for result in results:
        if result["kind"] == "unencodable":
            return f"official compares with `==`: {result.get('message', 'the value')}"
    if note is not None:
        return f"official: {note}"
    if first["kind"] == "raised":
        return f"official gives None where the code raises, here {first.get('exception', 'an exception')}"
    if first["kind"] == "timed_out":
        return "official: the answer took longer than a second"
    return "official: the two executions differ (state, chance or the clock)"
