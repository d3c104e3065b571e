"""Footers."""

from colbench_gym.tasks.pages.markup import Node, el
from colbench_gym.tasks.pages.page import Page, section

_POLICIES = ("Privacy Policy", "Terms of Service", "Imprint", "Accessibility", "Careers", "Press")


@section(
    "foot",
    "a [simple|small] footer",
    "a footer with [copyright information|the usual line]",
    weight=10,
)
def foot_line(page: Page) -> list[Node]:
    inset = page.rng.choice(("p-4", "p-4", "p-6", "py-4", "py-8"))
    middle = "text-center" if page.chance(0.7) else ""
    return [el("footer", f"{page.style.foot} {inset} {middle}", el("p", "", page.words.rights()))]


@section(
    "foot",
    "a footer with links to {page1} and {page2}",
    "a footer with [useful|quick] links",
    weight=4,
)
def foot_links(page: Page) -> list[Node]:
    hover = page.rng.choice(("hover:underline", "hover:text-gray-400", ""))
    captions = page.words.menu(3) if page.chance(0.6) else page.rng.sample(_POLICIES, 3)
    place = page.rng.choice(("justify-center space-x-8", "justify-between", "space-x-4"))
    return [
        el(
            "footer",
            f"{page.style.foot} {page.style.inset}",
            el("ul", f"flex {place}", *(el("li", "", el("a", hover, caption, href="#")) for caption in captions)),
        )
    ]


@section(
    "foot",
    "a footer with [contact information|address and phone number]",
    "contact details [at the bottom|in the footer]",
    weight=4,
)
def foot_contact(page: Page) -> list[Node]:
    lines = [
        el("p", "", page.rng.choice((f"Email: {page.words.email}", f"Contact us at {page.words.email}"))),
        el("p", "", f"Phone: {page.words.phone}"),
        el("p", "", page.rng.choice((page.words.address, f"Address: {page.words.address}"))),
    ]
    shown = page.rng.sample(lines, page.rng.randrange(1, 4))
    if page.chance(0.4):
        shown.append(el("p", "", page.words.rights()))
    return [el("footer", f"{page.style.foot} {page.style.inset} {page.style.middle}", *shown)]


@section(
    "foot",
    "a footer with the name on the left and links on the right",
    "a footer with [social media links|policies]",
    weight=4,
)
def foot_split(page: Page) -> list[Node]:
    captions = (
        page.rng.sample(_POLICIES, 2)
        if page.chance(0.6)
        else page.rng.sample(("Facebook", "Instagram", "Newsletter"), 2)
    )
    row = el(
        "div",
        "flex justify-between items-center",
        el("p", "", page.words.rights()),
        el("div", "", *(el("a", "ml-4 hover:underline", caption, href="#") for caption in captions)),
    )
    return [
        el(
            "footer",
            f"{page.style.foot} {page.style.inset}",
            row if page.chance(0.7) else el("div", "container mx-auto", row),
        )
    ]


@section(
    "foot",
    "a footer in [several|a few] columns",
    "a footer that lists contact details, links and opening times",
    weight=2,
)
def foot_columns(page: Page) -> list[Node]:
    def column(title: str, *lines: str) -> Node:
        return el("div", "", el("h3", "font-bold mb-2", title), *(el("p", "", line) for line in lines))

    columns = [
        column("Contact", page.words.address, page.words.phone, page.words.email),
        column("Explore", *page.words.menu(3)),
        column("Follow Us", *page.rng.sample(("Facebook", "Instagram", "Twitter", "LinkedIn", "YouTube"), 3)),
        column("Hours", "Mon - Fri: 9 - 18", "Sat: 10 - 14"),
    ]
    shown = page.rng.sample(columns, page.rng.choice((3, 3, 2)))
    ground = page.style.foot
    return [
        el(
            "footer",
            f"{ground} {page.rng.choice(('p-6', 'p-8', 'px-4 py-8'))}",
            el("div", "flex justify-between", *shown),
        )
    ]


@section(
    "foot",
    "a footer with a field to subscribe",
    "a newsletter sign-up in the footer",
    held_out=True,
)
def foot_subscribe(page: Page) -> list[Node]:
    form = el(
        "form",
        "flex",
        el("input", "px-3 py-2 text-gray-800 w-64", type="email", placeholder="Your email"),
        el("button", f"bg-{page.style.accent}-500 text-white px-4 py-2", "Subscribe"),
    )
    return [
        el(
            "footer",
            "bg-gray-700 text-white p-8 flex justify-between items-center",
            el("p", "text-lg", page.words.slogan()),
            form,
        )
    ]


@section(
    "foot",
    "[a stack of centered lines|the name in capitals] to close the page",
    "a [tall|generous] footer with everything centered",
    held_out=True,
)
def foot_stack(page: Page) -> list[Node]:
    return [
        el(
            "footer",
            f"border-t-8 border-{page.style.accent}-500 py-12 flex flex-col items-center space-y-2",
            el("p", "text-xl uppercase tracking-widest font-bold", page.words.name),
            el("p", "", page.words.address),
            el("p", "text-sm text-gray-500", page.words.rights()),
        )
    ]
