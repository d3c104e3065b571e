"""The families of embedded backend tasks, one module a trade."""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache

from colbench_gym.tasks.family import Family


@cache
def all_families() -> tuple[Family, ...]:
    """Every family, sorted by name (the order decides which task an index stands for)."""
    found = [
        value
        for module in pkgutil.iter_modules(__path__)
        for value in vars(importlib.import_module(f"{__name__}.{module.name}")).values()
        if isinstance(value, Family)
    ]
    return tuple(sorted(found, key=lambda family: family.name))


@cache
def family_called(function_name: str) -> Family | None:
    """The family whose functions may be called `function_name`."""
    return next((family for family in all_families() if function_name in family.names), None)
