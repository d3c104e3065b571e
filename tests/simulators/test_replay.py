"""Recorded replies: found by task and all the agent said, or an error."""

from __future__ import annotations

import hashlib
import json
import pickle
from pathlib import Path
from typing import Any

import pytest

from colbench_gym.errors import ConfigError, SimulatorError
from colbench_gym.simulators.replay import ReplayUser
from colbench_gym.simulators.rules_backend import RulesUser
from colbench_gym.types import Message, Task, User

TASK = Task(
    "tax/1", "backend", "Work out the tax. def tax(net)", "def tax(net):\n    return net * 0.19", {"t": "tax(1)"}
)


def turns(*texts: str) -> list[Message]:
    """Messages from alternating texts: the description, the agent, the user, ..."""
    roles = ("user", "assistant")
    return [{"role": roles[place % 2], "content": text} for place, text in enumerate(texts)]


def episode(*texts: str, task_id: str = TASK.id, **more: Any) -> dict[str, Any]:
    """A line of our own format."""
    return {"schema": "colbench-episode/1", "key": {"task_id": task_id}, "messages": turns(*texts), **more}


def official(*texts: str, task: object) -> dict[str, Any]:
    """A line of an official trajectory file."""
    history = [
        {**message, "input": "prompt", "output": "raw"} if message["role"] == "assistant" else message
        for message in turns(*texts)
    ]
    return {"task": task, "dialogue_history": history, "answer": "def tax(net): ...", "reward": 0}


def write(path: Path, *records: object) -> Path:
    """The records as a file, one JSON a line."""
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return path


def test_finds_each_reply_of_an_episode_with_its_details(tmp_path: Path) -> None:
    record = episode(
        TASK.description, "Rate?", "19%.", "And rounding?", "None.", "I WANT TO ANSWER: x", disclosed=[["rate"], []]
    )
    user = ReplayUser(write(tmp_path / "episodes.jsonl", record))
    assert isinstance(user, User)
    assert len(user) == 2
    first = user.respond(TASK, turns(TASK.description, "Rate?"))
    assert (first.text, first.disclosed) == ("19%.", ("rate",))
    second = user.respond(TASK, turns(TASK.description, "Rate?", "19%.", "And rounding?"))
    assert (second.text, second.disclosed) == ("None.", ())


def test_the_same_question_later_is_another_question(tmp_path: Path) -> None:
    file = write(tmp_path / "e.jsonl", episode(TASK.description, "Else?", "Round it.", "Else?", "That's all."))
    user = ReplayUser(file)
    assert user.reply(TASK, turns(TASK.description, "Else?")) == "Round it."
    assert user.reply(TASK, turns(TASK.description, "Else?", "Round it.", "Else?")) == "That's all."


@pytest.mark.parametrize(
    ("task", "said"),
    [
        (TASK, ("Rate ?",)),
        (TASK, ("Rate?", "19%.", "More?")),
        (Task("tax/2", "backend", TASK.description, TASK.reference, {"t": "tax(1)"}), ("Rate?",)),
        (Task("tax/1", "backend", "Another task", TASK.reference, {"t": "tax(1)"}), ("Rate?",)),
    ],
)
def test_a_miss_is_an_error_that_names_task_question_and_mend(
    tmp_path: Path, task: Task, said: tuple[str, ...]
) -> None:
    user = ReplayUser(write(tmp_path / "e.jsonl", episode(TASK.description, "Rate?", "19%.")))
    with pytest.raises(SimulatorError) as caught:
        user.respond(task, turns(task.description, *said))
    for part in (task.id, said[-1], "Mend"):
        assert part in str(caught.value)


