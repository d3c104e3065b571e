from __future__ import annotations

import sys

import pytest

pytest.importorskip("blitz_py")
pytest.importorskip("PIL")

from colbench_gym import assets
from colbench_gym.errors import ConfigError, MissingExtra
from colbench_gym.grading import blitz
from colbench_gym.grading.pictures import pixels
from colbench_gym.grading.render import Render, Unrenderable, render, render_many

RED = "<html><body style='margin: 0'><div style='height: 90px; background: red'>Hello</div></body></html>"


@pytest.fixture(scope="module", autouse=True)
def tailwind():
    try:
        assets.tailwind_file("2.2.19")
    except ConfigError as error:
        pytest.skip(str(error))


def test_a_page():
    page = render(RED, renderer="blitz")
    assert (page.width, page.height) == (1280, 720)
    picture = pixels(page)
    assert picture.shape == (720, 1280, 3)
    assert picture[5, 1000].tolist() == [255, 0, 0]
    assert picture[500, 1000].tolist() == [255, 255, 255]
    assert (page.boxes, page.flags, page.renderer, page.geometry) == ((), ("no_boxes",), "blitz-py 0.5.0", "default")
    assert render(RED, renderer="blitz") == page


def test_official_geometry():
    page = render(RED, renderer="blitz", geometry="official")
    assert (page.width, page.height) == (1366, 90)


def test_tailwind_by_link():
    link = '<link href="https://cdn.jsdelivr.net/npm/tailwindcss@2.2.19/dist/tailwind.min.css" rel="stylesheet">'
    page = f"<html><head>{link}</head><body><div class='bg-red-500 h-64'></div></body></html>"
    assert pixels(blitz.render_page(page))[100, 100].tolist() == [239, 68, 68]


def test_tailwind_by_script_is_flagged():
    page = "<html><script src='https://cdn.tailwindcss.com'></script><body><p class='m-4'>Text</p></body></html>"
    assert "tailwind_not_compiled" in blitz.render_page(page).flags


def test_a_very_high_page_is_capped():
    page = blitz.render_page("<div style='height: 900000px'></div>")
    assert (page.height, page.flags) == (16384, ("no_boxes", "height_capped"))


def test_no_file_is_read(tmp_path):
    picture = tmp_path / "secret.png"
    picture.write_bytes(render(RED, renderer="blitz").png)
    shown = blitz.render_page(f"<html><body><img width=50 height=50 src='{picture.as_uri()}'></body></html>")
    absent = blitz.render_page(f"<html><body><img width=50 height=50 src='{picture.as_uri()}.no'></body></html>")
    assert shown.png == absent.png


def test_a_page_that_hangs_ends_in_time_and_harms_no_other(monkeypatch):
    monkeypatch.setattr(blitz, "SECONDS", 2.0)
    hang, after = render_many(["<div>" * 150_000, RED], renderer="blitz")
    assert isinstance(hang, Unrenderable)
    assert hang.reason == "timeout"
    assert isinstance(after, Render)
    assert pixels(after)[5, 1000].tolist() == [255, 0, 0]


def test_memory_is_bounded(monkeypatch):
    monkeypatch.setattr(blitz, "MEMORY", 300 << 20)
    with pytest.raises(Unrenderable, match="blitz failed on the page") as caught:
        blitz.render_page("<p style='height: 1px; border: 1px solid'>x</p>" * 20_000)
    assert caught.value.reason == "memory"


def test_without_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "blitz_py", None)
    with pytest.raises(MissingExtra, match=r"colbench-gym\[blitz\]"):
        render(RED, renderer="blitz")
