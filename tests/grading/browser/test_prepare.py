from __future__ import annotations

import random
import time

import pytest

from colbench_gym.grading.browser.prepare import MAX_PLACEHOLDERS, Page, image_size, placeholder, prepare

CSS = ".used{color:red}"
LINK = '<link href="https://cdn.jsdelivr.net/npm/tailwindcss@2.2.19/dist/tailwind.min.css" rel="stylesheet">'


def prepared(html: str) -> Page:
    return prepare(html, lambda _: CSS)


def shown(html: str) -> str:
    return prepared(html).html()


@pytest.mark.parametrize(
    "link",
    [
        LINK,
        "<LINK REL=stylesheet HREF=//cdnjs.cloudflare.com/ajax/libs/tailwindcss/2.2.19/tailwind.min.css>",
        "<link rel='stylesheet'\nhref='https://unpkg.com/tailwindcss@^2/dist/tailwind.min.css' />",
        '<link rel="stylesheet" href="https://unpkg.com/tailwindcss@2">',
        '<link rel="stylesheet" href="https://cdn.example/css/tailwind.css?v=1">',
        '<link rel="stylesheet" href="https://cdn.jsdelivr.net/npm/tailwindcss/dist/tailwind.min.css">',
        '<link rel="stylesheet" href="https://cdn.jsdelivr.net/npm/tailwindcss@1.9.6/dist/utilities.min.css">',
    ],
)
def test_tailwind_2_is_put_in_place(link: str):
    assert shown(f"<head><b>{link}<i>").endswith(f"<head><b><style>{CSS}</style><i>")


@pytest.mark.parametrize(
    "link",
    [
        '<link rel="stylesheet" href="https://cdn.example/bootstrap.min.css">',
        '<link rel="stylesheet" href="tailwind.min.css">',
        '<link rel="stylesheet" href="https://unpkg.com/tailwindcss@3.4.1/dist/tailwind.min.css">',
        '<link rel="preload" href="https://unpkg.com/tailwindcss@2/dist/tailwind.min.css">',
        '<link rel="icon" href="data:,">',
        '<link rel=prefetch href="https://a.example/">',
    ],
)
def test_other_links_are_absent(link: str):
    assert shown(f"<b>{link}<i>").endswith("<b><i>")


def test_tailwind_is_inlined_once():
    assert shown(LINK * 3).count(CSS) == 1


def test_the_document_type_stays_first():
    for start in ("<!DOCTYPE html>", "\ufeff <!-- a -->\n<!doctype HTML public 'x'>"):
        assert shown(f"{start}<html>").startswith(f"{start}<style>")


@pytest.mark.parametrize(
    ("html", "left"),
    [
        ("<p>a<script>if (a<b) '<p>'</script>b", "<p>ab"),
        ("<p>a<SCRIPT src=x></SCRIPT >b", "<p>ab"),
        ("<p>a<script>b", "<p>a"),
        ("<noscript><p>no</noscript>a", "a"),
        ("<meta http-equiv=refresh content='0;url=x'>a", "a"),
        ("<META content=\"0;url='>'\" HTTP-EQUIV = ' Refresh '>a", "a"),
        ("<base href=x>a", "a"),
        ("<meta charset=utf-8>a", "<meta charset=utf-8>a"),
        ("a<!-- <script> -->b<!-- <base>", "a<!-- <script> -->b<!-- <base>"),
        ("<textarea><base></textarea><title><script></title>", "<textarea><base></textarea><title><script></title>"),
        ("<plaintext><base>", "<plaintext><base>"),
        ("<p title='<base>'>a", "<p title='<base>'>a"),
        ("a < b </ c> <base>d", "a < b </ c> d"),
        ("<p a='<base>", "<p a='<base>"),
    ],
)
def test_what_is_left_of(html: str, left: str):
    assert shown(html).partition("</style>")[2] == left


@pytest.mark.parametrize(
    ("html", "gone"),
    [
        ("<iframe src='//a.example' width=9></iframe>", "a.example"),
        ('<IFRAME/SRCDOC="<p>secret">x</IFRAME>', "secret"),
        ("<object data=//a.example></object>", "a.example"),
        ("<video poster=//a.example autoplay src=//a.example></video>", "a.example"),
        ("<embed src = '//a.example'>", "a.example"),
    ],
)
def test_frames_and_media_show_nothing(html: str, gone: str):
    result = shown(html)
    assert gone not in result
    assert html[1:4].lower() in result


def test_placeholders_take_the_place_of_images():
    image = placeholder(300, 200)
    for html in (
        '<img src="https://picsum.photos/300/200?random=1">',
        "<IMG SRC='//picsum.photos/id/48/300/200'>",
        "<img src=https://via.placeholder.com/300x200/ff0000/fff?text=a>",
        "<img srcset='https://placehold.co/300x200, https://placehold.co/300x200 2x'>",
        "<div style=\"background:url('https://source.unsplash.com/random/300x200/?a,b')\">",
        "<style>p{background:url(https://picsum.photos/300/200)}</style>",
        "<svg><image href='https://picsum.photos/300/200'/></svg>",
    ):
        result = shown(html)
        assert image in result, html
        assert "//p" not in result, html
    assert ", " in shown("<img srcset='https://placehold.co/300x200, https://placehold.co/300x200 2x'>")


