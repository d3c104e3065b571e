"""How fast pages are rendered, against the ways they are usually rendered.

    python benchmarks/rendering.py [FILE.jsonl] [--rounds 5] [--limit 40] [--in-flight 4]

Renders the reference pages of a task file (or task set), in one run alternately: (a) by our service, (b) by our
service, as many empty pages: the floor, (c) the naive way: Playwright, a new context a page, `goto`, the whole
Tailwind from a local server, a full-page screenshot, (d) the official way: Selenium, one browser for all pages, each
loaded from a file, the same local server, a full-page screenshot. It takes Firefox (with geckodriver), else Chromium
(with chromedriver); where Selenium or both drivers are missing, its figures are null and the reason is told.

No way reaches the network. Ratios are taken within a round, so that a machine that slows down slows all ways alike;
their medians are reported. The last line is one JSON object: `vs_naive` and `vs_official` (how many times as fast we
are), `floor_ratio` (our time a page over that of an empty one), `pages_per_second` of each way.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import statistics
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from colbench_gym import assets
from colbench_gym.grading import render
from colbench_gym.tasks import load_tasks

TAILWIND_LINK = re.compile(r"https?://[^\"'\s>]*tailwind[^\"'\s>]*\.css", re.IGNORECASE)
OFFLINE = "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"


# --- our way


def ours(pages: Sequence[str], in_flight: int) -> None:
    for result in render.render_many(pages, in_flight=in_flight):
        if isinstance(result, render.Unrenderable):
            raise result


# --- the others


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: Any) -> None:
        pass


@contextmanager
def served(pages: Sequence[str]) -> Iterator[tuple[Path, str]]:
    """A folder with the pages as `0.html`, ..., their Tailwind beside them, and the address of a server of it."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        shutil.copy(assets.tailwind_file("2.2.19"), folder / "tailwind.css")
        with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=name)) as server:
            address = f"http://127.0.0.1:{server.server_port}"
            for number, page in enumerate(pages):
                local = TAILWIND_LINK.sub(f"{address}/tailwind.css", page)
                (folder / f"{number}.html").write_text(local, encoding="utf-8")
            threading.Thread(target=server.serve_forever, daemon=True).start()
            yield folder, address
            server.shutdown()


@contextmanager
def naive(address: str, count: int) -> Iterator[Callable[[], None]]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=assets.find_chromium().path, args=[OFFLINE])

        def run() -> None:
            for number in range(count):
                context = browser.new_context(viewport={"width": 1280, "height": 720})
                page = context.new_page()
                page.goto(f"{address}/{number}.html")
                page.screenshot(full_page=True)
                context.close()

        yield run
        browser.close()


@contextmanager
def official(folder: Path, count: int) -> Iterator[tuple[str, Callable[[], None]]]:
    """The browser's name, and the run.

    Raises:
        ImportError: Selenium is not installed.
        LookupError: there is no driver.
    """
    name, driver, shoot = _driver()

    def run() -> None:
        for number in range(count):
            driver.get((folder / f"{number}.html").as_uri())
            shoot()

    try:
        yield name, run
    finally:
        driver.quit()


def _driver() -> tuple[str, Any, Callable[[], object]]:
    from selenium import webdriver

    gecko, chrome = shutil.which("geckodriver"), shutil.which("chromedriver")
    firefox = shutil.which("firefox-esr") or shutil.which("firefox")
    if gecko and firefox:
        options = webdriver.FirefoxOptions()
        options.add_argument("-headless")
        options.binary_location = firefox
        # A proxy that is not there, for everything but this machine.
        for key, value in {"type": 1, "socks": "127.0.0.1", "socks_port": 1, "socks_remote_dns": True}.items():
            options.set_preference(f"network.proxy.{key}", value)
        options.set_preference("network.proxy.no_proxies_on", "127.0.0.1")
        driver = webdriver.Firefox(options=options, service=webdriver.FirefoxService(gecko))
        driver.set_window_size(1366, 768)
        return "Selenium, Firefox", driver, driver.get_full_page_screenshot_as_png
    if chrome:
        options = webdriver.ChromeOptions()
        for flag in ("--headless", "--no-sandbox", "--disable-dev-shm-usage", OFFLINE):
            options.add_argument(flag)
        driver = webdriver.Chrome(options=options, service=webdriver.ChromeService(chrome))

        def shoot() -> bytes:
            driver.set_window_size(1366, driver.execute_script("return document.documentElement.scrollHeight"))
            return driver.get_screenshot_as_png()

        return "Selenium, Chromium", driver, shoot
    raise LookupError("neither geckodriver with Firefox nor chromedriver is on the PATH")


# --- the comparison


def compare(pages: Sequence[str], rounds: int, in_flight: int) -> dict[str, Any]:
    empty = [f"<html><!-- {number} --></html>" for number in range(len(pages))]
    with ExitStack() as stack:
        folder, address = stack.enter_context(served(pages))
        ways = {
            "ours": partial(ours, pages, in_flight),
            "floor": partial(ours, empty, in_flight),
            "naive": stack.enter_context(naive(address, len(pages))),
        }
        reason = None
        try:
            shown, ways["official"] = stack.enter_context(official(folder, len(pages)))
        except (ImportError, LookupError) as error:
            shown, reason = None, str(error)
        print(f"{len(pages)} pages, {in_flight} in flight; official way: {shown or reason}. Pages per second:")
        print(f"{'round':>5}" + "".join(f"{name:>10}" for name in ways))
        seconds: dict[str, list[float]] = {name: [] for name in ways}
        for number in range(rounds + 1):
            # Every other round the other way about: whatever follows a slow neighbour pays for it.
            order = list(ways) if number % 2 else list(ways)[::-1]
            taken = {}
            for name in order:
                start = time.perf_counter()
                ways[name]()
                taken[name] = time.perf_counter() - start
            if number:  # the first starts the browsers
                for name, value in taken.items():
                    seconds[name].append(value)
                print(f"{number:>5}" + "".join(f"{len(pages) / taken[name]:>10.1f}" for name in ways), flush=True)
        render.close()

    def ratio(slow: str, fast: str) -> float | None:
        if slow not in seconds:
            return None
        return round(statistics.median(a / b for a, b in zip(seconds[slow], seconds[fast], strict=True)), 2)

    return {
        "pages": len(pages),
        "rounds": rounds,
        "in_flight": in_flight,
        "official_way": shown,
        "official_missing": reason,
        "pages_per_second": {
            name: round(len(pages) / statistics.median(values), 1) for name, values in seconds.items()
        },
        "vs_naive": ratio("naive", "ours"),
        "vs_official": ratio("official", "ours"),
        "floor_ratio": ratio("ours", "floor"),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "file", nargs="?", default="embedded-frontend:test", help="task file or task set (default: %(default)s)"
    )
    parser.add_argument("--rounds", type=int, default=5, help="interleaved rounds (default 5)")
    parser.add_argument("--limit", type=int, default=40, help="take so many of the first tasks (default 40)")
    parser.add_argument("--in-flight", type=int, default=4, help="pages our service renders at a time (default 4)")
    arguments = parser.parse_args()
    pages = [task.reference for task in load_tasks(arguments.file, limit=arguments.limit)]
    print(json.dumps(compare(pages, arguments.rounds, arguments.in_flight)))


if __name__ == "__main__":
    main()
