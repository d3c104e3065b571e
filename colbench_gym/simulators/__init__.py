"""Simulated users: who answers the agent's questions."""

from __future__ import annotations

from typing import Any

from colbench_gym.errors import ConfigError
from colbench_gym.simulators.rules_backend import RulesUser
from colbench_gym.specs import load_attribute, names_attribute, parse_spec
from colbench_gym.types import Domain, User

__all__ = ["RulesUser", "make_user"]

ACCEPTED = "'rules', or 'MODULE:ATTRIBUTE' for a user of your own"
_LATER = ("chat", "replay", "human")


def make_user(spec: str | User, *, domain: Domain = "backend") -> User:
    """The user that a specification names.

    Args:
        spec: `rules`; `module:attribute` of a user, or of a class or function without arguments that makes one; or an
            object with the `User` protocol, which is returned as it is.
        domain: which environment it speaks in.

    Raises:
        ConfigError: no such user, or the object lacks a part of the `User` protocol.
    """
    if not isinstance(spec, str):
        return _checked(spec, repr(type(spec).__name__))
    kind = parse_spec(spec).kind
    if kind == "rules":
        parsed = parse_spec(spec)
        parsed.only_options()
        if parsed.rest:
            raise ConfigError(f"{spec!r}: rules takes nothing after a colon. Mend: {ACCEPTED}")
        if domain != "backend":
            raise ConfigError(f"no user 'rules' for the domain {domain!r} in this version. Mend: domain='backend'")
        return RulesUser()
    if kind in _LATER:
        raise ConfigError(f"{spec!r}: the user {kind!r} is not part of this version. Mend: {ACCEPTED}")
    if not names_attribute(spec):
        raise ConfigError(f"no user {spec!r}. Mend: {ACCEPTED}")
    found: Any = load_attribute(spec)
    made = found if _speaks(found) and not isinstance(found, type) else found() if callable(found) else found
    return _checked(made, repr(spec))


def _speaks(candidate: object) -> bool:
    return callable(getattr(candidate, "reply", None)) and callable(getattr(candidate, "respond", None))


def _checked(candidate: Any, name: str) -> User:
    missing = [part for part in ("identity", "reply", "respond") if not hasattr(candidate, part)]
    if missing or isinstance(candidate, type):
        lacks = ", ".join(missing) or "an instance (it is a class)"
        raise ConfigError(f"the user {name} lacks {lacks}. Mend: {ACCEPTED}; see colbench_gym.types.User")
    return candidate
