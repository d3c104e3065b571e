"""A page's HTML, made ready for a browser without scripts and without a network.

What a page would load is put into it (Tailwind, placeholders for the images of placeholder services) or left out
(frames, media, every other link), and what would move it on is removed. This is for the picture, not for safety: what
slips through meets a browser that runs no script, has no network and obeys a strict policy (`chromium.py`).
"""

from __future__ import annotations

import base64
import functools
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal

PLACEHOLDER_HOSTS = (
    "picsum.photos",
    "source.unsplash.com",
    "images.unsplash.com",
    "unsplash.it",
    "via.placeholder.com",
    "placehold.co",
    "placehold.it",
    "placeholder.com",
    "dummyimage.com",
    "loremflickr.com",
    "placekitten.com",
    "fakeimg.pl",
)
MAX_PLACEHOLDERS = 2000
"""Further images stay as they are, and so are not shown: a placeholder is 20 times as long as its address."""
MAX_SIDE = 4000
DEFAULT_SIZE = (300, 200)

# One tag, as the HTML standard reads it: quotes count only where a value begins. Possessive throughout, so linear.
_VALUE = r"""(?:"[^"]*+"|'[^']*+'|[^\s>"'][^\s>]*+|(?=>))"""
_ATTRIBUTE = rf"[^\s/>][^\s/>=]*+(?:\s*+=\s*+{_VALUE}|(?!\s*+=))"
_TAG = re.compile(rf"<(/?)([a-zA-Z][^\s/>]*+)((?:[\s/]++|{_ATTRIBUTE})*+)>")
_NAME_AND_VALUE = re.compile(
    r"""([^\s/>=][^\s/>=]*+)(?:\s*+=\s*+(?:"([^"]*+)"|'([^']*+)'|([^\s>"'][^\s>]*+))?)?""",
)
_OPENING = re.compile(r"<(?:!--|[/a-zA-Z])")
_COMMENT_END = re.compile(r"--!?>")
_BEFORE_CONTENT = re.compile(r"\ufeff?(?:\s+|<!--.*?-->)*(?:<!doctype[^>]*>)?", re.IGNORECASE | re.DOTALL)

# Elements whose content is text for the parser. `noscript` is one of them where scripts run, as they do for a visitor.
_RAW = frozenset({"script", "style", "textarea", "title", "xmp", "noembed", "noframes", "noscript", "iframe"})
_SHOWS_ANOTHER = frozenset(
    {"iframe", "frame", "embed", "object", "applet", "video", "audio", "source", "track", "portal", "fencedframe"}
)
_SOURCES = frozenset({"src", "srcdoc", "data", "code", "archive", "poster", "autoplay"})
_IMAGE_URL = re.compile(
    rf"(?:https?:)?//(?:{'|'.join(re.escape(host) for host in PLACEHOLDER_HOSTS)})(?![\w.-])[^\s\"'<>)\\]*",
    re.IGNORECASE,
)
_TAILWIND_2_LINK = re.compile(
    r"^\s*(?:https?:)?//[^?#]*tailwind(?:css)?(?:[@/][\^~v]?[012](?:\.[\d.x]+)?)?(?:[/-][^?#]*)?\.css(?:[?#]|$)"
    r"|^\s*(?:https?:)?//[^?#]*tailwindcss@[\^~]?[012][^/?#]*/?\s*$",
    re.IGNORECASE,
)
_NEWER_TAILWIND = re.compile(r"tailwind(?:css)?[@/][\^~v]?[3-9]", re.IGNORECASE)
_PLAY_CDN_3 = re.compile(r"//cdn\.tailwindcss\.com|/tailwindcss-cdn@", re.IGNORECASE)
_PLAY_CDN_4 = re.compile(r"/@tailwindcss/browser|//cdn\.tailwindcss\.com/4", re.IGNORECASE)

_STILL = (
    "<style>*,*::before,*::after{animation-duration:0s!important;animation-delay:0s!important;"
    "animation-iteration-count:1!important;transition:none!important;caret-color:transparent!important;"
    "scroll-behavior:auto!important}video::-webkit-media-controls,audio::-webkit-media-controls"
    "{display:none!important}progress:not([value]){appearance:none!important}</style>"
)
"""Every animation at its end, no blinking: a page has one picture."""


