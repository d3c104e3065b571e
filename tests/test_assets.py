from __future__ import annotations

import hashlib
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from xml.etree import ElementTree

import pytest

from colbench_gym import assets
from colbench_gym.errors import ConfigError

CONTENT = {"one.txt": b"first", "two.txt": b"second"}
EXPECTED = {name: hashlib.sha256(content).hexdigest() for name, content in CONTENT.items()}


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format, *args):
        self.server.requests.append(self.path)  # type: ignore[attr-defined]


@pytest.fixture
def source(tmp_path, monkeypatch):
    """A local server with the files, and an empty cache."""
    folder = tmp_path / "served"
    folder.mkdir()
    for name, content in CONTENT.items():
        (folder / name).write_bytes(content)
    monkeypatch.setenv("COLBENCH_CACHE", str(tmp_path / "cache"))
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(folder))) as server:
        server.requests = []  # type: ignore[attr-defined]
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}", server, folder
        server.shutdown()
        thread.join()


def test_fetches_once(source):
    address, server, _ = source
    first = assets.fetch_official_prompts(source=address, expected=EXPECTED)
    assert [(path.read_bytes(), fetched) for path, fetched in first] == [(b"first", True), (b"second", True)]
    again = assets.fetch_official_prompts(source=address, expected=EXPECTED)
    assert [fetched for _, fetched in again] == [False, False]
    assert len(server.requests) == 2


def test_a_damaged_copy_is_fetched_again(source):
    address, _, _ = source
    [(path, _), _] = assets.fetch_official_prompts(source=address, expected=EXPECTED)
    path.write_bytes(b"tampered")
    assert [fetched for _, fetched in assets.fetch_official_prompts(source=address, expected=EXPECTED)] == [True, False]
    assert path.read_bytes() == b"first"


def test_another_content_is_refused(source):
    address, _, folder = source
    (folder / "one.txt").write_bytes(b"other")
    with pytest.raises(ConfigError, match=r"one.txt has sha256 .* refused"):
        assets.fetch_official_prompts(source=address, expected=EXPECTED)
    assert not (assets.official_prompt_folder() / "one.txt").exists()


def test_unreachable_names_the_mend(tmp_path, monkeypatch):
    monkeypatch.setenv("COLBENCH_CACHE", str(tmp_path))
    with pytest.raises(ConfigError, match=r"cannot be fetched.*Mend"):
        assets.fetch_official_prompts(source="http://127.0.0.1:9", expected=EXPECTED, seconds=2)


def test_reading_one(tmp_path, monkeypatch):
    monkeypatch.setenv("COLBENCH_CACHE", str(tmp_path))
    name = "llm_agent_code_prompt.txt"
    with pytest.raises(ConfigError, match="--official-prompts"):
        assets.official_prompt(name)
    with pytest.raises(ConfigError, match="no official prompt"):
        assets.official_prompt("mine.txt")
    folder = assets.official_prompt_folder()
    folder.mkdir(parents=True)
    (folder / name).write_text("not it")
    with pytest.raises(ConfigError, match="not the official file"):
        assets.official_prompt(name)


# --- browser


def program(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)
    return path