def test_reads_official_trajectories_by_description_and_reference(tmp_path: Path) -> None:
    other = Task("tax/2", "backend", TASK.description, "def tax(net):\n    return net", {"t": "tax(1)"})
    file = write(
        tmp_path / "t.jsonl",
        official(
            TASK.description,
            "Rate?",
            "19%.",
            task={"problem_description": TASK.description, "ground_truth": TASK.reference},
        ),
        official(
            TASK.description,
            "Rate?",
            "There is none.",
            task={"problem_description": TASK.description, "ground_truth": other.reference},
        ),
        official("Other words", "Rate?", "7%.", task="Other words"),
    )
    user = ReplayUser(file)
    assert user.reply(TASK, turns(TASK.description, "Rate?")) == "19%."
    assert user.reply(other, turns(TASK.description, "Rate?")) == "There is none."
    third = Task("any id", "backend", "Other words", TASK.reference, {"t": "tax(1)"})
    assert user.reply(third, turns("Other words", "Rate?")) == "7%."


def test_a_run_directory_will_do_and_thinking_is_cut_off(tmp_path: Path) -> None:
    write(tmp_path / "episodes.jsonl", episode(TASK.description, "Hm. OUTPUT:Rate?", "19%."))
    assert ReplayUser(tmp_path).reply(TASK, turns(TASK.description, "Rate?")) == "19%."


def test_equal_replies_may_repeat_different_ones_may_not(tmp_path: Path) -> None:
    same = episode(TASK.description, "Rate?", "19%.")
    assert len(ReplayUser(write(tmp_path / "same.jsonl", same, same))) == 1
    file = write(tmp_path / "e.jsonl", same, episode("x", "y", "z"), episode(TASK.description, "Rate?", "20%."))
    with pytest.raises(ConfigError, match=r"lines 1 and 3: .*Rate\?.*Mend"):
        ReplayUser(file)


@pytest.mark.parametrize(
    ("line", "part"),
    [
        ("{", "damaged"),
        ("[1]", "list"),
        ("{}", "no recorded dialogue"),
        (json.dumps({"schema": "colbench-episode/9", "messages": []}), "colbench-episode/9"),
        (json.dumps({"schema": "colbench-episode/1", "messages": []}), "task_id"),
        (json.dumps(official("d", "q", "a", task={})), "description"),
        (json.dumps({"task": "d", "dialogue_history": "x"}), "list"),
        (json.dumps({"task": "d", "dialogue_history": [{"role": "system", "content": "x"}]}), "role"),
        (b"\xff\xfe".decode("latin-1"), "damaged"),
    ],
)
def test_bad_lines_are_named(tmp_path: Path, line: str, part: str) -> None:
    file = tmp_path / "e.jsonl"
    good = json.dumps(episode(TASK.description, "Rate?", "19%."))
    file.write_bytes((good + "\n\n" + line + "\n").encode("latin-1"))
    with pytest.raises(ConfigError) as caught:
        ReplayUser(file)
    for expected in ("line 3", part, "Mend"):
        assert expected in str(caught.value)


def test_a_file_without_replies_or_no_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "empty.jsonl").write_text("\n")
    for file in (tmp_path / "empty.jsonl", tmp_path / "none.jsonl", tmp_path):
        with pytest.raises(ConfigError, match="Mend"):
            ReplayUser(file)


def test_identity_is_the_files_sha256_and_survives_pickling(tmp_path: Path) -> None:
    file = write(tmp_path / "e.jsonl", episode(TASK.description, "Grüße 🌍 \ud800?", "19%."))
    user = pickle.loads(pickle.dumps(ReplayUser(file)))
    assert user.identity == {"kind": "replay", "sha256": hashlib.sha256(file.read_bytes()).hexdigest()}
    assert user.reply(TASK, turns(TASK.description, "Grüße 🌍 \ud800?")) == "19%."


def test_replays_the_rule_based_user_word_for_word(tmp_path: Path) -> None:
    talk = [TASK.description]
    for question in ("What is the rate?", "Anything else?", "Anything else?"):
        talk.append(question)
        talk.append(RulesUser().reply(TASK, turns(*talk)))
    user = ReplayUser(write(tmp_path / "e.jsonl", episode(*talk)))
    for place in range(2, len(talk), 2):
        assert user.reply(TASK, turns(*talk[:place])) == talk[place]
