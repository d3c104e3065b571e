"""What a model that plays the person in Frontend Design is shown: both pages as pictures, to one scale."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from io import BytesIO

from colbench_gym.errors import GraderError, MissingExtra, SimulatorError, TaskError
from colbench_gym.grading.render import Geometry, Render, Unrenderable, render
from colbench_gym.protocol import last_snippet, rewrite_images, snippet_in
from colbench_gym.types import Message, Profile, Task

WIDEST, NARROWEST, TALLEST = 1024, 768, 2048
"""Pixels: the width pictures are shown at, the width down to which tall pages are shrunk, and the greatest height."""

PAGE = "[page]"
"""Stands in the dialogue where the code of a page was."""

_FENCED_PAGE = re.compile(rf"```[ \t]*\w*\s*{re.escape(PAGE)}\s*(?:```|$)")
_WHY = {
    "too_large": "its code is too long",
    "timeout": "the browser does not get done with it",
    "memory": "the browser runs out of memory",
    "crash": "the browser crashes",
}


@dataclass(frozen=True, slots=True)
class Picture:
    """A page as the model sees it.

    Attributes:
        png: RGB, without metadata.
        width, height: in pixels.
        caption: what it shows.
    """

    png: bytes
    width: int
    height: int
    caption: str


def pictures(task: Task, messages: Sequence[Message], geometry: Geometry, profile: Profile) -> list[Picture | str]:
    """Picture 1, the page wanted, and Picture 2, the agent's last page; a sentence in its place if there is none.

    Args:
        task: a frontend task.
        messages: the dialogue so far.
        geometry: how pages are rendered.
        profile: how they are cut out of messages.

    Raises:
        TaskError: the reference cannot be rendered.
        SimulatorError: this machine cannot render pages.
        MissingExtra: the extra `frontend` is not installed.
    """
    try:
        wanted = _rendered(rewrite_images(task.reference), geometry)
    except Unrenderable as error:
        raise TaskError(f"task {task.id}: its reference cannot be rendered ({error}). Mend: leave it out") from None
    page = last_snippet(messages, profile)
    if page is None:
        return [*_scaled([wanted]), "[There is no Picture 2: no page has been shown yet.]"]
    try:
        built = _rendered(page, geometry)
    except Unrenderable as error:
        why = _WHY[error.reason]
        return [*_scaled([wanted]), f"[There is no Picture 2: the last page cannot be displayed, {why}.]"]
    return list(_scaled([wanted, built]))


# One reference serves a whole dialogue, and so does a page as long as only questions follow it.
@lru_cache(maxsize=64)
def _rendered(html: str, geometry: Geometry) -> Render:
    try:
        return render(html, geometry=geometry)
    except Unrenderable:
        raise
    except GraderError as error:
        raise SimulatorError(f"the user cannot be shown the pages: {error}") from error


def _scaled(renders: Sequence[Render]) -> list[Picture]:
    """Screenshots at one common scale, so that equal sizes on the pages are equal sizes in the pictures.

    1024 pixels wide. If one of the pages is then taller than 2048, all are shrunk until it fits, down to a width of
    768: text stays legible there. What is still taller is cut off below, and its caption says so.
    """
    try:
        from PIL import Image
    except ImportError:
        raise MissingExtra("frontend", "showing pages to a user") from None

    width, height = max(one.width for one in renders), max(one.height for one in renders)
    scale = min(1.0, max(min(WIDEST / width, TALLEST / height), NARROWEST / width))
    shown: list[Picture] = []
    for number, one in enumerate(renders, start=1):
        whole = max(1, round(one.height * scale))
        size = (max(1, round(one.width * scale)), min(whole, TALLEST))
        # The part of the page that stays, in its own pixels: cut before it is scaled, so that no row is made up.
        box = (0.0, 0.0, float(one.width), min(float(one.height), size[1] / scale))
        with Image.open(BytesIO(one.png)) as screenshot:
            image = screenshot.convert("RGB").resize(size, Image.Resampling.LANCZOS, box=box)
        written = BytesIO()
        image.save(written, "PNG", compress_level=6)
        cut = f", the upper {100 * size[1] // whole}% of it" if whole > TALLEST else ""
        what = "the page you want" if number == 1 else "the last page you were shown"
        shown.append(Picture(written.getvalue(), *size, f"[Picture {number}: {what}{cut}]"))
    return shown


def without_page(text: str, profile: Profile) -> str:
    """A message with `[page]` in place of the code of its page, which the person does not read."""
    page = snippet_in(text, profile)
    if not page:
        return text
    text = rewrite_images(text.replace("\r\n", "\n")).replace(page, PAGE, 1)
    return _FENCED_PAGE.sub(PAGE, text)
