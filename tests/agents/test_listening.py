"""What the user says of a page is what the agent hears: the words carry everything that they speak of."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from colbench_agents.listening import Listener
from colbench_agents.phrases import repaint, restyle
from colbench_gym.simulators.seeing.colours import COLOURS, colour_name
from colbench_gym.simulators.seeing.differences import whole
from colbench_gym.simulators.seeing.model import Block, Cell, Item, Line, Look, Page, Row
from colbench_gym.simulators.seeing.wording import SIZES, size_name
from tests.simulators.seeing.pages import Drawn


def outline(blocks: list[Block]) -> Iterator[object]:
    """Everything that words can tell of a page."""
    for block in blocks:
        if isinstance(block, Line):
            yield [(thing(item), place) for item, place in zip(block.items, block.places, strict=True)]
        else:
            yield (block.band, len(block.cells), [(surface(cell), list(outline(cell.blocks))) for cell in block.cells])


def thing(item: Item) -> tuple[object, ...]:
    if item.kind in ("picture", "field"):
        return item.kind, item.text, item.width, item.height
    paint = (item.look.background, item.look.rounded) if item.kind == "button" else ()
    return item.kind, item.text, item.size, item.bold, item.italic, item.colour, *paint


def surface(cell: Cell) -> tuple[object, ...]:
    return cell.look.background, cell.look.rounded, cell.look.shadow


@pytest.mark.parametrize("seed", range(150))
def test_a_page_told_is_the_page_heard(seed: int) -> None:
    page = Drawn(seed).page()
    listener = Listener(Page())
    listener.hear(" ".join(whole(page)))
    assert listener.page.cell.look.background == page.cell.look.background
    assert list(outline(listener.page.cell.blocks)) == list(outline(page.cell.blocks))


def test_every_colour_and_every_size_has_its_own_name() -> None:
    assert len(set(COLOURS.values())) == len(COLOURS)
    for name, colour in COLOURS.items():
        assert colour_name(colour) == name
        look = Look()
        repaint(look, f"{name}, with rounded corners")
        assert (look.background, look.rounded) == (colour, True)
    for name, size in SIZES.items():
        assert size_name(size) == name
        item = Item("text")
        restyle(item, f"{name}, bold and dark blue")
        assert (item.size, item.bold, item.colour) == (size, True, COLOURS["dark blue"])


def shop() -> Page:
    cards = [Cell([Line([Item("text", name, bold=True)], ["left"])], Look(COLOURS["white"])) for name in ("Tea", "Rum")]
    bar = Cell([Line([Item("text", "Corner Shop"), Item("text", "Home")], ["left", "right"])], Look(COLOURS["blue"]))
    return Page(Cell([Row([bar], True, 1), Line([Item("text", "Home")], ["left"]), Row(cards, count=2)]))


def heard(*sentences: str) -> Page:
    listener = Listener(shop())
    listener.hear(" ".join(sentences))
    return listener.page


def texts(page: Page) -> list[str]:
    return [item.text for item in page.items()]


@pytest.mark.parametrize(
    ("sentence", "left"),
    [
        ('"Tea" should go.', ["Corner Shop", "Home", "Home", "Rum"]),
        ('The second "Home" should go.', ["Corner Shop", "Home", "Tea", "Rum"]),
        ('The first "Home" and "Rum" should still go.', ["Corner Shop", "Home", "Tea"]),
        ('The card with "Rum" should go.', ["Corner Shop", "Home", "Home", "Tea"]),
        ('The cards with "Rum" should go.', ["Corner Shop", "Home", "Home"]),
        ('The header with "Corner Shop" should go.', ["Home", "Tea", "Rum"]),
        ('"Tea" should read "Milk. Or not?".', ["Corner Shop", "Home", "Home", "Milk. Or not?", "Rum"]),
        ('"Corner…" should go on: "on the quay".', ["Corner Shop on the quay", "Home", "Home", "Tea", "Rum"]),
        (
            'Under the second "Home" there should be "New" in small text.',
            ["Corner Shop", "Home", "Home", "New", "Tea", "Rum"],
        ),
        ('Above the cards with "Tea" there should be "New".', ["Corner Shop", "Home", "Home", "New", "Tea", "Rum"]),
        (
            'Below the band with "Corner Shop" there should be "New".',
            ["Corner Shop", "Home", "New", "Home", "Tea", "Rum"],
        ),
        ('Below the cards with "Tea" there should be "New".', ["Corner Shop", "Home", "Home", "Tea", "Rum", "New"]),
        ('At the top there should be "New".', ["New", "Corner Shop", "Home", "Home", "Tea", "Rum"]),
        (
            "There should be three cards side by side, yours has two. "
            'To the right of the card with "Tea" there should be another card like it, with "Gin".',
            ["Corner Shop", "Home", "Home", "Tea", "Gin", "Rum"],
        ),
        (
            'To the right of the first "Home", on the same line, there should be "Map" on the right.',
            ["Corner Shop", "Home", "Map", "Home", "Tea", "Rum"],
        ),
        ('"Rum" should stand under the second "Home".', ["Corner Shop", "Home", "Home", "Rum", "Tea"]),
        ('The second "Home" should stand at the top.', ["Home", "Corner Shop", "Home", "Tea", "Rum"]),
        ('"Nothing" should go.', ["Corner Shop", "Home", "Home", "Tea", "Rum"]),
        ("What a page!", ["Corner Shop", "Home", "Home", "Tea", "Rum"]),
        ("That isn't my page yet, please start afresh.", []),
    ],
)
def test_things_come_and_go_by_name(sentence: str, left: list[str]) -> None:
    assert texts(heard(sentence)) == left


def test_names_hold_within_a_reply() -> None:
    """Whoever speaks has the page of before in view, whatever the sentences before have changed."""
    page = heard('"Tea" should read "Milk".', '"Tea" should be huge and red.', 'Under "Tea" there should be "Fresh".')
    milk = next(item for item in page.items() if item.text == "Milk")
    assert (milk.size, milk.colour) == (SIZES["huge"], COLOURS["red"])
    assert texts(page)[-3:] == ["Milk", "Fresh", "Rum"]


def test_surfaces_change_colour_together_with_their_texts() -> None:
    page = heard('The navigation bar with "Corner Shop" should be dark blue with white text.')
    bar = page.cell.blocks[0]
    assert isinstance(bar, Row)
    assert bar.cells[0].look.background == COLOURS["dark blue"]
    assert {item.colour for item in list(page.items())[:2]} == {COLOURS["white"]}


def lines(blocks: list[Block]) -> list[Line]:
    """All lines, those on bands and cards included."""
    found: list[Line] = []
    for block in blocks:
        found += [block] if isinstance(block, Line) else [line for cell in block.cells for line in lines(cell.blocks)]
    return found


def test_spaces_change_by_what_is_missing() -> None:
    page = heard('There should be more space above the second "Home", about 60 pixels, yours has about 20.')
    assert [line.gap for line in lines(page.cell.blocks)] == [0, 40, 0, 0]


@pytest.mark.parametrize(
    ("sentence", "places"),
    [
        ('The first "Home" should be on the left.', ["left", "left"]),
        ('"Corner Shop" should be on the right.', ["right", "right"]),
        ('"Corner Shop" should be centred.', ["centred", "right"]),
        ('The first "Home" should be spread over the whole width.', ["spread", "spread"]),
    ],
)
def test_places_on_a_line_stay_in_order(sentence: str, places: list[str]) -> None:
    assert lines(heard(sentence).cell.blocks)[0].places == places
