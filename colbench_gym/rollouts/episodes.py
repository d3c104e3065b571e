"""The store of a run: a directory with `episodes.jsonl`, append-only, one flushed line an episode.

It survives being killed at any byte: a torn last line is set aside in `episodes.torn` when the directory is opened
again, and its episode is played again. An episode that was played again after a failure has a second line with the same
key; the last one counts. Everything else in a run directory is derived and can be rebuilt.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import weakref
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Literal, NamedTuple

from colbench_gym.errors import ConfigError
from colbench_gym.types import Episode

EPISODES = "episodes.jsonl"
CONFIG = "config.json"
SUMMARY = "summary.json"
TORN = "episodes.torn"
LOCK = "lock"
Status = Literal["ok", "failed"]

_UNFINISHED = ".new"

_HEAD = b'{"schema":"colbench-episode/1","key":'
_STATUS = ',"status":"'
_decoder = json.JSONDecoder()
# A child of this process must not hold the lock beyond this process's end: a killed run can be resumed at once.
_open_locks: weakref.WeakSet[Any] = weakref.WeakSet()
os.register_at_fork(after_in_child=lambda: [lock.close() for lock in list(_open_locks)])


def key_of(episode_key: Mapping[str, Any]) -> bytes:
    """A digest of an episode's key: short, for runs have millions."""
    return hashlib.blake2b(json.dumps(episode_key, sort_keys=True).encode(), digest_size=16).digest()


class EpisodeStore:
    """A run directory, open for writing by one process.

    Args:
        directory: made if it does not exist.
        config: what tells this run from another; kept in `config.json` and compared when the directory is reopened.

    Raises:
        ConfigError: another process is writing there, the directory holds a run of another configuration or something
            else altogether, or it cannot be written.
    """

    def __init__(self, directory: str | os.PathLike[str], config: Mapping[str, Any]) -> None:
        self.directory = Path(directory)
        try:
            self.directory.mkdir(parents=True, exist_ok=True)
            # Python opens files close-on-exec: no program we start inherits the lock and outlives us with it.
            self._lock = (self.directory / LOCK).open("a")
        except OSError as error:
            raise ConfigError(f"{directory} cannot be written ({error.strerror}). Mend: another --out") from error
        _open_locks.add(self._lock)
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            self._lock.close()
            raise ConfigError(
                f"another process is writing to {directory}. Mend: wait for it, or another --out"
            ) from None
        try:
            self._check_config(config)
            self._set_torn_line_aside()
            self._status = statuses(self.directory)
            self._stream = self.path.open("ab")
        except BaseException:
            self._lock.close()
            raise

    @property
    def path(self) -> Path:
        return self.directory / EPISODES

    def append(self, episode: Episode) -> None:
        """Writes one episode and hands it to the operating system before it returns.

        Raises:
            ConfigError: it cannot be written.
        """
        line = json_line(episode.to_dict())
        try:
            self._stream.write(line)
            self._stream.flush()
        except OSError as error:
            raise ConfigError(
                f"{self.path} cannot be written ({error.strerror}). Mend: free space there; the same command resumes"
            ) from error
        self._status[key_of(episode.key)] = episode.status

    def status_of(self, episode_key: Mapping[str, Any]) -> Status | None:
        """How the episode with this key ended; None if it is not here."""
        return self._status.get(key_of(episode_key))

    @staticmethod
    def write_summary(directory: str | os.PathLike[str], summary: Mapping[str, Any]) -> None:
        """Writes `summary.json`, whole or not at all."""
        _write_json(Path(directory) / SUMMARY, summary)

    def close(self) -> None:
        self._stream.close()
        self._lock.close()

    def __enter__(self) -> EpisodeStore:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _check_config(self, config: Mapping[str, Any]) -> None:
        file = self.directory / CONFIG
        given = json.loads(json.dumps(config))
        if not file.exists():
            own = (LOCK, f"{CONFIG}{_UNFINISHED}")
            strangers = sorted(p.name for p in self.directory.iterdir() if p.name not in own)
            if strangers:
                raise ConfigError(
                    f"{self.directory} is no run directory (it holds {strangers[0]}). Mend: an empty or new --out"
                )
            _write_json(file, given)
            return
        try:
            kept = json.loads(file.read_text(encoding="utf-8"))
        except ValueError as error:
            raise ConfigError(f"{file} is damaged ({error}). Mend: another --out") from None
        for name in sorted(set(kept) | set(given)):
            if kept.get(name) != given.get(name):
                raise ConfigError(
                    f"{self.directory} holds a run with {name}={json.dumps(kept.get(name))}, not "
                    f"{json.dumps(given.get(name))}. Mend: another --out, or the same arguments to resume"
                )

    def _set_torn_line_aside(self) -> None:
        if not self.path.exists():
            return
        with self.path.open("rb+") as stream:
            size = stream.seek(0, os.SEEK_END)
            end = _end_of_last_line(stream, size)
            if end < size:
                stream.seek(end)
                with (self.directory / TORN).open("ab") as aside:
                    aside.write(stream.read() + b"\n")
                stream.truncate(end)


