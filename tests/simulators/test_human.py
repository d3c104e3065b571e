"""A person at the terminal, with streams in the place of one."""

from __future__ import annotations

import io
import re
from pathlib import Path

import pytest

from colbench_gym.errors import SimulatorError
from colbench_gym.protocol import USER_CHARACTERS
from colbench_gym.simulators.human import HELP, HumanUser
from colbench_gym.types import Detail, Message, Task, User

TASK = Task(
    "tax/1",
    "backend",
    "Work out the tax. def tax(net)",
    "def tax(net):\n    return net * 0.19",
    {"t": "tax(1)"},
    (Detail("rate", ("rate",), "The rate is 19%.", 0.19, 0.2),),
)
FIRST: list[Message] = [
    {"role": "user", "content": TASK.description},
    {"role": "assistant", "content": "Which rate?\x1b[2J \ud800"},
]
LATER: list[Message] = [*FIRST, {"role": "user", "content": "19%."}, {"role": "assistant", "content": "Rounded?"}]


def play(typed: str, messages: list[Message] = FIRST, domain: str = "backend") -> tuple[str, str]:
    """What the person said, and what the terminal showed."""
    shown = io.StringIO()
    user = HumanUser(domain, reads=io.StringIO(typed), writes=shown)  # pyright: ignore[reportArgumentType]
    return user.respond(TASK, messages).text, shown.getvalue()


def test_an_empty_line_ends_a_reply_of_several_lines() -> None:
    user = HumanUser(reads=io.StringIO("It is 19%.\nAlways.\n\nNo.\n\n"), writes=io.StringIO())
    assert isinstance(user, User)
    assert user.reply(TASK, FIRST) == "It is 19%. Always."
    assert user.reply(TASK, LATER) == "No."


def test_shows_the_agents_words_without_escape_sequences() -> None:
    _, shown = play("19%\n\n")
    assert "Which rate?" in shown
    assert TASK.description in shown
    assert "\x1b" not in shown
    assert "\ud800" not in shown


def test_the_reference_is_shown_on_demand_only() -> None:
    said, shown = play("19%\n\n")
    assert "0.19" not in shown
    said, shown = play("/reference\n19%\n\n")
    assert said == "19%"
    assert "return net * 0.19" in shown
    assert "The rate is 19%." in shown


def test_other_commands() -> None:
    said, shown = play("/dialogue\n/help\n/nonsense\n19%\n\n", LATER)
    assert said == "19%"
    assert "agent: Rounded?" in shown
    assert "you: 19%." in shown
    assert "There is no /nonsense" in shown
    assert shown.count("Type your reply") == 1  # asked for; the text of the first turn is not shown again


@pytest.mark.browser
def test_both_pages_are_drawn_on_demand() -> None:
    task = Task("shop", "frontend", "A shop.", "<html><body><h1>Tea</h1></body></html>")
    shown = io.StringIO()
    user = HumanUser("frontend", reads=io.StringIO("/pictures\nBrighter.\n\n"), writes=shown)
    page = "<html><body><h1>Rum</h1></body></html>"
    messages: list[Message] = [{"role": "user", "content": "A shop."}, {"role": "assistant", "content": page}]
    assert user.reply(task, messages) == "Brighter."
    paths = [Path(path) for path in re.findall(r"(?:wanted|proposed): (\S+)", shown.getvalue())]
    assert [path.name for path in paths] == ["wanted.png", "proposed.png"]
    assert all(path.read_bytes().startswith(b"\x89PNG") for path in paths)
    assert "--- you" in shown.getvalue()


def test_pictures_are_of_the_frontend_only() -> None:
    _, shown = play("/pictures\n19%\n\n")
    assert "There is no /pictures" in shown


def test_the_help_names_the_limits() -> None:
    for domain, text in HELP.items():
        assert str(USER_CHARACTERS[domain]) in text


def test_blank_replies_are_asked_for_again() -> None:
    said, shown = play("\n  \n19%\n\n")
    assert said == "19%"
    assert shown.count("> ") == 3


@pytest.mark.parametrize("domain", ["backend", "frontend"])
def test_a_long_reply_is_refused_not_cut(domain: str) -> None:
    limit = USER_CHARACTERS[domain]
    said, shown = play(f"{'x' * (limit + 1)}\n\n{'y' * limit}\n\n", domain=domain)
    assert said == "y" * limit
    assert f"{limit + 1} characters are too many" in shown


@pytest.mark.parametrize("typed", ["", "/reference\n", "\n\n"])
def test_the_end_of_input_is_an_error(typed: str) -> None:
    with pytest.raises(SimulatorError, match=r"tax/1.*Mend"):
        play(typed)


def test_the_end_of_input_ends_a_begun_reply() -> None:
    assert play("19%")[0] == "19%"
    assert play("19%\nnet")[0] == "19% net"


def test_standard_streams_are_looked_up_when_used(monkeypatch: pytest.MonkeyPatch) -> None:
    user = HumanUser()
    monkeypatch.setattr("sys.stdin", io.StringIO("19%\n\n"))
    monkeypatch.setattr("sys.stderr", io.StringIO())
    assert user.reply(TASK, FIRST) == "19%"
