"""The renderer service: a thread with one browser and up to `pages` pages in flight.

What breaks a limit is found like this. Pages share the browser, so its memory and its time have no single owner. When
a limit breaks, the browser is killed, which ends the matter whatever the page was up to; pages in flight are suspects
and are rendered again one by one, each alone in a browser, where what happens is its own doing. Others that were in
flight, and those that wait, are none the wiser.
"""

from __future__ import annotations

import asyncio
import collections
import concurrent.futures
import contextlib
import threading
import time
from collections.abc import Coroutine
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, TypeVar

import psutil

from colbench_gym.errors import ColbenchError, GraderError
from colbench_gym.grading.browser.chromium import (
    FAREWELL_SECONDS,
    LAUNCH_SECONDS,
    VIEWS,
    Chromium,
    PageCrashed,
    Shot,
    Tab,
    View,
)
from colbench_gym.grading.browser.play_cdn import MAX_CSS, Compilation
from colbench_gym.grading.browser.prepare import Page
from colbench_gym.grading.render import Geometry, Unrenderable

if TYPE_CHECKING:
    from playwright.async_api import Playwright

PAGES = 4
"""In flight at a time, unless more are asked for."""
PAGE_SECONDS = 8.0
"""For one page alone in the browser."""
SUSPECT_SECONDS = 4.0
"""A page that takes longer than this in company is rendered again alone."""
PROCESSOR_SECONDS = 5.0
"""Time is not up before the browser got this much of the processor, so that a busy machine convicts nobody ..."""
BUSY_SECONDS = 16.0
"""... but then it is."""
MEMORY_BYTES = 1536 * 2**20
"""For all processes of the browser together, above what it needs for an empty page."""
RECYCLE_BYTES = 400 * 2**20
"""A browser that holds more than this above its baseline while no page is in flight is replaced."""
MAX_DEATHS = 3
"""After so many deaths of the browser under one page, for no reason that we know, the page is given up."""

_TICK_SECONDS = 0.05
_LISTING_SECONDS = 0.5

_Fault = Literal["timeout", "memory", "crash", "died"]
_Result = TypeVar("_Result")
Outcome = tuple[Shot, str]
"""A shot and the identity of the browser."""


@dataclass(slots=True, eq=False)
class _Job:
    page: Page
    compilation: Compilation | None
    view: View
    future: concurrent.futures.Future[Outcome] = field(default_factory=concurrent.futures.Future)
    begun: bool = False
    crashes: int = 0
    deaths: int = 0

    def begin(self) -> bool:
        """Whether it is still wanted. From then on it cannot be withdrawn, and must be given a result or an error."""
        self.begun = self.begun or self.future.set_running_or_notify_cancel()
        return self.begun


@dataclass(slots=True, eq=False)
class _Attempt:
    """A job on its way through the browser.

    Attributes:
        alone: it has had the browser to itself from its launch on.
        shared: others have been in the browser at the same time.
        started: when the page was handed to the browser; 0 before that.
        processor_seconds: what the browser had used by then.
    """

    job: _Job
    alone: bool
    shared: bool = False
    started: float = 0.0
    processor_seconds: float = 0.0


