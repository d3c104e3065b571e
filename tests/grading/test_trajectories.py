"""Grading recorded answers: what files are read, what is said of bad ones, and why the profiles differ."""

from __future__ import annotations

import functools
import json
from pathlib import Path
from typing import Any

import pytest

from colbench_gym.errors import IsolationUnavailable, TaskError
from colbench_gym.grading.sandbox import shared_sandbox
from colbench_gym.grading.trajectories import grade_file, read_answers
from colbench_gym.types import Task

TASK = {
    "problem_description": "Add one.",
    "ground_truth": "def f(x):\n    return x + 1",
    "test_cases": {"test1": "f(1)", "test2": "f(2)"},
}
RIGHT = TASK["ground_truth"]
HELPER = "def g(x):\n    return x + 1\ndef f(x):\n    return g(x)"


@functools.cache
def isolation() -> str:
    try:
        return shared_sandbox().isolation and "auto"
    except IsolationUnavailable:
        return "unsafe"


def trajectory(answer: Any, **other: Any) -> dict[str, Any]:
    return {"task": TASK, "dialogue_history": [], "answer": answer, "reward": 1.0, **other}


def write(path: Path, *items: Any, text: str | None = None) -> Path:
    path.write_text(text if text is not None else "\n".join(json.dumps(item) for item in items) + "\n")
    return path


def test_a_trajectory_file(tmp_path: Path) -> None:
    path = write(
        tmp_path / "out.jsonl", trajectory(RIGHT), trajectory(HELPER, reward=0), trajectory(None, reward=False)
    )
    results = list(grade_file(path, isolation=isolation()))
    assert [item.entry.line for item in results] == [1, 2, 3]
    assert [item.entry.id for item in results] == ["line-1", "line-2", "line-3"]
    assert [item.entry.recorded for item in results] == [1.0, 0.0, 0.0]
    assert [item.strict is not None and item.strict.reward for item in results] == [1.0, 1.0, 0.0]
    assert [item.official.reward for item in results] == [1.0, 0.0, 0.0]
    assert [bool(item.difference) for item in results] == [False, True, False]
    assert "name 'g' is not defined" in results[1].difference


def test_byte_order_mark_line_ends_and_blank_lines(tmp_path: Path) -> None:
    path = tmp_path / "out.jsonl"
    line = json.dumps(trajectory("# ü\n" + RIGHT), ensure_ascii=False)
    path.write_bytes(("\ufeff" + line + "\r\n\r\n" + line + "\r\n").encode())
    assert [entry.line for entry in read_answers(path)] == [1, 3]


@pytest.mark.parametrize("indent", [None, 2])
def test_results_by_task_id(tmp_path: Path, indent: int | None) -> None:
    tasks = [
        Task("a", "backend", "", RIGHT, {"t": "f(1)"}),
        Task("b", "backend", "", "def f(x):\n    return x", {"t": "f(1)"}),
    ]
    data = {"b": {"answer": "def f(x):\n    return x"}, "0": {"answer": RIGHT}, "own": {"task": TASK, "answer": RIGHT}}
    path = write(tmp_path / "results.json", text=json.dumps(data, indent=indent))
    results = list(grade_file(path, tasks, isolation=isolation()))
    assert [item.entry.id for item in results] == ["b", "0", "own"]
    assert [item.entry.task.id for item in results] == ["b", "a", "own"]
    assert all(item.strict is not None and item.strict.success and item.official.success for item in results)


def test_one_object_per_line(tmp_path: Path) -> None:
    path = write(
        tmp_path / "submissions.jsonl", {"0": {"task": TASK, "answer": RIGHT}}, {"1": {"task": TASK, "answer": None}}
    )
    assert [(entry.id, entry.line) for entry in read_answers(path)] == [("0", 1), ("1", 2)]


