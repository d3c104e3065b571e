"""Boxes out of a DOM snapshot of Chromium (`DOMSnapshot.captureSnapshot`)."""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass
from typing import Any

from colbench_gym.grading.render import Box, Colour

_STYLES = (
    "display",
    "visibility",
    "opacity",
    "position",
    "overflow-x",
    "color",
    "background-color",
    "background-image",
    "font-size",
    "font-weight",
    "font-family",
    "font-style",
    "text-decoration-line",
    "text-align",
    "border-top-width",
    "border-right-width",
    "border-bottom-width",
    "border-left-width",
    "border-top-color",
    "border-top-left-radius",
    "box-shadow",
    "white-space-collapse",
)
_AT = {name: position for position, name in enumerate(_STYLES)}
REQUEST = {"computedStyles": list(_STYLES), "includePaintOrder": False, "includeDOMRects": False}
MAX_TAGS = 20_000
"""Of a page with more `<` in its HTML no snapshot is taken: it would keep this process busy for seconds."""
MAX_BOXES = 10_000
"""Further boxes of a page are left out."""
_SEEN = 0.01
"""Opacity below which nothing is seen."""
_WORDLESS = frozenset({"checkbox", "radio", "range", "color", "image", "file", "hidden"})
_LABELS = {"submit": "Submit", "reset": "Reset"}
_ELEMENT, _TEXT = 1, 3
_Rectangle = tuple[float, float, float, float]
"""Left, top, right, bottom."""


@dataclass(frozen=True, slots=True)
class _Place:
    """What an element passes on to what is in it.

    Attributes:
        box: the nearest box, as an index; -1 for none.
        style: its computed style.
        opacity: product of its own and its ancestors'.
        clip: what its content can be seen through.
        absolute_clip: the same for content that is positioned absolutely.
    """

    box: int
    style: _Style
    opacity: float
    clip: _Rectangle
    absolute_clip: _Rectangle


class _Style:
    """A computed style, read."""

    def __init__(self, values: list[str]) -> None:
        self.display = values[_AT["display"]]
        self.visible = values[_AT["visibility"]] == "visible"
        self.opacity = _number(values[_AT["opacity"]], 1.0)
        self.position = values[_AT["position"]]
        self.clips = values[_AT["overflow-x"]] not in ("visible", "")
        self.keeps_blanks = values[_AT["white-space-collapse"]] not in ("collapse", "")
        self.color: Colour = _colour(values[_AT["color"]]) or (0, 0, 0, 0.0)
        self.background = _colour(values[_AT["background-color"]])
        self.gradient = values[_AT["background-image"]] not in ("none", "")
        self.font_size = _number(values[_AT["font-size"]], 16.0)
        self.font_weight = round(_number(values[_AT["font-weight"]], 400.0))
        self.font_family = values[_AT["font-family"]].split(",")[0].strip().strip("\"'").lower()
        self.italic = values[_AT["font-style"]] != "normal"
        self.own_underline = "underline" in values[_AT["text-decoration-line"]]
        self.align = _ALIGNMENTS.get(values[_AT["text-align"]], "left")
        top, right, bottom, left = (
            _number(values[_AT[f"border-{side}-width"]], 0.0) for side in ("top", "right", "bottom", "left")
        )
        self.border = (top, right, bottom, left)
        self.border_color = _colour(values[_AT["border-top-color"]]) if any(self.border) else None
        self.radius = _number(values[_AT["border-top-left-radius"]], 0.0)
        self.shadow = values[_AT["box-shadow"]] not in ("none", "")


_ALIGNMENTS = {"center": "center", "-webkit-center": "center", "right": "right", "-webkit-right": "right"} | {
    "end": "right",
    "justify": "justify",
}
_NUMBER = re.compile(r"-?[\d.]+(?:e[-+]?\d+)?")


def _number(text: str, otherwise: float) -> float:
    match = _NUMBER.match(text)
    return float(match[0]) if match else otherwise