@dataclass(frozen=True, slots=True)
class PlayCdn:
    """What a page asks of a Tailwind script that compiles in the browser.

    Attributes:
        version: of Tailwind.
        configs: the inline scripts that set `tailwind.config`. Written by the agent.
        css: the contents of its `<style type="text/tailwindcss">` elements.
    """

    version: Literal["3", "4"]
    configs: tuple[str, ...] = ()
    css: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Page:
    """HTML for the browser, in two parts: compiled Tailwind goes in between.

    Attributes:
        before, after: the parts.
        play_cdn: None if the page loads no such script.
    """

    before: str
    after: str
    play_cdn: PlayCdn | None

    def html(self, compiled: str = "") -> str:
        if not compiled:
            return self.before + self.after
        return f"{self.before}<style>{_inline(compiled)}</style>{self.after}"


def prepare(html: str, tailwind_2: Callable[[str], str]) -> Page:
    """Makes a page ready.

    Args:
        html: as the agent wrote it.
        tailwind_2: gives the part of Tailwind 2.2.19 that a page needs; called at most once.
    """
    start = _BEFORE_CONTENT.match(html)
    content = start.end() if start else 0
    pieces = [html[:content], _STILL]
    images = _Images()
    play_cdn: PlayCdn | None = None
    configs: list[str] = []
    css: list[str] = []
    linked = False
    # Compiled Tailwind is appended to the head, as its script does; without `</head>`, where the body begins.
    joint: int | None = None
    position = content
    for tag in _tags(html, content):
        replacement: str | None = None
        if tag.closing:
            if tag.name == "head" and joint is None:
                pieces.append(html[position : tag.start])
                position = tag.start
                joint = len(pieces)
            continue
        if tag.name == "body" and joint is None:
            pieces.append(html[position : tag.start])
            position = tag.start
            joint = len(pieces)
        if tag.name == "script":
            replacement = ""
            source = tag.attributes().get("src")
            if source is not None and play_cdn is None:
                if _PLAY_CDN_4.search(source):
                    play_cdn = PlayCdn("4")
                elif _PLAY_CDN_3.search(source):
                    play_cdn = PlayCdn("3")
            elif source is None and "tailwind" in tag.content:
                configs.append(tag.content)
        elif tag.name in ("base", "noscript"):
            replacement = ""
        elif tag.name == "link":
            replacement = ""
            if not linked and _is_tailwind_2(tag.attributes()):
                linked = True
                replacement = f"<style>{_inline(tailwind_2(html))}</style>"
        elif tag.name == "meta":
            if tag.attributes().get("http-equiv", "").strip().lower() == "refresh":
                replacement = ""
        elif tag.name == "style":
            if tag.attributes().get("type", "").strip().lower() == "text/tailwindcss":
                css.append(tag.content)
            else:
                replacement = images.replaced(tag.text)
        elif tag.name in _SHOWS_ANOTHER:
            replacement = images.replaced(tag.without(_SOURCES))
        elif tag.name == "img":
            replacement = images.replaced(tag.without(frozenset({"loading"})))
        elif "//" in tag.text and tag.name != "a":
            replacement = images.replaced(tag.text)
        if replacement is not None:
            pieces += (html[position : tag.start], replacement)
            position = tag.end
    pieces.append(html[position:])
    joint = 2 if joint is None else joint
    if play_cdn is not None:
        play_cdn = PlayCdn(play_cdn.version, tuple(configs), tuple(css))
    return Page("".join(pieces[:joint]), "".join(pieces[joint:]), play_cdn)


def _inline(css: str) -> str:
    """CSS that cannot end the `<style>` it is put into."""
    return re.sub(r"</(?=style)", r"<\\/", css, flags=re.IGNORECASE)


def _is_tailwind_2(attributes: dict[str, str]) -> bool:
    address = attributes.get("href", "")
    return (
        "stylesheet" in attributes.get("rel", "").lower().split()
        and _TAILWIND_2_LINK.search(address) is not None
        and _NEWER_TAILWIND.search(address) is None
    )


# --- tags


@dataclass(frozen=True, slots=True)
class _Tag:
    """A tag and, for an element whose content is text, its content; `end` is where markup goes on."""

    name: str
    closing: bool
    start: int
    end: int
    text: str
    attribute_text: str
    content: str = ""

    def attributes(self) -> dict[str, str]:
        found: dict[str, str] = {}
        for match in _NAME_AND_VALUE.finditer(self.attribute_text):
            found.setdefault(match[1].lower(), match[2] or match[3] or match[4] or "")
        return found

    def without(self, names: frozenset[str]) -> str:
        """The text of the tag less these attributes."""
        kept = _NAME_AND_VALUE.sub(lambda match: "" if match[1].lower() in names else match[0], self.attribute_text)
        return f"<{self.name}{kept}>{self.text[len(self.name) + len(self.attribute_text) + 2 :]}"


