"""Task sets by name or by file."""

from __future__ import annotations

import ast
import json
import os
import threading
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, Literal, Protocol, overload, runtime_checkable

from colbench_gym import foreign_code
from colbench_gym.errors import MissingExtra, TaskError
from colbench_gym.protocol import rewrite_images
from colbench_gym.tasks import backend, frontend
from colbench_gym.types import Task, fingerprint

OFFICIAL_REPOSITORY = "facebook/collaborative_agent_bench"
OFFICIAL_FILES = {
    "official-backend:train": "backend_tasks/train.jsonl",
    "official-backend:test": "backend_tasks/test.jsonl",
    "official-frontend:train": "frontend_tasks/train.jsonl",
    "official-frontend:test": "frontend_tasks/test.jsonl",
}
OFFICIAL_LIMITS = {"official-backend:test": 1_000, "official-frontend:test": 500}
"""The paper's test tasks are the first of the test file; the backend's holds ten thousand."""

MAX_LINE_BYTES = 4 << 20


@runtime_checkable
class TaskSet(Protocol):
    """A sequence of tasks with a name, a fingerprint and look-up by id."""

    @property
    def name(self) -> str: ...
    @property
    def fingerprint(self) -> str: ...
    def id_at(self, index: int) -> str: ...
    def index_of(self, task_id: str) -> int: ...
    def __len__(self) -> int: ...
    def __getitem__(self, index: int) -> Task: ...
    def __iter__(self) -> Iterator[Task]: ...


class ListedTasks(Sequence[Task]):
    """Tasks held in memory, under one name."""

    def __init__(self, name: str, tasks: Sequence[Task]) -> None:
        self.name = name
        self._tasks = tuple(tasks)
        self._positions = {task.id: position for position, task in enumerate(self._tasks)}

    def __len__(self) -> int:
        return len(self._tasks)

    @overload
    def __getitem__(self, index: int) -> Task: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Task]: ...
    def __getitem__(self, index: int | slice) -> Task | Sequence[Task]:
        return self._tasks[index]

    @property
    def fingerprint(self) -> str:
        """sha256 over the tasks' canonical JSON."""
        return self._fingerprint

    @cached_property
    def _fingerprint(self) -> str:
        return fingerprint(self._tasks)

    def id_at(self, index: int) -> str:
        """The id of task `index`."""
        return self._tasks[index].id

    def index_of(self, task_id: str) -> int:
        """The position of the task with this id.

        Raises:
            TaskError: no such task in this set.
        """
        if task_id not in self._positions:
            raise TaskError(f"no task {task_id!r} in {self.name}. Mend: see `colbench tasks show {self.name}`")
        return self._positions[task_id]


def task_set_names() -> tuple[str, ...]:
    """The names that `load_tasks` knows."""
    embedded = (f"{domain.NAME}:{split}" for domain in (backend, frontend) for split in domain.SIZES)
    return (*embedded, *OFFICIAL_FILES)


def load_tasks(name_or_path: str | os.PathLike[str], *, limit: int | None = None) -> TaskSet:
    """A task set.

    Args:
        name_or_path: one of `task_set_names()`, or the path of a JSONL file in the official format.
        limit: only the first `limit` tasks (at least 1).

    Raises:
        TaskError: unknown name, unreadable file, or a bad line (the text names the file, line and field).
        MissingExtra: an official set is to be downloaded and `huggingface_hub` is not installed.
    """
    if limit is not None and limit < 1:
        raise TaskError(f"limit={limit}: a task set holds at least one task")
    name = os.fspath(name_or_path)
    if name.startswith(f"{backend.NAME}:"):
        return backend.EmbeddedBackendTasks(name.partition(":")[2], limit)
    if name.startswith(f"{frontend.NAME}:"):
        return frontend.EmbeddedFrontendTasks(name.partition(":")[2], limit)
    if name in OFFICIAL_FILES:
        whole = OFFICIAL_LIMITS.get(name)
        if whole is not None:
            limit = min(limit or whole, whole)
        return _load_file(_official_file(name), name, limit)
    path = Path(name).expanduser()
    if path.is_dir():
        raise TaskError(f"{path} is a folder. Mend: name a .jsonl file in it")
    if not path.exists():
        raise TaskError(
            f"{name!r} is neither a task set nor a file. Mend: one of {', '.join(task_set_names())}, or a .jsonl file"
        )
    return _load_file(path, path.name, limit)


def _official_file(name: str) -> Path:
    """Where an official file lies on this machine, downloading it if need be."""
    file = OFFICIAL_FILES[name]
    local = os.environ.get("COLBENCH_DATA")
    if local:
        path = Path(local).expanduser() / file
        if not path.is_file():
            raise TaskError(f"COLBENCH_DATA={local} holds no {file}. Mend: put it there, or unset COLBENCH_DATA")
        return path
    try:
        from huggingface_hub import hf_hub_download
        from huggingface_hub.errors import HfHubHTTPError, LocalEntryNotFoundError, OfflineModeIsEnabled
    except ImportError:
        raise MissingExtra("hub", f"Downloading {name}") from None
    try:
        return Path(hf_hub_download(OFFICIAL_REPOSITORY, file, repo_type="dataset"))
    except (LocalEntryNotFoundError, OfflineModeIsEnabled, HfHubHTTPError, OSError) as error:
        raise TaskError(
            f"{name} is not cached and cannot be downloaded ({type(error).__name__}). Mend: connect to the network "
            f"once (it is kept in the hub's cache), or point COLBENCH_DATA at a folder that holds {file}"
        ) from error