def _colour(text: str) -> Colour | None:
    """A computed colour; None if it is wholly transparent or of a colour space that has no 8-bit form."""
    if not text.startswith("rgb"):
        return None
    numbers = [float(number) for number in _NUMBER.findall(text)]
    opacity = numbers[3] if len(numbers) > 3 else 1.0
    return (round(numbers[0]), round(numbers[1]), round(numbers[2]), opacity) if opacity > 0 else None


def boxes(taken: dict[str, Any], width: int, height: int) -> tuple[tuple[Box, ...], bool]:
    """The boxes that can be seen on a page of this size in pixels, and whether there were more than `MAX_BOXES`."""
    reader = _Reader(taken, (0.0, 0.0, float(width), float(height)))
    reader.read()
    return tuple(reader.found), reader.capped


class _Reader:
    """Goes through the nodes once, in document order: parents come before their children."""

    def __init__(self, taken: dict[str, Any], page: _Rectangle) -> None:
        document = taken["documents"][0]
        self.strings: list[str] = taken["strings"]
        self.nodes: dict[str, Any] = document["nodes"]
        self.layout: dict[str, Any] = document["layout"]
        self.page = page
        self.styles: dict[tuple[int, ...], _Style] = {}
        self.found: list[Box] = []
        self.capped = False

    def read(self) -> None:
        parents, types = self.nodes["parentIndex"], self.nodes["nodeType"]
        pseudo = set(self.nodes.get("pseudoType", {}).get("index", ()))
        entries: dict[int, int] = {}
        for entry, node in enumerate(self.layout["nodeIndex"]):
            entries.setdefault(node, entry)
        initial = _Style([""] * len(_STYLES))
        # A node that is not in `places` has no place, and neither has what is in it.
        places = {-1: _Place(-1, initial, 1.0, self.page, self.page)}
        for node, kind in enumerate(types):
            place = places.get(parents[node])
            if place is None or node in pseudo:
                continue
            entry = entries.get(node)
            if kind == _TEXT:
                if entry is not None:
                    self._read_text(place, entry)
            elif kind != _ELEMENT:
                places[node] = place
            elif entry is not None:
                places[node] = self._read_element(place, node, entry)
            elif self._contents_only(node):
                places[node] = place

    def _contents_only(self, node: int) -> bool:
        """Without a box of its own though its children may have some: `display: contents`, which has no layout."""
        return self.strings[self.nodes["nodeName"][node]] not in ("HEAD", "SCRIPT", "STYLE", "TEMPLATE")

    def _read_element(self, place: _Place, node: int, entry: int) -> _Place:
        style = self._style(self.layout["styles"][entry])
        opacity = place.opacity * style.opacity
        x, y, width, height = self.layout["bounds"][entry]
        clip = {"absolute": place.absolute_clip, "fixed": self.page}.get(style.position, place.clip)
        index = place.box
        if style.visible and opacity >= _SEEN and width > 0 and height > 0 and _can_be_seen(clip, x, y, width, height):
            index = self._add(place, node, style, (x, y, width, height))
        inner = _intersection(clip, (x, y, x + width, y + height)) if style.clips else clip
        absolute = inner if style.position != "static" else place.absolute_clip
        return _Place(index, style, opacity, inner, absolute)

    def _add(self, place: _Place, node: int, style: _Style, bounds: _Rectangle) -> int:
        if len(self.found) >= MAX_BOXES:
            self.capped = True
            return place.box
        x, y, width, height = bounds
        tag = self.strings[self.nodes["nodeName"][node]].lower()
        self.found.append(
            Box(
                tag=tag,
                parent=place.box,
                x=x,
                y=y,
                width=width,
                height=height,
                text=_collapsed(self._own_text(node, tag)),
                color=style.color,
                background=style.background,
                gradient=style.gradient,
                font_size=style.font_size,
                font_weight=style.font_weight,
                font_family=style.font_family,
                italic=style.italic,
                underline=style.own_underline,
                align=style.align,
                display=style.display,
                border=style.border,
                border_color=style.border_color,
                radius=style.radius,
                shadow=style.shadow,
            )
        )
        return len(self.found) - 1

    def _own_text(self, node: int, tag: str) -> str:
        """What an image stands for or a form field shows."""
        if tag == "img":
            return self._attribute(node, "alt")
        if tag == "textarea":
            return self._rare("textValue", node) or self._attribute(node, "placeholder")
        if tag == "select":
            return self._selected.get(node, "")
        if tag != "input":
            return ""
        kind = self._attribute(node, "type").lower()
        if kind in _WORDLESS:
            return ""
        value = self._rare("inputValue", node)
        if kind == "password":
            value = "\N{BULLET}" * len(value)
        return value or self._attribute(node, "placeholder") or _LABELS.get(kind, "")

    def _rare(self, name: str, node: int) -> str:
        """A string that few nodes have."""
        data = self.nodes.get(name)
        if data is None or node not in data["index"]:
            return ""
        value = data["value"][data["index"].index(node)]
        return self.strings[value] if value >= 0 else ""

    @functools.cached_property
    def _selected(self) -> dict[int, str]:
        """For each `select` the text of its first selected option."""
        parents, names = self.nodes["parentIndex"], self.nodes["nodeName"]
        options: dict[int, list[str]] = {node: [] for node in self.nodes.get("optionSelected", {}).get("index", ())}
        for node, kind in enumerate(self.nodes["nodeType"]):
            if kind == _TEXT and parents[node] in options:
                options[parents[node]].append(self.strings[self.nodes["nodeValue"][node]])
        found: dict[int, str] = {}
        for option, parts in options.items():
            select = parents[option]
            if self.strings[names[select]] == "OPTGROUP":
                select = parents[select]
            found.setdefault(select, "".join(parts))
        return found

    def _read_text(self, place: _Place, entry: int) -> None:
        style = place.style
        text = _collapsed(self.strings[self.layout["text"][entry]])
        x, y, width, height = self.layout["bounds"][entry]
        if (
            not text
            or not style.visible
            or place.opacity < _SEEN
            or style.color[3] == 0
            or width <= 0
            or height <= 0
            or not _can_be_seen(place.clip, x, y, width, height)
        ):
            return
        if len(self.found) >= MAX_BOXES:
            self.capped = True
            return
        self.found.append(
            Box(
                tag="#text",
                parent=place.box,
                x=x,
                y=y,
                width=width,
                height=height,
                text=text,
                color=style.color,
                font_size=style.font_size,
                font_weight=style.font_weight,
                font_family=style.font_family,
                italic=style.italic,
                underline=style.own_underline,
                align=style.align,
                display="inline",
            )
        )

    def _style(self, values: list[int]) -> _Style:
        # Elements that look alike have equal lists, and a page has far fewer of those than elements.
        key = tuple(values)
        known = self.styles.get(key)
        if known is None:
            known = self.styles[key] = _Style([self.strings[value] if value >= 0 else "" for value in values])
        return known

    def _attribute(self, node: int, name: str) -> str:
        attributes = self.nodes["attributes"][node]
        for key, value in zip(attributes[::2], attributes[1::2], strict=True):
            if self.strings[key] == name:
                return self.strings[value] if value >= 0 else ""
        return ""


def _collapsed(text: str) -> str:
    return " ".join(text.split())


def _intersection(one: _Rectangle, other: _Rectangle) -> _Rectangle:
    return max(one[0], other[0]), max(one[1], other[1]), min(one[2], other[2]), min(one[3], other[3])


def _can_be_seen(clip: _Rectangle, x: float, y: float, width: float, height: float) -> bool:
    """More than a pixel's breadth of it lies in `clip` (or it is a line, no broader itself)."""
    left, top, right, bottom = _intersection(clip, (x, y, x + width, y + height))
    return right - left > min(1.0, width / 2) and bottom - top > min(1.0, height / 2)