def _end_of_last_line(stream: Any, size: int) -> int:
    """The position after the last line feed, looking back in blocks: the file may be large."""
    block = 1 << 16
    position = size
    while position > 0:
        start = max(0, position - block)
        stream.seek(start)
        found = stream.read(position - start).rfind(b"\n")
        if found >= 0:
            return start + found + 1
        position = start
    return 0


def read_episodes(
    run: str | os.PathLike[str], *, order: Callable[[Mapping[str, Any]], Any] | None = None
) -> Iterator[dict[str, Any]]:
    """The episodes of a run directory (or of an `episodes.jsonl`), one after the other, as JSON data.

    Of several lines with one key the last one is given. A last line that is still being written is left out. The file
    is read twice, line by line: a run may be larger than memory.

    Args:
        order: what to sort by, of an episode's key; by default they come as they were written.

    Raises:
        ConfigError: there is no such file, or a line in it is damaged.
    """
    path = Path(run)
    if path.is_dir():
        if not (path / EPISODES).exists() and (path / CONFIG).exists():
            return
        path = path / EPISODES
    try:
        stream = path.open("rb")
    except OSError as error:
        raise ConfigError(f"{path} cannot be read ({error.strerror}). Mend: name a run directory") from None
    with stream:
        lines = {line.key: line for line in _lines(path, order)}.values()
        for line in sorted(lines, key=lambda line: (line.rank, line.start)):
            stream.seek(line.start)
            yield _parsed(stream.readline(), path, line.number)


def statuses(directory: str | os.PathLike[str]) -> dict[bytes, Status]:
    """How every episode of a run directory ended, by `key_of` its key; none if there are none.

    Raises:
        ConfigError: a line is damaged.
    """
    return {line.key: line.status for line in _lines(Path(directory) / EPISODES)}


class _Line(NamedTuple):
    """Where a line stands, and what it is about."""

    key: bytes
    status: Status
    start: int
    number: int
    rank: Any


def _lines(path: Path, order: Callable[[Mapping[str, Any]], Any] | None = None) -> Iterator[_Line]:
    """The whole lines of a file (none if there is no such file), of which only the beginning is parsed."""
    if not path.exists():
        return
    start = 0
    with path.open("rb") as stream:
        for number, line in enumerate(stream, start=1):
            if not line.endswith(b"\n"):
                return
            key, status = _beginning(line) or _whole(line, path, number)
            yield _Line(key_of(key), status, start, number, order(key) if order else 0)
            start += len(line)


def _beginning(line: bytes) -> tuple[Mapping[str, Any], Status] | None:
    """Key and status of a line as `EpisodeStore` writes it; None of any other."""
    if not line.startswith(_HEAD):
        return None
    head = line[len(_HEAD) : len(_HEAD) + 4096].decode("utf-8", "ignore")
    try:
        key, end = _decoder.raw_decode(head)
    except ValueError:  # a longer key
        return None
    for status in ("ok", "failed"):
        if head.startswith(f'{_STATUS}{status}"', end):
            return key, status
    return None


def _whole(line: bytes, path: Path, number: int) -> tuple[Mapping[str, Any], Status]:
    record = _parsed(line, path, number)
    return record["key"], record["status"]


def _parsed(line: bytes, path: Path, number: int) -> dict[str, Any]:
    try:
        record = json.loads(line)
    except ValueError as error:
        raise ConfigError(f"{path}, line {number}: damaged ({error})") from None
    if not isinstance(record, dict) or record.get("schema") != "colbench-episode/1":
        raise ConfigError(f"{path}, line {number}: no episode of schema colbench-episode/1")
    return record


def json_line(data: Any) -> bytes:
    """JSON data as one line of a file."""
    try:
        return json.dumps(data, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
    except UnicodeEncodeError:
        # A model may write half a surrogate pair; JSON's own escapes keep it where UTF-8 cannot.
        return json.dumps(data, separators=(",", ":")).encode() + b"\n"


def _write_json(path: Path, data: Mapping[str, Any]) -> None:
    """Writes a whole file or nothing: a reader, or a crash, never meets half of it."""
    beside = path.with_name(path.name + _UNFINISHED)
    beside.write_text(json.dumps(data, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    beside.replace(path)
