"""Python code out of what a language model wrote (profile `strict`).

Models wrap the function in fences of every spelling, talk before and after it, show drafts, examples and helper
functions in blocks of their own. `extract_code` answers one question: which program does this text submit?

The text is only parsed here, never compiled or run.
"""

from __future__ import annotations

import ast
import builtins
import html
import re
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from colbench_gym import foreign_code

MAX_CHARACTERS = 100_000
"""Longer texts are not searched: they are taken as they are."""
_MAX_PARSED_CHARACTERS = 1_000_000
"""How much text is parsed in search of one program: about a second's work, hundreds of times a usual answer."""

_FENCE = re.compile(r"^(?P<indent>[ \t>]*(?:[-*+] +|\d+[.)] +)?)(?P<marks>`{3,}|~{3,})[ \t]*(?P<label>[^`\n]*)$")
_FENCE_ON_ONE_LINE = re.compile(
    r"```[ \t]*(?:python3?|py)?[ \t]+((?:async +def|def|class|import|from)\b[^\n`]*)```", re.I
)
_OTHER_LANGUAGES = re.compile(
    r"^(bash|sh|shell|console|zsh|powershell|text|txt|plaintext|output|json|yaml|toml|html|css|xml|sql|javascript|js|"
    r"typescript|ts|java|c|cpp|c\+\+|csharp|go|rust|diff|markdown|md|latex|mermaid)\b",
    re.I,
)
_CODE_LINE = re.compile(r"^[ \t]*(?:async[ \t]+def|def|class|import|from|@\w)")
_PLAIN_START = re.compile(r"^\s*^(?:async[ \t]+def|def|class|import|from|@\w|#)", re.M)
_CONTINUES = re.compile(r"^(?:else|elif|except|finally|case)\b|^[)\]}]")

# Characters that are invisible between tokens and that models and web pages insert.
_INVISIBLE = {ord(character): None for character in "\u200b\u200c\u200d\u2060\ufeff\u00ad\u200e\u200f"}
_BLANKS = {ord(character): " " for character in "\u00a0\u2002\u2003\u2007\u2009\u202f\u3000"}
_TYPOGRAPHIC_QUOTES = {0x201C: '"', 0x201D: '"', 0x2018: "'", 0x2019: "'"}


class _Program(NamedTuple):
    """Text that parses, and what matters about it."""

    text: str
    defined: frozenset[str]
    implemented: frozenset[str]
    used: frozenset[str]


def plainly_code(answer: str) -> str | None:
    """The program, if no choice has to be made: unfenced text that begins like code, or the one fenced block.

    Costs no parsing. Whoever runs the program must turn to `extract_code` if it does not compile.
    """
    if "~~~" not in answer:
        parts = answer.split("```")
        if len(parts) == 1:
            if _PLAIN_START.match(answer):
                return answer
        elif len(parts) == 3:
            label, newline, body = parts[1].partition("\n")
            opens_line = not parts[0] or parts[0].endswith("\n")
            if newline and opens_line and label.strip().lower() in ("", "py", "python", "python3"):
                return body if _PLAIN_START.match(body) else None
    return None


def extract_code(answer: str, wanted: Iterable[str] = ()) -> str:
    """The Python program that `answer` submits.

    In this order: the whole text if it is a program that defines what is wanted; else the last fenced block that
    implements it (drafts come first, stubs do not count), with those other blocks that define names it uses; else the
    statements found between lines of prose. Invisible characters, indentation common to all lines, tabs mixed with
    blanks, HTML entities and typographic quotes are mended only in text that does not parse as it stands.

    Args:
        answer: raw text of the model, fences and prose included.
        wanted: names that the tests use, the function's first of all.

    Returns:
        The best candidate, even if nothing in the text parses (it will then fail to compile).
    """
    if len(answer) > MAX_CHARACTERS:
        return answer
    text = answer.replace("\r\n", "\n").replace("\r", "\n")
    parser = _Parser()
    names = frozenset(wanted)

    whole = parser.program(text)
    if whole is not None and (names & whole.defined if names else whole.defined):
        return whole.text
    blocks = list(_fenced_blocks(text, parser))
    programs = [program for block in blocks if (program := parser.program(block)) is not None]
    chosen = _choose(programs, names)
    if chosen is not None:
        return chosen
    # No block implements it: a block may hold prose as well, a program may stand outside the blocks or across them.
    for candidate in ("\n".join(blocks), *reversed(blocks), text):
        program = parser.program("\n".join(_statements(candidate, parser)))
        if program is not None and (names & program.defined if names else program.defined):
            return program.text
    if whole is not None:
        return whole.text
    if programs:
        return programs[-1].text
    return blocks[-1] if blocks else text


