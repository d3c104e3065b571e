"""The Frontend agents without a model: they propose pages, hand one in at last, and play no other domain."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from colbench_gym.errors import AgentError, ConfigError
from colbench_gym.evaluation import summarize
from colbench_gym.protocol import ANSWER_MARKER, snippet_in
from colbench_gym.rollouts import RunConfig, collect, make_agent, read_episodes
from colbench_gym.types import Agent, Ceiling, Message, Task

DESCRIPTION = "Bakery Website: A warm page with a purple header, opening hours and three kinds of bread."
FIRST: list[Message] = [Message(role="user", content=DESCRIPTION)]


def agent(spec: str) -> Agent:
    found = make_agent(spec, domain="frontend")
    assert isinstance(found, Agent)
    return found


def after(spec: str, *replies: str) -> str:
    """The agent's message after these replies of the user."""
    messages = list(FIRST)
    for reply in replies:
        messages += [
            Message(role="assistant", content=agent(spec).act(messages).text),
            Message(role="user", content=reply),
        ]
    return agent(spec).act(messages).text


def test_the_first_page_is_made_from_the_description() -> None:
    first = after("scripted:follow")
    assert ANSWER_MARKER not in first
    assert "Welcome to Bakery Website" in first
    assert first == after("scripted:generic")
    assert snippet_in(first, "official") == snippet_in(first, "strict")


def test_follow_changes_its_page_by_the_words_and_generic_does_not() -> None:
    reply = (
        '"Quality" should read "Rye". Under "Welcome to Bakery Website" there should be "From five" in large red text.'
    )
    assert all(text in after("scripted:follow", reply) for text in (">Rye<", ">From five<"))
    assert "From five" not in after("scripted:generic", reply)


def test_what_was_said_in_earlier_turns_is_kept() -> None:
    page = after("scripted:follow", '"Quality" should read "Rye".', "Thank you.", '"Service" should go.')
    assert ">Rye<" in page
    assert ">Service<" not in page


def test_texts_cannot_break_out_of_the_page() -> None:
    page = after("scripted:follow", '"Quality" should read "</p><script>x</script>&".')
    assert "&lt;/p&gt;&lt;script&gt;x&lt;/script&gt;&amp;" in page


@pytest.mark.parametrize("turns", [1, 3, 10])
@pytest.mark.parametrize("name", ["follow", "generic"])
def test_the_last_turn_hands_in_the_page(name: str, turns: int) -> None:
    spec = f"scripted:{name}?turns={turns}" if turns != 10 else f"scripted:{name}"
    assert agent(spec).identity["name"] == spec
    for turn in range(turns):
        text = after(spec, *["Nice."] * turn)
        assert text.startswith(ANSWER_MARKER) == (turn == turns - 1)
        assert snippet_in(text, "official")


def test_blank_hands_in_a_page_with_nothing_on_it() -> None:
    text = after("scripted:blank")
    assert text.startswith(ANSWER_MARKER)
    page = snippet_in(text, "official")
    assert page is not None
    assert "</body>" in page
    assert "<p" not in page
    assert "<div" not in page


def test_the_oracle_hands_in_the_reference() -> None:
    oracle = make_agent("scripted:oracle")
    assert isinstance(oracle, Ceiling)
    reference = "<html><body><h1>Rye</h1></body></html>"
    text = oracle.act_knowing(Task("t", "frontend", DESCRIPTION, reference), FIRST).text
    assert snippet_in(text, "official") == reference


@pytest.mark.parametrize("name", ["follow", "generic", "blank"])
def test_pages_are_no_answer_to_a_backend_task(name: str) -> None:
    with pytest.raises(AgentError, match=r"Frontend only.*Mend: scripted:guess"):
        agent(f"scripted:{name}").act([Message(role="user", content="Add tax. def total(net)")])


@pytest.mark.parametrize("name", ["guess", "ask?questions=2"])
def test_functions_are_no_answer_to_a_frontend_task(name: str) -> None:
    with pytest.raises(ConfigError, match=r"for the domain frontend.*Mend: one of scripted:blank"):
        agent(f"scripted:{name}")
    ready = make_agent(f"scripted:{name}", domain="backend")
    assert isinstance(ready, Agent)
    with pytest.raises(AgentError, match=r"Backend only.*Mend: scripted:follow"):
        ready.act(FIRST)


@pytest.mark.parametrize(
    ("description", "name", "colour"),
    [
        ("Bakery: warm.", "Bakery", "#3b82f6"),
        ("A green website for a bicycle shop with a map.", "Bicycle Shop", "#22c55e"),
        ("Something nice.", "Our Company", "#3b82f6"),
        ("", "Our Company", "#3b82f6"),
    ],
)
def test_name_and_colour_come_from_the_description(description: str, name: str, colour: str) -> None:
    text = agent("scripted:generic").act([Message(role="user", content=description)]).text
    assert f"Welcome to {name}<" in text
    assert f"background:{colour}" in text


TABLE = Path(__file__).parents[2] / "docs" / "reference_scores.md"
ROW = re.compile(r"^\| `(scripted:\S+)` \| (\w+) \| (\S+) \| (\S+) to (\S+) \| (\S+) \|$", re.MULTILINE)


@pytest.mark.slow
@pytest.mark.browser
@pytest.mark.parametrize("agent_spec", ["scripted:blank", "scripted:follow?turns=2"])
def test_the_published_scores(agent_spec: str, tmp_path: Path):
    (figures,) = [row[2:] for row in ROW.findall(TABLE.read_text(encoding="utf-8")) if row[:2] == (agent_spec, "test")]
    config = RunConfig("ColBench-Frontend-v0", agent_spec, tasks="embedded-frontend:test")
    collect(config, tmp_path / "run", episodes=100)
    summary = summarize(read_episodes(tmp_path / "run"))
    low, high = summary["similarity_interval"]
    found = tuple(f"{value:.3f}" for value in (summary["similarity"], low, high))
    assert (*found, f"{summary['turns']:.2f}") == figures
