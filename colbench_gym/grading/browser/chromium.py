"""One browser: how it is started, what it may do, what it costs, and one page's way through it.

What keeps a page in: its scripts do not run; the browser is offline, resolves no name, and has a proxy that is not
there for everything, loopback too; the one request that is answered is the page itself, by us, with a policy that
allows inline styles and `data:` images and fonts, nothing else; no windows, downloads or service workers. Each of these
is enough against most leaks; tests/grading/browser/ tries all that we know.
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import os
import signal
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psutil

from colbench_gym import assets
from colbench_gym.grading.browser import play_cdn, snapshot

if TYPE_CHECKING:
    from playwright.async_api import Browser, BrowserContext, CDPSession, Playwright

    from colbench_gym.grading.browser.play_cdn import Compilation

LAUNCH_SECONDS = 30.0
FAREWELL_SECONDS = 2.0
MAX_HEIGHT = 16384
"""Of a screenshot, in pixels; further down nothing is shown."""

_GUARDIAN = Path(__file__).with_name("guardian.py")
_ADDRESS = "http://page.test/"
# As Firefox has it. In quirks mode Chromium stretches a root and a body of automatic height over the window.
_ROOT_HEIGHT = """(() => {
  const root = document.documentElement, body = document.body;
  const automatic = element => element.computedStyleMap().get("height").value === "auto";
  if (document.compatMode !== "BackCompat" || !body || !automatic(root) || !automatic(body))
    return root.getBoundingClientRect().height;
  const children = Math.max(0, ...Array.from(body.children, child => child.getBoundingClientRect().bottom));
  const before = [root, body].map(element => element.getAttribute("style"));
  for (const element of [root, body]) element.style.height = "fit-content";
  const height = root.getBoundingClientRect().height;
  [root, body].forEach((element, index) => {
    if (before[index] === null) element.removeAttribute("style");
    else element.setAttribute("style", before[index]);
  });
  return Math.max(height, children);
})()"""
_POLICY = (
    "default-src 'none'; img-src data:; style-src 'unsafe-inline'; font-src data:; form-action 'none'; "
    "base-uri 'none'; frame-ancestors 'none'; webrtc 'block'; sandbox"
)

# The whole command line is ours, none of it Playwright's defaults: its next release must not move a pixel.
_FLAGS = (
    "--headless",
    "--remote-debugging-pipe",
    "--no-startup-window",
    # The same pixels everywhere.
    "--disable-gpu",
    "--disable-skia-runtime-opts",
    "--disable-partial-raster",
    "--disable-checker-imaging",
    "--disable-lcd-text",
    "--font-render-hinting=none",
    "--force-color-profile=srgb",
    "--force-device-scale-factor=1",
    "--hide-scrollbars",
    "--lang=en-US",
    "--blink-settings=primaryHoverType=2,availableHoverTypes=2,primaryPointerType=4,availablePointerTypes=4,"
    "imageAnimationPolicy=2",
    # Nothing leaves.
    "--host-resolver-rules=MAP * ~NOTFOUND",
    "--proxy-server=socks5://127.0.0.1:1",
    "--proxy-bypass-list=<-loopback>",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--disable-quic",
    "--block-new-web-contents",
    # Nothing else goes on in it.
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-component-extensions-with-background-pages",
    "--disable-default-apps",
    "--disable-extensions",
    "--disable-sync",
    "--disable-breakpad",
    "--disable-crash-reporter",
    "--disable-client-side-phishing-detection",
    "--disable-domain-reliability",
    "--disable-hang-monitor",
    "--disable-prompt-on-repost",
    "--disable-background-timer-throttling",
    "--disable-backgrounding-occluded-windows",
    "--disable-renderer-backgrounding",
    "--disable-dev-shm-usage",
    "--disable-features=BackForwardCache,DestroyProfileOnBrowserClose,HttpsUpgrades,MediaRouter,"
    "OptimizationHints,PaintHolding,RenderDocument,Translate",
    "--metrics-recording-only",
    "--mute-audio",
    "--no-default-browser-check",
    "--no-first-run",
    "--no-service-autorun",
    "--password-store=basic",
    "--use-mock-keychain",
)


@dataclass(frozen=True, slots=True)
class View:
    """How wide a page is laid out, and how high its window and its picture are.

    Attributes:
        width, height: of the window, in pixels.
        padded: the picture is at least as high as the window.
    """

    width: int
    height: int
    padded: bool


VIEWS: Mapping[str, View] = {
    "default": View(1280, 720, padded=True),
    # The official screenshots: Firefox, its window 1366 x 768 with 85 of them its own, a picture as high as the root.
    "official": View(1366, 683, padded=False),
}


@dataclass(frozen=True, slots=True)
class Shot:
    """What a page came out as: the PNG, its size in pixels, the raw DOM snapshot (None: too large to take), flags."""

    png: bytes
    width: int
    height: int
    snapshot: dict[str, Any] | None
    flags: tuple[str, ...]


class PageCrashed(Exception):
    """The process that renders the page died."""


class Chromium:
    """A running browser.

    Attributes:
        identity: name and version, e.g. `chromium-headless-shell 156.0.8078.114`.
        baseline: bytes of memory of all its processes when it had rendered an empty page.
    """

    def __init__(self, browser: Browser, identity: str, pid: int) -> None:
        self.identity = identity
        self._pid = pid
        # Not always its own: some distributions start it from a shell script.
        self._group = os.getpgid(pid)
        self.baseline = 0
        self._browser = browser
        self._idle: list[Tab] = []
        self._processes: list[int] = []

    @classmethod
    async def launch(cls, playwright: Playwright) -> Chromium:
        """Starts a browser, sandboxed where that works and we are not root.

        Raises:
            ConfigError: there is no browser, or no place for its fonts' configuration.
            playwright.async_api.Error: it does not start.
        """
        from playwright.async_api import Error

        found = assets.find_chromium()
        # Chromium refuses to sandbox itself as root.
        sandboxes = ([],) if os.geteuid() != 0 and not _unsandboxable else ()
        for sandbox in (*sandboxes, ["--no-sandbox"]):
            try:
                browser = await playwright.chromium.launch(
                    executable_path=sys.executable,
                    ignore_default_args=True,
                    args=["-I", "-S", str(_GUARDIAN), str(os.getpid()), str(found.path), *_FLAGS, *sandbox],
                    env=_environment(),
                    handle_sigint=False,
                    handle_sigterm=False,
                    handle_sighup=False,
                    timeout=LAUNCH_SECONDS * 1000,
                )
                break
            except Error:
                if sandbox:
                    raise
                _unsandboxable.append(True)
        else:
            raise AssertionError("unreachable")
        session = await browser.new_browser_cdp_session()
        version = await session.send("Browser.getVersion")
        processes = (await session.send("SystemInfo.getProcessInfo"))["processInfo"]
        await session.detach()
        pid = next(process["id"] for process in processes if process["type"] == "browser")
        name = found.path.name if "chrom" in found.path.name else "chromium"
        chromium = cls(browser, f"{name} {version['product'].partition('/')[2]}", pid)
        await (await chromium.tab()).close()
        chromium.baseline = chromium.memory()
        return chromium

    @property
    def connected(self) -> bool:
        return self._browser.is_connected()

    # --- tabs

    async def tab(self) -> Tab:
        """An idle tab, or a new one."""
        if self._idle:
            return self._idle.pop()
        tab = await Tab.open(self._browser)
        self.look_for_processes()
        return tab

    async def compiling_tab(self) -> Tab:
        """A new tab that runs scripts, for one compilation: the agent's configuration runs in it."""
        tab = await Tab.open(self._browser, policy=play_cdn.POLICY, scripts=True)
        self.look_for_processes()
        return tab

    def give_back(self, tab: Tab) -> None:
        self._idle.append(tab)

    # --- processes

    def memory(self) -> int:
        """Bytes that the browser's processes hold together; memory that two share counts twice."""
        return sum(map(_memory_of, self._processes))

    def processor_seconds(self) -> float:
        """Processor time that the browser's processes have used so far."""
        return sum(map(_processor_seconds_of, self._processes))

    def look_for_processes(self) -> None:
        self._processes = _descendants(self._pid)

    async def kill(self) -> None:
        """Ends all its processes at once, whatever they are busy with."""
        from playwright.async_api import Error

        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._group, signal.SIGKILL)
        # The driver's part: it notices, and removes its temporary folders.
        with contextlib.suppress(Error, TimeoutError):
            await asyncio.wait_for(self._browser.close(), FAREWELL_SECONDS)


