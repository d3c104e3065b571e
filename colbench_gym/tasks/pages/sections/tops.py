"""Headers and navigation bars."""

from colbench_gym.tasks.pages.markup import Element, Node, el, image
from colbench_gym.tasks.pages.page import Page, section


def links(page: Page, count: int, classes: str = "") -> list[Node]:
    return [el("a", f"{page.style.link} {classes}", caption, href="#") for caption in page.words.menu(count)]


def link_list(page: Page, count: int, classes: str = "") -> Element:
    """A horizontal list of links."""
    space = page.rng.choice(("space-x-4", "space-x-4", "space-x-4", "space-x-6", "space-x-8"))
    return el("ul", f"flex {space} {classes}", *(el("li", "", link) for link in links(page, count)))


def logo(page: Page, classes: str = "") -> Element:
    width, height = page.rng.choice(((100, 50), (100, 50), (100, 50), (100, 100), (300, 200), (300, 200), (200, 200)))
    size = page.rng.choice(
        ("h-10", "h-16", "h-20", "w-16 h-16", "", "", "w-1/4") if width > 100 else ("h-10", "h-10", "", "")
    )
    return image(
        width, height, page.rng.choice(("Logo", f"{page.words.name} logo", "Company logo")), f"{size} {classes}"
    )


@section(
    "top",
    "[a header|a bar at the top] with the [name|title] [in large letters|of the business]",
    "[a|one] bold heading at the top",
    weight=4,
)
def header_title(page: Page) -> list[Node]:
    """The name, perhaps with a line below it, on a band of colour."""
    middle = "text-center" if page.chance(0.5) else ""
    name = page.words.name if page.chance(0.6) else page.words.welcome()
    line = (
        el("p", page.rng.choice(("mt-2", "text-lg", "text-xl", "")), page.words.slogan()) if page.chance(0.35) else None
    )
    inset = page.rng.choice(("p-4", "p-4", "p-6", "py-4 px-6", "p-10", "py-8"))
    bar = page.style.bar or "bg-white"
    return [el("header", f"{bar} {inset} {middle}", el("h1", page.style.title, name), line)]


@section(
    "top",
    "the logo [at the top left|on the left] and the [menu|navigation] [beside it|on the right]",
    "a [slim|simple] header with a logo and a few links",
    weight=9,
)
def header_logo_nav(page: Page) -> list[Node]:
    inset = page.rng.choice(("p-4", "p-4", "p-6", "px-4 py-2"))
    nav = el("nav", "", link_list(page, page.rng.randrange(3, 6)))
    button = page.button() if page.chance(0.15) else None
    return [el("header", f"flex justify-between items-center {inset} {page.style.bar}", logo(page), nav, button)]


@section(
    "top",
    "a [navigation bar|menu] [across|along] the top",
    "[top|horizontal] navigation with the name on the left",
    weight=12,
)
def nav_wide(page: Page) -> list[Node]:
    """The long-winded bar with links that stack on small screens."""
    ground = page.style.ghost or page.rng.choice(("teal", page.style.accent, page.style.accent))
    bar = f"bg-{ground}-500" if page.chance(0.8) else "bg-white"
    tint = page.rng.choice(
        ("text-teal-200", "text-teal-200", "text-teal-200", f"text-{page.style.accent}-200", "text-gray-200")
    )
    captions = page.words.menu(page.rng.randrange(3, 5))
    entries = [
        el(
            "a",
            f"block mt-4 lg:inline-block lg:mt-0 {tint} hover:text-white{' mr-4' if caption != captions[-1] else ''}",
            caption,
            href="#",
        )
        for caption in captions
    ]
    button = (
        el(
            "div",
            "",
            el(
                "a",
                "inline-block text-sm px-4 py-2 leading-none border rounded text-white border-white mt-4 lg:mt-0",
                page.words.action(),
                href="#",
            ),
        )
        if page.chance(0.15)
        else None
    )
    bar_element = el(
        "nav",
        f"flex items-center justify-between flex-wrap {bar} p-6",
        el(
            "div",
            "flex items-center flex-shrink-0 text-white mr-6",
            el("span", "font-semibold text-xl tracking-tight", page.words.name),
        ),
        el(
            "div",
            "w-full block flex-grow lg:flex lg:items-center lg:w-auto",
            el("div", "text-sm lg:flex-grow", *entries),
            button,
        ),
    )
    return [el("header", "", bar_element) if page.chance(0.3) else bar_element]