@pytest.fixture
def bare(tmp_path, monkeypatch) -> Path:
    """A machine without a browser: everything that is looked at lies in this folder."""
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.setenv("COLBENCH_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("PLAYWRIGHT_BROWSERS_PATH", str(tmp_path / "playwright"))
    monkeypatch.delenv("COLBENCH_CHROMIUM", raising=False)
    return tmp_path


def test_the_first_browser_in_order(bare, monkeypatch):
    with pytest.raises(ConfigError) as caught:
        assets.find_chromium()
    for looked_at in (
        "COLBENCH_CHROMIUM",
        "cache/browser/chromium",
        "playwright",
        "google-chrome",
        "Mend: colbench setup",
    ):
        assert looked_at in str(caught.value)
    # From the last in order to the first: each takes over.
    for path, source in (
        ("bin/google-chrome", "system"),
        ("bin/chromium", "system"),
        ("bin/chromium-headless-shell", "system"),
        ("playwright/chromium-1300/chrome-linux/chrome", "playwright"),
        ("playwright/chromium_headless_shell-999/chrome-linux/headless_shell", "playwright"),
        ("playwright/chromium_headless_shell-1255/chrome-headless-shell-linux64/chrome-headless-shell", "playwright"),
        ("cache/browser/chromium", "colbench setup"),
    ):
        found = program(bare / path)
        assert assets.find_chromium() == assets.Browser(found, source)
    monkeypatch.setenv("COLBENCH_CHROMIUM", str(program(bare / "mine")))
    assert assets.find_chromium() == assets.Browser(bare / "mine", "COLBENCH_CHROMIUM")


def test_a_chosen_browser_may_be_a_name_on_the_path(bare, monkeypatch):
    found = program(bare / "bin" / "my-chromium")
    monkeypatch.setenv("COLBENCH_CHROMIUM", "my-chromium")
    assert assets.find_chromium().path == found


def test_a_chosen_browser_that_is_not_there_is_an_error(bare, monkeypatch):
    program(bare / "bin/chromium")
    monkeypatch.setenv("COLBENCH_CHROMIUM", str(bare / "nowhere"))
    with pytest.raises(ConfigError, match=r"COLBENCH_CHROMIUM=.*nowhere names no program\. Mend"):
        assets.find_chromium()


def test_a_file_that_is_no_program_is_passed_over(bare):
    program(bare / "cache/browser/chromium").chmod(0o644)
    found = program(bare / "bin/chromium")
    assert assets.find_chromium() == assets.Browser(found, "system")


def test_browsers_inside_the_playwright_package(monkeypatch):
    monkeypatch.setenv("PLAYWRIGHT_BROWSERS_PATH", "0")
    assert assets.playwright_folder().parts[-4:] == ("playwright", "driver", "package", ".local-browsers")


# --- Tailwind


def test_tailwind_is_verified(tmp_path, monkeypatch):
    monkeypatch.setenv("COLBENCH_CACHE", str(tmp_path))
    path = tmp_path / "tailwind" / assets.TAILWIND["2.2.19"].file
    with pytest.raises(ConfigError, match=r"tailwind-2.2.19.min.css is not here\. Mend: colbench setup"):
        assets.tailwind_file("2.2.19")
    assets.put(path, b"a { }")
    with pytest.raises(ConfigError, match=r"is not the published file any more\. Mend: colbench setup"):
        assets.tailwind_file("2.2.19")
    published = assets.Published("x.css", assets.sha256(b"a { }"), "x@1", "x.css")
    monkeypatch.setitem(assets.TAILWIND, "3", published)
    assets.put(tmp_path / "tailwind" / "x.css", b"a { }")
    assert assets.tailwind_file("3") == tmp_path / "tailwind" / "x.css"


# --- fonts


def test_the_configuration_knows_our_fonts_only(tmp_path, monkeypatch):
    monkeypatch.setenv("COLBENCH_CACHE", str(tmp_path / "a & b"))
    folder = assets.font_folder()
    root = ElementTree.parse(folder / "fonts.conf").getroot()
    assert [one.text for one in root.iter("dir")] == [str(assets.FONTS)]
    assert [one.text for one in root.iter("cachedir")] == [str(tmp_path / "a & b" / "fonts" / "cache")]
    assert not list(root.iter("include"))
    assert assets.font_folder() == folder


def test_a_cache_that_cannot_be_written(tmp_path, monkeypatch):
    (tmp_path / "file").touch()
    monkeypatch.setenv("COLBENCH_CACHE", str(tmp_path / "file"))
    with pytest.raises(ConfigError, match=r"cannot be written.*COLBENCH_CACHE"):
        assets.font_folder()


def test_every_family_of_the_configuration_is_there(tmp_path, monkeypatch):
    fonts = pytest.importorskip("PIL.ImageFont")
    monkeypatch.setenv("COLBENCH_CACHE", str(tmp_path))
    names = {fonts.truetype(path, 12).getname() for path in assets.FONTS.glob("*.ttf")}
    root = ElementTree.parse(assets.font_folder() / "fonts.conf").getroot()
    preferred = {family.text for alias in root.iter("alias") for family in alias.findall("prefer/family")}
    styles = ("Regular", "Bold", "Italic", "Bold Italic")
    assert names == {(family, style) for family in preferred for style in styles} | {("ColBench Symbols", "Regular")}


def test_the_fonts_are_those_that_scores_were_measured_with():
    """A changed font moves every score of Frontend Design: raise `PAGE_GRADER_VERSION`, then this."""
    digest = hashlib.sha256()
    for path in sorted(assets.FONTS.glob("*.ttf")):
        digest.update(path.name.encode() + path.read_bytes())
    assert digest.hexdigest() == "5f07842ac34325d1ea435d0b2a8957e0ba7753064c830d5a820bce8cf6358fe4"