_unsandboxable: list[bool] = []
"""Not empty: a start with Chromium's own sandbox failed in this process (no user namespaces here)."""


def _environment() -> dict[str, str | float | bool]:
    return {
        "PATH": os.environ.get("PATH", "/usr/bin:/bin"),
        "HOME": os.environ.get("HOME", "/"),
        "TMPDIR": os.environ.get("TMPDIR", "/tmp"),
        "LANG": "C.UTF-8",
        "TZ": "UTC",
        "FONTCONFIG_FILE": str(assets.font_folder() / "fonts.conf"),
    }


def _descendants(pid: int) -> list[int]:
    try:
        process = psutil.Process(pid)
        return [pid, *(child.pid for child in process.children(recursive=True))]
    except psutil.NoSuchProcess:
        return []


def _memory_of(pid: int) -> int:
    total = 0
    with contextlib.suppress(OSError), open(f"/proc/{pid}/status", "rb") as status:
        for line in status:
            if line.startswith((b"RssAnon:", b"RssShmem:")):
                total += int(line.split()[1]) * 1024
    return total


_TICKS_A_SECOND = os.sysconf("SC_CLK_TCK")


def _processor_seconds_of(pid: int) -> float:
    with contextlib.suppress(OSError), open(f"/proc/{pid}/stat", "rb") as stat:
        fields = stat.read().rpartition(b")")[2].split()
        return (int(fields[11]) + int(fields[12])) / _TICKS_A_SECOND
    return 0.0


