"""ColBench as Gymnasium environments: train and measure language agents that work *with* a person.

Importing this package registers the environment ids. Everything else is imported when first used.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from colbench_gym.registration import register_all

if TYPE_CHECKING:
    from colbench_gym.grading import grade, grade_many
    from colbench_gym.prompts import instructions
    from colbench_gym.simulators import make_user
    from colbench_gym.tasks import load_tasks
    from colbench_gym.types import AgentReply, Episode, Grade, Reply, Task

__version__ = "0.1.0"

_HOMES = {
    "AgentReply": "colbench_gym.types",
    "Episode": "colbench_gym.types",
    "Grade": "colbench_gym.types",
    "Reply": "colbench_gym.types",
    "Task": "colbench_gym.types",
    "grade": "colbench_gym.grading",
    "grade_many": "colbench_gym.grading",
    "instructions": "colbench_gym.prompts",
    "load_tasks": "colbench_gym.tasks",
    "make_user": "colbench_gym.simulators",
}

__all__ = [
    "AgentReply",
    "Episode",
    "Grade",
    "Reply",
    "Task",
    "__version__",
    "grade",
    "grade_many",
    "instructions",
    "load_tasks",
    "make_user",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(set(globals()) | set(_HOMES))


register_all()
