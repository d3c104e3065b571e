"""Which program does a model's text submit? Each case is a text as models write them."""

from __future__ import annotations

import warnings

import pytest

from colbench_gym.grading.extraction import MAX_CHARACTERS, extract_code, plainly_code

CODE = "def f(x):\n    return x + 1"
TICKS = "```"


def fenced(body: str, label: str = "python", marks: str = TICKS) -> str:
    return f"{marks}{label}\n{body}\n{marks}"


def result(answer: str, call: str = "f(1)", names: tuple[str, ...] = ("f",)) -> object:
    """What the extracted program's call gives."""
    namespace: dict[str, object] = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        exec(compile(extract_code(answer, names), "<answer>", "exec", dont_inherit=True), namespace)
    return eval(call, namespace)


SPELLINGS = {
    "as it is": CODE,
    "python": fenced(CODE),
    "py": fenced(CODE, "py"),
    "Python": fenced(CODE, "Python"),
    "PYTHON": fenced(CODE, "PYTHON"),
    "python3": fenced(CODE, "python3"),
    "no label": fenced(CODE, ""),
    "a blank before the label": fenced(CODE, " python"),
    "label with a title": fenced(CODE, 'python title="solution.py"'),
    "label in braces": fenced(CODE, "{.python}"),
    "unknown label": fenced(CODE, "code"),
    "tildes": fenced(CODE, "python", "~~~"),
    "four ticks": fenced(CODE, "python", "````"),
    "prose before": f"Here is the function you asked for:\n\n{fenced(CODE)}",
    "prose after": f"{fenced(CODE)}\n\nIt adds one. Let me know if you need anything else!",
    "prose around": f"Sure! Based on what you said:\n{fenced(CODE)}\nThis handles every case: `f(1)` gives 2.",
    "unclosed": f"Here:\n{TICKS}python\n{CODE}",
    "closed on the last line of code": f"{TICKS}python\n{CODE}{TICKS}",
    "indented fence": "1. The function:\n\n   ```python\n   def f(x):\n       return x + 1\n   ```\n",
    "fence in a list item": "- ```python\n  def f(x):\n      return x + 1\n  ```\n",
    "quoted": "> ```python\n> def f(x):\n>     return x + 1\n> ```",
    "code behind the label": f"{TICKS}python def f(x):\n    return x + 1\n{TICKS}",
    "one line": f"Use this: {TICKS}python def f(x): return x + 1{TICKS}",
    "inline code": "`def f(x): return x + 1`",
    "windows line ends": fenced(CODE).replace("\n", "\r\n"),
    "old mac line ends": fenced(CODE).replace("\n", "\r"),
    "byte order mark": "\ufeff" + CODE,
    "byte order mark in the fence": fenced("\ufeff" + CODE),
    "zero-width blanks": "def f(x):\u200b\n    return\u200b x + 1\u200c",
    "no-break blanks": CODE.replace(" ", "\u00a0"),
    "no-break blanks in a fence": fenced(CODE.replace("    ", "\u00a0" * 4)),
    "tabs": fenced("def f(x):\n\treturn x + 1"),
    "tabs mixed with blanks": fenced("def f(x):\n    if x:\n\treturn x + 1\n    return 0"),
    "indented as a whole": "    def f(x):\n        return x + 1\n",
    "one blank before": " def f(x):\n     return x + 1",
    "first line indented less": fenced("  def f(x):\n      return x + 1"),
    "html entities": fenced(
        "def f(x):\n    return x + 1 if x &gt; 0 &amp;&amp; 0 else x + 1".replace(" &amp;&amp; 0", "")
    ),
    "typographic quotes": fenced("def f(x):\n    return {\u201cone\u201d: x + 1}[\u2018one\u2019]"),
    "unfenced after prose": f"The function is below.\n\n{CODE}",
    "unfenced before prose": f"{CODE}\n\nThis function adds one to its argument.",
    "unfenced in prose": f"Sure, here you go:\n\n{CODE}\n\nNote: it isn't tested.\nThanks!",
    "unfenced, indented, in prose": "Answer:\n\n    def f(x):\n        return x + 1\n\nGood luck.",
    "copied from a web page": f"python\nCopy code\n{CODE}\n",
    "tags": f"<answer>\n{CODE}\n</answer>",
    "heading": f"## Final answer\n\n{fenced(CODE)}\n\n## Explanation\n\n- adds one",
    "imports in prose": "Use:\n\nimport math\n\ndef f(x):\n    return math.floor(x) + 1\n\nThat is all.",
    "blank lines in the body": "Try:\n\ndef f(x):\n\n    y = x\n\n    return y + 1\n\nDone.",
    "decorated, in prose": "So:\n\nfrom functools import lru_cache\n\n@lru_cache\ndef f(x):\n    return x + 1\n\nEnd.",
    "asynchronous": fenced("def g(x):\n    return x + 1\nf = g\nasync def unused():\n    pass"),
    "demo": fenced(f"{CODE}\n\nif __name__ == '__main__':\n    print(f(1))"),
    "comment first": f"# adds one\n{CODE}",
    "escape that warns": "def f(x):\n    '\\d'\n    return x + 1\n\nSo it is.",
}


@pytest.mark.parametrize("answer", SPELLINGS.values(), ids=SPELLINGS.keys())
def test_every_spelling(answer: str) -> None:
    assert result(answer) == 2


