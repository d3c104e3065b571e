"""Sections made of pictures, cards and prices."""

from colbench_gym.tasks.pages.markup import Node, el, image
from colbench_gym.tasks.pages.page import Page, section
from colbench_gym.tasks.pages.sections.texts import block


def row(page: Page, cells: list[Node]) -> Node:
    """Cells side by side, by grid or by flex."""
    count = min(max(len(cells), 2), 4)
    if page.chance(0.5):
        return el(
            "div", f"grid {page.rng.choice((f'grid-cols-{count}', f'grid-cols-1 md:grid-cols-{count}'))} gap-4", *cells
        )
    width = page.rng.choice((f"w-1/{count} p-2", f"w-full md:w-1/{count} p-4"))
    return el("div", "flex flex-wrap", *(el("div", width, cell) for cell in cells))


@section("body", "a grid of cards [for|with] {topic} and more", "[featured|selected] offers in a grid", weight=4)
def card_grid(page: Page) -> list[Node]:
    pictured = page.chance(0.4)
    cards: list[Node] = []
    for _ in range(page.rng.choice((2, 3, 3, 3, 4))):
        offer = page.words.offer()
        shown = (
            page.picture(300, 200, page.rng.choice(("w-full", "w-full h-48 object-cover", "mb-4")))
            if pictured
            else None
        )
        cards.append(
            el(
                "div",
                page.style.card,
                shown,
                el("h3", "text-xl font-bold mb-2", offer.title),
                el("p", "", offer.sentence),
            )
        )
    title = page.heading(classes=page.style.middle) if page.chance(0.7) else None
    return [block(page, title, row(page, cards))]


@section("body", "a [gallery|grid] of pictures", "[several|a few] images of {sight}", weight=3)
def gallery(page: Page) -> list[Node]:
    size = page.rng.choice(((300, 200), (300, 200), (300, 300), (600, 400)))
    pictures: list[Node] = [
        page.picture(*size, "w-full" if page.chance(0.6) else "") for _ in range(page.rng.choice((1, 2, 3, 3)))
    ]
    title = page.heading(page.rng.choice(("Gallery", "Our Work", "Impressions", "A Look Inside")), page.style.middle)
    if len(pictures) == 1:
        pictures.append(page.later("other pictures"))
    if page.chance(0.3):
        return [block(page, title, el("div", "flex flex-wrap justify-center", *pictures))]
    return [block(page, title, row(page, pictures))]


@section("body", "one [large|wide] picture between the texts", "an image of {sight}", weight=9)
def single_picture(page: Page) -> list[Node]:
    size = page.rng.choice(((300, 200), (300, 200), (800, 600), (600, 400), (1200, 400)))
    shape = page.rng.choice(("", "rounded-lg", "mx-auto", "w-full h-64 object-cover", "rounded shadow-lg"))
    return [el("div", page.rng.choice(("flex justify-center p-6", "p-4", "my-8", "")), page.picture(*size, shape))]


@section("body", "products [in a grid|with prices]", "a product grid with [prices|buttons]", weight=2)
def product_grid(page: Page) -> list[Node]:
    button = page.chance(0.5)
    pictured = page.chance(0.6)
    cards: list[Node] = []
    for _ in range(page.rng.choice((2, 3, 3, 4))):
        name = page.words.offer().title
        cards.append(
            el(
                "div",
                f"{page.style.card} {page.style.middle}",
                image(300, 200, name, "w-full") if pictured else None,
                el("h3", "text-lg font-semibold", name),
                el("p", "text-gray-600" if not page.style.dark else "", page.words.price()),
                el("button", f"bg-{page.style.accent}-500 text-white px-4 py-2 mt-2 rounded", "Add to Cart")
                if button
                else None,
            )
        )
    title = page.heading(
        page.rng.choice(("Featured Products", "Our Products", "Popular Right Now", "New Arrivals")), page.style.middle
    )
    return [block(page, title, row(page, cards))]


