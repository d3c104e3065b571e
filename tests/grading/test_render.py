from __future__ import annotations

import io
import itertools
import json
import pickle
from collections.abc import Iterator
from pathlib import Path

import pytest

from colbench_gym import assets
from colbench_gym.errors import ConfigError
from colbench_gym.grading import render
from colbench_gym.grading.render import Render, Unrenderable

ROOT = Path(__file__).parents[2]
REAL = ROOT.parent / "shared" / "data" / "frontend_tasks.jsonl"
TAILWIND_2 = '<link href="https://cdn.jsdelivr.net/npm/tailwindcss@2.2.19/dist/tailwind.min.css" rel="stylesheet">'
PAGES = [
    f"<html><head>{TAILWIND_2}</head><body class='bg-gray-{shade}00'><h1 class='text-{size}xl'>Hello</h1>"
    "<div class='grid grid-cols-3 gap-4'><p class='bg-white shadow-lg rounded p-4'>Some words</p>"
    "<img src='https://picsum.photos/200/100' class='rounded-full'></div></body></html>"
    for shade, size in itertools.product(range(1, 5), range(3, 6))
]


@pytest.fixture(scope="module", autouse=True)
def _no_browser_is_left() -> Iterator[None]:
    yield
    render.close()


def pixel(result: Render, x: int, y: int) -> tuple[int, ...]:
    from PIL import Image

    image = Image.open(io.BytesIO(result.png))
    assert image.mode == "RGB"
    assert image.size == (result.width, result.height)
    value = image.getpixel((x, y))
    assert isinstance(value, tuple)
    return value


def test_unknown_names():
    with pytest.raises(ConfigError, match="default, official"):
        render.render("a", geometry="wide")  # pyright: ignore[reportArgumentType]
    with pytest.raises(ConfigError, match="chromium, blitz"):
        render.render("a", renderer="gecko")


