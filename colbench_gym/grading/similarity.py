"""How alike an answer's page and the reference look: the measures by name, and the win rate.

`mini` (the default) and `visual` are ours; `clip` is the paper's. See docs/similarity.md for what each is good for.
Nothing here ever falls back from one measure to another: what a measure lacks is an error that names the mend.
"""

from __future__ import annotations

import functools
import importlib.util
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from colbench_gym.errors import ConfigError, MissingExtra
from colbench_gym.grading.render import Render

ACCEPTED = "'mini', 'visual', 'clip', or 'clip:PATH' with a checkpoint of CLIP ViT-B/32"


@dataclass(frozen=True, slots=True)
class Likeness:
    """How alike two pages are.

    Attributes:
        value: 0 to 1; exactly 1.0 for pages that look the same, pixel by pixel (and, except by `clip`, only for them).
        parts: what the value is made of, by name, each 0 to 1.
    """

    value: float
    parts: Mapping[str, float]


class Similarity(Protocol):
    """A measure of how alike two rendered pages are.

    Attributes:
        identity: JSON data that tells two measures apart whose figures may differ.
        needs_boxes: it reads `Render.boxes`, and raises GraderError for a render that has none to give (`no_boxes`).
    """

    @property
    def identity(self) -> Mapping[str, Any]: ...

    @property
    def needs_boxes(self) -> bool: ...

    def compare(self, answers: Sequence[Render | None], references: Sequence[Render]) -> list[Likeness]:
        """Each answer's likeness to the reference at the same position.

        Args:
            answers: None where there is no page; it counts as a black picture of 224x224 pixels (the paper's rule).
            references: as many.

        Raises:
            GraderError: a render lacks the boxes that this measure needs.
        """
        ...


_making = threading.Lock()
"""Weights are read once, however many threads want them at a time."""


def make_similarity(spec: str) -> Similarity:
    """The measure that a specification names; the same object for the same specification, for any number of threads.

    Args:
        spec: `mini` (a small CLIP of our own and layout evidence), `visual` (the layout evidence alone, without torch),
            `clip` (OpenAI's CLIP ViT-B/32, as the paper has it; fetched from the hub once), `clip:PATH` (the same
            network from a checkpoint: OpenCLIP or OpenAI `.pt`/`.bin`/`.safetensors`, or a folder as `transformers`
            writes it).

    Raises:
        ConfigError: no such measure, or no usable weights there.
        MissingExtra: `mini` and `clip` without the extra `clip`, `visual` without the extra `frontend`.
    """
    with _making:
        return _made(spec)


@functools.lru_cache(maxsize=8)
def _made(spec: str) -> Similarity:
    kind, mark, path = spec.partition(":")
    if kind not in ("mini", "visual", "clip") or (mark and (kind != "clip" or not path)):
        raise ConfigError(f"no similarity {spec!r}. Mend: one of {ACCEPTED}")
    _need("frontend", spec, "numpy", "PIL", "scipy")
    if kind == "visual":
        from colbench_gym.grading.likeness.blend import visual

        return visual()
    _need("clip", spec, "torch", "open_clip")
    if kind == "mini":
        from colbench_gym.grading.likeness.blend import mini

        return mini()
    from colbench_gym.grading.likeness.clip import Clip

    return Clip(path or None)


def _need(extra: str, spec: str, *modules: str) -> None:
    for module in modules:
        if importlib.util.find_spec(module) is None:
            raise MissingExtra(extra, f"the similarity {spec!r}")


@dataclass(frozen=True, slots=True)
class WinRate:
    """How often one agent's page is nearer to the reference than another's (paper, section 5: win rate).

    Attributes:
        wins, ties, losses: number of tasks.
    """

    wins: int
    ties: int
    losses: int

    @property
    def rate(self) -> float:
        """The share of tasks won. A tie is no win, so an agent's rate against itself is 0."""
        return self.wins / (self.wins + self.ties + self.losses)


def win_rate(ours: Mapping[str, float], baseline: Mapping[str, float]) -> WinRate:
    """Compares two agents task by task.

    Args:
        ours, baseline: task id -> similarity of the agent's answer, by one and the same measure (where an agent has
            several answers to a task: their mean).

    Raises:
        ConfigError: the two do not cover the same tasks, or none.
    """
    if ours.keys() != baseline.keys() or not ours:
        differing = sorted(ours.keys() ^ baseline.keys())
        what = f"differ in {len(differing)} tasks, e.g. {differing[0]!r}" if differing else "are of no task"
        raise ConfigError(f"the two agents' answers {what}. Mend: compare them on the same tasks")
    wins = sum(ours[task] > baseline[task] for task in ours)
    ties = sum(ours[task] == baseline[task] for task in ours)
    return WinRate(wins, ties, len(ours) - wins - ties)