@section("body", "[plans|packages] to compare", "a [pricing table|row of plans]", weight=1.5)
def pricing(page: Page) -> list[Node]:
    names = page.rng.choice(
        (("Basic", "Plus", "Premium"), ("Small", "Medium", "Large"), ("Starter", "Standard", "Complete"))
    )
    plans: list[Node] = []
    for name in names[: page.rng.choice((2, 3, 3))]:
        lines = [el("li", "", page.words.offer().title) for _ in range(3)]
        plans.append(
            el(
                "div",
                f"{page.style.card} text-center",
                el("h3", "text-xl font-bold", name),
                el("p", f"text-3xl my-2 text-{page.style.accent}-500", page.words.price()),
                el("ul", "mb-4", *lines),
                page.button() if page.chance(0.6) else None,
            )
        )
    return [
        block(
            page, page.heading(page.rng.choice(("Pricing", "Our Plans", "Packages")), "text-center"), row(page, plans)
        )
    ]


@section("body", "[the people|the team] with pictures", "[portraits|short profiles] of the team", weight=0.7)
def team(page: Page) -> list[Node]:
    roles = page.rng.sample(("Founder", "Manager", "Head of Service", "Advisor", "Apprentice", "Partner"), 3)
    people: list[Node] = []
    for role in roles:
        name = page.words.person()
        face = image(100, 100, name, page.rng.choice(("rounded-full mx-auto", "rounded-full mx-auto mb-2")))
        people.append(el("div", "text-center", face, el("h3", "font-bold", name), el("p", "", role)))
    return [
        block(
            page,
            page.heading(page.rng.choice(("Our Team", "Meet the Team", "The People")), page.style.middle),
            row(page, people),
        )
    ]


@section("body", "a picture beside a [text|paragraph] on {topic}", "text and image side by side", weight=4)
def picture_text(page: Page) -> list[Node]:
    half = page.rng.choice(("w-1/2 p-4", "w-full md:w-1/2 p-4"))
    shown = el(
        "div",
        half,
        page.picture(*page.rng.choice(((300, 200), (600, 400), (800, 600))), page.rng.choice(("", "w-full"))),
    )
    words = el(
        "div",
        half,
        page.heading(),
        page.prose(page.rng.choice((2, 3))),
        page.button("mt-4") if page.chance(0.3) else None,
    )
    order = (shown, words) if page.chance(0.5) else (words, shown)
    return [block(page, el("div", f"flex {'flex-wrap' if 'md' in half else 'items-center'}", *order))]


@section("body", "partner logos", "a row of logos", weight=2, held_out=True)
def partner_logos(page: Page) -> list[Node]:
    logos = [image(100, 50, "Partner", "opacity-50") for _ in range(page.rng.choice((4, 5, 6)))]
    return [el("section", "bg-white py-6 px-8 flex justify-around items-center", *logos)]


@section("body", "a map", "a map with the address below", weight=2, held_out=True)
def map_frame(page: Page) -> list[Node]:
    pin = el("div", f"w-6 h-6 rounded-full bg-{page.style.accent}-600 border-4 border-white")
    frame = el("div", "bg-green-200 border-4 border-gray-400 h-80 flex items-center justify-center", pin)
    return [
        el(
            "section",
            "px-8 py-8",
            page.heading("Where to Find Us"),
            frame,
            el("p", "mt-2 text-center", page.words.address),
        )
    ]


@section("body", "a video", "a [video player|film] about the [business|work]", weight=2, held_out=True)
def video_frame(page: Page) -> list[Node]:
    play = el("div", "w-20 h-20 rounded-full bg-white flex items-center justify-center text-4xl text-black", "\u25b6")
    frame = el("div", "bg-black h-96 w-2/3 mx-auto flex items-center justify-center rounded", play)
    return [el("section", "py-10", frame, el("p", "text-center mt-3", page.words.slogan()))]


@section("body", "a strip of small pictures", "thumbnails in one long row", weight=2, held_out=True)
def filmstrip(page: Page) -> list[Node]:
    frames = [page.picture(100, 100, "border-2 border-gray-500") for _ in range(8)]
    return [el("div", "bg-gray-900 p-4 flex justify-between", *frames)]