class _Parser:
    """Parses candidates, as long as the budget lasts."""

    def __init__(self) -> None:
        self.budget = _MAX_PARSED_CHARACTERS

    @property
    def exhausted(self) -> bool:
        return self.budget <= 0

    def tree(self, text: str) -> ast.Module | None:
        if self.exhausted:
            return None
        self.budget -= len(text) + 100
        try:
            return foreign_code.parse(text)
        except SyntaxError:  # not Python, or nested beyond the parser
            return None

    def program(self, text: str) -> _Program | None:
        """`text` as a program, mended as little as is needed; None if it is none or says nothing."""
        for candidate in _mended(text):
            tree = self.tree(candidate)
            if tree is not None:
                return _describe(candidate, tree) if tree.body else None
        return None


def _mended(text: str) -> Iterator[str]:
    """`text` as it stands, then ever more freely corrected; each form once."""
    seen = set()
    visible = text.translate(_INVISIBLE | _BLANKS)
    forms = (
        text,
        textwrap.dedent(text.lstrip("\n")),
        textwrap.dedent(visible).strip(),
        textwrap.dedent(visible.lstrip("\n").expandtabs(4)).strip(),
        textwrap.dedent(visible.expandtabs(8)).strip(),
        html.unescape(textwrap.dedent(visible).strip()),
        textwrap.dedent(visible).strip().translate(_TYPOGRAPHIC_QUOTES),
    )
    for form in forms:
        if form not in seen:
            seen.add(form)
            yield form


# --- what a program defines and uses


