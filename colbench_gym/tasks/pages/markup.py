"""A tree of elements and its text: how the generated pages are written down."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape

LINK = '<link href="https://cdn.jsdelivr.net/npm/tailwindcss@2.2.19/dist/tailwind.min.css" rel="stylesheet">'
"""What every page of the official set loads, and all that it loads."""

VOID = frozenset({"br", "hr", "img", "input"})

_ONE_LINE = 110


@dataclass(frozen=True, slots=True)
class Comment:
    """A remark of the page's author; nothing shows."""

    text: str


@dataclass(frozen=True, slots=True)
class Element:
    """One element. Text and attribute values are plain; `write` escapes them."""

    tag: str
    attributes: tuple[tuple[str, str], ...]
    children: tuple[Node, ...]


Node = Element | Comment | str


def el(tag: str, classes: str = "", *children: Node | None, **attributes: str) -> Element:
    """An element. `for_` stands for the attribute `for`; children that are None are left out."""
    listed = [(name.rstrip("_"), value) for name, value in attributes.items() if name != "style"]
    if classes.strip():
        listed.append(("class", " ".join(classes.split())))
    if "style" in attributes:
        listed.append(("style", attributes["style"]))
    return Element(tag, tuple(listed), tuple(child for child in children if child is not None))


def image(width: int, height: int, alt: str, classes: str = "") -> Element:
    """A picture by address, as the official pages name them after the URLs' rewriting."""
    return el("img", classes, src=picture(width, height), alt=alt)


def picture(width: int, height: int) -> str:
    return f"https://picsum.photos/id/48/{width}/{height}"


def document(body: Element, indent: int) -> str:
    """The whole page as text, nested elements indented by `indent` blanks."""
    return f"<html>\n{LINK}\n{write(body, indent)}\n</html>"


def write(node: Node, indent: int, depth: int = 0) -> str:
    """`node` as lines of HTML without a trailing line end."""
    margin = " " * (indent * depth)
    if isinstance(node, str):
        return margin + escape(node, quote=False)
    if isinstance(node, Comment):
        return f"{margin}<!-- {node.text} -->"
    opening = f"<{node.tag}{''.join(f' {name}={_quoted(value)}' for name, value in node.attributes)}>"
    if node.tag in VOID:
        return margin + opening
    closing = f"</{node.tag}>"
    if node.tag == "li" and len(node.children) == 1 and isinstance(node.children[0], Element):
        return f"{margin}{opening}{write(node.children[0], indent).strip()}{closing}"
    if all(isinstance(child, str) for child in node.children):
        text = escape("".join(child for child in node.children if isinstance(child, str)), quote=False)
        if node.tag != "body" and (len(text) <= _ONE_LINE or indent == 2):
            return f"{margin}{opening}{text}{closing}"
    inner = "\n".join(write(child, indent, depth + 1) for child in node.children)
    return f"{margin}{opening}\n{inner}\n{margin}{closing}" if inner else f"{margin}{opening}{closing}"


def _quoted(value: str) -> str:
    return '"' + escape(value, quote=False).replace('"', "&quot;") + '"'
