"""Specification strings: `kind`, `kind:rest`, `kind:rest?key=value&key=value`, `module:attribute`.

Everything that a command line, an environment's keyword arguments or a file names is named by such a string, so that it
survives JSON and pickle; this is the one place that takes them apart.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl

from colbench_gym.errors import ConfigError

_NUMBER = re.compile(r"[0-9]+(\.[0-9]+)?")
_ATTRIBUTE = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*:[A-Za-z_]\w*(\.[A-Za-z_]\w*)*")


@dataclass(frozen=True, slots=True)
class Spec:
    """A specification string in parts."""

    text: str
    kind: str
    rest: str = ""
    options: Mapping[str, str] = field(default_factory=dict)

    def take(self, name: str, default: int, *, least: int = 0) -> int:
        """The whole-number option `name`.

        Raises:
            ConfigError: it is no whole number of at least `least`.
        """
        value = self.options.get(name)
        if value is None:
            return default
        if not (value.isascii() and value.isdigit()) or int(value) < least:
            raise ConfigError(f"{self.text!r}: {name}={value} is not a whole number of at least {least}")
        return int(value)

    def take_number(self, name: str, default: float) -> float:
        """The option `name`, a number of at least 0 without sign and exponent.

        Raises:
            ConfigError: it is no such number.
        """
        value = self.options.get(name)
        if value is None:
            return default
        if not _NUMBER.fullmatch(value):
            raise ConfigError(f"{self.text!r}: {name}={value} is no number of at least 0")
        return float(value)

    def only_options(self, *names: str) -> None:
        """Raises ConfigError if there is an option other than these."""
        unknown = sorted(set(self.options) - set(names))
        if unknown:
            accepted = ", ".join(names) if names else "none"
            raise ConfigError(f"{self.text!r}: unknown option {unknown[0]!r}. Mend: it takes {accepted}")


def parse_spec(text: str) -> Spec:
    """Takes a specification string apart.

    Raises:
        ConfigError: it is empty, or its options are no `key=value&key=value`.
    """
    head, mark, query = text.partition("?")
    kind, _, rest = head.partition(":")
    if not kind.strip():
        raise ConfigError(f"{text!r} is no specification. Mend: KIND, KIND:REST or KIND:REST?KEY=VALUE")
    try:
        # `strict_parsing` lets an empty string pass
        pairs = parse_qsl(query or "&", strict_parsing=True, keep_blank_values=True) if mark else []
    except ValueError:
        raise ConfigError(f"{text!r}: what follows the '?' is no KEY=VALUE&KEY=VALUE") from None
    if len(dict(pairs)) < len(pairs):
        raise ConfigError(f"{text!r}: an option is given twice")
    return Spec(text, kind, rest, dict(pairs))


def names_attribute(text: str) -> bool:
    """Whether a string has the form `module:attribute`."""
    return _ATTRIBUTE.fullmatch(text) is not None


def make_attribute(text: str, is_ready: Callable[[object], bool]) -> Any:
    """What `module:attribute` names: the object itself if it is ready for use, else what it makes when called.

    Raises:
        ConfigError: see `load_attribute`.
    """
    found = load_attribute(text)
    if isinstance(found, type) or (callable(found) and not is_ready(found)):
        return found()
    return found


def load_attribute(text: str) -> Any:
    """The object that `module:attribute` (both may be dotted) names.

    Raises:
        ConfigError: the string has another form, or the module or the attribute does not exist. An exception that the
            module itself raises while it is imported comes through as it is.
    """
    if not names_attribute(text):
        raise ConfigError(f"{text!r} is no MODULE:ATTRIBUTE")
    module_name, _, path = text.partition(":")
    try:
        found: Any = importlib.import_module(module_name)
    except ModuleNotFoundError as error:
        if error.name is None or not (module_name == error.name or module_name.startswith(f"{error.name}.")):
            raise
        raise ConfigError(
            f"{text!r}: no module {error.name!r}. Mend: run from the folder that holds it, or install it"
        ) from None
    for name in path.split("."):
        if not hasattr(found, name):
            raise ConfigError(f"{text!r}: {found!r} has no attribute {name!r}")
        found = getattr(found, name)
    return found
