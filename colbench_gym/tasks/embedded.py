"""What the embedded task sets have in common: named splits, generated lazily."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, overload

from colbench_gym.errors import TaskError
from colbench_gym.types import Task


class EmbeddedTasks(Sequence[Task]):
    """One split, generated lazily: indexing generates that task alone. Subclasses say which sets and how.

    Args:
        split: a key of `sizes`.
        limit: only the first `limit` tasks.

    Raises:
        TaskError: no such split.
    """

    set_name: ClassVar[str]
    sizes: ClassVar[dict[str, int]]
    fingerprints: ClassVar[dict[str, str]]

    def __init__(self, split: str, limit: int | None = None) -> None:
        if split not in self.sizes:
            raise TaskError(f"no split {split!r} in {self.set_name}. Mend: one of {', '.join(self.sizes)}")
        self.split = split
        self.name = f"{self.set_name}:{split}"
        self._size = self.sizes[split] if limit is None else min(limit, self.sizes[split])

    def generate(self, index: int) -> Task:
        """Task `index` of the split, `index` being in range."""
        raise NotImplementedError

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
        return self.generate(position)

    @property
    def fingerprint(self) -> str:
        """sha256 over the canonical JSON of the *whole* split, as it was released."""
        return self.fingerprints[self.split]

    def id_at(self, index: int) -> str:
        """The id of task `index`, which is not generated for it."""
        return embedded_id(self.name, range(self._size)[index])

    def index_of(self, task_id: str) -> int:
        """The position of the task with this id.

        Raises:
            TaskError: no such task in this set.
        """
        prefix, _, number = task_id.rpartition("/")
        if prefix == self.name and number.isascii() and number.isdigit() and int(number) < self._size:
            position = int(number)
            if task_id == embedded_id(self.name, position):
                return position
        raise TaskError(
            f"no task {task_id!r} in {self.name}. Mend: ids run to {embedded_id(self.name, self._size - 1)}"
        )


def embedded_id(name: str, index: int) -> str:
    """The id of task `index` of a split, named in full (`embedded-backend:test`)."""
    return f"{name}/{index:05d}"
