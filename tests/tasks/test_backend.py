"""The embedded backend tasks as a set: lazy, stable, and hard to guess."""

from __future__ import annotations

import ast
import subprocess
import sys

import pytest

from colbench_gym import load_tasks
from colbench_gym.errors import TaskError
from colbench_gym.protocol import signature_in
from colbench_gym.tasks.backend import FINGERPRINTS, SIZES, families_of
from colbench_gym.types import fingerprint

SPLITS = list(SIZES)


@pytest.mark.parametrize("split", ["test", "test_ood", pytest.param("train", marks=pytest.mark.slow)])
def test_the_named_sets_are_what_was_released(split: str):
    """A failure here means that scores moved: bump the environment's version instead of changing the number."""
    tasks = load_tasks(f"embedded-backend:{split}")
    assert fingerprint(tasks) == FINGERPRINTS[split] == tasks.fingerprint


@pytest.mark.parametrize("hash_seed", ["0", "1", "random"])
def test_tasks_do_not_depend_on_the_process(hash_seed: str):
    code = (
        "from colbench_gym import load_tasks; from colbench_gym.types import fingerprint;"
        "print(fingerprint(load_tasks('embedded-backend:train', limit=60)))"
    )
    result = subprocess.run(
        [sys.executable, "-c", code], env={"PYTHONHASHSEED": hash_seed}, capture_output=True, text=True, check=True
    )
    assert result.stdout.strip() == fingerprint(load_tasks("embedded-backend:train", limit=60))


def test_a_task_is_generated_by_itself():
    from colbench_gym.tasks import backend

    backend.generate.cache_clear()
    last = load_tasks("embedded-backend:train")[9_999]
    assert backend.generate.cache_info().misses == 1
    assert last == load_tasks("embedded-backend:train")[-1]
    assert last.id == "embedded-backend:train/09999"


def test_sequence_manners():
    tasks = load_tasks("embedded-backend:test", limit=5)
    assert len(tasks) == 5
    assert [task.id for task in tasks[1:3]] == ["embedded-backend:test/00001", "embedded-backend:test/00002"]
    assert len(list(tasks)) == 5
    with pytest.raises(IndexError):
        tasks[5]


def test_ids_are_looked_up():
    tasks = load_tasks("embedded-backend:test", limit=5)
    assert tasks.index_of("embedded-backend:test/00003") == 3
    for bad in ("embedded-backend:test/00005", "embedded-backend:test/3", "embedded-backend:train/00003", "", "x/y"):
        with pytest.raises(TaskError, match="Mend"):
            tasks.index_of(bad)


def test_held_out_families_are_unseen():
    assert not set(families_of("train")) & set(families_of("test_ood"))
    assert families_of("train") == families_of("test")


@pytest.mark.parametrize("split", SPLITS)
def test_tasks_are_well_formed(split: str):
    tasks = load_tasks(f"embedded-backend:{split}", limit=300)
    for task in tasks:
        signature = signature_in(task.description)
        assert signature is not None
        assert task.description.endswith(signature)
        definition = ast.parse(task.reference).body[0]
        assert isinstance(definition, ast.FunctionDef)
        assert signature.startswith(f"def {definition.name}(")
        assert task.tests is not None
        assert list(task.tests) == [f"test{n}" for n in range(1, 11)]
        assert all(call.startswith(f"{definition.name}(") for call in task.tests.values())
        assert 4 <= len(task.details) <= 8
        assert sum(detail.value != detail.careless for detail in task.details) >= 3
        assert not [detail for detail in task.details if detail.sentence in task.description]


def test_splits_share_no_task():
    shared = set.intersection(
        *(
            {task.canonical_json().split(b'"id"')[0] for task in load_tasks(f"embedded-backend:{s}", limit=200)}
            for s in SPLITS
        )
    )
    assert not shared


def test_descriptions_vary():
    tasks = load_tasks("embedded-backend:train", limit=1000)
    openings = {task.description[:25] for task in tasks}
    assert len(openings) >= 100