class Service:
    """Renders for any thread of this process. Starts its browser at the first page."""

    def __init__(self) -> None:
        self.pages = PAGES
        self._loop = asyncio.new_event_loop()
        self._wake = asyncio.Event()
        self._stopping = False
        self._ending = threading.Lock()
        self._ended = False
        self._waiting: collections.deque[_Job] = collections.deque()
        self._suspects: collections.deque[_Job] = collections.deque()
        self._running: dict[asyncio.Task[Outcome], _Attempt] = {}
        self._playwright: Playwright | None = None
        self._driver: psutil.Process | None = None
        self._chromium: Chromium | None = None
        self._launching = asyncio.Lock()
        self._listed = 0.0
        self._thread = threading.Thread(target=self._run, name="colbench-renderer", daemon=True)
        self._thread.start()

    # --- for any thread

    @property
    def alive(self) -> bool:
        return self._thread.is_alive()

    def submit(
        self, page: Page, compilation: Compilation | None, geometry: Geometry
    ) -> concurrent.futures.Future[Outcome]:
        """Queues a page. The future's errors are `Unrenderable` and `GraderError`."""
        job = _Job(page, compilation, VIEWS[geometry])
        with self._ending:
            if self._ended:
                job.future.set_exception(_closed())
            else:
                self._loop.call_soon_threadsafe(self._accept, job)
        return job.future

    def close(self) -> None:
        """Ends the browser and the thread; what is unfinished fails."""
        with self._ending:
            if not self._ended:
                self._loop.call_soon_threadsafe(self._stop)
        if threading.current_thread() is not self._thread:
            self._thread.join()

    # --- the thread

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        try:
            self._loop.run_until_complete(self._serve())
        except BaseException as error:
            self._stopping = True
            self._fail_all(GraderError(f"the renderer failed: {error!r}. Mend: report this"))
            raise
        finally:
            with self._ending:
                self._ended = True
            self._loop.run_until_complete(asyncio.sleep(0))  # What was submitted until now is refused.
            self._loop.close()

    def _fail_all(self, error: GraderError) -> None:
        jobs = [attempt.job for attempt in self._running.values()] + [*self._suspects, *self._waiting]
        for job in jobs:
            if job.begin():
                job.future.set_exception(error)

    def _accept(self, job: _Job) -> None:
        if self._stopping:
            if job.begin():
                job.future.set_exception(_closed())
            return
        self._waiting.append(job)
        self._wake.set()

    def _stop(self) -> None:
        self._stopping = True
        self._wake.set()

    async def _serve(self) -> None:
        wake = asyncio.ensure_future(self._wake.wait())
        while not self._stopping:
            await self._start_jobs()
            tick = _TICK_SECONDS if self._running else None
            done, _ = await asyncio.wait({wake, *self._running}, timeout=tick, return_when=asyncio.FIRST_COMPLETED)
            if wake in done:
                self._wake.clear()
                wake = asyncio.ensure_future(self._wake.wait())
            # Those that are well first: what is wrong with another ends them all.
            finished = [task for task in self._running if task in done]
            for task in sorted(finished, key=lambda task: _error_of(task) is not None):
                if task in self._running:
                    await self._finish(task)
            if self._running:
                await self._watch()
        wake.cancel()
        await self._shut_down()

    async def _start_jobs(self) -> None:
        """Starts what may run now: a suspect alone, or else as many others as there are places for."""
        while len(self._running) < (1 if self._suspects else self.pages):
            alone = bool(self._suspects)
            queue = self._suspects or self._waiting
            if not queue or any(attempt.alone for attempt in self._running.values()):
                return
            job = queue.popleft()
            if not job.begin():
                continue
            if not self._running and (alone or self._overgrown()):
                await self._end_browser()
            attempt = _Attempt(job, alone, shared=bool(self._running))
            for other in self._running.values():
                other.shared = True
            self._running[asyncio.ensure_future(self._attempt(attempt))] = attempt

    def _overgrown(self) -> bool:
        chromium = self._chromium
        return chromium is not None and chromium.memory() > chromium.baseline + RECYCLE_BYTES

    async def _attempt(self, attempt: _Attempt) -> Outcome:
        async with asyncio.timeout(LAUNCH_SECONDS):
            chromium = await self._browser()
            tab = await chromium.tab()
        attempt.processor_seconds = chromium.processor_seconds()
        attempt.started = time.monotonic()
        page, compiled = attempt.job.page, ""
        if attempt.job.compilation is not None:
            compiler = await chromium.compiling_tab()
            compiled = await _unless_crashed(compiler, compiler.compile(attempt.job.compilation))
            await compiler.close()
            if len(compiled) > MAX_CSS:
                chromium.give_back(tab)
                raise Unrenderable("too_large", f"the page makes Tailwind write more than {MAX_CSS} characters")
        shot = await _unless_crashed(tab, tab.shoot(page.html(compiled), attempt.job.view))
        chromium.give_back(tab)
        return shot, chromium.identity

    async def _finish(self, task: asyncio.Task[Outcome]) -> None:
        """Delivers what an attempt came to, or decides what becomes of it."""
        from playwright.async_api import Error

        attempt = self._running.pop(task)
        error = _error_of(task)
        future = attempt.job.future
        if error is None:
            future.set_result(task.result())
        elif isinstance(error, ColbenchError):
            future.set_exception(error)
        elif isinstance(error, PageCrashed):
            await self._convict(attempt, "crash")
        elif not self._alive() or isinstance(error, (Error, TimeoutError)):
            crashed = attempt.started and self._alive()
            await self._convict(attempt, "crash" if crashed else "died", _brief(error))
        else:
            future.set_exception(GraderError(f"the renderer failed: {error!r}. Mend: report this"))

    async def _watch(self) -> None:
        """Looks whether a limit is broken."""
        chromium = self._chromium
        if not self._alive():
            await self._convict(next(iter(self._running.values())), "died")
            return
        if chromium is None:
            return
        now = time.monotonic()
        if now - self._listed > _LISTING_SECONDS:
            self._listed = now
            chromium.look_for_processes()
        if chromium.memory() > chromium.baseline + MEMORY_BYTES:
            await self._convict(next(iter(self._running.values())), "memory")
            return
        for attempt in self._running.values():
            elapsed = now - attempt.started if attempt.started else 0.0
            if attempt.shared:
                late = elapsed > SUSPECT_SECONDS
            else:
                used = chromium.processor_seconds() - attempt.processor_seconds
                late = elapsed > PAGE_SECONDS and (used > PROCESSOR_SECONDS or elapsed > BUSY_SECONDS)
            if late:
                await self._convict(attempt, "timeout")
                return

    async def _convict(self, attempt: _Attempt, fault: _Fault, detail: str = "") -> None:
        """Ends the browser, and with it every attempt, and decides which page is to blame or to be tried again."""
        others = [other for other in self._running.values() if other is not attempt]
        for task in self._running:
            task.cancel()
        await asyncio.gather(*self._running, return_exceptions=True)
        self._running.clear()
        await self._end_browser()
        if fault == "died":  # Perhaps for the death of the driver.
            await self._end_driver()
        job = attempt.job
        suspects = [job]
        innocent = others
        if fault in ("memory", "died"):
            suspects += [other.job for other in others]
            innocent = []
        if fault == "crash":
            job.crashes += 1
        if fault == "died":
            for suspect in suspects:
                suspect.deaths += 1
        if job.deaths >= MAX_DEATHS:
            suspects.remove(job)
            job.future.set_exception(
                GraderError(
                    f"the browser died {job.deaths} times ({detail or 'no reason known'}). Mend: colbench doctor"
                )
            )
        elif (fault == "timeout" and not attempt.shared) or (fault == "memory" and attempt.alone) or job.crashes > 1:
            suspects.remove(job)
            job.future.set_exception(_unrenderable(fault, detail))
        self._suspects.extend(suspects)
        self._waiting.extendleft(other.job for other in reversed(innocent))

    # --- the browser

    async def _browser(self) -> Chromium:
        from playwright.async_api import async_playwright

        async with self._launching:
            if self._playwright is None:
                self._playwright = await async_playwright().start()
                self._driver = _newest_driver()
            if self._chromium is None:
                self._chromium = await Chromium.launch(self._playwright)
            return self._chromium

    def _alive(self) -> bool:
        """Whether nothing has died that was started. Playwright does not tell of the death of its driver: it waits."""
        driver_lives = self._driver is None or self._driver.is_running()
        return driver_lives and (self._chromium is None or self._chromium.connected)

    async def _end_browser(self) -> None:
        chromium, self._chromium = self._chromium, None
        if chromium is not None:
            await chromium.kill()

    async def _end_driver(self) -> None:
        playwright, self._playwright, self._driver = self._playwright, None, None
        if playwright is not None:
            # A dead driver does not answer.
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(playwright.stop(), FAREWELL_SECONDS)

    async def _shut_down(self) -> None:
        for task in self._running:
            task.cancel()
        await asyncio.gather(*self._running, return_exceptions=True)
        self._fail_all(_closed())
        await self._end_browser()
        await self._end_driver()


