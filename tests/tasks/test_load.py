"""Task sets by name and by file: what loads, and what a bad file is told."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from colbench_gym import load_tasks
from colbench_gym.errors import MissingExtra, TaskError
from colbench_gym.tasks import TaskSet, task_set_names
from colbench_gym.types import fingerprint

SHARED = Path(__file__).parents[3] / "shared" / "data"
real_data = pytest.mark.skipif(not SHARED.is_dir(), reason=f"the real tasks are not in {SHARED}")

GOOD = {
    "problem_description": "Add a surcharge. Signature: def f(x)",
    "ground_truth": "def f(x):\n    return x + 1",
    "test_cases": {"test1": "f(1)", "test2": "f(2) == 3"},
    "hidden_information": "ignored",
}


def write(path: Path, *records, raw: bytes | None = None) -> Path:
    path.write_bytes(raw if raw is not None else b"".join(json.dumps(record).encode() + b"\n" for record in records))
    return path


def test_a_file(tmp_path):
    tasks = load_tasks(write(tmp_path / "mine.jsonl", GOOD, {**GOOD, "id": 7}, {**GOOD, "id": "seven"}))
    assert isinstance(tasks, TaskSet)
    assert [tasks[index].id for index in range(3)] == ["mine.jsonl/00000", "7", "seven"]
    assert tasks[0].domain == "backend"
    assert tasks[0].tests == GOOD["test_cases"]
    assert tasks[0].source == tasks.name == "mine.jsonl"
    assert tasks.index_of("seven") == 2
    assert tasks.fingerprint == fingerprint([tasks[index] for index in range(3)])
    with pytest.raises(TaskError, match="no task 'eight'"):
        tasks.index_of("eight")


def test_limit(tmp_path):
    path = write(tmp_path / "mine.jsonl", GOOD, GOOD, {"broken": True})
    assert len(load_tasks(path, limit=2)) == 2
    with pytest.raises(TaskError, match="limit=0"):
        load_tasks(path, limit=0)


def test_a_changed_file_is_read_again(tmp_path):
    path = write(tmp_path / "mine.jsonl", GOOD)
    assert len(load_tasks(path)) == 1
    write(path, GOOD, GOOD)
    assert len(load_tasks(path)) == 2


def test_byte_order_mark_line_ends_and_blank_lines_are_all_right(tmp_path):
    line = json.dumps({**GOOD, "problem_description": "Grüße 世界 def f(x)"}, ensure_ascii=False).encode()
    plain = load_tasks(write(tmp_path / "a.jsonl", raw=line + b"\n" + line))
    odd = load_tasks(write(tmp_path / "a2.jsonl", raw=b"\xef\xbb\xbf" + line + b"\r\n\r\n\n" + line + b"\r\n"))
    assert [plain[n].description for n in range(2)] == [odd[n].description for n in range(2)]


def test_markup_without_tests_is_a_frontend_task(tmp_path):
    record = {"problem_description": "A page.", "ground_truth": "<html></html>"}
    task = load_tasks(write(tmp_path / "pages.jsonl", record))[0]
    assert (task.domain, task.tests) == ("frontend", None)


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        (b"{oops}\n", r"line 1: not JSON"),
        (b'{"a": 1}\n[1]\n', r"line 1, field 'problem_description': is missing"),
        (b"[1]\n", r"line 1: a list, no JSON object"),
        (b"\n", r"holds no task"),
        (b"", r"holds no task"),
        (b'\n\n{"problem_description": "\xff"}\n', r"line 3: not UTF-8 \(byte 25 is 0xff\)"),
        (b"\xff\xfe{\x00", r"line 1: not UTF-8"),
        (b'{"x": "' + b"y" * (5 << 20) + b'"}\n', r"line 1: longer than 4 MiB"),
        (b"[" * 200_000 + b"\n", r"line 1: not JSON"),
    ],
)
def test_bad_lines(tmp_path, raw: bytes, message: str):
    with pytest.raises(TaskError, match=message) as caught:
        load_tasks(write(tmp_path / "bad.jsonl", raw=raw))
    assert "bad.jsonl" in str(caught.value)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"problem_description": 3}, r"field 'problem_description': must be a string, not int"),
        ({"problem_description": " "}, r"field 'problem_description': is empty"),
        ({"ground_truth": None}, r"field 'ground_truth': must be a string, not NoneType"),
        ({"ground_truth": "def f(:"}, r"field 'ground_truth': does not parse"),
        ({"ground_truth": "a\0b"}, r"field 'ground_truth': does not parse"),
        ({"ground_truth": "x = " + "(" * 1000}, r"field 'ground_truth': does not parse"),
        ({"test_cases": ["f(1)"]}, r"field 'test_cases': must be an object of name and call, not list"),
        ({"test_cases": {}}, r"field 'test_cases': is empty"),
        ({"test_cases": {"test1": 3}}, r"field 'test_cases.test1': must be a string, not int"),
        ({"test_cases": {"test1": "f(1"}}, r"field 'test_cases.test1': does not parse"),
        ({"test_cases": {"test1": "x = f(1)"}}, r"field 'test_cases.test1': does not parse"),
        ({"test_cases": {"test1": "f"}}, r"field 'test_cases.test1': is no call: 'f'"),
        ({"test_cases": {"test1": "3 == f(1)"}}, r"field 'test_cases.test1': is no call"),
        ({"id": ""}, r"field 'id': must be a non-empty string"),
        ({"id": True}, r"field 'id': must be a non-empty string"),
    ],
)
def test_bad_fields(tmp_path, change: dict, message: str):
    with pytest.raises(TaskError, match=f"line 2, {message}"):
        load_tasks(write(tmp_path / "bad.jsonl", GOOD, {**GOOD, **change}))


@pytest.mark.parametrize("field", ["problem_description", "ground_truth", "test_cases"])
def test_missing_fields(tmp_path, field: str):
    record = {name: value for name, value in GOOD.items() if name != field}
    with pytest.raises(TaskError, match=f"line 1, field '{field}': is missing"):
        load_tasks(write(tmp_path / "bad.jsonl", record))


def test_duplicate_ids(tmp_path):
    with pytest.raises(TaskError, match="line 3, field 'id': 'a' stands in line 1 too"):
        load_tasks(write(tmp_path / "bad.jsonl", {**GOOD, "id": "a"}, GOOD, {**GOOD, "id": "a"}))


def test_names_that_are_none(tmp_path):
    with pytest.raises(TaskError, match=r"neither a task set nor a file.*embedded-backend:train"):
        load_tasks("nothing-of-the-kind")
    with pytest.raises(TaskError, match="no split 'validation'"):
        load_tasks("embedded-backend:validation")
    with pytest.raises(TaskError, match="is a folder"):
        load_tasks(tmp_path)


def test_official_names_read_a_local_folder(tmp_path, monkeypatch):
    (tmp_path / "backend_tasks").mkdir()
    write(tmp_path / "backend_tasks" / "test.jsonl", *[GOOD] * 1005)
    monkeypatch.setenv("COLBENCH_DATA", str(tmp_path))
    tasks = load_tasks("official-backend:test")
    assert len(tasks) == 1000, "the paper's test set is the first thousand"
    assert tasks[999].id == "official-backend:test/00999"
    assert len(load_tasks("official-backend:test", limit=10)) == 10
    with pytest.raises(TaskError, match=r"holds no backend_tasks/train.jsonl. Mend"):
        load_tasks("official-backend:train")


def test_official_names_offline_say_both_mends(tmp_path, monkeypatch):
    huggingface_hub = pytest.importorskip("huggingface_hub")
    monkeypatch.delenv("COLBENCH_DATA", raising=False)

    def unreachable(*args, **kwargs):
        raise huggingface_hub.errors.LocalEntryNotFoundError("not cached")

    monkeypatch.setattr(huggingface_hub, "hf_hub_download", unreachable)
    with pytest.raises(TaskError, match=r"connect to the network.*COLBENCH_DATA"):
        load_tasks("official-backend:test")


def test_official_names_without_the_extra(monkeypatch):
    monkeypatch.delenv("COLBENCH_DATA", raising=False)
    monkeypatch.setitem(__import__("sys").modules, "huggingface_hub", None)
    with pytest.raises(MissingExtra, match=r"colbench-gym\[hub\]"):
        load_tasks("official-backend:train")


@real_data
def test_the_real_tasks_load():
    backend = load_tasks(SHARED / "backend_tasks.jsonl")
    frontend = load_tasks(SHARED / "frontend_tasks.jsonl")
    assert {len(backend), len(frontend)} == {600}
    assert {backend[n].domain for n in range(600)} == {"backend"}
    assert {frontend[n].domain for n in range(600)} == {"frontend"}
    assert all(len(backend[n].tests or ()) == 10 for n in range(600))


def test_every_name_is_known():
    assert "embedded-backend:test_ood" in task_set_names()
