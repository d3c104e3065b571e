"""The user who sees both pages: the most outstanding difference first, in a person's words."""

from __future__ import annotations

import re
import time

import pytest

from colbench_agents.drawing import html_of
from colbench_agents.follow import Follow, generic_page
from colbench_gym import load_tasks
from colbench_gym.errors import SimulatorError
from colbench_gym.grading import render as rendering
from colbench_gym.grading.pages import PageGrader
from colbench_gym.grading.render import Render, Unrenderable
from colbench_gym.grading.sharing import Cache
from colbench_gym.protocol import snippet_in
from colbench_gym.simulators import RulesFrontendUser, make_user, rules_frontend
from colbench_gym.types import Message, Task, User
from tests.simulators.seeing.pages import PARTS, changed, page

TASK = Task("bikes", "frontend", "A page for a bicycle shop.", page())
QUOTED = re.compile(r'"[^"]*"')
JARGON = re.compile(
    r"[<>{}#;=_`]|\b(?:div|span|elements?|containers?|classe?s?|css|html|tailwind|px|rem|rgba?|hex|flex|grid|margins?|padding"
    r"|opacity|font|hover|src|attributes?|tags?|nodes?|none)\b",
    re.IGNORECASE,
)
pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def user() -> RulesFrontendUser:
    return RulesFrontendUser()


def dialogue(html: str, words: str = "Here is a page.", *, description: str = TASK.description) -> list[Message]:
    return [Message(role="user", content=description), Message(role="assistant", content=f"{words}\n\n{html}")]


def first_sentence(reply: str) -> str:
    quotes = QUOTED.sub(lambda match: match[0].replace(".", "·"), reply)
    return re.split(r"(?<=\.) ", quotes)[0].replace("·", ".")


def without_fourth_card() -> str:
    start = PARTS["cards"].rindex('<div class="flex-1')
    return page(cards=PARTS["cards"][:start] + "</div>")


@pytest.mark.parametrize(
    ("shown", "said"),
    [
        (changed("nav", "bg-blue-800", "bg-red-500"), ["The navigation bar", '"Harbour Bikes"', "should be dark blue"]),
        (without_fourth_card(), ["There should be four cards side by side, yours has three."]),
        (
            page(footer=""),
            ['Below the cards with "City" there should be', "very dark grey band", "© 2021 Harbour Bikes"],
        ),
        (page(nav=""), ["Above", "there should be a dark blue band", '"Harbour Bikes"', '"Repairs"']),
        (changed("hero", "Ride along the quay", "Ride in the park"), ['should read "Ride along the quay"']),
        (changed("hero", "p-8 text-center", "p-8"), ['"Ride along the quay"', "should be centred"]),
        (changed("picture", "h-48 w-96", "h-24 w-32"), ["The picture should be about 380 by 190"]),
        (changed("hero", "bg-green-600", "bg-pink-600"), ['"Book a bike" should be strong emerald green']),
        (page(ground="bg-yellow-300"), ["The page's background should be white, yours is light amber."]),
        (changed("hero", "text-4xl font-bold", "text-xl"), ['"Ride along the quay" should be huge and bold']),
        (page(picture=""), ["there should be a picture about 380 by 190 centred"]),
        (page(picture=PARTS["picture"] * 2), ["picture should go."]),
        (page(hero=PARTS["hero"] + "<h2 class='text-3xl'>Win a helmet!</h2>"), ['"Win a helmet!" should go.']),
        (changed("cards", "bg-gray-200", "bg-indigo-300"), ["The cards with", "should all be pale grey"]),
        (changed("nav", "text-white", "text-yellow-300"), ['"Harbour Bikes", "Home",', "should be white"]),
        (changed("hero", "p-8", "p-24"), ["less space above", '"Ride along the quay"']),
    ],
)
def test_a_planted_difference_is_said_first(user: RulesFrontendUser, shown: str, said: list[str]) -> None:
    reply = user.respond(TASK, dialogue(shown))
    assert all(part in first_sentence(reply.text) for part in said), reply.text
    assert reply.disclosed
    assert reply == RulesFrontendUser().respond(TASK, dialogue(shown))
    assert is_plain(reply.text)


