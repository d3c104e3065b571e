"""What a visitor sees first below the bar."""

from colbench_gym.tasks.pages.markup import Node, el, picture
from colbench_gym.tasks.pages.page import Page, section


@section(
    "opening",
    "a [full-width|large] [background image|picture] with the [title|name] over it",
    "a [big|striking] header image with text on top",
    weight=6,
)
def hero_cover(page: Page) -> list[Node]:
    """A picture as background; the words stand on it."""
    width, height = page.rng.choice(((1600, 900), (1600, 900), (1600, 400), (1200, 600)))
    tall = page.rng.choice(("h-64", "h-64", "h-64", "h-96", "h-screen"))
    words: list[Node] = [
        el("h1", "text-4xl font-bold text-white" if page.chance(0.6) else "text-5xl text-white", page.words.welcome())
    ]
    if page.chance(0.5):
        words.append(el("p", "text-xl text-white mt-4", page.words.slogan()))
    if page.chance(0.3):
        words.append(page.button("mt-4"))
    inner = el("div", "text-center", *words)
    if page.chance(0.25):
        words = []
        inner = None
    ground = f"background-image: url('{picture(width, height)}')"
    return [
        el(
            page.rng.choice(("div", "div", "header")),
            f"bg-cover bg-center {tall} {'flex items-center justify-center' if words else 'w-full'}",
            inner,
            style=ground,
        )
    ]


@section(
    "opening",
    "a [wide|large|full-width] picture [at the top|under the header]",
    "a [prominent|high-resolution] image of [the work|the place]",
    weight=8,
)
def hero_picture(page: Page) -> list[Node]:
    """A picture as wide as the page, at its own height or cut to a band."""
    size = page.rng.choice(((1600, 900), (1600, 400), (1600, 400), (1200, 400), (1200, 600)))
    cut = page.rng.choice(
        ("w-full", "w-full", "w-full h-64 object-cover", "w-full h-64 object-cover", "w-full h-96 object-cover")
    )
    shown = page.picture(*size, cut)
    if page.chance(0.55):
        return [shown]
    over = el(
        page.rng.choice(("div", "div", "header")),
        "absolute inset-0 flex items-center justify-center",
        page.button() if page.chance(0.3) else el("h1", f"{page.style.title} text-white", page.words.welcome()),
    )
    return [el("div", "relative", shown, over)]


@section(
    "opening",
    "a [short|warm] welcome and a call to action",
    "a [clear|prominent] call-to-action button",
    weight=6,
)
def hero_plain(page: Page) -> list[Node]:
    inset = page.rng.choice(("py-16 px-4", "py-12", "py-8 px-4", "p-10", "container mx-auto px-4 py-12"))
    button = page.button() if page.chance(0.7) else None
    row = el("div", "flex justify-center", button) if button and page.chance(0.4) else button
    return [
        el(
            page.rng.choice(("section", "section", "header", "div")),
            f"{inset} text-center",
            page.title("mb-4"),
            page.prose(page.rng.choice((2, 3, 4, 5)), "mb-8"),
            row,
        )
    ]


@section(
    "opening",
    "text on [one|the left] side and a picture on the other",
    "an introduction beside [an|a large] image",
    weight=3,
)
def hero_split(page: Page) -> list[Node]:
    words = el(
        "div",
        "w-full md:w-1/2",
        page.title("mb-6"),
        page.prose(page.rng.choice((3, 4, 5)), "mb-8"),
        page.button() if page.chance(0.7) else None,
    )
    shown = el("div", "w-full md:w-1/2", page.picture(*page.rng.choice(((800, 600), (600, 400), (300, 200)))))
    order = (words, shown) if page.chance(0.7) else (shown, words)
    ground = page.rng.choice(("bg-white border-b py-8", "container mx-auto px-6 py-12", "py-10 px-6"))
    return [el("section", ground, el("div", f"flex flex-wrap {page.rng.choice(('items-center', ''))}", *order))]


@section(
    "opening", "a [welcome|greeting] and a few lines about the business", "plenty of [white|empty] space", weight=10
)
def welcome_text(page: Page) -> list[Node]:
    """A heading and a paragraph or two, nothing else."""
    box = page.rng.choice(
        (
            "container mx-auto px-4 py-8",
            "p-4",
            "p-6",
            "container mx-auto px-4 py-12",
            "max-w-4xl mx-auto p-6",
            "container mx-auto p-4",
            "my-8",
        )
    )
    count = page.rng.choice((1, 1, 1, 2, 3))
    return [
        el(
            page.rng.choice(("section", "main", "div", "div")),
            f"{box} {page.style.middle}",
            page.title(page.rng.choice(("mb-4", "mb-4", "mb-8", ""))),
            *(page.prose(page.rng.choice((3, 4, 5, 5, 6, 7)), "mb-4" if count > 1 else "") for _ in range(count)),
        )
    ]


@section(
    "opening",
    "a picture with [a|an order] form [floating on|over] it",
    "a sign-in box over a large picture",
    held_out=True,
)
def hero_login(page: Page) -> list[Node]:
    field = "border border-gray-400 rounded w-full px-3 py-2 mb-3 text-gray-800"
    form = el(
        "form",
        "bg-white rounded-lg shadow-lg p-8 w-1/3",
        el("h2", "text-2xl font-bold text-gray-800 mb-4", page.rng.choice(("Sign In", "Member Login", "Welcome Back"))),
        el("input", field, type="email", placeholder="Email address"),
        el("input", field, type="password", placeholder="Password"),
        el("button", f"bg-{page.style.accent}-600 text-white w-full py-2 rounded", "Log in"),
    )
    return [
        el(
            "div",
            "bg-cover h-screen flex items-center justify-end pr-20",
            form,
            style=f"background-image: url('{picture(1600, 900)}')",
        )
    ]


@section(
    "opening",
    "a [dark|colored] band with the words set to the left and one large figure",
    "a headline with a [number|price] next to it",
    held_out=True,
)
def hero_figure(page: Page) -> list[Node]:
    accent = page.style.accent
    return [
        el(
            "section",
            f"bg-{accent}-700 text-white px-10 py-20 flex justify-between items-end",
            el(
                "div",
                "w-2/3",
                el("h1", "text-5xl font-bold mb-4", page.words.slogan()),
                el("p", "text-lg", page.words.paragraph(2)),
            ),
            el(
                "div",
                "text-right",
                el("p", "text-6xl font-bold", page.words.price()),
                el("p", f"text-{accent}-200", "to start with"),
            ),
        )
    ]


@section(
    "opening",
    "a [round|circular] picture above the [title|name]",
    "a portrait in a circle and a line of text",
    held_out=True,
)
def hero_portrait(page: Page) -> list[Node]:
    return [
        el(
            "section",
            "flex flex-col items-center py-16",
            page.picture(200, 200, "rounded-full w-48 h-48 border-4 border-white shadow-lg mb-6"),
            page.title("text-center mb-2"),
            el("p", "text-center italic text-gray-600 w-1/2", page.words.paragraph(1)),
        )
    ]
