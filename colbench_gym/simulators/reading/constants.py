"""The constants of a reference, and how sentences spell them."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from colbench_gym.simulators.english.wording import say_date_form, say_number, say_percent, say_text


def constants_in_sentence(sentence: str) -> list[str]:
    """The numbers and quoted texts that a fact's sentence holds, as a draft in code would spell them."""
    quoted = re.findall(r'"([^"]+)"', sentence)
    numbers = re.findall(r"(?<![\w.])\d[\d,]*(?:\.\d+)?(?![\w%])", re.sub(r'"[^"]*"', "", sentence))
    return [*quoted, *(number.replace(",", "") for number in numbers)]


def constants_in(tree: ast.AST) -> Iterator[ast.Constant]:
    """Numbers and texts of a tree, docstrings, 0, 1 and blank texts aside."""
    docstrings = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Module | ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
        and node.body
        and isinstance(node.body[0], ast.Expr)
    }
    for node in ast.walk(tree):
        if not isinstance(node, ast.Constant) or id(node) in docstrings:
            continue
        if isinstance(node.value, bool) or not isinstance(node.value, int | float | str):
            continue
        if node.value in (0, 1) or (isinstance(node.value, str) and not node.value.strip()):
            continue
        yield node


def spoken_forms(value: object) -> list[str]:
    """The ways in which a sentence may hold a constant."""
    if isinstance(value, str):
        plain = " ".join(value.replace("_", " ").split())
        if re.search(r"%[YmdHMSy]", value):
            return [say_text(value), value, say_date_form(value)]
        return [say_text(value), plain, value] if plain else [say_text(value)]
    if isinstance(value, int | float) and not isinstance(value, bool):
        forms = [say_number(value), repr(value)]
        if isinstance(value, float) and 0 < value < 1:
            forms.append(say_percent(value))
        return forms
    return [repr(value)]
