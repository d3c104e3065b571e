"""Python expressions, said as a person would say them: noun phrases for values, clauses for conditions.

Nothing here ever evaluates code, and every method accepts any node: what it has no words for becomes a vague phrase.
"""

from __future__ import annotations

from colbench_gym.simulators.english.calls import Calls
from colbench_gym.simulators.english.conditions import Conditions
from colbench_gym.simulators.english.phrasebook import NameUse
from colbench_gym.simulators.english.values import Values
from colbench_gym.simulators.english.wording import VAGUE, join, say_number, say_percent, say_text, singular

__all__ = ["VAGUE", "NameUse", "Speaker", "join", "say_number", "say_percent", "say_text", "singular"]


class Speaker(Values, Calls, Conditions):
    """Puts the expressions of one syntax tree into words (see `Phrasebook`)."""