_reading = threading.Lock()
"""A file is read once, however many threads want it at a time."""


def _load_file(path: Path, name: str, limit: int | None) -> ListedTasks:
    status = path.stat()
    with _reading:
        return _parsed(path.absolute(), name, limit, status.st_mtime_ns, status.st_size)


@lru_cache(maxsize=8)
def _parsed(path: Path, name: str, limit: int | None, modified_ns: int, size: int) -> ListedTasks:
    """The file's tasks. The stamp in the key makes a changed file be read again."""
    tasks: list[Task] = []
    first_line: dict[str, int] = {}
    for number, record in read_records(path):
        fail = _failure_at(path, number)
        task = task_from_record(record, default_id=f"{name}/{len(tasks):05d}", source=name, fail=fail)
        if task.id in first_line:
            raise fail("id", f"{task.id!r} stands in line {first_line[task.id]} too")
        first_line[task.id] = number
        tasks.append(task)
        if len(tasks) == limit:
            break
    if not tasks:
        raise TaskError(f"{path} holds no task. Mend: one JSON object a line")
    return ListedTasks(name, tasks)


def read_records(path: Path, *, max_line_bytes: int = MAX_LINE_BYTES) -> Iterator[tuple[int, dict[str, Any]]]:
    """The JSON objects of a JSONL file with their line numbers (from 1). A byte order mark, CRLF line ends and blank
    lines are all right.

    Raises:
        TaskError: a line that is too long, not UTF-8, not JSON, or no object; the text names the file and line.
    """
    try:
        stream = path.open("rb")
    except OSError as error:
        raise TaskError(f"{path} cannot be read: {error.strerror}") from error
    with stream:
        number = 0
        while line := stream.readline(max_line_bytes + 1):
            number += 1
            if len(line) > max_line_bytes:
                raise TaskError(f"{path}, line {number}: longer than {max_line_bytes >> 20} MiB. Mend: one task a line")
            try:
                text = line.decode("utf-8-sig" if number == 1 else "utf-8")
            except UnicodeDecodeError as error:
                raise TaskError(
                    f"{path}, line {number}: not UTF-8 (byte {error.start} is 0x{line[error.start]:02x}). "
                    "Mend: save the file as UTF-8"
                ) from None
            if not text.strip():
                continue
            try:
                record = json.loads(text)
            except (json.JSONDecodeError, RecursionError) as error:
                raise TaskError(f"{path}, line {number}: not JSON ({error}). Mend: one JSON object a line") from None
            if not isinstance(record, dict):
                raise TaskError(f"{path}, line {number}: a {type(record).__name__}, no JSON object")
            yield number, record


Failure = Callable[[str, str], TaskError]


def _failure_at(path: Path, number: int) -> Failure:
    return lambda field, text: TaskError(f"{path}, line {number}, field {field!r}: {text}")


def task_from_record(record: dict[str, Any], *, default_id: str, source: str, fail: Failure) -> Task:
    """A task from one object of an official task file (`problem_description`, `ground_truth`, `test_cases`).

    An object without `test_cases` whose reference is markup is a frontend task, with its image addresses rewritten as
    officially. `id` is optional, other fields are ignored (`hidden_information` repeats the reference).

    Raises:
        What `fail(field, text)` returns: a field is missing, of a wrong type, empty, or no Python.
    """
    description = _text(record, "problem_description", fail)
    reference = _text(record, "ground_truth", fail)
    task_id = record.get("id", default_id)
    if isinstance(task_id, int) and not isinstance(task_id, bool):
        task_id = str(task_id)
    if not isinstance(task_id, str) or not task_id:
        raise fail("id", "must be a non-empty string")
    if "test_cases" not in record and reference.lstrip().startswith("<"):
        return Task(task_id, "frontend", description, rewrite_images(reference), source=source)
    _parse(reference, "exec", "ground_truth", fail)
    return Task(task_id, "backend", description, reference, _tests(record, fail), source=source)


def _text(record: dict[str, Any], field: str, fail: Failure) -> str:
    if field not in record:
        raise fail(field, "is missing")
    value = record[field]
    if not isinstance(value, str):
        raise fail(field, f"must be a string, not {type(value).__name__}")
    if not value.strip():
        raise fail(field, "is empty")
    return value


def _tests(record: dict[str, Any], fail: Failure) -> dict[str, str]:
    if "test_cases" not in record:
        raise fail("test_cases", "is missing")
    tests = record["test_cases"]
    if not isinstance(tests, dict):
        raise fail("test_cases", f"must be an object of name and call, not {type(tests).__name__}")
    if not tests:
        raise fail("test_cases", "is empty")
    for name, call in tests.items():
        field = f"test_cases.{name}"
        if not isinstance(call, str):
            raise fail(field, f"must be a string, not {type(call).__name__}")
        expression = _parse(call.strip(), "eval", field, fail).body
        judged = expression.left if isinstance(expression, ast.Compare) else expression
        if not isinstance(judged, ast.Call):
            raise fail(field, f"is no call: {call[:60]!r}")
    return tests


def _parse(source: str, mode: Literal["exec", "eval"], field: str, fail: Failure) -> Any:
    try:
        return foreign_code.parse(source, mode)
    except SyntaxError as error:
        raise fail(field, f"does not parse ({error})") from None
