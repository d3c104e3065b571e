"""The skeletons of pages. Each draws the children of `<body>`."""

from functools import cache

from colbench_gym.tasks.pages.markup import Node, el, picture
from colbench_gym.tasks.pages.page import Layout, Page, layout
from colbench_gym.tasks.pages.sections.tops import logo


def bodies(page: Page, counts: tuple[int, ...]) -> list[Node]:
    return [node for _ in range(page.rng.choice(counts)) for node in page.draw("body")]


def foot(page: Page, probability: float) -> list[Node]:
    return page.draw("foot") if page.chance(probability) else []


@layout("", weight=40)
def stacked(page: Page) -> list[Node]:
    """Bar, main part, footer: by far the most common."""
    top = page.draw("top")
    opening = page.draw("opening") if page.chance(0.65) else []
    content = bodies(page, (0, 1, 1, 1, 2) if opening else (1, 1, 2, 2))
    if page.chance(0.8):
        held = page.rng.choice(
            (
                "p-4",
                "container mx-auto p-4",
                "container mx-auto p-4",
                "container mx-auto px-4 py-8",
                "container mx-auto px-4 py-8",
                "container mx-auto px-4 py-12",
                "max-w-4xl mx-auto px-6 py-8",
                "p-6",
            )
        )
        if opening and page.chance(0.6):
            content = [*opening, *content]
            opening = []
        if content and page.chance(0.25):
            content.append(page.later("more sections"))
        content = [el("main", held, *content)] if content else []
    return [*top, *opening, *content, *foot(page, 0.68)]


@layout("[everything|all content] in one centered column", "", weight=9)
def column(page: Page) -> list[Node]:
    """One container that holds everything, often with the logo first."""
    parts: list[Node] = []
    if page.chance(0.5):
        parts.append(el("div", "flex justify-center", logo(page)))
    if page.chance(0.3):
        parts += page.draw("top")
    parts.append(page.title(f"text-center {page.rng.choice(('mb-8', 'mt-8', 'mb-4'))}"))
    parts.append(
        page.prose(page.rng.choice((4, 5, 6)), page.rng.choice(("text-center mt-4", "text-center mb-8", "mb-4")))
    )
    if page.chance(0.4):
        parts.append(el("div", "flex justify-center mt-8", page.button()))
    parts += bodies(page, (0, 0, 1, 1, 2))
    held = page.rng.choice(
        (
            "container mx-auto px-4 py-8",
            "container mx-auto px-4 py-8",
            "container mx-auto px-4 py-12",
            "max-w-4xl mx-auto p-6",
        )
    )
    return [el("div", held, *parts), *foot(page, 0.1)]


@layout("[one|a single] [centered card|box] with a few words", "a very [short|sparse] page", weight=7)
def card(page: Page) -> list[Node]:
    """A narrow box near the top of an otherwise empty page."""
    texts: list[Node] = [
        page.prose(page.rng.choice((4, 5, 6)), "mb-4" if page.chance(0.5) else "")
        for _ in range(page.rng.choice((1, 1, 2, 3)))
    ]
    if page.chance(0.85):
        texts.insert(0, page.title(page.rng.choice(("mb-4", ""))))
    if page.chance(0.25):
        texts.append(page.button("mt-4"))
    box = page.rng.choice(
        (
            "font-sans p-4 bg-white border rounded shadow",
            "bg-white p-6 rounded-lg shadow-lg text-gray-800",
            "p-4",
            "font-sans",
        )
    )
    held = el(
        "div",
        "w-full px-4 md:px-6 text-xl text-gray-800 leading-normal",
        el("div", f"{box} {page.style.middle}", *texts),
    )
    if page.chance(0.5):
        held = el("div", f"w-full px-4 md:px-6 {page.style.middle}", *texts)
    return [
        el("div", f"container w-full md:max-w-3xl mx-auto {page.rng.choice(('pt-20', 'pt-20', 'py-8', 'pt-10'))}", held)
    ]


@layout("the words in the [very |]middle of the screen", "a full-screen [welcome|message]", weight=5)
def screen(page: Page) -> list[Node]:
    """One thing in the middle of the window, or several windows below each other."""
    words: list[Node] = [page.title(page.rng.choice(("text-center", "mb-4 text-center")))]
    if page.chance(0.95):
        words.append(
            page.prose(
                page.rng.choice((3, 4, 5, 6)), page.rng.choice(("text-center", "text-center mt-4", "text-center mb-8"))
            )
        )
    if page.chance(0.4):
        words.append(page.button("mt-4"))
    if page.chance(0.4):
        words.insert(0, logo(page))
    return [el("div", "flex flex-col items-center justify-center h-screen", *words), *foot(page, 0.1)]