@dataclass(slots=True, eq=False)
class Tab:
    """A page of the browser in a context of its own; shows one page after the other."""

    context: BrowserContext
    session: CDPSession
    policy: str
    crashed: asyncio.Event = field(default_factory=asyncio.Event)
    _body: str | None = None
    _loaded: asyncio.Event = field(default_factory=asyncio.Event)
    _size: tuple[int, int] | None = None

    @classmethod
    async def open(cls, browser: Browser, *, policy: str = _POLICY, scripts: bool = False) -> Tab:
        context = await browser.new_context(
            java_script_enabled=scripts,
            offline=True,
            service_workers="block",
            accept_downloads=False,
            no_viewport=True,
            locale="en-US",
            timezone_id="UTC",
            color_scheme="light",
            reduced_motion="reduce",
        )
        page = await context.new_page()
        session = await context.new_cdp_session(page)
        tab = cls(context, session, policy)
        page.on("crash", lambda _: tab.crashed.set())
        session.on("Page.loadEventFired", lambda _: tab._loaded.set())
        session.on("Fetch.requestPaused", lambda event: asyncio.ensure_future(tab._answer(event)))
        await session.send("Page.enable")
        # What a page's own `!important` keeps moving stands at its first moment; images and SVG: imageAnimationPolicy.
        await session.send("Animation.enable")
        await session.send("Animation.setPlaybackRate", {"playbackRate": 0})
        await session.send("Fetch.enable", {"patterns": [{"urlPattern": "*"}]})
        return tab

    async def close(self) -> None:
        await self.context.close()

    async def _answer(self, event: dict[str, Any]) -> None:
        """Answers the request for the page itself, once; every other one fails."""
        from playwright.async_api import Error

        body = self._body
        with contextlib.suppress(Error):  # The browser died, or the page went away: the render says so.
            if event["request"]["url"] != _ADDRESS or event["resourceType"] != "Document" or body is None:
                await self.session.send(
                    "Fetch.failRequest", {"requestId": event["requestId"], "errorReason": "BlockedByClient"}
                )
                return
            self._body = None
            headers = {
                "Content-Type": "text/html; charset=utf-8",
                "Content-Security-Policy": self.policy,
                "Cache-Control": "no-store",
                "Referrer-Policy": "no-referrer",
                "X-DNS-Prefetch-Control": "off",
            }
            await self.session.send(
                "Fetch.fulfillRequest",
                {
                    "requestId": event["requestId"],
                    "responseCode": 200,
                    "responseHeaders": [{"name": name, "value": value} for name, value in headers.items()],
                    "body": body,
                },
            )

    async def _load(self, html: str) -> None:
        self._body = base64.b64encode(html.encode("utf-8", "replace")).decode()
        self._loaded.clear()
        await self.session.send("Page.navigate", {"url": _ADDRESS})
        await self._loaded.wait()

    async def compile(self, compilation: Compilation) -> str:
        """The CSS that a compilation gives. The caller bounds the time."""
        await self._load(compilation.html)
        answer = await self.session.send(
            "Runtime.evaluate",
            {"expression": compilation.expression, "awaitPromise": True, "returnByValue": True},
        )
        css = answer["result"].get("value")
        return css if isinstance(css, str) else ""

    async def shoot(self, html: str, view: View) -> Shot:
        """Shows the page and takes its picture. The caller bounds the time."""
        send = self.session.send
        if self._size != (view.width, view.height):
            await send(
                "Emulation.setDeviceMetricsOverride",
                {"width": view.width, "height": view.height, "deviceScaleFactor": 1, "mobile": False},
            )
            self._size = (view.width, view.height)
        await self._load(html)
        metrics = await send("Page.getLayoutMetrics")
        scrolled = metrics["cssLayoutViewport"]
        if scrolled["pageX"] or scrolled["pageY"]:
            await send("Runtime.evaluate", {"expression": "scrollTo(0, 0)"})
        taken = None
        if html.count("<") <= snapshot.MAX_TAGS:
            taken = await send("DOMSnapshot.captureSnapshot", snapshot.REQUEST)
        if view.padded:
            wanted = max(metrics["cssContentSize"]["height"], view.height)
        else:
            root = await send("Runtime.evaluate", {"expression": _ROOT_HEIGHT, "returnByValue": True})
            measured = root["result"].get("value")
            # A page may have elements named `body` and the like, which stand in the way.
            wanted = measured if isinstance(measured, (int, float)) else view.height
        height = max(1, min(int(wanted), MAX_HEIGHT))
        shot = await send(
            "Page.captureScreenshot",
            {
                "format": "png",
                "optimizeForSpeed": True,
                # Lays everything out a second time, so only where there is something beyond.
                "captureBeyondViewport": height > view.height,
                "clip": {"x": 0, "y": 0, "width": view.width, "height": height, "scale": 1},
            },
        )
        flags = (*(["height_capped"] if wanted > MAX_HEIGHT else []), *(["too_many_boxes"] if taken is None else []))
        return Shot(base64.b64decode(shot["data"]), view.width, height, taken, flags)
