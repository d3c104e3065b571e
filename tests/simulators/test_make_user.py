"""Users named by strings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from colbench_gym.errors import ConfigError
from colbench_gym.simulators import RulesUser, make_user
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
        "chat:m@http://localhost:1/v1",
        "replay:file.jsonl",
        "human",
        "no_such_mod:a",
    ],
)
def test_what_does_not_exist_is_named_with_the_mend(spec: str) -> None:
    with pytest.raises(ConfigError) as caught:
        make_user(spec)
    assert "Mend" in str(caught.value)


@pytest.mark.parametrize("spec", ["nobody", "human", "chat:m@http://localhost:1/v1"])
def test_accepted_specs_are_named(spec: str) -> None:
    with pytest.raises(ConfigError, match=r"'rules'.*MODULE:ATTRIBUTE"):
        make_user(spec)


@pytest.mark.parametrize("name", ["Mute", "NUMBER", "missing"])
def test_what_is_no_user_is_refused(name: str) -> None:
    with pytest.raises(ConfigError):
        make_user(f"{__name__}:{name}")
    with pytest.raises(ConfigError, match="reply"):
        make_user(Mute())  # pyright: ignore[reportArgumentType]


def test_other_domains_say_so() -> None:
    with pytest.raises(ConfigError, match="backend"):
        make_user("rules", domain="frontend")