@layout("a full-screen [background image|picture] [behind everything|filling the window]", weight=6)
def backdrop(page: Page) -> list[Node]:
    """A window-filling picture with words on it, perhaps more below."""
    words: list[Node] = [
        el(
            "h1",
            f"{page.rng.choice(('text-5xl font-bold', 'text-4xl font-bold', 'text-5xl'))} text-white",
            page.words.welcome(),
        )
    ]
    if page.chance(0.75):
        words.append(
            el(
                "p",
                page.rng.choice(("text-xl text-white", "text-white mt-4", "text-2xl text-white")),
                page.words.slogan() if page.chance(0.5) else page.words.paragraph(3),
            )
        )
    if page.chance(0.4):
        words.append(page.button("mt-4"))
    tall = page.rng.choice(("h-screen", "h-screen", "h-screen", "h-96", "h-64"))
    place = page.rng.choice(
        (
            "flex flex-col items-center justify-center",
            "flex items-center justify-center",
            "flex flex-col justify-center px-8",
        )
    )
    inner: list[Node] = words if "flex-col" in place else [el("div", "text-center", *words)]
    above = page.draw("top") if page.chance(0.55) else []
    window = el(
        "div", f"bg-cover bg-center {tall} {place}", *inner, style=f"background-image: url('{picture(1600, 900)}')"
    )
    below = bodies(page, (0, 1, 1, 2))
    return [*above, window, *below, *foot(page, 0.3)]


@layout("a background image behind the whole page", weight=2)
def papered(page: Page) -> list[Node]:
    """A white card on a picture."""
    texts = [page.title("text-center"), page.prose(page.rng.choice((4, 5, 6)), "mt-6 text-gray-600 text-center")]
    box = el("div", "bg-white w-full mb-6 rounded-lg shadow-lg px-6 py-12", *texts)
    return [
        el(
            "div",
            "bg-cover min-h-screen",
            el("div", "container w-full md:max-w-3xl mx-auto pt-20", box),
            style=f"background-image: url('{picture(1600, 900)}')",
        )
    ]


@layout("a split [screen|design] with [two equal halves|one half for {topic} and the other for {topic2}]", weight=6)
def split(page: Page) -> list[Node]:
    """Two halves side by side."""
    half = page.rng.choice(("w-full md:w-1/2 p-10", "w-1/2 p-4", "w-1/2 p-8", "w-full md:w-1/2 p-6"))
    tint = page.rng.choice(
        ("", "", "bg-white", "bg-gray-200", f"bg-{page.style.accent}-500 text-white", f"bg-{page.style.accent}-200")
    )
    left: list[Node] = [
        page.title("mb-4"),
        *(page.prose(page.rng.choice((3, 4, 5, 6)), "mb-4") for _ in range(page.rng.choice((1, 1, 2)))),
    ]
    if page.chance(0.4):
        left.append(page.button())
    right: list[Node] = [
        page.picture(
            *page.rng.choice(((800, 600), (600, 400), (300, 200), (800, 800))),
            page.rng.choice(("w-full", "", "w-full h-full object-cover")),
        )
    ]
    if page.chance(0.45):
        right = [page.heading(), page.prose(page.rng.choice((3, 4, 5)))]
    halves = [el("div", half, *left), el("div", f"{half} {tint if len(right) > 1 else ''}", *right)]
    if page.chance(0.25):
        halves.reverse()
    tall = page.rng.choice(("", "", "h-screen"))
    row = el("div", f"flex {'flex-col md:flex-row' if 'md' in half else ''} {tall}", *halves)
    top = page.draw("top") if page.chance(0.5) else []
    return [*top, row, *foot(page, 0.3)]


@layout(
    "a sidebar on the [left|right] with [links|{topic}]",
    "a [narrow|side] column [with the menu|for navigation]",
    weight=5,
)
def sidebar(page: Page) -> list[Node]:
    """A narrow column and the content beside it."""
    ground = page.rng.choice(
        (
            "bg-gray-200",
            "bg-white",
            f"bg-{page.style.accent}-200",
            "bg-gray-800 text-white",
            f"bg-{page.style.accent}-500 text-white",
        )
    )
    tag = page.rng.choice(("aside", "aside", "div", "nav"))
    if page.chance(0.65):
        captions = page.words.menu(page.rng.choice((3, 4, 5)))
        listed = el(
            "ul",
            page.rng.choice(("space-y-2", "", "list-disc pl-4")),
            *(el("li", "", el("a", "hover:underline", caption, href="#")) for caption in captions),
        )
        title = page.heading(page.rng.choice(("Menu", "Categories", "Quick Links"))) if page.chance(0.5) else None
        side = el(tag, f"w-1/4 {ground} p-4", title, listed)
    else:
        side = el(tag, f"w-1/4 {ground} p-4", page.heading(), page.prose(1))
    content: list[Node] = [page.title("mb-4"), page.prose(page.rng.choice((3, 4, 5, 6)))] if page.chance(0.7) else []
    content += bodies(page, (0, 1, 1)) if content else bodies(page, (1, 2))
    main = el(page.rng.choice(("main", "div")), f"w-3/4 {page.style.inset}", *content)
    row = el(
        "div", f"flex {page.rng.choice(('', '', 'h-screen'))}", *((side, main) if page.chance(0.65) else (main, side))
    )
    top = page.draw("top") if page.chance(0.6) else []
    return [*top, row, *foot(page, 0.5)]


