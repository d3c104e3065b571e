"""The store of a run: a directory with `episodes.jsonl`, append-only, one flushed line an episode.

It survives being killed at any byte: a torn last line is set aside in `episodes.torn` when the directory is opened
again, and its episode is played again. Everything else in a run directory is derived and can be rebuilt.
"""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from colbench_gym.errors import ConfigError
from colbench_gym.types import Episode

EPISODES = "episodes.jsonl"
CONFIG = "config.json"
SUMMARY = "summary.json"
TORN = "episodes.torn"
LOCK = "lock"


def key_of(episode_key: Mapping[str, Any]) -> str:
    """An episode's key as a string that can be compared."""
    return json.dumps(episode_key, sort_keys=True)


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
            self._done = {key_of(record["key"]) for record in read_episodes(self.directory)}
            self._stream = self.path.open("ab")
        except BaseException:
            self._lock.close()
            raise

    @property
    def path(self) -> Path:
        return self.directory / EPISODES

    def append(self, episode: Episode) -> None:
        """Writes one episode and hands it to the operating system before it returns."""
        line = json.dumps(episode.to_dict(), ensure_ascii=False, separators=(",", ":"))
        # A model may write half a surrogate pair; JSON's own escapes keep it where UTF-8 cannot.
        if not _is_utf8(line):
            line = json.dumps(episode.to_dict(), separators=(",", ":"))
        self._stream.write(line.encode() + b"\n")
        self._stream.flush()
        self._done.add(key_of(episode.key))

    def is_done(self, episode_key: Mapping[str, Any]) -> bool:
        """Whether the episode with this key is already here."""
        return key_of(episode_key) in self._done

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
            strangers = sorted(p.name for p in self.directory.iterdir() if p.name != LOCK)
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


def read_episodes(run: str | os.PathLike[str]) -> Iterator[dict[str, Any]]:
    """The episodes of a run directory (or of an `episodes.jsonl`), one after the other, as JSON data.

    A last line that is still being written is left out.

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
        for number, line in enumerate(stream, start=1):
            if not line.endswith(b"\n"):
                return
            try:
                yield json.loads(line)
            except ValueError as error:
                raise ConfigError(f"{path}, line {number}: damaged ({error})") from None


def _is_utf8(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _write_json(path: Path, data: Mapping[str, Any]) -> None:
    """Writes a whole file or nothing: a reader, or a crash, never meets half of it."""
    beside = path.with_name(path.name + ".new")
    beside.write_text(json.dumps(data, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    beside.replace(path)