def test_long_pages_are_refused_without_a_browser(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("COLBENCH_CHROMIUM", "/nowhere/chromium")
    with pytest.raises(Unrenderable) as caught:
        render.render("é" * 500_001)
    assert caught.value.reason == "too_large"
    copy = pickle.loads(pickle.dumps(caught.value))
    assert (copy.reason, str(copy)) == ("too_large", str(caught.value))


@pytest.mark.browser
class TestChromium:
    def test_no_browser(self, monkeypatch: pytest.MonkeyPatch):
        render.close()
        monkeypatch.setenv("COLBENCH_CHROMIUM", "/nowhere/chromium")
        with pytest.raises(ConfigError, match=r"/nowhere/chromium.*Mend"):
            render.render("a")

    def test_tailwind_2(self):
        result = render.render(
            f"<html><head>{TAILWIND_2}</head><body><div class='bg-blue-500 md:ml-1/2 h-4'></div>"
            "<style>.bg-blue-500{margin-left:640px}</style></body></html>"
        )
        assert pixel(result, 600, 8) == (255, 255, 255)
        assert pixel(result, 700, 8) == (59, 130, 246)
        assert result.renderer.split()[1][0].isdigit()
        assert "chrom" in result.renderer
        assert (result.width, result.height, result.flags) == (1280, 720, ())

    @pytest.mark.parametrize(
        ("script", "style"),
        [
            ("https://cdn.tailwindcss.com", "@layer components{.tall{@apply h-40}}"),
            (
                "https://cdn.jsdelivr.net/npm/@tailwindcss/browser@4",
                "@theme{--color-brand:#ff0066} .tall{height:160px}",
            ),
        ],
    )
    def test_tailwind_that_compiles(self, script: str, style: str):
        page = (
            f"<html><head><script src='{script}'></script>"
            "<script>tailwind.config={theme:{extend:{colors:{brand:'#ff0066'}}}}</script>"
            f"<style type='text/tailwindcss'>{style}</style></head>"
            "<body><div class='bg-brand ml-[37px] tall'></div></body></html>"
        )
        result = render.render(page)
        assert pixel(result, 36, 100) == (255, 255, 255)
        assert pixel(result, 37, 159) == (255, 0, 102)
        assert pixel(result, 37, 160) == (255, 255, 255)
        assert render.render(page).png == result.png

    def test_a_script_that_was_not_fetched(self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
        from colbench_gym.grading.browser import play_cdn

        monkeypatch.setattr(assets, "tailwind_folder", lambda: tmp_path)
        play_cdn._script.cache_clear()
        with pytest.raises(ConfigError, match="Mend: colbench setup"):
            render.render("<script src=https://cdn.tailwindcss.com></script>a")

    def test_geometries(self):
        page = "<!doctype html><body style='margin:0'><div style='height:{}px;background:red'></div>"
        for height, default, official in ((100, 720, 100), (1000, 1000, 1000), (1e6, 16384, 16384)):
            result = render.render(page.format(height))
            assert (result.width, result.height) == (1280, default)
            assert result.flags == (("height_capped",) if height > 16384 else ())
            assert pixel(result, 1279, min(default, int(height)) - 1) == (255, 0, 0)
            result = render.render(page.format(height), geometry="official")
            assert (result.width, result.height) == (1366, official)
        # Without a document type too, where Chromium would stretch the root over the window.
        assert render.render(page.format(100).removeprefix("<!doctype html>"), geometry="official").height == 100
        assert render.render("<body style='height:100%'>a", geometry="official").height >= 683

    def test_the_window_is_not_as_high_as_the_page(self):
        result = render.render(
            "<!doctype html><body style='margin:0'><div style='height:100vh;background:red'></div>"
            "<div style='height:1000px'></div><i style='position:fixed;bottom:0;height:9px;width:9px'></i>"
        )
        assert result.height == 1720
        assert pixel(result, 99, 719) == (255, 0, 0)
        assert pixel(result, 99, 720) == (255, 255, 255)

    def test_images(self):
        placeholder = render.render("<body style='margin:0'><img src='https://picsum.photos/id/48/64/32'>")
        image = next(box for box in placeholder.boxes if box.tag == "img")
        assert (image.width, image.height) == (64, 32)
        assert pixel(placeholder, 32, 16) != (255, 255, 255)
        lazy = render.render("<div style='height:9000px'></div><img loading=lazy src='https://picsum.photos/64/32'>")
        assert pixel(lazy, 40, lazy.height - 20) != (255, 255, 255)
        blocked = [render.render(f"<img src='{source}' alt=A>") for source in ("cat.png", "https://a.example/b.png")]
        assert blocked[0].png == blocked[1].png

    def test_nothing_of_a_page_stays(self):
        before = render.render(PAGES[0]).png
        for harm in (
            "<meta http-equiv=Content-Security-Policy content=\"style-src 'none'\">",
            "<style title=x>p{color:red}</style>",
            "<base href=//a.example><meta name=color-scheme content=dark>",
            "<div style='height:9000px'></div><input autofocus>",
            "<!doctype html><style>@font-face{font-family:Arial;src:local(monospace)}*{font-family:Arial!important}",
        ):
            render.render(harm)
            assert render.render(PAGES[0]).png == before

    def test_one_picture_whatever_the_order_and_company(self):
        pages = [*PAGES, "<script src=https://cdn.tailwindcss.com></script><p class='p-4 text-3xl'>a"]
        alone = list(render.render_many(pages, in_flight=1))
        together = list(render.render_many(pages[::-1], in_flight=6))[::-1]
        assert alone == together
        render.close()
        assert list(render.render_many(pages)) == alone

    def test_many_pages_come_in_order_and_are_read_as_needed(self):
        read = 0

        def pages():
            nonlocal read
            for number in itertools.count(1):
                read = number
                yield "x" * 1_000_001 if number == 2 else f"<!doctype html><div style='height:{number}000px'>"

        results = render.render_many(pages(), in_flight=3)
        heights = [
            result.reason if isinstance(result, Unrenderable) else result.height // 1000
            for result in itertools.islice(results, 5)
        ]
        assert heights == [1, "too_large", 3, 4, 5]
        assert read <= 8
        results.close()  # pyright: ignore[reportAttributeAccessIssue]

    @pytest.mark.slow
    @pytest.mark.skipif(not REAL.is_file(), reason="the real tasks are not beside the repository (../shared/data)")
    @pytest.mark.parametrize("geometry", ["default", "official"])
    def test_real_pages(self, geometry: render.Geometry):
        """A sixth of them; all were rendered by hand (docs/rendering.md)."""
        lines = REAL.read_text(encoding="utf-8").splitlines()
        pages = [json.loads(line)["ground_truth"] for line in lines[::6]]
        first = list(render.render_many(pages, geometry=geometry))
        assert not [result for result in first if isinstance(result, Unrenderable)]
        assert first[:30] == list(render.render_many(pages[:30], geometry=geometry, in_flight=1))
