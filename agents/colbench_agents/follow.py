"""Frontend agents without a model: one that builds the page from what it is told, and two that never listen.

`scripted:follow` proposes a page every turn. It knows the words that people use for things on pages, and changes its
page by them; it sees neither picture. It keeps nothing between calls: its page is built anew from the user's replies.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from colbench_agents.drawing import html_of
from colbench_agents.listening import Listener
from colbench_agents.phrases import UNSET
from colbench_gym.errors import AgentError
from colbench_gym.protocol import ANSWER_MARKER, MAX_TURNS, signature_in
from colbench_gym.simulators.seeing.colours import COLOUR_WORDS, COLOURS, WHITE
from colbench_gym.simulators.seeing.model import Cell, Item, Line, Look, Page, Row
from colbench_gym.types import AgentReply, Message

FOLLOW_VERSION = 1

_COVERS = (
    "Here is a first page. What should I change?",
    "I have changed that. What else is different?",
    "Here is the next version, please have a look.",
    "Changed. Is anything still different?",
)
_NAME = re.compile(r"^\W*([^:.,]{2,40}):")
_BUSINESS = re.compile(r"\b(?:for|of) (?:a|an|the) ([\w' -]{3,40}?)(?: that| which| with|[.,:]|$)")


class Follow:
    """Edits its page by the user's words alone, and hands it in on its last turn.

    Args:
        turns: how many turns it takes, the answer included.
        listens: False: proposes its first page again and again.
    """

    def __init__(self, turns: int = MAX_TURNS, *, listens: bool = True) -> None:
        self.turns = turns
        self.listens = listens

    @property
    def identity(self) -> dict[str, object]:
        name = "follow" if self.listens else "generic"
        turns = f"?turns={self.turns}" if self.turns != MAX_TURNS else ""
        return {"name": f"scripted:{name}{turns}", "version": FOLLOW_VERSION}

    def act(self, messages: Sequence[Message]) -> AgentReply:
        _check_domain(messages, str(self.identity["name"]))
        listener = Listener(generic_page(messages[0]["content"]))
        if self.listens:
            for message in messages[1:]:
                if message["role"] == "user":
                    listener.hear(message["content"])
        turn = sum(message["role"] == "assistant" for message in messages)
        page = html_of(listener.page)
        if turn + 1 >= self.turns:
            return AgentReply(f"{ANSWER_MARKER}\n{page}")
        return AgentReply(f"{_COVERS[min(turn, 1) + (turn % 3 if turn else 0)]}\n\n{page}")


class Blank:
    """Hands in a page with nothing on it."""

    @property
    def identity(self) -> dict[str, object]:
        return {"name": "scripted:blank", "version": FOLLOW_VERSION}

    def act(self, messages: Sequence[Message]) -> AgentReply:
        _check_domain(messages, "scripted:blank")
        return AgentReply(f"{ANSWER_MARKER}\n{html_of(Page())}")


def _check_domain(messages: Sequence[Message], name: str) -> None:
    if (signature := signature_in(messages[0]["content"])) is not None:
        raise AgentError(
            f"{name} was asked for a function, {signature}: it plays Frontend only. "
            "Mend: scripted:guess or scripted:ask?questions=N for Backend"
        )


def generic_page(description: str) -> Page:
    """What a careless designer makes of a description: a bar, a large heading, three cards, a footer."""
    match = _NAME.match(description) or _BUSINESS.search(description)
    name = " ".join(match[1].split()).strip(" '-").title() if match else "Our Company"
    found = re.search(rf"\b({COLOUR_WORDS})\b", description.lower())
    tint = COLOURS[found[1]] if found and found[1] not in ("white", "black") else COLOURS["blue"]
    bar = _band(
        Look(background=tint),
        Line(
            [
                Item("text", name, 20, True, colour=WHITE),
                *(Item("text", text, colour=WHITE) for text in ("Home", "About", "Contact")),
            ],
            ["left", "right", "right", "right"],
            UNSET,
            UNSET,
            UNSET,
        ),
        height=60,
    )
    cards = [
        Cell([_alone(Item("text", title, 20, True))], Look(background=WHITE, shadow=True, rounded=True))
        for title in ("Quality", "Service", "Experience")
    ]
    footer = _band(
        Look(background=COLOURS["dark grey"]),
        _alone(Item("text", f"© {name}. All rights reserved.", 14, colour=WHITE), centred=True),
        height=60,
    )
    page = Page()
    page.cell.look.background = COLOURS["very pale grey"]
    page.cell.blocks = [
        bar,
        _alone(Item("text", f"Welcome to {name}", 36, True), centred=True, gap=60),
        _alone(Item("text", description[:200].rsplit(" ", 1)[0], 16), centred=True),
        Row(cards, count=3, gap=40, inset=UNSET),
        footer,
    ]
    return page


def _alone(item: Item, *, centred: bool = False, gap: float = UNSET) -> Line:
    return Line([item], ["centred" if centred else "left"], gap, UNSET, UNSET)


def _band(look: Look, line: Line, height: float) -> Row:
    return Row([Cell([line], look, height=height)], True, 1, gap=UNSET, inset=UNSET)
