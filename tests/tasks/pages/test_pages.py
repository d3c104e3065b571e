"""The generated pages: sound markup, known classes, and parts that the held-out split does not share."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from random import Random

import pytest

from colbench_gym import assets
from colbench_gym.errors import ConfigError
from colbench_gym.tasks.frontend import generate
from colbench_gym.tasks.pages import kinds_of
from colbench_gym.tasks.pages.kind import Kind
from colbench_gym.tasks.pages.kinds import all_kinds
from colbench_gym.tasks.pages.layouts import layouts_of
from colbench_gym.tasks.pages.markup import LINK, VOID, document, el
from colbench_gym.tasks.pages.page import Page, Section, sections_of
from colbench_gym.tasks.pages.sections import all_sections
from colbench_gym.tasks.pages.style import GHOSTS, draw_style
from colbench_gym.tasks.pages.words import Words

PAGES = [generate(split, index).reference for split in ("train", "test", "test_ood") for index in range(150)]
ROLES = ("top", "opening", "body", "foot")


class Balance(HTMLParser):
    """Fails on a closing tag that does not match, and collects the elements' names and attributes."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: list[tuple[str, dict[str, str | None]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append((tag, dict(attrs)))
        if tag not in VOID | {"link"}:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def parsed(html: str) -> list[tuple[str, dict[str, str | None]]]:
    parser = Balance()
    parser.feed(html)
    parser.close()
    assert parser.open == []
    return parser.seen


def blank_page(kind: Kind, seed: int, held_out: bool) -> Page:
    rng = Random(seed)
    return Page(rng, draw_style(rng), Words(kind, rng), held_out)


def test_markup_is_balanced_and_harmless():
    allowed = {"class", "href", "src", "alt", "style", "type", "placeholder", "for", "rel"}
    for html in PAGES:
        seen = parsed(html)
        assert not {tag for tag, _ in seen} & {"script", "iframe", "object", "embed", "meta", "base", "style"}
        for _, attributes in seen:
            assert attributes.keys() <= allowed


def test_pages_name_two_kinds_of_address():
    for html in PAGES:
        assert html.count(LINK) == 1
        for address in re.findall(r"[a-z]+://[^\"')\s]*", html.replace(LINK, "")):
            assert re.fullmatch(r"https://picsum\.photos/id/48/\d+/\d+", address)
        assert not re.search(r"(?:href|src)=\"(?!#\"|https://)", html)


@pytest.mark.parametrize("section", all_sections(), ids=lambda section: section.name)
def test_every_section_draws_sound_markup(section: Section):
    """Whatever the kind of business and the style, and whatever the seed."""
    shapes = set()
    for seed in range(20):
        kind = Random(seed).choice(kinds_of(section.held_out))
        page = blank_page(kind, seed, section.held_out)
        html = document(el("body", page.style.body, *page.add(section)), page.style.indent)
        parsed(html)
        assert not re.search(r"[{}\[\]|]", html), html
        shapes.add(html)
    assert len(shapes) > 10


def test_text_is_escaped():
    html = document(el("body", "", el("p", "", "a < b & c"), el("img", "", alt='say "x"')), 2)
    assert "a &lt; b &amp; c" in html
    assert 'alt="say &quot;x&quot;"' in html


def test_held_out_parts_are_unseen():
    for role in ROLES:
        assert not set(sections_of(role, True)) & set(sections_of(role, False))
        assert sections_of(role, True)
    names = [part.name for part in (*all_sections(), *layouts_of(True), *layouts_of(False), *all_kinds())]
    assert len(names) == len(set(names))
    assert not set(kinds_of(True)) & set(kinds_of(False))
    assert not set(layouts_of(True)) & set(layouts_of(False))


@pytest.mark.parametrize("held_out", [False, True])
def test_a_split_draws_its_own_parts_and_no_others(held_out: bool):
    drawn: set[Section] = set()
    for layout in layouts_of(held_out):
        for seed in range(30):
            page = blank_page(kinds_of(held_out)[seed % len(kinds_of(held_out))], seed, held_out)
            assert layout.build(page)
            drawn.update(page.drawn)
    own = {section for section in all_sections() if section.held_out == held_out}
    assert drawn <= own
    assert len(drawn) > 0.9 * len(own)


def test_there_is_enough_of_everything():
    assert len(kinds_of(False)) >= 25
    assert len(kinds_of(True)) >= 5
    assert sum(not section.held_out for section in all_sections()) >= 25
    assert sum(section.held_out for section in all_sections()) >= 15
    assert {generate("test", index).family for index in range(500)} == {kind.name for kind in kinds_of(False)}
    assert {generate("test_ood", index).family for index in range(500)} == {kind.name for kind in kinds_of(True)}


@pytest.mark.parametrize("kind", all_kinds(), ids=lambda kind: kind.name)
def test_a_kind_knows_enough_and_says_it_in_sentences(kind: Kind):
    assert len(kind.offers) >= 6
    assert len(kind.facts) >= 4
    assert len(kind.labels) >= 3
    assert min(len(kind.aims), len(kind.qualities), len(kind.menu), len(kind.sights), len(kind.brands)) >= 4
    assert kind.prices[0] < kind.prices[1]
    for sentence in (*kind.facts, *kind.voices, *(offer.sentence for offer in kind.offers)):
        assert re.match(r"[A-Z\[]", sentence), sentence
        assert sentence.endswith("."), sentence
        assert sentence.count("[") == sentence.count("]"), sentence


def test_no_sentence_comes_twice_in_a_text():
    for seed in range(200):
        words = Words(kinds_of(False)[seed % len(kinds_of(False))], Random(seed))
        text = " ".join(words.paragraph(count) for count in (1, 2, 3, 4))
        sentences = re.split(r"(?<=\.) ", text)
        assert len(sentences) == len(set(sentences))
        assert not re.search(r"\ba [aeio]", text), text


def test_every_class_is_in_the_stylesheet():
    """Apart from the few colors that such pages ask for in vain."""
    try:
        css = assets.tailwind_file("2.2.19").read_text()
    except ConfigError as error:
        pytest.skip(f"the stylesheet is not here: {error}")
    known = {re.sub(r"\\(.)", r"\1", name) for name in re.findall(r"\.((?:\\.|[\w-])+)", css)}
    for html in PAGES:
        used = {name for classes in re.findall(r'class="([^"]*)"', html) for name in classes.split()}
        unknown = {name for name in used - known if not re.fullmatch(rf"(?:bg|text)-(?:{'|'.join(GHOSTS)})-\d00", name)}
        assert not unknown
