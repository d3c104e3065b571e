"""Pages to pictures: HTML in, a screenshot and the boxes it shows out, from a browser that no byte leaves.

One renderer service per process; any thread may call it. Only `grading` knows Playwright.
"""

from __future__ import annotations

import atexit
import collections
import importlib.util
import os
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, get_args

from colbench_gym.errors import ConfigError, GraderError, MissingExtra

if TYPE_CHECKING:
    from concurrent.futures import Future

    from colbench_gym.grading.browser.service import Outcome, Service

RENDERERS = ("chromium", "blitz")
Geometry = Literal["default", "official"]
Colour = tuple[int, int, int, float]
"""Red, green, blue (0 to 255) and opacity (0 to 1), as CSS computes them."""


class Unrenderable(GraderError):
    """This page cannot be rendered within the limits: the page's fault, graded as no answer.

    Attributes:
        reason: `too_large`, `timeout`, `memory` or `crash`.
    """

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(message)
        self.reason = reason

    def __reduce__(self) -> tuple[type[Unrenderable], tuple[str, str]]:
        return (type(self), (self.reason, str(self)))


@dataclass(frozen=True, slots=True)
class Box:
    """One element that has a place on the page, or one run of text in it. Lengths in CSS pixels.

    Attributes:
        tag: lower-case name of the element; `#text` for a text node with visible characters.
        parent: index in `Render.boxes` of the nearest enclosing box, always smaller than the own one; -1 for the root.
        x, y: left and top edge, from the page's top left corner.
        width, height: size of the border box; for text the union of its lines.
        text: the characters a `#text` shows, blanks collapsed; what a form field shows (its value, else placeholder);
            an image's alternative text.
        color: of the text in it.
        background: None if wholly transparent.
        gradient: a background image or gradient is painted.
        font_size: in pixels.
        font_weight: 100 to 900.
        font_family: the first family named, lower case.
        italic, underline: how its text is set.
        align: `left`, `center`, `right` or `justify`.
        display: computed `display`, e.g. `block`, `flex`, `grid`, `inline`, `table-cell`.
        border: width in pixels of each side: top, right, bottom, left.
        border_color: of the top side; None if no side has a border.
        radius: of the top left corner, in pixels.
        shadow: a box shadow is painted.
    """

    tag: str
    parent: int
    x: float
    y: float
    width: float
    height: float
    text: str = ""
    color: Colour = (0, 0, 0, 1.0)
    background: Colour | None = None
    gradient: bool = False
    font_size: float = 16.0
    font_weight: int = 400
    font_family: str = ""
    italic: bool = False
    underline: bool = False
    align: str = "left"
    display: str = "block"
    border: tuple[float, float, float, float] = (0.0, 0.0, 0.0, 0.0)
    border_color: Colour | None = None
    radius: float = 0.0
    shadow: bool = False


@dataclass(frozen=True, slots=True)
class Render:
    """A rendered page.

    Attributes:
        png: the screenshot, RGB.
        width, height: of the screenshot, in pixels.
        boxes: what is on it, in document order (parents before children); see `Box`.
        geometry: `default` or `official`.
        renderer: name and version of what rendered it.
        flags: what the renderer had to do to it: `height_capped` (cut off at 16384 pixels), `too_many_boxes`
            (`boxes` is empty, or holds the first 10,000).
    """

    png: bytes
    width: int
    height: int
    boxes: tuple[Box, ...]
    geometry: Geometry
    renderer: str
    flags: tuple[str, ...] = ()


MAX_BYTES = 1_000_000
"""Longer HTML (in UTF-8) is refused without a look at it."""


def render(html: str, *, geometry: Geometry = "default", renderer: str = "chromium") -> Render:
    """Renders one page.

    Raises:
        Unrenderable: the page broke a limit.
        ConfigError: no such geometry or renderer, or no browser or asset here.
        GraderError: the browser failed for no fault of the page.
        MissingExtra: the extra `frontend` is not installed.
    """
    result = next(iter(render_many([html], geometry=geometry, renderer=renderer)))
    if isinstance(result, Unrenderable):
        raise result
    return result


