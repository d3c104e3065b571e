from __future__ import annotations

from colbench_gym.grading.browser.purge import Stylesheet, words

CSS = """
/* a comment { with braces */
html { line-height: 1.5 } .flex{display:flex} .w-1\\/2{width:50%} .p-1\\.5{padding:6px}
.group:hover .group-hover\\:red{color:red} .space-x-4>:not([hidden])~:not([hidden]){margin:1rem}
.a,.b{color:blue}
@keyframes spin{to{transform:rotate(360deg)}}
@media (min-width:640px){.sm\\:flex{display:flex}.sm\\:hover\\:red:hover{color:red}}
@media (min-width:768px){.md\\:flex{display:flex}}
"""


def kept(html: str) -> str:
    return Stylesheet(CSS).purged(html)


def test_what_no_class_can_match_is_left_out():
    css = kept("<p>text</p>")
    assert "line-height" in css
    assert "@keyframes spin{to{transform:rotate(360deg)}}" in css
    assert ".flex" not in css
    assert "@media" not in css


def test_escaped_class_names_are_found():
    css = kept('<p class="w-1/2 p-1.5 sm:hover:red">')
    assert "width:50%" in css
    assert "padding:6px" in css
    assert "@media (min-width:640px){.sm\\:hover\\:red:hover{color:red}}" in css


def test_every_class_of_a_selector_must_occur():
    assert "group-hover" not in kept('<p class="group-hover:red">')
    assert "group-hover" in kept('<p class="group"><b class="group-hover:red">')
    assert "color:blue" in kept("<p class=b>")


def test_order_of_the_stylesheet_is_kept():
    css = kept('<p class="md:flex flex sm:flex">')
    assert css.index(".flex{") < css.index("640px") < css.index("768px")
    assert css.count("{") == css.count("}")


def test_words_however_they_are_quoted():
    found = words("<p class=w-full/><b class='a\nb'\tclass=\"c&#45;d e\">")
    assert {"w-full", "a", "b", "c-d", "e"} <= found
