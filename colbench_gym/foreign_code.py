"""Parsing of code that somebody else wrote: references, drafts, answers. Nothing here runs it."""

from __future__ import annotations

import ast
import threading
import warnings
from typing import Literal, overload

_PARSING = threading.Lock()


@overload
def parse(source: str, mode: Literal["exec"] = "exec") -> ast.Module: ...
@overload
def parse(source: str, mode: Literal["eval"]) -> ast.Expression: ...


def parse(source: str, mode: Literal["exec", "eval"] = "exec") -> ast.Module | ast.Expression:
    """The syntax tree of foreign code, without the warnings that its stray backslashes would print.

    Filters of warnings are one for the whole process: every parse of foreign code takes this one lock, so that no two
    threads restore each other's filters.

    Raises:
        SyntaxError: it is no Python (of this version); also for null characters, and for code too deep or too long
            for the parser.
    """
    # A stray backslash in somebody's code is no news to whoever runs this, nor an error under -W error.
    try:
        with _PARSING, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(source) if mode == "exec" else ast.parse(source, mode="eval")
    except (ValueError, RecursionError, MemoryError) as error:
        raise SyntaxError(f"the code cannot be parsed: {type(error).__name__}: {error}") from error