def test_an_unusable_task_does_not_stop_the_file(tmp_path: Path) -> None:
    broken = {**TASK, "ground_truth": "import no_such_package\ndef f(x):\n    return 1"}
    path = write(tmp_path / "out.jsonl", trajectory(RIGHT, task=broken), trajectory(RIGHT))
    first, second = grade_file(path, isolation=isolation())
    assert first.strict is None
    assert "no_such_package" in first.difference
    assert first.official.reward == 0
    assert second.strict is not None
    assert second.strict.success


@pytest.mark.parametrize(
    ("items", "message"),
    [
        ([{"task": TASK}], "line 1, field `answer`: missing"),
        ([trajectory(RIGHT), trajectory(3)], "line 2, field `answer`: int instead of text"),
        ([trajectory(RIGHT, reward="1")], "field `reward`: str instead of a number"),
        ([{"answer": RIGHT}], "field `task`: missing"),
        ([{"answer": RIGHT, "task_id": "x"}], "no task has the id 'x'"),
        ([{"x": {"answer": RIGHT}}], "key 'x': no task has the id 'x'"),
        ([{"x": RIGHT}], "key 'x': the value is no object"),
        ([trajectory(RIGHT, task="t")], "field `task`: str instead of an object"),
        ([trajectory(RIGHT, task={**TASK, "ground_truth": 1})], "field `task.ground_truth`: must be a string, not int"),
        (
            [trajectory(RIGHT, task={"problem_description": "", "ground_truth": "x = 1"})],
            "`task.test_cases`: is missing",
        ),
        ([trajectory(RIGHT, task={**TASK, "test_cases": {}})], "`task.test_cases`: is empty"),
        ([trajectory(RIGHT, task={**TASK, "test_cases": {"a": 1}})], "`task.test_cases.a`: must be a string, not int"),
        ([3], "a JSON int instead of an object"),
        ([[1]], "item 0: no object with an `answer`"),
    ],
)
def test_bad_entries(tmp_path: Path, items: list[Any], message: str) -> None:
    path = write(tmp_path / "out.jsonl", *items)
    with pytest.raises(TaskError) as caught:
        list(grade_file(path))
    assert message in str(caught.value)
    assert str(path) in str(caught.value)
    assert "Mend:" in str(caught.value)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is empty"),
        (b" \n", "is empty"),
        (b"no json", "line 1: not JSON"),
        (json.dumps(trajectory(RIGHT)).encode() + b"\n{oops\n", "line 2: not JSON"),
        (b'{\n  "a": {,\n}', "line 2: not JSON"),
        (b"\xff\xfe", "byte 0 is not UTF-8"),
    ],
)
def test_bad_files(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "out.jsonl"
    path.write_bytes(content)
    with pytest.raises(TaskError, match="Mend:") as caught:
        read_answers(path)
    assert message in str(caught.value)


def test_a_missing_file(tmp_path: Path) -> None:
    with pytest.raises(TaskError, match="cannot be read"):
        read_answers(tmp_path / "none.jsonl")


FENCE = "```"


@pytest.mark.parametrize(
    ("answer", "reference", "tests", "reason"),
    [
        (f"import sys\n{RIGHT}", RIGHT, ("f(1)",), "refused: the answer contains 'import sys'"),
        (HELPER, RIGHT, ("f(1)",), "top-level names are invisible"),
        ("STEP = 1\ndef f(x):\n    return x + STEP", RIGHT, ("f(1)",), "top-level names are invisible"),
        (f"{FENCE}py\n{RIGHT}\n{FENCE}", RIGHT, ("f(1)",), "official takes 'py', which stands before the code"),
        (f"Here:\n~~~\n{RIGHT}\n~~~", RIGHT, ("f(1)",), "first fence only, which gives SyntaxError"),
        (f"It is:\n\n{RIGHT}", RIGHT, ("f(1)",), "takes the whole text for code"),
        ("def f(x):\n    return None", "def f(x):\n    return None", ("f(1)",), "no answer can pass test1"),
        ("def f(x):\n    yield x", "def f(x):\n    yield x", ("f(1)",), "a generator equals only itself"),
        ("def f(x):\n    return None", RIGHT, ("f(1) == 7",), "judges the value on the left"),
        ("def f(x):\n    raise SystemExit", RIGHT, ("f(1)",), ""),
        (RIGHT, RIGHT, ("f(1)",), ""),
    ],
)
def test_why_they_differ(tmp_path: Path, answer: str, reference: str, tests: tuple[str, ...], reason: str) -> None:
    task = {"problem_description": "", "ground_truth": reference}
    task["test_cases"] = {f"test{number}": test for number, test in enumerate(tests, start=1)}  # type: ignore[assignment]
    (result,) = grade_file(write(tmp_path / "one.jsonl", trajectory(answer, task=task)), isolation=isolation())
    if reason:
        assert reason in result.difference
    else:
        assert result.difference == ""


def test_harness_files_without_a_description(tmp_path):
    """The layout of the public harness: the task holds its tests and reference, and nothing else."""
    path = tmp_path / "results.json"
    task = {"ground_truth": "def f(x):\n    return x + 1", "test_cases": {"t": "f(1)"}}
    path.write_text(json.dumps({"7": {"answer": "def f(x):\n    return x + 1", "dialogue_history": [], "task": task}}))
    (graded,) = grade_file(path)
    assert graded.entry.id == "7"
    assert graded.official.success


PAGE = "<html><body style='background: wheat'><h1>Bakery</h1><p>Open from five.</p></body></html>"
CUT_OFF = PAGE.removesuffix("</body></html>")


def page_trajectory(*messages: tuple[str, str], answer: Any = "out/0.png", **other: Any) -> dict[str, Any]:
    dialogue = [{"role": role, "content": content} for role, content in messages]
    task = {"problem_description": "A bakery.", "ground_truth": PAGE}
    return {"task": task, "dialogue_history": dialogue, "answer": answer, "reward": 0.7, **other}


@pytest.mark.browser
def test_a_frontend_trajectory_takes_its_page_from_the_dialogue(tmp_path: Path) -> None:
    path = write(
        tmp_path / "out.jsonl",
        page_trajectory(("user", "A bakery."), ("assistant", f"So? {PAGE}"), ("user", "Fine."), ("assistant", "Good.")),
        page_trajectory(("user", "A bakery."), ("assistant", f"I WANT TO ANSWER: {CUT_OFF}")),
        page_trajectory(("user", "A bakery."), ("assistant", "I give up"), answer=None),
        page_trajectory(answer=PAGE),
    )
    results = list(grade_file(path, similarity="visual"))
    assert [item.strict is not None and item.strict.similarity for item in results][::3] == [1.0, 1.0]
    assert [item.official.similarity for item in results][::3] == [1.0, 1.0]
    assert {item.official.details["geometry"] for item in results} == {"official"}
    cut_off = results[1]
    assert cut_off.strict is not None
    assert cut_off.strict.reward == 1.0
    assert cut_off.official.reward < 0.3
    assert "official, which wants closed tags" in cut_off.difference
    assert results[2].official.details["note"] == "no page was proposed"
    assert [bool(item.difference) for item in results] == [False, True, False, False]


def test_a_page_may_stand_in_the_raw_output_only(tmp_path: Path) -> None:
    entry = page_trajectory(("user", "A bakery."), ("assistant", "So?"))
    entry["dialogue_history"][1]["output"] = f"<thinking> OUTPUT: So? {PAGE}"
    (found,) = read_answers(write(tmp_path / "out.jsonl", entry))
    assert found.answer_under("official") == PAGE


def test_a_picture_without_a_dialogue_cannot_be_graded(tmp_path: Path) -> None:
    with pytest.raises(TaskError, match=r"out\.jsonl, line 1, field `answer`: the path of a picture.*Mend:"):
        read_answers(write(tmp_path / "out.jsonl", page_trajectory()))