async def _unless_crashed(tab: Tab, doing: Coroutine[Any, Any, _Result]) -> _Result:
    """What `doing` comes to.

    Raises:
        PageCrashed: the tab's renderer died, and with it the answer.
    """
    work = asyncio.ensure_future(doing)
    crash = asyncio.ensure_future(tab.crashed.wait())
    try:
        await asyncio.wait({work, crash}, return_when=asyncio.FIRST_COMPLETED)
        if not work.done():
            raise PageCrashed
        return work.result()
    finally:
        work.cancel()
        crash.cancel()


def _error_of(task: asyncio.Task[Outcome]) -> BaseException | None:
    """What a finished attempt failed of. Playwright cancels what it waits for when its driver dies."""
    return asyncio.CancelledError("by the death of the driver") if task.cancelled() else task.exception()


def _newest_driver() -> psutil.Process | None:
    """The driver that Playwright has just started."""
    drivers = [child for child in psutil.Process().children() if "run-driver" in child.cmdline()]
    return max(drivers, key=lambda driver: driver.create_time(), default=None)


def _brief(error: BaseException) -> str:
    """Of an error of Playwright, which may bring the browser's whole log along, what is to the point."""
    lines = str(error).splitlines() or [repr(error)]
    return " | ".join([lines[0], *(line.partition("[err]")[2].strip() for line in lines if "[err]" in line)][:4])


def _closed() -> GraderError:
    return GraderError("the renderer was closed while this page waited. Mend: render it again")


def _unrenderable(fault: _Fault, detail: str) -> Unrenderable:
    what = {
        "timeout": f"the page is not done after {PAGE_SECONDS:g} s",
        "memory": f"the page needs more than {MEMORY_BYTES // 2**20} MiB of memory",
        "crash": "the browser's renderer crashes on the page" + (f" ({detail})" if detail else ""),
    }
    return Unrenderable(fault, what[fault] + ". Mend: make the page simpler")