def render_many(
    pages: Iterable[str], *, geometry: Geometry = "default", renderer: str = "chromium", in_flight: int = 4
) -> Iterator[Render | Unrenderable]:
    """Renders pages, `in_flight` at a time, and yields the results in the pages' order.

    Raises as `render` does, except that a page that broke a limit yields its error and the rest goes on.
    """
    if geometry not in get_args(Geometry):
        raise ConfigError(f"unknown geometry {geometry!r}. Mend: one of {', '.join(get_args(Geometry))}")
    if renderer not in RENDERERS:
        raise ConfigError(f"unknown renderer {renderer!r}. Mend: one of {', '.join(RENDERERS)}")
    if renderer == "blitz":
        return _with_blitz(pages, geometry)
    return _with_chromium(pages, geometry, in_flight)


def close() -> None:
    """Ends this process's browsers; pages in the making fail. The next `render` starts anew."""
    _own.close()


def rest() -> None:
    """Ends this process's browsers, unless a page is in the making. The next `render` starts anew."""
    _own.rest()


# --- the renderers


def _with_blitz(pages: Iterable[str], geometry: Geometry) -> Iterator[Render | Unrenderable]:
    from colbench_gym.grading import blitz

    for html in pages:
        try:
            yield _too_large(html) or blitz.render_page(html, geometry)
        except Unrenderable as error:
            yield error


def _with_chromium(pages: Iterable[str], geometry: Geometry, in_flight: int) -> Iterator[Render | Unrenderable]:
    waiting: collections.deque[Unrenderable | Future[Outcome]] = collections.deque()
    with _own.service(in_flight) as service:
        try:
            for html in pages:
                waiting.append(_too_large(html) or _submitted(service, html, geometry))
                if len(waiting) >= in_flight:
                    yield _delivered(waiting.popleft(), geometry)
            while waiting:
                yield _delivered(waiting.popleft(), geometry)
        finally:
            for pending in waiting:
                if not isinstance(pending, Unrenderable):
                    pending.cancel()


def _too_large(html: str) -> Unrenderable | None:
    size = len(html.encode("utf-8", "replace"))
    if size <= MAX_BYTES:
        return None
    return Unrenderable("too_large", f"the page has {size} bytes, more than {MAX_BYTES}. Mend: make it shorter")


def _submitted(service: Service, html: str, geometry: Geometry) -> Future[Outcome]:
    from colbench_gym.grading.browser.play_cdn import compilation
    from colbench_gym.grading.browser.prepare import prepare
    from colbench_gym.grading.browser.purge import tailwind_2

    page = prepare(html, lambda html: tailwind_2().purged(html))
    return service.submit(page, None if page.play_cdn is None else compilation(page.play_cdn, html), geometry)


def _delivered(pending: Unrenderable | Future[Outcome], geometry: Geometry) -> Render | Unrenderable:
    from colbench_gym.grading.browser import snapshot

    if isinstance(pending, Unrenderable):
        return pending
    try:
        shot, identity = pending.result()
    except Unrenderable as error:
        return error
    boxes, capped = ((), False) if shot.snapshot is None else snapshot.boxes(shot.snapshot, shot.width, shot.height)
    flags = (*shot.flags, *(["too_many_boxes"] if capped else []))
    return Render(shot.png, shot.width, shot.height, boxes, geometry, identity, flags)


# --- this process's service


class _Own:
    """The service of this process, started at need. A fork starts its own and leaves its parent's alone."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._service: Service | None = None
        self._calls = 0
        self._parents: list[Service] = []

    @contextmanager
    def service(self, in_flight: int) -> Iterator[Service]:
        """The service; it does not rest until this is left."""
        for module in ("playwright", "psutil"):
            if importlib.util.find_spec(module) is None:
                raise MissingExtra("frontend", "rendering pages")
        from colbench_gym.grading.browser.service import Service

        with self._lock:
            if self._service is None or not self._service.alive:
                self._service = Service()
            service = self._service
            service.pages = max(service.pages, in_flight)
            self._calls += 1
        try:
            yield service
        finally:
            with self._lock:
                self._calls -= 1

    def rest(self) -> None:
        with self._lock:
            if self._calls:
                return
            service, self._service = self._service, None
        if service is not None:
            service.close()

    def close(self) -> None:
        with self._lock:
            service, self._service = self._service, None
        if service is not None:
            service.close()

    def forget(self) -> None:
        """In a fork. What the parent's service holds (pipes, an event loop) is kept, for to collect it would end it."""
        self._lock = threading.Lock()
        self._calls = 0
        if self._service is not None:
            self._parents.append(self._service)
            self._service = None


_own = _Own()
os.register_at_fork(after_in_child=_own.forget)
atexit.register(_own.close)
