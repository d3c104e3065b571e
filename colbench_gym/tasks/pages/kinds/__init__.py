"""The kinds of business, grouped by trade."""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache

from colbench_gym.tasks.pages.kind import Kind


@cache
def all_kinds() -> tuple[Kind, ...]:
    """Every kind, sorted by name (the order decides which task an index stands for)."""
    found = [
        value
        for module in pkgutil.iter_modules(__path__)
        for value in vars(importlib.import_module(f"{__name__}.{module.name}")).values()
        if isinstance(value, Kind)
    ]
    return tuple(sorted(found, key=lambda kind: kind.name))
