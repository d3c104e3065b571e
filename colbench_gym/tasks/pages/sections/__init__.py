"""The kinds of section, grouped by where they stand."""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache

from colbench_gym.tasks.pages.page import Section


@cache
def all_sections() -> tuple[Section, ...]:
    """Every kind of section, sorted by name (the order decides which task an index stands for)."""
    found = [
        value
        for module in pkgutil.iter_modules(__path__)
        for value in vars(importlib.import_module(f"{__name__}.{module.name}")).values()
        if isinstance(value, Section)
    ]
    return tuple(sorted(found, key=lambda kind: kind.name))
