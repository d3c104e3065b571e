"""Users named by strings."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from colbench_gym.errors import ConfigError
from colbench_gym.simulators import HumanUser, ReplayUser, RulesFrontendUser, RulesUser, make_user
from colbench_gym.types import Message, Reply, Task, User


class Parrot:
    """A user of one's own."""

    @property
    def identity(self) -> Mapping[str, Any]:
        return {"kind": "parrot"}

    def reply(self, task: Task, messages: Sequence[Message]) -> str:
        return messages[-1]["content"]

    def respond(self, task: Task, messages: Sequence[Message]) -> Reply:
        return Reply(self.reply(task, messages))


class Mute:
    """Lacks the words."""

    identity = ("mute",)


PARROT = Parrot()
NUMBER = 5


def parrot_factory() -> Parrot:
    return Parrot()


def test_rules() -> None:
    assert isinstance(make_user("rules"), RulesUser)


@pytest.mark.parametrize("name", ["Parrot", "PARROT", "parrot_factory"])
def test_a_user_of_ones_own(name: str) -> None:
    user = make_user(f"{__name__}:{name}")
    assert isinstance(user, User)
    assert user.identity == {"kind": "parrot"}


def test_an_object_passes_through() -> None:
    assert make_user(PARROT) is PARROT


@pytest.mark.parametrize(
    "spec",
    [
        "",
        "nobody",
        "rules:x",
        "rules?x=1",
        "chat:",
        "chat:model-without-a-server",
        "replay:",
        "replay:no_such_file.jsonl",
        "replay:no_such_file.jsonl?x=1",
        "human:me",
        "human?x=1",
        "no_such_mod:a",
    ],
)
def test_what_does_not_exist_is_named_with_the_mend(spec: str) -> None:
    with pytest.raises(ConfigError) as caught:
        make_user(spec)
    assert "Mend" in str(caught.value)


def test_accepted_specs_are_named() -> None:
    with pytest.raises(ConfigError, match=r"'rules'.*'chat:.*'replay:FILE'.*'human'.*MODULE:ATTRIBUTE"):
        make_user("nobody")


def test_human_speaks_in_either_domain() -> None:
    for domain in ("backend", "frontend"):
        user = make_user("human", domain=domain)
        assert isinstance(user, HumanUser)
        assert user.identity == {"kind": "human", "domain": domain}


def test_replay_reads_its_file(tmp_path: Path) -> None:
    line = {
        "schema": "colbench-episode/1",
        "key": {"task_id": "t"},
        "messages": [
            {"role": "user", "content": "d"},
            {"role": "assistant", "content": "q"},
            {"role": "user", "content": "a"},
        ],
    }
    (tmp_path / "e.jsonl").write_text(json.dumps(line) + "\n")
    user = make_user(f"replay:{tmp_path}/e.jsonl")
    assert isinstance(user, ReplayUser)
    assert isinstance(user, User)


def test_chat_is_made_without_a_call() -> None:
    pytest.importorskip("openai", reason="the extra llm is not installed")
    user = make_user("chat:some/model@http://localhost:1/v1")
    assert isinstance(user, User)
    assert user.identity["model"] == "some/model"


@pytest.mark.parametrize("name", ["Mute", "NUMBER", "missing"])
def test_what_is_no_user_is_refused(name: str) -> None:
    with pytest.raises(ConfigError):
        make_user(f"{__name__}:{name}")
    with pytest.raises(ConfigError, match="reply"):
        make_user(Mute())  # pyright: ignore[reportArgumentType]


def test_rules_are_those_of_the_domain() -> None:
    assert isinstance(make_user("rules", domain="backend"), RulesUser)
    assert isinstance(make_user("rules", domain="frontend"), RulesFrontendUser)
