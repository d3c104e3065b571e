"""How a reference uses its names, and what a syntax node looks like from outside."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Callable, Sequence

from colbench_gym.simulators.english import NameUse, Speaker, join, say_text
from colbench_gym.simulators.english.wording import names_in


def literal_tables(tree: ast.AST) -> dict[str, ast.expr]:
    assigned: dict[str, list[ast.expr]] = defaultdict(list)
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign):
            for target in node.targets:
                if isinstance(target, ast.Name):
                    assigned[target.id].append(node.value)
    return {
        name: values[0]
        for name, values in assigned.items()
        if len(values) == 1
        and (
            (isinstance(values[0], ast.List | ast.Set | ast.Tuple) and values[0].elts)
            or (isinstance(values[0], ast.Dict) and values[0].keys)
        )
    }


def fixed_values(tree: ast.AST) -> dict[str, ast.Constant]:
    """Names bound exactly once, to a number or a text, and changed nowhere."""
    bound: dict[str, list[ast.expr | None]] = defaultdict(list)
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign | ast.AnnAssign):
            for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
                if isinstance(target, ast.Name):
                    bound[target.id].append(node.value)
                else:
                    for inner in names_in([target]):
                        bound[inner].append(None)
        elif isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            bound[node.id].append(None)
        elif isinstance(node, ast.arg):
            bound[node.arg] += [None, None]
    fixed: dict[str, ast.Constant] = {}
    for name, values in bound.items():
        # Each plain binding shows up twice: as the assignment's value and as the name that is stored to.
        found = [value for value in values if value is not None]
        if len(found) == 1 and len(values) == 2 and isinstance(found[0], ast.Constant):
            value = found[0].value
            if isinstance(value, int | float | str) and not isinstance(value, bool):
                fixed[name] = found[0]
    return fixed


def holds_text(node: ast.AST) -> bool:
    if isinstance(node, ast.List | ast.Tuple | ast.Set):
        return any(holds_text(element) for element in node.elts)
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def test_kinds(test: ast.AST) -> set[str]:
    """`empty` if a condition asks whether something is there at all."""
    kinds: set[str] = set()
    for node in ast.walk(test):
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not) and isinstance(node.operand, ast.Name):
            kinds.add("empty")
        if isinstance(node, ast.Compare):
            values = [part.value for part in node.comparators if isinstance(part, ast.Constant)]
            if any(value is None or value == 0 or value == "" for value in values) and not isinstance(values[0], bool):
                kinds.add("empty")
            if any(isinstance(op, ast.NotIn) for op in node.ops):
                kinds.add("empty")
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in ("lower", "upper"):
            kinds.add("case")
    return kinds


def is_simple(node: ast.stmt) -> bool:
    if isinstance(node, ast.Return) and isinstance(node.value, ast.Dict | ast.Tuple):
        return len(ast.dump(node.value)) < 400
    if isinstance(node, ast.Assign) and isinstance(node.value, ast.Dict | ast.List):
        return not (node.value.keys if isinstance(node.value, ast.Dict) else node.value.elts)
    return isinstance(
        node,
        ast.Return
        | ast.Raise
        | ast.Assign
        | ast.AnnAssign
        | ast.AugAssign
        | ast.Expr
        | ast.Continue
        | ast.Break
        | ast.Delete
        | ast.Pass
        | ast.Assert,
    )


def may_return(statement: ast.stmt) -> bool:
    """Whether a statement can end the function; definitions inside it do not count."""
    pending: list[ast.AST] = [statement]
    while pending:
        node = pending.pop()
        if isinstance(node, ast.Return):
            return True
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda):
            pending.extend(ast.iter_child_nodes(node))
    return False


def chain_at(body: Sequence[ast.stmt], position: int) -> tuple[list[tuple[ast.expr | None, list[ast.stmt]]], int]:
    """The branches of the `if` at a position, and how many statements they take.

    Neighbouring `if`s whose branches all end the block are one chain, and so is the `return` after them.
    """
    branches: list[tuple[ast.expr | None, list[ast.stmt]]] = []
    taken = 0
    while position + taken < len(body):
        statement = body[position + taken]
        if taken and isinstance(statement, ast.Return) and position + taken + 1 == len(body):
            return [*branches, (None, [statement])], taken + 1
        if not isinstance(statement, ast.If) or (taken and not _all_end(statement)):
            break
        taken += 1
        current: ast.If | None = statement
        while current is not None:
            branches.append((current.test, current.body))
            rest = current.orelse
            current = rest[0] if len(rest) == 1 and isinstance(rest[0], ast.If) else None
            if current is None and rest:
                return [*branches, (None, rest)], taken
        # After an error nothing more needs to be told apart: what follows an `if` that raises stands by itself.
        if not all(ends_block(branch) and not isinstance(branch[-1], ast.Raise) for _, branch in branches):
            break
    return branches, taken


def _all_end(node: ast.If) -> bool:
    """Whether every branch of an `if` ends the block, so that nothing after it is reached once one is taken."""
    current: ast.If | None = node
    while current is not None:
        if not ends_block(current.body):
            return False
        rest = current.orelse
        current = rest[0] if len(rest) == 1 and isinstance(rest[0], ast.If) else None
        if current is None and rest:
            return ends_block(rest)
    return True


def choices_of(statement: ast.stmt) -> list[tuple[ast.expr | None, list[ast.stmt]]]:
    """`return a if test else b` as the branches of an `if`; empty for any other statement."""
    if isinstance(statement, ast.Assign) and not (
        len(statement.targets) == 1 and isinstance(statement.targets[0], ast.Name | ast.Subscript | ast.Attribute)
    ):
        return []
    if not isinstance(statement, ast.Return | ast.Assign) or not isinstance(statement.value, ast.IfExp):
        return []

    def giving(value: ast.expr) -> list[ast.stmt]:
        return [ast.Return(value) if isinstance(statement, ast.Return) else ast.Assign(statement.targets, value)]

    branches: list[tuple[ast.expr | None, list[ast.stmt]]] = []
    value: ast.expr = statement.value
    while isinstance(value, ast.IfExp):
        branches.append((value.test, giving(value.body)))
        value = value.orelse
    return [*branches, (None, giving(value))]


def ends_block(body: Sequence[ast.stmt]) -> bool:
    """Whether nothing after these statements is reached."""
    return bool(body) and isinstance(body[-1], ast.Return | ast.Raise | ast.Continue | ast.Break)


def argument_names(function: ast.FunctionDef | ast.AsyncFunctionDef) -> list[str]:
    """The names of a function's parameters."""
    arguments = function.args
    return [argument.arg for argument in [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]]


