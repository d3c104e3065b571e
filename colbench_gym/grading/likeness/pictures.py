"""Screenshots as pictures, and what was computed of them, kept by content."""

from __future__ import annotations

import hashlib
import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from io import BytesIO
from typing import Generic, TypeVar

from PIL import Image

from colbench_gym.errors import GraderError
from colbench_gym.grading.render import Render

Value = TypeVar("Value")

SIZE = 128
"""Side of the square that a whole page is squashed to."""

AVERAGED = Image.Resampling.BOX

DIGITS = 6
"""Figures are rounded to this: coarser than what the order of additions does to them, finer than any meaning."""


def no_answer() -> Render:
    """What stands for a missing page: a black picture of 224x224 pixels (the paper's rule)."""
    png = BytesIO()
    Image.new("RGB", (224, 224)).save(png, "PNG")
    return Render(png.getvalue(), 224, 224, (), "default", "none")


def picture(png: bytes) -> Image.Image:
    """The screenshot, RGB, decoded."""
    with Image.open(BytesIO(png)) as opened:
        return opened.convert("RGB")


def squashed(image: Image.Image) -> Image.Image:
    """The whole page as a square of `SIZE` pixels, whatever its height."""
    return image.resize((SIZE, SIZE), AVERAGED)


def digest(png: bytes) -> str:
    """What a screenshot is known by: its sha256."""
    return hashlib.sha256(png).hexdigest()


def check_boxes(renders: Sequence[Render], measure: str) -> None:
    """Raises GraderError if a render comes without boxes."""
    for render in renders:
        if "no_boxes" in render.flags:
            raise GraderError(
                f"the similarity {measure!r} reads the boxes of a page, and {render.renderer} gives none. "
                "Mend: renderer='chromium', or similarity='clip'"
            )


class Cache(Generic[Value]):
    """The values last used, at most `bound` of them. Any thread may use it.

    Args:
        bound: how many values are kept.
    """

    def __init__(self, bound: int) -> None:
        self.bound = bound
        self._values: OrderedDict[str, Value] = OrderedDict()
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._values)

    def all(self, keys: Sequence[str], compute: Callable[[list[int]], Sequence[Value]]) -> list[Value]:
        """The values for `keys`.

        Args:
            compute: gets the positions in `keys` whose values are missing, each key once, and gives their values.
        """
        found: dict[str, Value] = {}
        missing: dict[str, int] = {}
        with self._lock:
            for position, key in enumerate(keys):
                if key in self._values:
                    self._values.move_to_end(key)
                    found[key] = self._values[key]
                else:
                    missing.setdefault(key, position)
        if missing:
            computed = dict(zip(missing, compute(list(missing.values())), strict=True))
            found |= computed
            with self._lock:
                self._values |= computed
                while len(self._values) > self.bound:
                    self._values.popitem(last=False)
        return [found[key] for key in keys]