def _is_stub(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Whether the body only announces an implementation: `pass`, `...`, a docstring, NotImplementedError."""
    for statement in function.body:
        if isinstance(statement, ast.Pass):
            continue
        if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant):
            continue
        if isinstance(statement, ast.Raise) and "NotImplemented" in ast.dump(statement):
            continue
        return False
    return True


def _describe(text: str, tree: ast.Module) -> _Program:
    defined: set[str] = set()
    stubs: set[str] = set()
    for statement in _top_level(tree.body):
        if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef):
            defined.add(statement.name)
            (stubs.add if _is_stub(statement) else stubs.discard)(statement.name)
        elif isinstance(statement, ast.ClassDef):
            defined.add(statement.name)
        elif isinstance(statement, ast.Import | ast.ImportFrom):
            defined.update((alias.asname or alias.name).partition(".")[0] for alias in statement.names)
        elif isinstance(statement, ast.Assign | ast.AnnAssign | ast.AugAssign):
            targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
            defined.update(node.id for target in targets for node in ast.walk(target) if isinstance(node, ast.Name))
    used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}
    known = vars(builtins).keys()
    return _Program(text, frozenset(defined), frozenset(defined - stubs), frozenset(used - known))


def _top_level(body: Sequence[ast.stmt]) -> Iterator[ast.stmt]:
    """Statements that run in the module's own scope, those under `if`, `try` and `with` included."""
    for statement in body:
        yield statement
        for field in ("body", "orelse", "finalbody"):
            if isinstance(statement, ast.If | ast.Try | ast.With):
                yield from _top_level(getattr(statement, field, []))
        if isinstance(statement, ast.Try):
            for handler in statement.handlers:
                yield from _top_level(handler.body)


# --- choosing


def _choose(programs: Sequence[_Program], names: frozenset[str]) -> str | None:
    """The last program that implements what is wanted, after the ones that define what it uses."""
    for attribute in ("implemented", "defined"):
        for position in reversed(range(len(programs))):
            program = programs[position]
            offered = getattr(program, attribute)
            if (names & offered) if names else offered:
                return "\n\n".join(_with_helpers(programs, position, names))
    return None


def _with_helpers(programs: Sequence[_Program], position: int, names: frozenset[str]) -> list[str]:
    """Texts of the chosen program and its helpers, in the order of the text, the chosen one last."""
    chosen = programs[position]
    defined = set(chosen.defined)
    missing = (chosen.used | names) - defined
    helpers: set[int] = set()
    grew = True
    while grew:
        grew = False
        # The nearest block before the chosen one is the likeliest to be meant, then those after it.
        for other in (*reversed(range(position)), *range(position + 1, len(programs))):
            if other not in helpers and missing & programs[other].implemented:
                helpers.add(other)
                defined |= programs[other].defined
                missing = (missing | programs[other].used) - defined
                grew = True
    return [programs[index].text for index in sorted(helpers)] + [chosen.text]


# --- fences


def _fenced_blocks(text: str, parser: _Parser) -> Iterator[str]:
    """Bodies of the fenced blocks that may hold Python, in order. An unclosed fence reaches to the end."""
    lines = text.split("\n")
    position = 0
    found = False
    while position < len(lines):
        opening = _FENCE.match(lines[position])
        if opening is None:
            position += 1
            continue
        end = _closing_line(lines, position, opening, parser)
        body = lines[position + 1 : end]
        label = opening["label"].strip(" {}.:").lower()
        indent = opening["indent"]
        if indent.strip() == ">":
            body = [re.sub(r"^[ \t]*> ?", "", line) for line in body]
        if not _OTHER_LANGUAGES.match(label):
            # "```python def f(x):" puts the first line of the program behind the label.
            behind_label = re.sub(r"^(?:python3?|py)\b[ \t]*", "", opening["label"].strip(), flags=re.I)
            if _CODE_LINE.match(behind_label):
                body = [behind_label, *body]
            yield "\n".join(body)
            found = True
        position = end + 1
    if not found:
        yield from (match[1] for match in _FENCE_ON_ONE_LINE.finditer(text))
        inline = text.strip()
        if inline.count("`") == 2 and inline[0] == inline[-1] == "`":
            yield inline.strip("`")


def _closing_line(lines: list[str], start: int, opening: re.Match[str], parser: _Parser) -> int:
    """Index of the line that closes the fence opened at `start`; `len(lines)` if none does.

    A docstring may hold fences. The first possible closing line whose body parses is the one; failing that, the first.
    """
    marks = opening["marks"]
    candidates = []
    for index in range(start + 1, len(lines)):
        stripped = lines[index].strip(" \t>")
        if len(stripped) >= len(marks) and stripped == marks[0] * len(stripped):
            candidates.append(index)
        elif stripped.endswith(marks) and not stripped.startswith(marks[0]) and index > start + 1:
            # Code and closing fence on one line: cut the fence off, and let a line of its own close.
            lines[index] = lines[index].rstrip()[: -len(marks)]
            lines.insert(index + 1, marks)
            candidates.append(index + 1)
    for index in candidates:
        if parser.exhausted:
            break
        if parser.program("\n".join(lines[start + 1 : index])) is not None:
            return index
    return candidates[0] if candidates else len(lines)


# --- code between lines of prose


def _statements(text: str, parser: _Parser) -> Iterator[str]:
    """The top-level statements in `text` that are code rather than prose, dedented together."""
    lines = textwrap.dedent(text.translate(_INVISIBLE | _BLANKS)).split("\n")
    first = next((index for index, line in enumerate(lines) if _CODE_LINE.match(line)), None)
    if first is None:
        return
    # The code may be indented as a whole, as in a list or a quotation.
    margin = len(lines[first]) - len(lines[first].lstrip())
    lines = [line[margin:] if not line[:margin].strip() else line for line in lines]
    start = first
    while start < len(lines):
        end = _statement_end(lines, start, parser) if _may_start_statement(lines[start]) else None
        if end is None:
            start += 1
        else:
            yield "\n".join(lines[start:end])
            start = end


def _may_start_statement(line: str) -> bool:
    return bool(_CODE_LINE.match(line)) or bool(re.match(r"^[A-Za-z_][\w.\[\]\"', ]*(?::[^=]+)?=[^=]", line))


def _statement_end(lines: Sequence[str], start: int, parser: _Parser) -> int | None:
    """Where the statement that starts at `start` ends: the first line boundary at which it parses as a whole."""
    for end in range(start + 1, len(lines) + 1):
        following = lines[end] if end < len(lines) else ""
        inside = following[:1] in (" ", "\t") or (not following.strip() and end < len(lines))
        if inside or _CONTINUES.match(following):
            continue
        if parser.tree("\n".join(lines[start:end])) is not None:
            return end
        if parser.exhausted:
            return None
    return None
