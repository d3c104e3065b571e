"""The embedded frontend tasks: a seeded generator of pages and vague descriptions that needs no files and no network.

Task `i` of a split is a pure function of the split's name and `i`. The official tasks are pages of the WebSight set;
these are made to look and to be described like them, in words of our own.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from random import Random
from typing import overload

from colbench_gym.errors import TaskError
from colbench_gym.tasks.pages import draw_page
from colbench_gym.types import Task

NAME = "embedded-frontend"
SIZES = {"train": 10_000, "test": 500, "test_ood": 500}

# What the named sets were at their first release. A test recomputes them: a change here changes scores and needs `-v1`.
FINGERPRINTS: dict[str, str] = {
    "train": "1b26a075186ac307901bbe60095df9da86a239f6f890dca3a467438d6e259059",
    "test": "5ac8212f3130e37272f0dca79d9825990f779f362f877c2e632c640aa253ab2d",
    "test_ood": "9454f48cba9ab23a48120bc4050704e3f3a188349c592524c7e56dc80083d679",
}


class EmbeddedFrontendTasks(Sequence[Task]):
    """One split, generated lazily: indexing generates that task alone, and recent ones are kept.

    Args:
        split: `train`, `test` or `test_ood` (kinds of business, sections and layouts that the other two do not have).
        limit: only the first `limit` tasks.

    Raises:
        TaskError: no such split.
    """

    def __init__(self, split: str, limit: int | None = None) -> None:
        if split not in SIZES:
            raise TaskError(f"no split {split!r} in {NAME}. Mend: one of {', '.join(SIZES)}")
        self.split = split
        self.name = f"{NAME}:{split}"
        self._size = SIZES[split] if limit is None else min(limit, SIZES[split])

    def __len__(self) -> int:
        return self._size

    @overload
    def __getitem__(self, index: int) -> Task: ...
    @overload
    def __getitem__(self, index: slice) -> list[Task]: ...
    def __getitem__(self, index: int | slice) -> Task | list[Task]:
        if isinstance(index, slice):
            return [self[position] for position in range(*index.indices(self._size))]
        position = index + self._size if index < 0 else index
        if not 0 <= position < self._size:
            raise IndexError(f"{self.name} has {self._size} tasks, no number {index}")
        return generate(self.split, position)

    @property
    def fingerprint(self) -> str:
        """sha256 over the canonical JSON of the *whole* split, as it was released."""
        return FINGERPRINTS[self.split]

    def index_of(self, task_id: str) -> int:
        """The position of the task with this id.

        Raises:
            TaskError: no such task in this set.
        """
        prefix, _, number = task_id.rpartition("/")
        if prefix == self.name and number.isascii() and number.isdigit() and int(number) < self._size:
            position = int(number)
            if task_id == _task_id(self.split, position):
                return position
        raise TaskError(f"no task {task_id!r} in {self.name}. Mend: ids run to {_task_id(self.split, self._size - 1)}")


def _task_id(split: str, index: int) -> str:
    return f"{NAME}:{split}/{index:05d}"


@lru_cache(maxsize=2048)
def generate(split: str, index: int) -> Task:
    """Task `index` of a split. Seeded by their names alone, so ids mean the same task in every process."""
    rng = Random(f"{NAME}-v0/{split}/{index}")
    kind, description, reference = draw_page(rng, held_out=split == "test_ood")
    return Task(
        id=_task_id(split, index),
        domain="frontend",
        description=description,
        reference=reference,
        source=f"{NAME}:{split}",
        family=kind.name,
    )