@section(
    "top",
    "the name on one side of the bar and the links on the other",
    "a [clear|plain] navigation bar at the top",
    weight=4,
)
def nav_name_links(page: Page) -> list[Node]:
    space = page.rng.choice(("space-x-4", "space-x-6"))
    name = el(
        "a",
        page.rng.choice(("text-xl font-bold", "text-2xl font-semibold", "font-bold text-lg")),
        page.words.name,
        href="#",
    )
    row = el("div", "flex items-center justify-between", name, el("div", f"flex {space}", *links(page, 4)))
    if page.chance(0.4):
        row = el("div", "container mx-auto", row)
    return [el("nav", f"{page.style.bar} {page.rng.choice(('px-6 py-4', 'p-6', 'p-4'))}", row)]


@section(
    "top",
    "a [centered|central] logo with the menu [below|underneath]",
    "the logo in the middle [of the header|at the top]",
    weight=6,
)
def header_centred_logo(page: Page) -> list[Node]:
    ground = page.style.bar or "bg-white"
    size = page.rng.choice(((100, 50), (100, 100), (300, 200), (200, 200)))
    picture = image(*size, "Logo", page.rng.choice(("", "h-16", "w-24")))
    header = el("header", f"{ground} p-4 flex justify-center", picture)
    nav = el(
        "nav",
        f"{page.rng.choice((ground, 'bg-white'))} p-4 text-gray-700",
        el(
            "ul",
            f"flex justify-center {page.rng.choice(('space-x-4', 'space-x-8'))}",
            *(el("li", "", el("a", "hover:underline", caption, href="#")) for caption in page.words.menu(4)),
        ),
    )
    return [header, nav] if page.chance(0.8) else [header]


@section(
    "top",
    "a [colored|plain] header and a row of links below it",
    "a header, then a [separate|plain] navigation bar",
    weight=5,
)
def header_then_nav(page: Page) -> list[Node]:
    accent = page.style.accent
    header = el(
        "header",
        f"bg-{page.style.ghost or accent}-500 text-white {page.rng.choice(('p-4', 'p-6'))} {page.style.middle}",
        el("h1", page.style.title, page.words.name),
    )
    entries = [
        el("li", "", el("a", f"text-{accent}-500 hover:text-{accent}-700", caption, href="#"))
        for caption in page.words.menu(page.rng.randrange(3, 6))
    ]
    nav = el(
        "nav", "bg-white p-4", el("ul", f"flex {'justify-center' if page.style.centred else ''} space-x-4", *entries)
    )
    return [header, nav]


@section("top", "a [plain|thin] row of links [at the top|to start with]", weight=2)
def nav_list(page: Page) -> list[Node]:
    place = page.rng.choice(("", "justify-center", "justify-end", "justify-between"))
    return [el("nav", f"{page.style.bar} p-4", link_list(page, 4, place))]


@section(
    "top",
    "a strip with phone number and address above [the name|everything]",
    "[contact details|a telephone number] at the very top",
    held_out=True,
)
def contact_strip(page: Page) -> list[Node]:
    strip = el(
        "div",
        "bg-gray-800 text-gray-300 text-sm px-6 py-2 flex justify-between",
        el("span", "", page.words.address),
        el("span", "", page.words.phone),
    )
    return [strip, el("div", "bg-white px-6 py-5 text-2xl font-bold text-gray-800", page.words.name)]


@section(
    "top",
    "links shaped like [pills|rounded buttons] at the top",
    "a menu of rounded tabs",
    held_out=True,
)
def nav_pills(page: Page) -> list[Node]:
    captions = page.words.menu(5)
    first = el("a", f"bg-{page.style.accent}-500 text-white px-4 py-2 rounded-full", captions[0], href="#")
    rest = [el("a", "bg-gray-300 text-gray-800 px-4 py-2 rounded-full", caption, href="#") for caption in captions[1:]]
    return [el("nav", "flex flex-wrap justify-center space-x-2 py-6", first, *rest)]


@section(
    "top",
    "[breadcrumbs|a trail of links] under the name",
    "a right-aligned header with a trail of links",
    held_out=True,
)
def breadcrumb_header(page: Page) -> list[Node]:
    trail: list[Node] = []
    for caption in page.words.menu(3):
        trail += [
            el("a", f"text-{page.style.accent}-600 underline", caption, href="#"),
            el("span", "mx-2 text-gray-500", "/"),
        ]
    return [
        el("header", "border-b-4 border-gray-300 px-6 py-4 text-right", el("h1", page.style.title, page.words.name)),
        el("div", "px-6 py-2 text-sm", *trail[:-1]),
    ]


@section("top", "a tall [dark|colored] banner with the menu at its foot", held_out=True)
def banner_menu(page: Page) -> list[Node]:
    accent = page.style.accent
    return [
        el(
            "div",
            f"bg-{accent}-800 text-white pt-16",
            el("h1", "text-5xl font-bold px-8 pb-8", page.words.name),
            el(
                "div",
                f"bg-{accent}-700 px-8 py-3 flex space-x-8",
                *(el("a", "text-white uppercase text-sm", caption, href="#") for caption in page.words.menu(5)),
            ),
        )
    ]
