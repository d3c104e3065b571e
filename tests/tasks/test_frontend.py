"""The frontend tasks as a set: the embedded ones lazy and stable, the official ones loaded and prepared."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from colbench_gym import load_tasks
from colbench_gym.errors import TaskError
from colbench_gym.tasks import frontend, task_set_names
from colbench_gym.tasks.frontend import FINGERPRINTS, SIZES
from colbench_gym.types import fingerprint

SPLITS = list(SIZES)
SHARED = Path(__file__).parents[3] / "shared" / "data"
real_data = pytest.mark.skipif(not SHARED.is_dir(), reason=f"the real tasks are not in {SHARED}")


@pytest.mark.parametrize("split", ["test", "test_ood", pytest.param("train", marks=pytest.mark.slow)])
def test_the_named_sets_are_what_was_released(split: str):
    """A failure here means that scores moved: bump the environment's version instead of changing the number."""
    tasks = load_tasks(f"embedded-frontend:{split}")
    assert fingerprint(tasks) == FINGERPRINTS[split] == tasks.fingerprint


@pytest.mark.parametrize("hash_seed", ["0", "random"])
def test_tasks_do_not_depend_on_the_process(hash_seed: str):
    code = (
        "from colbench_gym import load_tasks; from colbench_gym.types import fingerprint;"
        "print(fingerprint(load_tasks('embedded-frontend:train', limit=60)))"
    )
    result = subprocess.run(
        [sys.executable, "-c", code], env={"PYTHONHASHSEED": hash_seed}, capture_output=True, text=True, check=True
    )
    assert result.stdout.strip() == fingerprint(load_tasks("embedded-frontend:train", limit=60))


def test_a_task_is_generated_by_itself():
    frontend.generate.cache_clear()
    last = load_tasks("embedded-frontend:train")[9_999]
    assert frontend.generate.cache_info().misses == 1
    assert last == load_tasks("embedded-frontend:train")[-1]
    assert last.id == "embedded-frontend:train/09999"


def test_sequence_manners():
    tasks = load_tasks("embedded-frontend:test", limit=5)
    assert [task.id for task in tasks[1:3]] == ["embedded-frontend:test/00001", "embedded-frontend:test/00002"]
    assert len(tasks) == len(list(tasks)) == 5
    with pytest.raises(IndexError):
        tasks[5]
    with pytest.raises(TaskError, match="no split 'validation'"):
        load_tasks("embedded-frontend:validation")


def test_ids_are_looked_up():
    tasks = load_tasks("embedded-frontend:test", limit=5)
    assert tasks.index_of("embedded-frontend:test/00003") == 3
    for bad in ("embedded-frontend:test/00005", "embedded-frontend:test/3", "embedded-backend:test/00003", "", "x/y"):
        with pytest.raises(TaskError, match="Mend"):
            tasks.index_of(bad)


@pytest.mark.parametrize("split", SPLITS)
def test_tasks_are_well_formed(split: str):
    tasks = load_tasks(f"embedded-frontend:{split}", limit=300)
    assert len({task.reference for task in tasks}) == len({task.description for task in tasks}) == 300
    for task in tasks:
        assert (task.domain, task.tests, task.details) == ("frontend", None, ())
        assert task.source == f"embedded-frontend:{split}"
        assert task.reference.startswith("<html>\n<link href=")
        assert task.reference.endswith("</body>\n</html>")


@pytest.mark.parametrize("split", SPLITS)
def test_descriptions_are_vague(split: str):
    """They hold no markup, no class and no figure, and quote no sentence of the page."""
    for task in load_tasks(f"embedded-frontend:{split}", limit=300):
        text = task.description
        assert 60 < len(text) < 700
        assert text[0].isupper()
        assert text.endswith(".")
        assert not re.search(r"[<>{}\[\]|_#]|\d|  ", text), text
        assert not re.search(r"\b(?:bg|text|px|py|w|h)-", text), text
        for sentence in re.findall(r">\s*([^<>]{40,}?)\s*<", task.reference):
            assert sentence not in text


def test_descriptions_and_texts_vary():
    tasks = load_tasks("embedded-frontend:train", limit=1000)
    assert len({task.description[:40] for task in tasks}) >= 400
    paragraphs = [
        text for task in tasks for text in re.findall(r"<p[^>]*>\s*([^<]*?)\s*</p>", task.reference) if len(text) > 100
    ]
    assert len(paragraphs) >= 800
    assert Counter(paragraphs).most_common(1)[0][1] == 1, "two pages share a paragraph"


def test_splits_share_no_page():
    pages = [{task.reference for task in load_tasks(f"embedded-frontend:{split}", limit=300)} for split in SPLITS]
    assert sum(map(len, pages)) == len(set.union(*pages))


def test_official_names_read_a_local_folder(tmp_path, monkeypatch):
    (tmp_path / "frontend_tasks").mkdir()
    row = {"problem_description": "A page.", "ground_truth": "<html><body>x</body></html>"}
    lines = "".join(json.dumps(row) + "\n" for _ in range(502))
    (tmp_path / "frontend_tasks" / "test.jsonl").write_text(lines)
    monkeypatch.setenv("COLBENCH_DATA", str(tmp_path))
    assert {"official-frontend:train", "official-frontend:test"} <= set(task_set_names())
    tasks = load_tasks("official-frontend:test")
    assert len(tasks) == 500
    assert tasks[499].id == "official-frontend:test/00499"
    assert tasks[0].domain == "frontend"
    with pytest.raises(TaskError, match=r"holds no frontend_tasks/train.jsonl. Mend"):
        load_tasks("official-frontend:train")


def test_image_addresses_are_rewritten(tmp_path):
    """The WebSight preparation: an address that gives another picture each time becomes one fixed picture."""
    page = (
        '<html><body><img src="https://source.unsplash.com/random/300x200/?fruit"><img src="https://picsum.photos/90/60">'
        '<img src="https://picsum.photos/id/48/1/2"></body></html>'
    )
    path = tmp_path / "pages.jsonl"
    path.write_text(json.dumps({"problem_description": "A page.", "ground_truth": page}))
    assert re.findall(r'src="([^"]*)"', load_tasks(path)[0].reference) == [
        "https://picsum.photos/id/48/300/200",
        "https://picsum.photos/id/48/90/60",
        "https://picsum.photos/id/48/1/2",
    ]


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"problem_description": "A page."}, "line 2, field 'ground_truth': is missing"),
        ({"problem_description": "A page.", "ground_truth": " "}, "line 2, field 'ground_truth': is empty"),
        ({"problem_description": 1, "ground_truth": "<html>"}, "line 2, field 'problem_description': must be a string"),
        (
            {"problem_description": "A page.", "ground_truth": "no markup"},
            "line 2, field 'ground_truth': does not parse",
        ),
    ],
)
def test_bad_rows_are_named_by_line(tmp_path, row: dict, message: str):
    path = tmp_path / "pages.jsonl"
    good = {"problem_description": "A page.", "ground_truth": "<html></html>"}
    path.write_text(f"{json.dumps(good)}\n{json.dumps(row)}\n")
    with pytest.raises(TaskError, match=message):
        load_tasks(path)


@real_data
def test_the_real_pages_load():
    tasks = load_tasks(SHARED / "frontend_tasks.jsonl")
    assert {task.domain for task in tasks} == {"frontend"}
    assert not [task.id for task in tasks if "source.unsplash.com/random" in task.reference]
    ours = {task.description for task in load_tasks("embedded-frontend:test")}
    assert not ours & {task.description for task in tasks}