def _tags(html: str, position: int) -> Iterator[_Tag]:
    """The tags from `position` on, in order, comments and text left out."""
    while (opening := _OPENING.search(html, position)) is not None:
        start = opening.start()
        if html.startswith("<!--", start):
            end = _COMMENT_END.search(html, start + 2)
            if end is None:
                return
            position = end.end()
            continue
        match = _TAG.match(html, start)
        if match is None:
            # `</` before no letter is a comment up to `>`; a tag that never ends swallows the rest.
            if html.startswith("</", start) and not html[start + 2 : start + 3].isalpha():
                position = start + 2
                continue
            return
        name = match[2].lower()
        end = match.end()
        content = ""
        if name == "plaintext" and not match[1]:
            return
        if name in _RAW and not match[1]:
            content, end = _raw_content(html, name, end)
        yield _Tag(name, bool(match[1]), start, end, html[start:end], match[3], content)
        position = end


@functools.cache
def _end_tag(name: str) -> re.Pattern[str]:
    return re.compile(rf"</{name}(?=[\s/>])[^>]*>?", re.IGNORECASE)


def _raw_content(html: str, name: str, start: int) -> tuple[str, int]:
    end = _end_tag(name).search(html, start)
    return (html[start:], len(html)) if end is None else (html[start : end.start()], end.end())


# --- images


class _Images:
    """Puts placeholders in the place of image addresses, up to `MAX_PLACEHOLDERS` a page."""

    def __init__(self) -> None:
        self._left = MAX_PLACEHOLDERS

    def replaced(self, text: str) -> str:
        if "//" not in text or self._left <= 0:
            return text
        result, count = _IMAGE_URL.subn(lambda match: _placeholder_for(match[0]), text, count=self._left)
        self._left -= count
        return result


def _placeholder_for(address: str) -> str:
    bare = address.rstrip(",;")
    return placeholder(*image_size(bare)) + address[len(bare) :]


_SIZE_IN_SEGMENT = re.compile(r"^(\d{1,5})x(\d{1,5})(?:\.\w+)?$", re.IGNORECASE)
_NUMBER_SEGMENT = re.compile(r"^(\d{1,5})(?:\.\w+)?$")
_SIZE_IN_QUERY = re.compile(r"(?:^|[?&;])(w|width|h|height)=(\d{1,5})(?!\d)", re.IGNORECASE)


def image_size(address: str) -> tuple[int, int]:
    """Width and height in pixels that an image's address asks a placeholder service for."""
    path, _, query = address.partition("?")
    segments = path.split("//", 1)[-1].split("/")[1:]
    for segment in segments:
        if match := _SIZE_IN_SEGMENT.match(segment):
            return _clamped(int(match[1]), int(match[2]))
    numbers = [
        int(match[1])
        for previous, segment in zip(["", *segments], segments, strict=False)
        if previous not in ("id", "seed") and (match := _NUMBER_SEGMENT.match(segment))
    ]
    if numbers:
        return _clamped(numbers[0], numbers[1] if len(numbers) > 1 else numbers[0])
    asked = {match[1][0].lower(): int(match[2]) for match in _SIZE_IN_QUERY.finditer(query)}
    if "w" in asked or "h" in asked:
        width = asked.get("w", asked.get("h", 0) * 3 // 2)
        return _clamped(width, asked.get("h", width * 2 // 3))
    return DEFAULT_SIZE


def _clamped(width: int, height: int) -> tuple[int, int]:
    return min(max(width, 1), MAX_SIDE), min(max(height, 1), MAX_SIDE)


@functools.lru_cache(1024)
def placeholder(width: int, height: int) -> str:
    """A grey gradient of this size, as a `data:` address."""
    svg = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 1 1" '
        'preserveAspectRatio="none"><linearGradient id="g" x2="1" y2="1"><stop stop-color="#8fa3b0"/>'
        '<stop offset="1" stop-color="#4a4f57"/></linearGradient><path fill="url(#g)" d="M0 0h1v1H0z"/></svg>'
    )
    return "data:image/svg+xml;base64," + base64.b64encode(svg.encode()).decode()
