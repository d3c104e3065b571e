"""Boxes, from real snapshots of small pages."""

from __future__ import annotations

import pytest

from colbench_gym.grading import render
from colbench_gym.grading.render import Box

pytestmark = pytest.mark.browser


def boxes(body: str, head: str = "") -> tuple[Box, ...]:
    return render.render(f"<!doctype html><html><head>{head}</head><body style='margin:0'>{body}</body></html>").boxes


def texts(body: str) -> list[str]:
    return [box.text for box in boxes(body) if box.tag == "#text"]


def one(tag: str, found: tuple[Box, ...]) -> Box:
    matches = [box for box in found if box.tag == tag]
    assert len(matches) == 1
    return matches[0]


def test_place_and_style():
    found = boxes(
        "<section style='position:absolute;left:10px;top:20px;width:300px;height:40px;background:rgba(1,2,3,.5);"
        "border:2px solid #ff0000;border-radius:7px;box-shadow:0 0 9px red;color:#0000ff;font:italic 700 20px/1 Arial;"
        "text-align:right;text-decoration:underline;display:flex'><b style='color:lime'>a  b\n c</b></section>"
        "<div style='height:5px;background:linear-gradient(red,blue)'></div>"
    )
    section = one("section", found)
    assert (section.x, section.y, section.width, section.height) == (10, 20, 304, 44)
    assert section.background == (1, 2, 3, 0.5)
    assert section.border == (2, 2, 2, 2)
    assert section.border_color == (255, 0, 0, 1)
    assert (section.radius, section.shadow, section.gradient) == (7, True, False)
    assert section.color == (0, 0, 255, 1)
    assert (section.font_size, section.font_weight, section.font_family) == (20, 700, "arial")
    assert (section.italic, section.underline, section.align, section.display) == (True, True, "right", "flex")
    text = one("#text", found)
    assert text.text == "a b c"
    assert text.color == (0, 255, 0, 1)
    assert found[text.parent].tag == "b"
    assert found[found[text.parent].parent] is section
    assert one("div", found).gradient


def test_document_order_and_parents():
    found = boxes("<main><p>a<b>b</b>c</p><p>d</p></main>")
    assert [box.tag for box in found] == ["html", "body", "main", "p", "#text", "b", "#text", "#text", "p", "#text"]
    assert found[0].parent == -1
    assert all(box.parent < index for index, box in enumerate(found))


def test_text_is_as_it_is_shown():
    assert texts("<p style='text-transform:uppercase'>Stra&szlig;e &amp; more</p>") == ["STRASSE & MORE"]
    assert texts("<ul><li>a</li></ul><p class=q>b</p><style>.q::before{content:'no'}</style>") == ["a", "b"]


@pytest.mark.parametrize(
    "style",
    [
        "display:none",
        "visibility:hidden",
        "opacity:0",
        "position:absolute;left:-9999px",
        "position:absolute;top:-500px;height:20px",
        "position:absolute;width:1px;height:1px;overflow:hidden;clip:rect(0,0,0,0)",
        "height:0;overflow:hidden",
        "color:transparent",
    ],
)
def test_what_is_not_seen_is_not_there(style: str):
    assert texts(f"<p style='{style}'>hidden</p><p>shown</p>") == ["shown"]


def test_children_of_what_is_not_seen():
    found = boxes("<nav style='visibility:hidden'><p style='visibility:visible'>a</p></nav>")
    assert [box.tag for box in found] == ["html", "body", "p", "#text"]
    found = boxes("<nav style='height:0'><p>a</p></nav><div style='display:contents'><i>b</i></div>")
    assert [box.tag for box in found] == ["html", "body", "p", "#text", "i", "#text"]
    assert [found[box.parent].tag for box in found[1:]] == ["html", "body", "p", "body", "i"]


def test_what_sticks_out_of_its_parent():
    clipped = (
        "<div style='position:relative;overflow:hidden;width:9px;height:9px'><p style='margin-left:99px'>a</p></div>"
    )
    assert texts(clipped) == []
    fixed = "<div style='overflow:hidden;width:9px;height:9px'><p style='position:fixed;left:99px'>a</p></div>"
    assert texts(fixed) == ["a"]
    absolute = "<div style='overflow:hidden;width:9px;height:9px'><p style='position:absolute;left:99px'>a</p></div>"
    assert texts(absolute) == ["a"]


def test_form_fields_and_images():
    found = boxes(
        "<input placeholder='Your name'><input value=Ada placeholder=no><textarea>long\ntext</textarea>"
        "<select><option>one<option selected>two</select><input type=submit><button>Go</button><img alt=' A  cat '>"
    )
    shown = [(box.tag, box.text) for box in found if box.text]
    assert shown == [
        ("input", "Your name"),
        ("input", "Ada"),
        ("textarea", "long text"),
        ("select", "two"),
        ("input", "Submit"),
        ("#text", "Go"),
        ("img", "A cat"),
    ]


def test_boxes_are_limited():
    many = render.render("<i>a</i> " * 8000)
    assert len(many.boxes) == 10_000
    assert many.flags == ("too_many_boxes",)
    more = render.render("<i>a</i> " * 12_000)
    assert more.boxes == ()
    assert more.flags == ("too_many_boxes",)
