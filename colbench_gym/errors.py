"""What can go wrong, sorted by the boundary at which it went wrong.

Every error names what was wrong, where, and the mend. `boundary` is what an episode record and a
summary count failures by: a failed episode is data about one of these parties, never a reward of 0.
"""

from __future__ import annotations

from typing import ClassVar, Literal

Boundary = Literal["task", "agent", "simulator", "grader", "infrastructure"]


class ColbenchError(Exception):
    """Base of every error this package raises on purpose."""

    boundary: ClassVar[Boundary] = "infrastructure"


class TaskError(ColbenchError):
    """A task, a task file or the name of a task set is unusable."""

    boundary = "task"


class AgentError(ColbenchError):
    """The agent (its model, server or code) failed to produce an action."""

    boundary = "agent"


class SimulatorError(ColbenchError):
    """The simulated user failed to produce a reply."""

    boundary = "simulator"


class GraderError(ColbenchError):
    """The grader failed. A wrong, hostile or hanging *answer* is graded and never raises this."""

    boundary = "grader"


class IsolationUnavailable(GraderError):
    """This machine cannot isolate untrusted code the way that was asked for."""

    boundary = "infrastructure"


class MissingExtra(ColbenchError):
    """An optional dependency is not installed."""

    boundary = "infrastructure"

    def __init__(self, extra: str, what: str) -> None:
        super().__init__(f"{what} needs an optional dependency. Mend: pip install 'colbench-gym[{extra}]'")
        self.extra = extra
        self.what = what

    def __reduce__(self) -> tuple[type[MissingExtra], tuple[str, str]]:
        return (type(self), (self.extra, self.what))


class ConfigError(ColbenchError):
    """An argument, a specification string or a run directory contradicts what was asked for."""