@layout("[several|a few] full-height sections", weight=1.5)
def windows(page: Page) -> list[Node]:
    """A few windows' worth of very little."""
    parts: list[Node] = [page.picture(300, 200, "w-1/3"), page.title("text-center"), page.prose(3, "text-center w-1/2")]
    return [el("div", "flex justify-center items-center h-screen", part) for part in parts[page.rng.randrange(2) :]]


@layout("a narrow column at the [left|right] and [nothing|empty space] beside it", weight=9, held_out=True)
def off_centre(page: Page) -> list[Node]:
    """Everything in a column that leaves a third of the page empty."""
    opening = page.draw("opening") if page.chance(0.3) else [page.title("px-8 pt-8 pb-2"), page.prose(4, "px-8")]
    held = page.rng.choice(("w-2/3", "w-2/3 ml-auto", "w-3/5", "w-1/2"))
    content = el("div", held, *opening, *bodies(page, (0, 1, 1)))
    return [*(page.draw("top") if page.chance(0.7) else []), content, *foot(page, 0.4)]


@layout("three panes for links, content and news", weight=2, held_out=True)
def three_panes(page: Page) -> list[Node]:
    listed = el("ul", "space-y-4", *(el("li", "", caption) for caption in page.words.menu(5)))
    left = el("aside", f"w-1/5 bg-{page.style.accent}-900 text-white p-6", listed)
    middle = el("main", "w-3/5", *page.draw("opening"), *bodies(page, (1, 2)))
    right = el("aside", "w-1/5 bg-gray-300 text-gray-900 p-6", page.heading(), page.prose(2))
    return [el("div", "flex min-h-screen", left, middle, right), *foot(page, 0.5)]


@layout("a white page with a [colored|dark] border all around", weight=2, held_out=True)
def framed(page: Page) -> list[Node]:
    content = [*page.draw("top"), *page.draw("opening"), *bodies(page, (1, 2)), *foot(page, 0.8)]
    return [el("div", f"bg-{page.style.accent}-800 p-12", el("div", "bg-white text-gray-900 mx-24", *content))]


@layout("tiles of different sizes, like a mosaic", weight=2, held_out=True)
def mosaic(page: Page) -> list[Node]:
    shades = page.rng.sample((200, 300, 400, 600, 700, 800), 5)
    spans = page.rng.choice(
        (
            ("col-span-2", "", "", "col-span-2", "col-span-3"),
            ("col-span-3", "", "", "", "col-span-3"),
            ("", "col-span-2", "col-span-3", "", "col-span-2"),
        )
    )
    tiles: list[Node] = []
    for shade, span in zip(shades, spans, strict=True):
        text = "text-white" if shade > 500 else "text-gray-900"
        tiles.append(
            el(
                "div",
                f"{span} bg-{page.style.accent}-{shade} {text} p-8 h-64",
                page.heading(),
                el("p", "", page.words.paragraph(1)),
            )
        )
    return [*page.draw("top"), el("div", "grid grid-cols-3", *tiles), *foot(page, 0.7)]


@layout("rows in which picture and text change sides", weight=2, held_out=True)
def zigzag(page: Page) -> list[Node]:
    rows: list[Node] = []
    for number in range(page.rng.choice((2, 3))):
        halves = [
            el("div", "w-1/2", page.picture(600, 400, "w-full")),
            el("div", "w-1/2 p-16", page.heading(), page.prose(2)),
        ]
        rows.append(el("div", "flex items-center", *(halves if number % 2 else halves[::-1])))
    return [*page.draw("top"), *rows, *bodies(page, (0, 1)), *foot(page, 0.8)]


@layout("a dashboard with a tall menu at the side", weight=2, held_out=True)
def dashboard(page: Page) -> list[Node]:
    entries = [el("a", "block py-3 px-6 border-b border-gray-700", caption, href="#") for caption in page.words.menu(5)]
    side = el(
        "div",
        "w-56 bg-gray-900 text-gray-200 min-h-screen",
        el("div", "p-6 text-xl font-bold", page.words.name),
        *entries,
    )
    boxes = [
        el(
            "div",
            "bg-white text-gray-900 shadow rounded p-6",
            el("p", "text-sm text-gray-500", page.words.offer().title),
            el("p", "text-3xl font-bold", page.words.price()),
        )
        for _ in range(3)
    ]
    return [
        el(
            "div",
            "flex",
            side,
            el("div", "flex-1", el("div", "grid grid-cols-3 gap-6 p-6", *boxes), *bodies(page, (1, 2))),
        )
    ]


@cache
def layouts_of(held_out: bool) -> dict[Layout, float]:
    """The layouts with their weights, in a fixed order."""
    found = sorted((value for value in globals().values() if isinstance(value, Layout)), key=lambda each: each.name)
    return {each: each.weight for each in found if each.held_out == held_out}
