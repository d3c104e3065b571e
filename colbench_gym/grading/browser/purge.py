"""Of a stylesheet of utility classes, the part that one page can need.

Tailwind 2.2.19 is 2.9 MB of CSS; to parse it takes a browser longer than to render the page. A rule can only match
where every class in its selector occurs, so a page gets the rules all of whose classes are among the words of its
HTML: about 6 kB, and the same picture.
"""

from __future__ import annotations

import functools
import html as html_module
import re
import threading
from collections.abc import Iterator
from dataclasses import dataclass

from colbench_gym import assets

_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
_CLASS = re.compile(r"\.((?:\\.|[\w-])+)")
_ESCAPE = re.compile(r"\\(.)")
_COMMA = re.compile(r",(?![^()]*\))")
_BETWEEN_WORDS = re.compile(r"[\s\"'`<>=;{}]+")


def words(html: str) -> set[str]:
    """Everything in `html` that could be the name of a class, and much that is none."""
    found = set(_BETWEEN_WORDS.split(html))
    if "&" in html:
        found |= set(_BETWEEN_WORDS.split(html_module.unescape(html)))
    found |= {word[:-1] for word in found if word.endswith("/")}
    return found


@dataclass(frozen=True, slots=True)
class _Rule:
    """A rule, the `@media` it stands in ("" if none), and for each of its selectors the classes that must occur."""

    text: str
    media: str
    needs: tuple[frozenset[str], ...]


class Stylesheet:
    """A stylesheet, indexed by class.

    Args:
        css: well-formed CSS without nested rules; blocks other than `@media` are always kept.
    """

    def __init__(self, css: str) -> None:
        self._rules = tuple(_rules(_COMMENT.sub("", css)))
        self._always: list[int] = []
        self._by_class: dict[str, list[int]] = {}
        for number, rule in enumerate(self._rules):
            if not all(rule.needs):
                self._always.append(number)
                continue
            for classes in rule.needs:
                # The longest is the rarest: `group-hover:underline` rather than `group`.
                self._by_class.setdefault(max(classes, key=lambda name: (len(name), name)), []).append(number)

    def purged(self, html: str) -> str:
        """The rules that can match in `html`, in the stylesheet's order."""
        present = words(html)
        kept = set(self._always)
        for word in present:
            for number in self._by_class.get(word, ()):
                if any(classes <= present for classes in self._rules[number].needs):
                    kept.add(number)
        parts: list[str] = []
        media = ""
        for number in sorted(kept):
            rule = self._rules[number]
            if rule.media != media:
                parts.append(("}" if media else "") + (f"{rule.media}{{" if rule.media else ""))
                media = rule.media
            parts.append(rule.text)
        return "".join(parts) + ("}" if media else "")


_indexing = threading.Lock()


def tailwind_2() -> Stylesheet:
    """Tailwind 2.2.19, read and indexed once a process, however many threads want it.

    Raises:
        ConfigError: it was not fetched.
    """
    with _indexing:
        return _tailwind_2()


@functools.cache
def _tailwind_2() -> Stylesheet:
    return Stylesheet(assets.tailwind_file("2.2.19").read_text(encoding="utf-8"))


def _rules(css: str) -> Iterator[_Rule]:
    for prelude, body in _blocks(css):
        if prelude.startswith("@media"):
            yield from (_rule(selector, inner, prelude) for selector, inner in _blocks(body))
        elif prelude.startswith("@"):
            yield _Rule(f"{prelude}{{{body}}}", "", (frozenset(),))
        else:
            yield _rule(prelude, body, "")


def _rule(selectors: str, body: str, media: str) -> _Rule:
    needs = (
        frozenset(_ESCAPE.sub(r"\1", name) for name in _CLASS.findall(selector)) for selector in _COMMA.split(selectors)
    )
    return _Rule(f"{selectors}{{{body}}}", media, tuple(needs))


def _blocks(css: str) -> Iterator[tuple[str, str]]:
    """Prelude and body of each block at the top level."""
    position = 0
    while (opening := css.find("{", position)) >= 0:
        depth, end = 1, opening + 1
        while depth:
            closing = css.find("}", end)
            if closing < 0:
                return
            nested = css.find("{", end, closing)
            depth, end = (depth + 1, nested + 1) if nested >= 0 else (depth - 1, closing + 1)
        yield css[position:opening].strip(), css[opening + 1 : end - 1]
        position = end