def is_empty(node: ast.expr) -> bool:
    if isinstance(node, ast.Constant):
        return node.value == 0 and not isinstance(node.value, bool)
    if isinstance(node, ast.List | ast.Set):
        return not node.elts
    if isinstance(node, ast.Dict):
        return not node.keys
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id in ("list", "dict", "set", "defaultdict", "Counter", "OrderedDict")
        and (not node.args or node.func.id == "defaultdict")
    )


def plain(speaker: Speaker, name: str | None, otherwise: str) -> str:
    return speaker.noun(name) if name and len(name) > 2 else otherwise


def record(use: NameUse) -> str:
    keys = list(dict.fromkeys(use.keys))
    said = [say_text(key) for key in keys[:12]]
    if sum(text.endswith(" (with underscores)") for text in said) > 1:
        text = join([one.removesuffix(" (with underscores)") for one in said])
        return f"has the entries {text} (with underscores where names have blanks)"
    return f"has the {'entry' if len(said) == 1 else 'entries'} {join(said)}"


def item_uses(function: ast.AST, name: str, uses: dict[str, NameUse]) -> tuple[str, str | None, str | None] | None:
    """How a parameter is looped over: ("items", key name, value name) or ("each", element name, None)."""
    for node in ast.walk(function):
        if not isinstance(node, ast.For | ast.comprehension):
            continue
        source, target = node.iter, node.target
        if (
            isinstance(source, ast.Call)
            and isinstance(source.func, ast.Attribute)
            and source.func.attr == "items"
            and isinstance(source.func.value, ast.Name)
            and source.func.value.id == name
            and isinstance(target, ast.Tuple)
            and len(target.elts) == 2
        ):
            key, value = target.elts
            return (
                "items",
                key.id if isinstance(key, ast.Name) else None,
                value.id if isinstance(value, ast.Name) else None,
            )
        if (
            isinstance(source, ast.Call)
            and isinstance(source.func, ast.Name)
            and source.func.id == "enumerate"
            and source.args
            and isinstance(target, ast.Tuple)
        ):
            source, target = source.args[0], target.elts[-1]
        if isinstance(source, ast.Name) and source.id == name:
            return ("each", target.id if isinstance(target, ast.Name) else None, None)
    return None


