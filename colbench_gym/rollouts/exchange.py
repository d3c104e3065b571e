"""Episodes in the formats of others: official trajectory files, both ways, and rows for TRL."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any, Literal, get_args

import colbench_gym
from colbench_gym.errors import ConfigError, TaskError
from colbench_gym.grading import grade_many
from colbench_gym.grading.trajectories import RecordedAnswer, trajectory_of
from colbench_gym.prompts import instructions
from colbench_gym.protocol import transcript
from colbench_gym.registration import IDS
from colbench_gym.rollouts.episodes import CONFIG, EpisodeStore, json_line, read_episodes
from colbench_gym.rollouts.playing import RunConfig
from colbench_gym.tasks import ListedTasks, TaskSet, load_tasks
from colbench_gym.types import Domain, Episode, Grade, Message, Profile, Task

Format = Literal["official", "prompt-completion", "messages"]
TASKS = "tasks.jsonl"
_GRADED_AT_ONCE = 64


def export(
    run: str | os.PathLike[str], format: Format, *, min_reward: float | None = None, with_instructions: bool = True
) -> Iterator[dict[str, Any]]:
    """The episodes of a run as records of another format. Failed episodes are left out.

    - `official`: `task`, `dialogue_history` (on the agent's messages `input`, the dialogue until then, and `output`,
      the raw text), `answer`, `reward`; sorted into whole blocks of the task list, one a sample.
    - `prompt-completion`: one row for each action of the agent: `prompt`, the messages until then, and `completion`,
      the action as it was written, with `env_id`, `task_id`, `sample`, `turn` (from 1), `turns` and `reward` of the
      episode. What `SFTTrainer` and `DPOTrainer` of TRL call the conversational prompt-completion format.
    - `messages`: one row an episode: `messages`, the agent's as they were written, and the same columns. TRL's
      conversational language modelling format.

    Args:
        run: a run directory.
        min_reward: leave out episodes below it.
        with_instructions: begin prompts with our instructions, as language models are given them when they play.

    Raises:
        ConfigError: no such run or format, or its tasks are not those that were played.
    """
    if format not in get_args(Format):
        raise ConfigError(f"no format {format!r}. Mend: one of {', '.join(get_args(Format))}")
    if format == "official":
        return _official(run, min_reward)
    return _rows(_good(read_episodes(run), min_reward), format, with_instructions)


def _good(episodes: Iterable[dict[str, Any]], min_reward: float | None) -> Iterator[dict[str, Any]]:
    for record in episodes:
        if record["status"] == "ok" and (min_reward is None or record["reward"] >= min_reward):
            yield record


def _rows(episodes: Iterable[dict[str, Any]], format: Format, with_instructions: bool) -> Iterator[dict[str, Any]]:
    for record in episodes:
        told = [{"role": "system", "content": _instructions(record)}] if with_instructions else []
        said = [{"role": message["role"], "content": message["content"]} for message in record["messages"]]
        turns = [place for place, message in enumerate(said) if message["role"] == "assistant"]
        columns = {name: record["key"][name] for name in ("env_id", "task_id", "sample")}
        columns |= {"turns": len(turns), "reward": record["reward"]}
        if format == "messages":
            written = [
                {"role": message["role"], "content": message.get("raw", message["content"])}
                for message in record["messages"]
            ]
            yield {"messages": told + written, **columns}
            continue
        for turn, place in enumerate(turns, start=1):
            raw = record["messages"][place].get("raw", said[place]["content"])
            completion = [{"role": "assistant", "content": raw}]
            yield {"prompt": told + said[:place], "completion": completion, "turn": turn, **columns}


def _instructions(record: Mapping[str, Any]) -> str:
    domain: Domain = "backend" if "Backend" in record["key"]["env_id"] else "frontend"
    return instructions(domain, max_turns=record["identities"]["max_turns"])


# --- official trajectories


def _official(run: str | os.PathLike[str], min_reward: float | None) -> Iterator[dict[str, Any]]:
    tasks = tasks_of(run)
    blocks = _good(read_episodes(run, order=lambda key: (key["sample"], tasks.index_of(key["task_id"]))), min_reward)
    for record in blocks:
        history: list[dict[str, Any]] = []
        said: list[Message] = []
        for message in record["messages"]:
            entry = {"role": message["role"], "content": message["content"]}
            if message["role"] == "assistant":
                entry |= {"input": transcript(said), "output": message.get("raw", message["content"])}
            history.append(entry)
            said.append(Message(role=message["role"], content=message["content"]))
        yield {
            "task": _official_task(tasks[tasks.index_of(record["key"]["task_id"])]),
            "dialogue_history": history,
            "answer": record["answer"],
            "reward": record["reward"],
        }


def _official_task(task: Task) -> dict[str, Any]:
    record: dict[str, Any] = {"id": task.id, "problem_description": task.description, "ground_truth": task.reference}
    if task.tests is not None:
        record["test_cases"] = dict(task.tests)
    return record


def tasks_of(run: str | os.PathLike[str]) -> TaskSet:
    """The task set that a run was played on.

    Raises:
        ConfigError: there is no such run, or its tasks have changed since.
    """
    file = Path(run) / CONFIG
    try:
        config = json.loads(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise ConfigError(f"{file} cannot be read ({error.strerror}). Mend: name a run directory") from None
    tasks = load_tasks(config["tasks"] or IDS[config["env_id"]]["kwargs"]["tasks"])
    played = config["identities"]["tasks"]["fingerprint"]
    if tasks.fingerprint != played:
        raise ConfigError(
            f"{run} was played on other tasks than {tasks.name} now holds (fingerprint {played[:12]}, not "
            f"{tasks.fingerprint[:12]}). Mend: bring back the file as it was"
        )
    return tasks


@dataclass(frozen=True, slots=True)
class Imported:
    """What `import_trajectories` did: episodes that are new, and that were there already."""

    new: int
    known: int


def import_trajectories(
    file: str | os.PathLike[str],
    directory: str | os.PathLike[str],
    *,
    grader: Literal["recorded"] | Profile = "recorded",
    similarity: str = "mini",
) -> Imported:
    """Makes a run directory of an official trajectory file. Reads the file twice, line by line.

    The n-th time that a task comes is its sample n - 1. The tasks go into the directory too, as `tasks.jsonl`. What the
    file says of prompts (`input`) is not kept. Who played is not known: the agent is called after the file.

    Args:
        file: JSON lines with `task`, `dialogue_history`, `answer`, `reward`.
        directory: the run directory; one that an import was killed in is completed.
        grader: `recorded`, which believes the file's rewards, or the profile to grade all answers anew with.
        similarity: frontend, to grade anew: see `grade`.

    Raises:
        TaskError: a line is no trajectory. Nothing is imported then.
        ConfigError: the directory holds something else, or the file tasks of both domains.
        ColbenchError: as `grade_many`.
    """
    path = Path(file)
    tasks: dict[bytes, Task] = {}
    sha256 = hashlib.sha256()
    for number, line in _file_lines(path):
        sha256.update(line.encode())
        entry, _ = trajectory_of(line, str(path), number)
        if grader == "recorded" and entry.recorded is None:
            raise TaskError(f"{path}, line {number}, field `reward`: missing. Mend: --grade strict or official")
        tasks.setdefault(_content(entry.task), entry.task)
    if not tasks:
        raise TaskError(f"{path}: is empty. Mend: a file with trajectories in it")
    named = {content: _renamed(task, place) for place, (content, task) in enumerate(tasks.items())}
    domains = {task.domain for task in named.values()}
    if len(domains) > 1:
        raise ConfigError(f"{path} holds tasks of both domains. Mend: a file for each")
    domain = domains.pop()
    listed = ListedTasks(path.name, list(named.values()))
    graded_by: dict[str, Any] = {"kind": grader} if grader == "recorded" else {"kind": "regraded", "profile": grader}
    if domain == "frontend" and grader != "recorded":
        graded_by["similarity"] = similarity
    identities = {
        "agent": {"name": f"import:{path.name}", "sha256": sha256.hexdigest()},
        "user": {"kind": "recorded"},
        "grader": graded_by,
        "tasks": {"name": listed.name, "fingerprint": listed.fingerprint, "size": len(listed)},
        "max_turns": None,
        "package": colbench_gym.__version__,
    }
    env_id = f"ColBench-{domain.capitalize()}-Official-v0"
    config = RunConfig(env_id, f"import:{path.name}", tasks=str(Path(directory) / TASKS))
    new = known = 0
    with EpisodeStore(directory, {**asdict(config), "identities": identities}) as store:
        (Path(directory) / TASKS).write_bytes(b"".join(json_line(_official_task(task)) for task in named.values()))
        for key, entry, data, grade in _graded(_keyed(path, named, config), grader, similarity):
            if store.status_of(key) is not None:
                known += 1
                continue
            store.append(_episode(key, entry, data, grade, identities))
            new += 1
    return Imported(new, known)


_Read = tuple[dict[str, Any], RecordedAnswer, Mapping[str, Any]]


def _keyed(path: Path, named: Mapping[bytes, Task], config: RunConfig) -> Iterator[_Read]:
    """Every trajectory under its key, with the task by its new name."""
    seen: dict[str, int] = {}
    for number, line in _file_lines(path):
        entry, data = trajectory_of(line, str(path), number)
        entry = replace(entry, task=named[_content(entry.task)])
        sample = seen[entry.task.id] = seen.get(entry.task.id, -1) + 1
        key = {
            "env_id": config.env_id,
            "task_id": entry.task.id,
            "sample": sample,
            "agent": config.agent,
            "user": {"kind": "recorded"},
            "seed": config.seed,
        }
        yield key, entry, data


def _graded(
    read: Iterator[_Read], grader: Literal["recorded"] | Profile, similarity: str
) -> Iterator[tuple[dict[str, Any], RecordedAnswer, Mapping[str, Any], Grade]]:
    while chunk := list(islice(read, _GRADED_AT_ONCE)):
        if grader == "recorded":
            grades = (_as_recorded(entry) for _, entry, _ in chunk)
        else:
            pairs = [(entry.task, entry.answer_under(grader)) for _, entry, _ in chunk]
            grades = grade_many(pairs, profile=grader, similarity=similarity)
        for (key, entry, data), grade in zip(chunk, grades, strict=True):
            yield key, entry, data, grade


def _as_recorded(entry: RecordedAnswer) -> Grade:
    reward = entry.recorded or 0.0
    similarity = reward if entry.task.domain == "frontend" else None
    return Grade(reward=reward, success=reward == 1.0, profile="recorded", similarity=similarity)


def _episode(
    key: Mapping[str, Any],
    entry: RecordedAnswer,
    data: Mapping[str, Any],
    grade: Grade,
    identities: Mapping[str, Any],
) -> Episode:
    messages: list[dict[str, Any]] = []
    for message in data["dialogue_history"]:
        kept = {"role": message["role"], "content": message["content"]}
        if message["role"] == "assistant":
            kept["raw"] = message.get("output", message["content"])
        messages.append(kept)
    replies = sum(message["role"] == "user" for message in messages[1:])
    return Episode(
        key=key,
        identities=identities,
        messages=messages,
        answer=entry.answer,
        reward=grade.reward,
        grade=grade.to_dict(),
        disclosed=[[]] * replies,
        usage={},
        timings={"total_s": 0.0},
        status="ok",
    )


def _file_lines(path: Path) -> Iterator[tuple[int, str]]:
    """Number and text of the lines that hold something."""
    try:
        with path.open(encoding="utf-8-sig", newline="\n") as stream:
            for number, line in enumerate(stream, start=1):
                if line.strip():
                    yield number, line
    except OSError as error:
        raise ConfigError(f"{path} cannot be read ({error.strerror}). Mend: a trajectory file") from None
    except UnicodeDecodeError as error:
        raise TaskError(f"{path}: byte {error.start} is not UTF-8. Mend: save the file as UTF-8") from None


def _content(task: Task) -> bytes:
    """What tells two tasks of a file apart, whose ids may be the numbers of their lines."""
    return hashlib.sha256(replace(task, id="").canonical_json()).digest()


def _renamed(task: Task, place: int) -> Task:
    """A task that the file gives no id, by its place among the file's tasks."""
    return replace(task, id=str(place)) if task.id.startswith("line-") else task