def test_addresses_that_are_shown_or_not_images_stay():
    for html in (
        "<p>https://picsum.photos/300/200</p>",
        "<a href='https://picsum.photos/300/200'>",
        "<img src='https://a.example/picsum.photos/300'>",
        "<img src='https://picsum.photos.example/300'>",
        "<img src='cat.png'>",
    ):
        assert html in shown(html)


def test_placeholders_are_limited():
    assert shown('<img src="//picsum.photos/1">' * (MAX_PLACEHOLDERS + 5)).count("picsum") == 5


@pytest.mark.parametrize(
    ("address", "size"),
    [
        ("https://picsum.photos/200", (200, 200)),
        ("https://picsum.photos/200/300.jpg", (200, 300)),
        ("https://picsum.photos/id/237/200/300", (200, 300)),
        ("https://picsum.photos/seed/7/200/300", (200, 300)),
        ("https://via.placeholder.com/150", (150, 150)),
        ("https://via.placeholder.com/150x90.png", (150, 90)),
        ("https://placehold.co/600x400/EEE/31343C", (600, 400)),
        ("https://source.unsplash.com/1600x900/?nature", (1600, 900)),
        ("https://source.unsplash.com/random/300x200/?a", (300, 200)),
        ("https://images.unsplash.com/photo-1234567890?w=600&amp;h=100", (600, 100)),
        ("https://images.unsplash.com/photo-1?auto=format&w=600", (600, 400)),
        ("https://source.unsplash.com/random", (300, 200)),
        ("https://picsum.photos/99999/0", (4000, 1)),
    ],
)
def test_size_of_images(address: str, size: tuple[int, int]):
    assert image_size(address) == size


@pytest.mark.parametrize(
    ("source", "version"),
    [
        ("https://cdn.tailwindcss.com", "3"),
        ("https://cdn.tailwindcss.com/3.4.1?plugins=forms", "3"),
        ("//cdn.tailwindcss.com", "3"),
        ("https://cdn.jsdelivr.net/npm/@tailwindcss/browser@4", "4"),
        ("https://unpkg.com/@tailwindcss/browser@4.1.2/dist/index.global.js", "4"),
    ],
)
def test_scripts_that_compile(source: str, version: str):
    page = prepared(
        f"<html><head><script src='{source}'></script><script>tailwind.config = {{a: 1}}</script><script>b()</script>"
        "<style type='text/tailwindcss'>@theme{}</style></head><body>x"
    )
    assert page.play_cdn is not None
    assert page.play_cdn.version == version
    assert page.play_cdn.configs == ("tailwind.config = {a: 1}",)
    assert page.play_cdn.css == ("@theme{}",)
    assert "<style>p{}</style></head><body>x" in page.html("p{}")


def test_a_script_that_does_not_compile():
    assert prepared("<script src='https://a.example/tailwind.js'></script>").play_cdn is None


def test_compiled_css_cannot_leave_its_element():
    page = prepared("<script src=https://cdn.tailwindcss.com></script><body>")
    assert page.html("a{content:'</STYLE><img>'}").lower().count("</style") == 2


ADVERSARIES = {
    "open quotes": '<a b="' * 160_000,
    "open tags": "<a " * 320_000,
    "open comments": "<!--" * 240_000,
    "open scripts": "<script" * 140_000,
    "open styles": "<style>" * 140_000,
    "equals": "<a " + "=" * 990_000,
    "blanks": "<a " + " " * 990_000,
    "attributes": "<a " + "b=c " * 240_000,
    "slashes": "</" * 490_000,
    "before content": " " * 990_000,
    "comments before content": "<!---->" * 140_000,
    "links": LINK * 9000,
    "placeholders": '<img src="//picsum.photos/1">' * 30_000,
    "addresses": "<img src=" + "//picsum.photos" * 60_000,
}


@pytest.mark.parametrize("name", ADVERSARIES)
def test_time_is_bounded(name: str):
    start = time.process_time()
    shown(ADVERSARIES[name])
    assert time.process_time() - start < 3


def test_any_text_goes_through():
    rng = random.Random(0)
    parts = [
        "<",
        ">",
        "/",
        "'",
        '"',
        "=",
        " ",
        "a",
        "script",
        "style",
        "img",
        "src",
        "<!--",
        "-->",
        "link",
        "//picsum.photos/9",
        "\0",
        "\ud800",
        "é",
    ]
    for _ in range(2000):
        shown("".join(rng.choices(parts, k=rng.randrange(40))))