@pytest.mark.parametrize("answer", SPELLINGS.values(), ids=SPELLINGS.keys())
def test_the_quick_way_agrees(answer: str) -> None:
    quick = plainly_code(answer)
    if quick is not None:
        try:
            compile(quick, "<answer>", "exec", dont_inherit=True)
        except SyntaxError:
            return  # the grader then searches
        namespace: dict[str, object] = {}
        exec(quick, namespace)
        assert eval("f(1)", namespace) == 2


def test_the_quick_way_is_quick_for_what_models_mostly_write() -> None:
    for answer in (CODE, fenced(CODE), f"Here:\n\n{fenced(CODE, '')}\n\nBye.", f"import math\n{CODE}"):
        assert plainly_code(answer) is not None
    for answer in ("prose", f"prose\n{CODE}", fenced(CODE) + "\n" + fenced(CODE), fenced(CODE, "bash"), ""):
        assert plainly_code(answer) is None


def lines(*parts: str) -> str:
    return "\n".join(parts)


SEVERAL = {
    "the final version counts": lines(
        "First try:", fenced("def f(x):\n    return x"), "That forgets one. Fixed:", fenced(CODE)
    ),
    "an example comes after": lines(fenced(CODE), "Usage:", fenced("print(f(3))")),
    "its output comes after": lines(fenced(CODE), "Output:", fenced("4", "text"), fenced(">>> f(3)\n4", "")),
    "an example comes before": lines("You will call it like this:", fenced("y = f(3)"), "so:", fenced(CODE)),
    "installation comes before": lines(fenced("pip install numpy", "bash"), fenced(CODE)),
    "a stub comes after": lines(fenced(CODE), "The signature was:", fenced("def f(x):\n    pass")),
    "a stub with a docstring comes after": lines(fenced(CODE), fenced('def f(x):\n    """Adds one."""\n    ...')),
    "only the signature comes after": lines(fenced(CODE), fenced("def f(x):")),
    "helper in a block before": lines(
        "A helper:", fenced("def one():\n    return 1"), "and:", fenced("def f(x):\n    return x + one()")
    ),
    "helper in a block after": lines(
        fenced("def f(x):\n    return x + one()"), "where", fenced("def one():\n    return 1")
    ),
    "helper of a helper": lines(
        fenced("ONE = 1"), fenced("def one():\n    return ONE"), fenced("def f(x):\n    return x + one()")
    ),
    "imports in a block of their own": lines(
        fenced("import math"), "then", fenced("def f(x):\n    return math.floor(x) + 1")
    ),
    "another function comes after": lines(fenced(CODE), "A test:", fenced("def test_f():\n    assert f(1) == 2")),
    "a page comes after": lines(fenced(CODE), fenced("<b>f</b>", "html")),
    "a fence in a docstring": (
        'def f(x):\n    """Add one.\n\n    ```python\n    f(1)\n    ```\n    """\n    return x + 1'
    ),
    "a fenced function with a fence in its docstring": fenced(
        'def f(x):\n    """Add one.\n\n    ```python\n    f(1)\n    ```\n    """\n    return x + 1'
    ),
    "a flush fence in a docstring": fenced('def f(x):\n    """Add one:\n```\nf(1)\n```\n    """\n    return x + 1'),
    "ticks in a string": fenced("def f(x):\n    fence = '```'\n    return x + 1 if fence else 0"),
    "code outside the blocks": lines("Call it so:", fenced("f(3)"), "The code:", "", CODE, ""),
    "one unclosed after a closed one": lines(fenced("def f(x):\n    return 0"), "Better:", f"{TICKS}python", CODE),
    "prose inside the fence": fenced(lines("Here is the code:", "", CODE, "", "That's it, isn't it?")),
    "shown twice": lines(fenced(CODE), "To repeat:", fenced(CODE)),
}


@pytest.mark.parametrize("answer", SEVERAL.values(), ids=SEVERAL.keys())
def test_choosing_among_several(answer: str) -> None:
    assert result(answer) == 2


def test_strings_are_left_alone() -> None:
    assert result("def f(x):\n    return '\u200d\u00a0\u201c'") == "\u200d\u00a0\u201c"
    assert result("def f(x):\n    return '&lt;'") == "&lt;"
    assert result("def f(x):\n    return '''a\n  b'''") == "a\n  b"


def test_names_other_than_the_function() -> None:
    answer = lines(fenced("class Item:\n    price = 2"), fenced("def f(item):\n    return item.price"))
    assert result(answer, "f(Item())", ("f", "Item")) == 2


def test_without_names_any_definition_counts() -> None:
    assert extract_code(f"prose\n{fenced('print(1)')}\n{fenced(CODE)}\n{fenced('print(f(1))')}") == CODE


@pytest.mark.parametrize(
    "answer", ["", " ", "\n", "I do not know.", TICKS, f"{TICKS}\n{TICKS}", "x" * 10, "{'a': 1}", "~~~"]
)
def test_nothing_to_find(answer: str) -> None:
    assert isinstance(extract_code(answer, ("f",)), str)


@pytest.mark.parametrize(
    "answer",
    [
        "(" * 50_000,
        "def f():\n" * 5_000,
        f"{TICKS}\n" * 5_000,
        "-" * 100_000 + "1",
        "import x\n  y (\n" * 3_000,
        "a" * (MAX_CHARACTERS + 1),
        "@a\n" * 20_000,
        "x = '" + "\\" * 99_999,
    ],
    ids=lambda text: text[:5],
)
def test_hostile_texts_cost_little(answer: str) -> None:
    assert isinstance(extract_code(answer, ("f",)), str)
