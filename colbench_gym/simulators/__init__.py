"""Simulated users: who answers the agent's questions."""

from __future__ import annotations

from typing import Any

from colbench_gym.errors import ConfigError
from colbench_gym.simulators.human import HumanUser
from colbench_gym.simulators.replay import ReplayUser
from colbench_gym.simulators.rules_backend import RulesUser
from colbench_gym.simulators.rules_frontend import RulesFrontendUser
from colbench_gym.specs import Spec, make_attribute, names_attribute, parse_spec
from colbench_gym.types import Domain, User

__all__ = ["HumanUser", "ReplayUser", "RulesFrontendUser", "RulesUser", "make_user"]

ACCEPTED = (
    "'rules', 'chat:MODEL@http://HOST:PORT/v1', 'local:FOLDER', 'replay:FILE', 'human', or 'MODULE:ATTRIBUTE' for a "
    "user of your own"
)


def make_user(spec: str | User, *, domain: Domain = "backend") -> User:
    """The user that a specification names.

    Args:
        spec: `rules`; `chat:MODEL@URL` (a model behind an OpenAI-compatible server); `local:FOLDER` (a model of
            `transformers` in this process); `replay:FILE` (recorded replies); `human` (a person at the terminal);
            `module:attribute` of a user, or of a class or function without arguments that makes one; or an object with
            the `User` protocol, which is returned as it is.
        domain: which environment it speaks in.

    Raises:
        ConfigError: no such user, or the object lacks a part of the `User` protocol.
        MissingExtra: `chat` without the extra `llm`, `local` without the extra `local`.
    """
    if not isinstance(spec, str):
        return _checked(spec, repr(type(spec).__name__))
    parsed = parse_spec(spec)
    if parsed.kind == "rules":
        _takes_nothing(parsed)
        return RulesUser() if domain == "backend" else RulesFrontendUser()
    if parsed.kind == "human":
        _takes_nothing(parsed)
        return HumanUser(domain)
    if parsed.kind == "replay":
        parsed.only_options()
        if not parsed.rest:
            raise ConfigError(f"{spec!r} names no file. Mend: replay:FILE, with recorded dialogues or a run directory")
        return ReplayUser(parsed.rest)
    if parsed.kind == "chat":
        from colbench_gym.simulators.chat import ChatUser

        return ChatUser.from_spec(parsed, domain)
    if parsed.kind == "local":
        from colbench_gym.simulators.local_vlm import LocalUser

        return LocalUser.from_spec(parsed, domain)
    if not names_attribute(spec):
        raise ConfigError(f"no user {spec!r}. Mend: {ACCEPTED}")
    return _checked(make_attribute(spec, _speaks), repr(spec))


def _takes_nothing(spec: Spec) -> None:
    spec.only_options()
    if spec.rest:
        raise ConfigError(f"{spec.text!r}: {spec.kind} takes nothing after a colon. Mend: {ACCEPTED}")


def _speaks(candidate: object) -> bool:
    return callable(getattr(candidate, "reply", None)) and callable(getattr(candidate, "respond", None))


def _checked(candidate: Any, name: str) -> User:
    missing = [part for part in ("identity", "reply", "respond") if not hasattr(candidate, part)]
    if missing or isinstance(candidate, type):
        lacks = ", ".join(missing) or "an instance (it is a class)"
        raise ConfigError(f"the user {name} lacks {lacks}. Mend: {ACCEPTED}; see colbench_gym.types.User")
    return candidate