def name_uses(tree: ast.AST) -> dict[str, NameUse]:
    uses: dict[str, NameUse] = defaultdict(NameUse)

    def base(node: ast.AST) -> str | None:
        """The name a comparison is about: `x`, `x.lower()`, `x.strip().lower()`."""
        while isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and not node.args:
            node = node.func.value
        return node.id if isinstance(node, ast.Name) else None

    def condition(node: ast.AST) -> None:
        if isinstance(node, ast.Name):
            uses[node.id].as_condition = True
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            # `if not x` may as well ask whether x is there: it makes no flag of it.
            if not isinstance(node.operand, ast.Name):
                condition(node.operand)
        elif isinstance(node, ast.BoolOp):
            for value in node.values:
                condition(value)

    for node in ast.walk(tree):
        if isinstance(node, ast.If | ast.IfExp | ast.While):
            condition(node.test)
        elif isinstance(node, ast.BoolOp):
            condition(node)
        elif isinstance(node, ast.For | ast.comprehension):
            if isinstance(node, ast.comprehension):
                for test in node.ifs:
                    condition(test)
            source = node.iter
            sources = source.args if isinstance(source, ast.Call) and isinstance(source.func, ast.Name) else [source]
            for part in sources:
                if isinstance(part, ast.Name) and not (
                    isinstance(source, ast.Call) and isinstance(source.func, ast.Name) and source.func.id == "range"
                ):
                    uses[part.id].iterated = True
        elif isinstance(node, ast.Call):
            if isinstance(node.func, ast.Attribute) and isinstance(node.func.value, ast.Name):
                use = uses[node.func.value.id]
                use.methods.add(node.func.attr)
                first = node.args[0] if node.args else None
                if node.func.attr == "get" and isinstance(first, ast.Constant) and isinstance(first.value, str):
                    use.keys.append(first.value)
            if isinstance(node.func, ast.Name):
                for argument in node.args:
                    if isinstance(argument, ast.Name):
                        if node.func.id in ("len", "sum", "sorted", "set", "any", "all"):
                            uses[argument.id].length_taken = True
                        else:
                            uses[argument.id].other_use = True
        elif isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name):
            if isinstance(node.slice, ast.Constant) and isinstance(node.slice.value, str):
                uses[node.value.id].keys.append(node.slice.value)
            else:
                uses[node.value.id].indexed = True
        elif isinstance(node, ast.BinOp | ast.AugAssign):
            operands = [node.left, node.right] if isinstance(node, ast.BinOp) else [node.value]
            for operand in operands:
                if isinstance(operand, ast.Name):
                    uses[operand.id].in_arithmetic = True
        elif isinstance(node, ast.Compare):
            _note_comparison(node, uses, base)
    return dict(uses)


def _note_comparison(node: ast.Compare, uses: dict[str, NameUse], base: Callable[[ast.AST], str | None]) -> None:
    parts = [node.left, *node.comparators]
    for op, left, right in zip(node.ops, parts, parts[1:], strict=False):
        for one, other in ((left, right), (right, left)):
            name = base(one)
            if name is None:
                continue
            use = uses[name]
            if isinstance(op, ast.In | ast.NotIn):
                if one is right:
                    # `"key" in record` and `"word" in text` look alike; neither tells a flag.
                    use.other_use = True
                elif isinstance(other, ast.List | ast.Tuple | ast.Set):
                    use.texts += [
                        element.value
                        for element in other.elts
                        if isinstance(element, ast.Constant) and isinstance(element.value, str)
                    ]
                else:
                    use.other_use = True
            elif isinstance(other, ast.Constant) and isinstance(other.value, str):
                use.texts.append(other.value)
            elif isinstance(other, ast.Constant) and isinstance(other.value, bool):
                use.as_condition = True
            elif isinstance(other, ast.Constant) and other.value is None:
                continue
            elif isinstance(op, ast.Eq | ast.NotEq) or not _is_number(other):
                use.other_use = True
            else:
                use.compared_with_number = True


def _is_number(node: ast.AST) -> bool:
    if isinstance(node, ast.UnaryOp):
        return _is_number(node.operand)
    if isinstance(node, ast.Call):
        return isinstance(node.func, ast.Name) and node.func.id in ("len", "sum", "int", "float", "abs", "round")
    return isinstance(node, ast.BinOp) or (isinstance(node, ast.Constant) and isinstance(node.value, int | float))
