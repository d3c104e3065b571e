"""Screenshots as pictures."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from io import BytesIO

from PIL import Image

from colbench_gym.errors import GraderError
from colbench_gym.grading.render import Render

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
