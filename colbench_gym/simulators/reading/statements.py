"""Facts of simple statements."""

from __future__ import annotations

import ast
from decimal import Decimal

from colbench_gym.simulators.english import join
from colbench_gym.simulators.english.wording import (
    ORDINALS,
    an,
    is_text,
    is_truth,
    join_texts,
    names_in,
    ordinal,
    say_number,
    say_percent,
)
from colbench_gym.simulators.reading.exclusion import number_in
from colbench_gym.simulators.reading.model import (
    LONGEST_PIECE,
    PART,
    THE_RESULT,
    Path,
)
from colbench_gym.simulators.reading.notes import Notes
from colbench_gym.simulators.reading.shapes import (
    is_empty,
    test_kinds,
)
from colbench_gym.simulators.words import name_words, words_of


class Statements(Notes):
    """What a statement without a body does."""

    def simple(self, node: ast.stmt, path: Path) -> None:
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            if len(targets) == 1 and isinstance(targets[0], ast.Name) and self.table(targets[0].id, node.value):
                return
        if isinstance(node, ast.Return) and node.value is not None:
            self.returned(node.value, path)
            return
        effect = self.effect(node, path.subject)
        if not effect:
            return
        lead = path.lead()
        kinds = self.kinds_of(node)
        importance = 1.5 if not isinstance(node, ast.Assign) else 1.4
        if " starts at 0" in effect or "starts empty" in effect or effect[-5:] == " is 1":
            importance = 0.3
        aside = node.value if isinstance(node, ast.Assign) else None
        if isinstance(aside, ast.Constant) and isinstance(aside.value, int | float) and aside.value not in (0, 1):
            importance = 1.9
        self.add(f"{lead}, {effect}" if lead else effect, [node], kinds, importance, path.names)
        self.inner_dictionaries(node)

    def returned(self, value: ast.expr, path: Path) -> None:
        lead = path.lead()
        start = f"{lead}, " if lead else ""
        kinds = {"result"} | self.kinds_of_value(value)
        if path.conditions and "none of the earlier" in path.conditions[-1]:
            kinds.add("otherwise")
        if isinstance(value, ast.Dict) and value.keys and all(isinstance(key, ast.Constant) for key in value.keys):
            keys = self.speaker.listing([key for key in value.keys if key is not None], 0)
            self.add(f"{start}{path.subject} is a dictionary with the keys {keys}", [value], kinds, 2.0, path.names)
            where = "the dictionary that comes back" if path.subject == THE_RESULT else path.subject
            for key, entry in zip(value.keys, value.values, strict=True):
                self.add(
                    f"{start}in {where}{PART}, {self.speaker.say(key)} is {self.speaker.say(entry)}",
                    [entry],
                    kinds | self.kinds_of_value(entry),
                    1.5,
                    path.names,
                    emphasis=words_of(str(getattr(key, "value", ""))),
                )
            return
        if isinstance(value, ast.Name):
            shape = self.local_shape(value.id)
            if not shape:
                worked_out = self.worked_out(value.id)
                made = f", which is {worked_out}" if worked_out else ""
                self.add(f"{start}{path.subject} is {self.speaker.say(value)}{made}", [value], kinds, 0.7, path.names)
                return
            self.add(f"{start}{path.subject} is {self.speaker.say(value)}, {shape}", [value], kinds, 1.7, path.names)
            return
        if isinstance(value, ast.Tuple) and len(value.elts) > 1:
            said = [self.speaker.say(element) for element in value.elts]
            subject = "you get" if path.subject == THE_RESULT else f"{path.subject} has"
            whole = f"{start}{subject} {len(said)} values as a tuple: {', then '.join(said)}"
            if len(whole) < 200:
                self.add(whole, [value], kinds, 2.2, path.names)
                return
            for position, (element, text) in enumerate(zip(value.elts, said, strict=True)):
                self.add(
                    f"{start}{subject} {len(said)} values as a tuple, and {ordinal_place(position)} is {text}",
                    [element],
                    kinds,
                    1.6,
                    path.names,
                )
            return
        self.add(f"{start}{self.result(value, path.subject)}", [value], kinds, 2.4, path.names)
        self.inner_dictionaries(value)

    def worked_out(self, name: str) -> str | None:
        """How a name's only value comes about, where that is soon said."""
        values = (
            [
                value
                for node in ast.walk(self.tree)
                if isinstance(node, ast.Assign | ast.AugAssign | ast.For | ast.AnnAssign)
                for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
                if name in names_in([target])
                for value in [getattr(node, "value", None)]
            ]
            if name
            else []
        )
        if len(values) != 1 or not isinstance(values[0], ast.BinOp | ast.Call | ast.ListComp | ast.IfExp):
            return None
        said = self.speaker.say(values[0])
        return said if len(said) < 170 and ", " not in said else None

    def local_shape(self, name: str) -> str | None:
        """How a local collection is built: `keyed by ...`, `a list of ...`."""
        keys: dict[str, None] = {}
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Subscript):
                target = node.targets[0]
                if isinstance(target.value, ast.Name) and target.value.id == name:
                    keys[self.speaker.say(target.slice)] = None
        if keys:
            said = join_texts(list(keys))
            return f"a dictionary keyed by {said}" if len(said) < LONGEST_PIECE else "a dictionary"
        for node in ast.walk(self.tree):
            if (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Attribute)
                and node.func.attr == "append"
                and isinstance(node.func.value, ast.Name)
                and node.func.value.id == name
                and node.args
            ):
                one = node.args[0]
                if isinstance(one, ast.Dict) and one.keys and all(isinstance(key, ast.Constant) for key in one.keys):
                    fields = join_texts([self.speaker.say(key) for key in one.keys])
                    return f"a list of records (dictionaries), each with the entries {fields}"
                return f"a list of {self.speaker.say(one)} entries" if isinstance(one, ast.Name) else "a list"
        return None

    def result(self, value: ast.expr, subject: str) -> str:
        """`the result is ...`."""
        if is_truth(value) and not isinstance(value, ast.Constant):
            return f"{subject} is true when {self.speaker.condition(value)}, and false otherwise"
        return f"{subject} is {self.speaker.say(value)}"

    def effect(self, node: ast.stmt, subject: str) -> str | None:
        """What a simple statement does, as a clause."""
        say = self.speaker.say
        if isinstance(node, ast.Return):
            return self.result(node.value, subject) if node.value is not None else f"{subject} is nothing"
        if isinstance(node, ast.Raise):
            return self.raised(node)
        if isinstance(node, ast.AugAssign):
            return self.augmented(node)
        if isinstance(node, ast.Assign | ast.AnnAssign):
            value = node.value
            if value is None:
                return None
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            target = targets[0]
            changed = _as_change(target, value)
            if changed is not None:
                return self.augmented(changed)
            if isinstance(target, ast.Tuple | ast.List):
                names = join([say(element) for element in target.elts])
                if isinstance(value, ast.Tuple) and len(value.elts) == len(target.elts):
                    return f"{names} are {self.speaker.listing(value.elts, 0)}"
                return f"{names} are the parts of {say(value)}"
            if isinstance(target, ast.Name) and is_empty(value):
                return f"{say(target)} starts {'empty' if not isinstance(value, ast.Constant) else 'at 0'}"
            verb = "is" if not isinstance(target, ast.Subscript) else "becomes"
            if say(target) == say(value):
                return None
            if is_truth(value) and not isinstance(value, ast.Constant):
                return f"{say(target)} is true when {self.speaker.condition(value)}, and false otherwise"
            if isinstance(value, ast.Lambda):
                return f"{say(target)} is {say(value.body)}"
            return f"{say(target)} {verb} {say(value)}"
        if isinstance(node, ast.Expr):
            return self.performed(node.value, subject)
        if isinstance(node, ast.Assert):
            return f"it must hold that {self.speaker.condition(node.test)}"
        if isinstance(node, ast.Delete):
            return f"{join([say(target) for target in node.targets])} is removed"
        if isinstance(node, ast.Continue):
            return "it is skipped"
        if isinstance(node, ast.Break):
            return "the search stops there"
        return None

    def augmented(self, node: ast.AugAssign) -> str:
        target, value = self.speaker.say(node.target), self.speaker.say(node.value)
        short = isinstance(node.value, ast.Constant | ast.Name | ast.Attribute | ast.Subscript) and "," not in value
        texts = _gives_text(node.value)
        number = number_in(node.value)
        if isinstance(node.op, ast.Add) and texts:
            return f"{value} is added at the end of {target}"
        if isinstance(node.op, ast.Add) and isinstance(node.value, ast.List | ast.ListComp):
            return f"everything in {value} is added to {target}"
        if isinstance(node.op, ast.Add):
            return f"we add {value} to {target}" if short else f"{target} goes up by {value}"
        if isinstance(node.op, ast.Sub):
            return f"we take {value} off {target}" if short else f"{target} goes down by {value}"
        if isinstance(node.op, ast.Mult):
            less = float(1 - Decimal(repr(number))) if isinstance(number, float) else 0.0
            if isinstance(number, float) and 0 < number < 1:
                return f"{target} drops to {say_percent(number)} of what it was, so {say_percent(less)} less"
            if isinstance(number, float) and 1 < number < 2:
                rise = Decimal(repr(number)) - 1
                return f"{target} goes up by {say_percent(float(rise))}, so we multiply it by {say_number(number)}"
            return f"we multiply {target} by {value}"
        if isinstance(node.op, ast.Div):
            return f"we divide {target} by {value}"
        if isinstance(node.op, ast.FloorDiv):
            return f"we divide {target} by {value} and round down"
        if isinstance(node.op, ast.Mod):
            return f"{target} becomes what remains after dividing it by {value}"
        return f"{target} is combined with {value}"

    def raised(self, node: ast.Raise) -> str:
        error = node.exc
        if isinstance(error, ast.Call):
            kind = " ".join(name_words(names_in([error.func])[-1])) if names_in([error.func]) else "error"
            message = f" saying {self.speaker.say(error.args[0])}" if error.args else ""
            return f"it is an error ({an(kind)}){message}"
        return "it is an error"

    def performed(self, value: ast.expr, subject: str) -> str | None:
        """A statement that is only a call."""
        if isinstance(value, ast.Yield | ast.YieldFrom):
            return f"{self.speaker.say(value)} is handed out next"
        if not isinstance(value, ast.Call) or not isinstance(value.func, ast.Attribute):
            return None
        owner, arguments = self.speaker.say(value.func.value), value.args
        said = [self.speaker.say(argument) for argument in arguments]
        method = value.func.attr
        if method in ("append", "add", "appendleft", "push") and said:
            return f"{said[0]} is added to {owner}"
        if method == "extend" and said:
            return f"everything in {said[0]} is added to {owner}"
        if method == "insert" and len(said) > 1:
            return f"{said[1]} is put into {owner} at position {said[0]}"
        if method == "update" and said:
            return f"{owner} is updated with {said[0]}"
        if method in ("remove", "discard", "pop") and said:
            return f"{said[0]} is removed from {owner}"
        if method == "sort":
            options = {word.arg: word.value for word in value.keywords if word.arg}
            return f"{owner} is {self.speaker.sorting(value.func.value, options)}"
        if method == "reverse":
            return f"{owner} is put in reverse order"
        if method == "setdefault" and len(said) > 1:
            return f"the entry for {said[0]} in {owner} starts as {said[1]} if there is none"
        return None

    def kinds_of(self, node: ast.stmt) -> set[str]:
        kinds: set[str] = set()
        if isinstance(node, ast.Return):
            kinds.add("result")
            if isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
                kinds.add("category")
        if isinstance(node, ast.Raise):
            kinds |= {"error", "empty"}
        if isinstance(node, ast.AugAssign):
            kinds.add("change")
        if (
            isinstance(node, ast.Assign | ast.AnnAssign | ast.AugAssign | ast.Return | ast.Expr)
            and node.value is not None
        ):
            kinds |= self.kinds_of_value(node.value)
        return kinds

    def kinds_of_value(self, value: ast.AST) -> set[str]:
        kinds: set[str] = set()
        for node in ast.walk(value):
            if isinstance(node, ast.BinOp):
                kinds.add("formula")
            elif isinstance(node, ast.Call):
                names = names_in([node.func])
                name = names[0] if isinstance(node.func, ast.Name) and names else getattr(node.func, "attr", "")
                if name in ("round", "floor", "ceil", "int"):
                    kinds.add("rounding")
                elif name in ("sorted", "sort", "max", "min", "reversed"):
                    kinds.add("order")
                elif name in ("split", "strip", "replace", "join", "format"):
                    kinds.add("text")
                elif name in ("lower", "upper", "casefold"):
                    kinds.add("case")
                elif name == "get":
                    kinds.add("empty")
                elif name in ("sum", "len", "mean"):
                    kinds.add("formula")
            elif isinstance(node, ast.Compare | ast.IfExp):
                kinds.add("rule")
                kinds |= test_kinds(node) if isinstance(node, ast.Compare) else set()
        return kinds


def ordinal_place(position: int) -> str:
    """`the second`."""
    return f"the {ordinal(position)}" if position < len(ORDINALS) else f"number {position + 1}"


def _gives_text(node: ast.AST) -> bool:
    """Whether a value is plainly a text."""
    if isinstance(node, ast.IfExp):
        return _gives_text(node.body) or _gives_text(node.orelse)
    if isinstance(node, ast.BinOp):
        return isinstance(node.op, ast.Add) and (_gives_text(node.left) or _gives_text(node.right))
    return is_text(node)


def _as_change(target: ast.expr, value: ast.expr) -> ast.AugAssign | None:
    """`x = x * 2` as `x *= 2`."""
    if not isinstance(target, ast.Name | ast.Attribute | ast.Subscript) or not isinstance(value, ast.BinOp):
        return None
    same = ast.unparse(target)
    if ast.unparse(value.left) == same:
        return ast.AugAssign(target, value.op, value.right)
    if isinstance(value.op, ast.Mult) and ast.unparse(value.right) == same:
        return ast.AugAssign(target, value.op, value.left)
    return None