def is_plain(reply: str) -> bool:
    """Whether a person would talk so: no code, no names from the page's source, nothing too long."""
    return (
        0 < len(reply) <= 1000 and "<" not in reply and not JARGON.search(QUOTED.sub("", reply).replace("; then", ""))
    )


def test_what_is_in_the_wrong_place_is_told_so(user: RulesFrontendUser) -> None:
    quay, helmet = "<h2 class='text-2xl'>Find us on the quay</h2>", "<h2 class='text-2xl'>Win a helmet!</h2>"
    task = Task("moved", "frontend", "d", page(hero=PARTS["hero"] + quay + helmet))
    reply = user.reply(task, dialogue(page(hero=helmet + PARTS["hero"] + quay)))
    assert first_sentence(reply) == '"Win a helmet!" should stand under "Find us on the quay".'
    assert "should go" not in reply


def test_the_wanted_page_has_no_difference(user: RulesFrontendUser) -> None:
    reply = user.respond(TASK, dialogue(TASK.reference))
    assert reply.disclosed == ()
    assert "difference" in reply.text or "had in mind" in reply.text


def test_without_a_page_the_wanted_one_is_described_in_parts(user: RulesFrontendUser) -> None:
    messages: list[Message] = [Message(role="user", content=TASK.description)]
    told = []
    for _ in range(6):
        messages.append(Message(role="assistant", content="What should it look like?"))
        told.append(user.reply(TASK, messages))
        messages.append(Message(role="user", content=told[-1]))
    assert "dark blue band" in told[0]
    assert len(told[0]) < 700
    assert all(text in " ".join(told) for text in ("Harbour Bikes", "Ride along the quay", "Electric", "Quay 4"))
    assert "show me a page" in told[-1]


def test_a_question_about_colours_is_answered_by_colours(user: RulesFrontendUser) -> None:
    shown = page(
        hero=PARTS["hero"].replace("text-4xl font-bold", "text-xl").replace("bg-green-600", "bg-pink-600"), footer=""
    )
    assert "green" not in first_sentence(user.reply(TASK, dialogue(shown, "Here.")))
    assert "green" in first_sentence(user.reply(TASK, dialogue(shown, "Here. Which colour should the button have?")))
    assert "Quay 4" in first_sentence(user.reply(TASK, dialogue(shown, "Is a section missing?")))
    after = [Message(role="assistant", content=f"{shown}\nWhich colour should the button have?")]
    assert "green" in first_sentence(user.reply(TASK, dialogue("Hello")[:1] + after))


def test_what_is_still_wrong_is_said_with_still(user: RulesFrontendUser) -> None:
    shown = changed("nav", "bg-blue-800", "bg-red-500")
    messages = dialogue(shown)
    before = user.reply(TASK, messages)
    messages += [Message(role="user", content=before), Message(role="assistant", content=shown)]
    after = user.reply(TASK, messages)
    assert after != before
    assert after == before.replace(" should ", " should still ")


def test_another_page_is_begun_afresh(user: RulesFrontendUser) -> None:
    reply = user.reply(
        TASK, dialogue("<html><body><h1>Cats</h1><p>Everything about cats and kittens.</p></body></html>")
    )
    assert "start afresh" in reply
    assert "dark blue band" in reply


def test_another_page_shown_again_is_still_another() -> None:
    user = RulesFrontendUser()
    messages = dialogue("<html><body><h1>Cats</h1><p>Everything about cats and kittens.</p></body></html>")
    before = user.reply(TASK, messages)
    again = user.reply(TASK, [*messages, Message(role="user", content=before), messages[-1]])
    assert "still isn't my page" in again
    assert "there should still be a dark blue band" in again


def test_an_empty_page_misses_everything(user: RulesFrontendUser) -> None:
    assert "At the top there should be a dark blue band" in user.reply(TASK, dialogue("<html><body></body></html>"))


def test_the_last_page_shown_counts(user: RulesFrontendUser) -> None:
    messages = dialogue(TASK.reference)
    messages += [Message(role="user", content="Fine."), Message(role="assistant", content="Shall I hand it in?")]
    assert user.respond(TASK, messages).disclosed == ()


def test_a_page_that_cannot_be_rendered(user: RulesFrontendUser) -> None:
    heavy = f"<html><body>{'<p>x</p>' * 150_000}</body></html>"
    assert "does not show" in user.reply(TASK, dialogue(heavy))
    with pytest.raises(SimulatorError, match=r"heavy.*reference cannot be rendered.*Mend"):
        user.reply(Task("heavy", "frontend", "d", heavy), dialogue(TASK.reference))


def test_a_page_is_rendered_once(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[str] = []

    def counting(html: str, **options: str) -> Render:
        calls.append(html)
        if "storm" in html:
            raise Unrenderable("timeout", "too slow")
        return rendering.render(html, **options)  # pyright: ignore[reportArgumentType]

    monkeypatch.setattr(rules_frontend, "render", counting)
    monkeypatch.setattr(rules_frontend, "_seen", Cache(3))
    for word in ("calm", "calm", "storm", "storm"):
        # Users share what they have seen.
        user = RulesFrontendUser()
        user.reply(TASK, dialogue(f"<html><body>{word}</body></html>"))
    assert len(calls) == 3
    user = RulesFrontendUser()
    for number in range(3):
        user.reply(TASK, dialogue(f"<html><body>{number}</body></html>"))
    user.reply(TASK, dialogue("<html><body>calm</body></html>"))
    assert len(calls) == 7, "the oldest page was forgotten, the reference was used all the time"


def test_it_is_what_rules_means_for_frontend() -> None:
    user = make_user("rules", domain="frontend")
    assert isinstance(user, RulesFrontendUser)
    assert isinstance(user, User)
    assert user.identity["domain"] == "frontend"


@pytest.mark.slow
def test_replies_on_a_hundred_pages_are_a_persons_words(user: RulesFrontendUser) -> None:
    seconds = []
    for number, task in enumerate(load_tasks("embedded-frontend:test", limit=100)):
        generic = html_of(generic_page(task.description))
        cut_off = task.reference[: len(task.reference) * 2 // 3]
        talks = [
            [Message(role="user", content=task.description), Message(role="assistant", content="What should it be?")],
            dialogue((generic, cut_off)[number % 2], description=task.description),
        ]
        for messages in talks:
            reply = user.reply(task, messages)
            assert is_plain(reply), reply
            start = time.perf_counter()
            assert user.reply(task, messages) == reply
            seconds.append(time.perf_counter() - start)
    assert sorted(seconds)[len(seconds) // 2] < 0.05


@pytest.mark.slow
def test_following_pays_and_ignoring_does_not() -> None:
    grader = PageGrader("visual", geometry="default", renderer="chromium", profile="strict")
    user = RulesFrontendUser()
    for task in load_tasks("embedded-frontend:test", limit=3):
        curves = []
        for agent in (Follow(6), Follow(6, listens=False)):
            messages: list[Message] = [Message(role="user", content=task.description)]
            pages = []
            for _ in range(6):
                pages.append(agent.act(messages).text)
                messages.append(Message(role="assistant", content=pages[-1]))
                messages.append(Message(role="user", content=user.reply(task, messages)))
            curves.append([grade.reward for grade in grader.grade_many((task, snippet_in(text)) for text in pages)])
        follow, ignore = curves
        assert follow[0] == ignore[0]
        assert len(set(ignore)) == 1
        assert follow[1] > follow[0]
        assert follow[-1] > follow[0] + 0.6 * (1 - follow[0]), follow
