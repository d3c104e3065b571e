"""Sections made of words."""

from colbench_gym.tasks.pages.markup import Node, el
from colbench_gym.tasks.pages.page import Page, section


def block(page: Page, *children: Node | None, classes: str = "") -> Node:
    """A section with the page's padding, now and then on a ground of its own."""
    accent = page.style.accent
    tints = (
        "bg-white",
        "bg-gray-200",
        f"bg-{accent}-200",
        f"bg-{accent}-500 text-white",
        f"bg-{accent}-500 text-white",
    )
    tint = page.rng.choice(tints) if page.chance(0.14) and not page.style.dark else ""
    inset = page.style.inset if page.chance(0.8) else "my-8"
    return el(page.rng.choice(("section", "div")), f"{tint} {inset} {classes}", *children)


@section("body", "a section [about|on] {topic}", "a [short|brief] text on {topic}", weight=12)
def prose(page: Page) -> list[Node]:
    count = page.rng.choice((1, 1, 1, 1, 2))
    texts = [page.prose(page.rng.choice((2, 2, 3, 4, 5)), "mb-4" if count > 1 else "") for _ in range(count)]
    return [
        block(
            page, page.heading(classes=page.style.middle), *texts, classes=page.style.middle if page.chance(0.5) else ""
        )
    ]


@section("body", "sections for {topic} and {topic2}", "[short|separate] sections one below the other", weight=7)
def offers_in_turn(page: Page) -> list[Node]:
    """One offer after the other, each with its sentence."""
    parts: list[Node] = []
    for _ in range(page.rng.choice((2, 2, 3, 3, 4))):
        offer = page.words.offer()
        text = el(
            "p", page.style.prose, offer.sentence if page.chance(0.5) else f"{offer.sentence} {page.words.paragraph(1)}"
        )
        parts.append(block(page, page.heading(offer.title, page.style.middle), text))
    return parts


@section("body", "[room|a place] for {topic}", "sections for {topic} and {topic2}", weight=9)
def bare_headings(page: Page) -> list[Node]:
    """Headings whose content the author left for later."""
    parts: list[Node] = []
    for _ in range(page.rng.choice((1, 2, 3, 3))):
        heading = page.heading(classes=page.style.middle)
        parts.append(block(page, heading, page.later(str(heading.children[0]).lower())))
    return parts


@section("body", "a [two-column|side-by-side] layout with {topic} and {topic2}", "two columns of text", weight=5)
def columns_two(page: Page) -> list[Node]:
    half = page.rng.choice(("w-1/2", "w-1/2 p-4", "w-full md:w-1/2 px-4 mb-8", "w-full md:w-1/2"))
    columns = [el("div", half, page.heading(), page.prose(page.rng.choice((1, 2, 3, 4, 5)))) for _ in range(2)]
    return [block(page, el("div", f"flex {'flex-wrap' if 'md' in half else 'space-x-4'}", *columns))]


@section(
    "body", "[three columns|a three-column row] for {topic}, {topic2} and more", "content in three columns", weight=4
)
def columns_three(page: Page) -> list[Node]:
    third = page.rng.choice(("w-1/3 p-4", "w-full md:w-1/3 p-4", "w-1/3"))
    columns: list[Node] = []
    for _ in range(3):
        offer = page.words.offer()
        columns.append(
            el(
                "div",
                f"{third} {page.style.middle}",
                page.heading(offer.title),
                el("p", page.style.prose, offer.sentence),
            )
        )
    spread = "flex flex-wrap" if third != "w-1/3" else "flex justify-between space-x-4"
    return [block(page, el("div", spread, *columns))]


@section("body", "a list of [services|what is on offer]", "a [bulleted|plain] list of {topic}", weight=3)
def feature_list(page: Page) -> list[Node]:
    short = page.chance(0.6)
    items: list[Node] = []
    for _ in range(page.rng.choice((3, 4, 4, 5))):
        offer = page.words.offer()
        items.append(
            el("li", "mb-2" if page.chance(0.3) else "", offer.title if short else f"{offer.title}: {offer.sentence}")
        )
    intro = page.prose(1, "mb-4") if page.chance(0.4) else None
    return [
        block(
            page,
            page.heading(),
            intro,
            el("ul", page.rng.choice(("list-disc ml-8", "list-disc pl-4", "list-inside list-disc", "")), *items),
        )
    ]


@section(
    "body", "[customer|client] testimonials", "[quotes|words] from [happy customers|people who came back]", weight=4
)
def testimonials(page: Page) -> list[Node]:
    count = page.rng.choice((1, 2, 2, 3))
    quotes = [
        el(
            "div",
            f"{page.style.card} {'flex-1' if count > 1 else ''}",
            el(
                "p",
                page.rng.choice(("italic", "", "text-lg")),
                f"\u201c{page.words.voice()}\u201d" if page.chance(0.5) else f'"{page.words.voice()}"',
            ),
            el("p", page.rng.choice(("mt-2 font-bold", "mt-4", "text-right")), f"- {page.words.person()}"),
        )
        for _ in range(count)
    ]
    title = page.heading(
        page.rng.choice(("Testimonials", "What People Say", "Customer Reviews", "Kind Words")), page.style.middle
    )
    arrange = "flex space-x-4" if page.chance(0.6) else "space-y-4"
    return [block(page, title, el("div", arrange, *quotes))]


@section("body", "[numbers|figures] that speak for the business", "a row of key figures", weight=0.6)
def figures(page: Page) -> list[Node]:
    numbers = page.rng.sample(("12", "350+", "98%", "24", "1,400", "7", "60+", "15 years"), 3)
    captions = page.rng.sample(
        (page.words.kind.clients, page.words.kind.people, "projects", "locations", "partners", "reviews"), 3
    )
    colour = f"text-{page.style.accent}-500"
    cells = [
        el("div", "text-center", el("p", f"text-4xl font-bold {colour}", number), el("p", "", caption.capitalize()))
        for number, caption in zip(numbers, captions, strict=True)
    ]
    return [block(page, el("div", "flex justify-around", *cells))]


@section("body", "a [short|clear] explanation in steps", "[numbered steps|how it works, step by step]", weight=1.5)
def steps(page: Page) -> list[Node]:
    told = page.rng.sample(
        (
            "Tell us what you need",
            "Choose a date",
            "Receive a clear offer",
            "Meet our team",
            "Lean back",
            "Pay when you are satisfied",
            "Visit us once",
        ),
        page.rng.choice((3, 3, 4)),
    )
    cells = [
        el("div", f"flex-1 {page.style.card}", el("h3", "text-xl font-bold", str(number)), el("p", "", step))
        for number, step in enumerate(told, 1)
    ]
    title = page.heading(page.rng.choice(("How It Works", "Getting Started", "In a Few Steps")), page.style.middle)
    return [block(page, title, el("div", "flex space-x-4", *cells))]


@section("body", "opening hours", "a [small table|list] of opening times", weight=1.5)
def opening_hours(page: Page) -> list[Node]:
    opens, closes = (
        page.rng.choice(("7:30", "8:00", "9:00", "10:00")),
        page.rng.choice(("17:00", "18:00", "19:30", "21:00")),
    )
    rows = [
        ("Monday to Friday", f"{opens} - {closes}"),
        ("Saturday", f"{opens} - 14:00"),
        ("Sunday", page.rng.choice(("Closed", "By appointment"))),
    ]
    if page.chance(0.5):
        times = el("ul", "", *(el("li", "", f"{day}: {time}") for day, time in rows))
    else:
        times = el(
            "table",
            "w-full" if page.chance(0.5) else "",
            *(el("tr", "", el("td", "pr-8 py-1", day), el("td", "", time)) for day, time in rows),
        )
    return [block(page, page.heading("Opening Hours"), times)]


@section(
    "body",
    "a call-to-action [band|section] [with a button|near the end]",
    "a [bold|prominent] button to {action}",
    weight=4,
)
def call_to_action(page: Page) -> list[Node]:
    accent = page.style.accent
    ground = page.rng.choice(
        (f"bg-{accent}-500 text-white", f"bg-{accent}-500 text-white", "bg-white", f"bg-{accent}-200", "")
    )
    button = page.button()
    if "text-white" in ground:
        button = el("button", f"bg-white text-{accent}-500 py-2 px-4 rounded font-bold", page.words.action())
    line = el("p", "mb-4", page.words.paragraph(1))
    return [
        el(
            "section",
            f"{ground} text-center {page.rng.choice(('py-12', 'p-6', 'p-4', 'py-8'))}",
            page.heading(page.words.slogan()),
            line,
            button,
        )
    ]


@section("body", "the latest [news|articles]", "a blog with [recent posts|short previews]", weight=2)
def news(page: Page) -> list[Node]:
    posts: list[Node] = []
    for _ in range(page.rng.choice((2, 3))):
        title = page.words.fill(
            page.rng.choice(
                (
                    "[How|Why] {clients} {aim}",
                    "A day with our {people}",
                    "{Quality}: what it means",
                    "[Five|Three] reasons to {aim}",
                    "News from {town}",
                    "Our {people} on {offer}",
                )
            )
        )
        date = el(
            "p",
            "text-sm text-gray-500",
            f"{page.rng.choice(('March', 'May', 'June', 'October'))} {page.rng.randrange(1, 29)}, 2022",
        )
        posts.append(
            el(
                "article",
                f"{page.style.card} mb-4",
                el("h3", "text-xl font-bold", title),
                date if page.chance(0.6) else None,
                el("p", "", page.words.fact()),
            )
        )
    return [
        block(page, page.heading(page.rng.choice(("Blog", "Latest News", "From the Blog", "Recent Posts"))), *posts)
    ]


@section("body", "questions and answers", "[an FAQ|frequently asked questions]", weight=2, held_out=True)
def questions(page: Page) -> list[Node]:
    asked = page.rng.sample(
        (
            "Do I need an appointment?",
            "How far in advance should I book?",
            "Can I change my mind later?",
            "Where can I park?",
            "Do you offer gift vouchers?",
            "Which payments do you accept?",
        ),
        page.rng.choice((3, 4)),
    )
    pairs: list[Node] = []
    for question in asked:
        pairs.append(
            el(
                "div",
                "border-b border-gray-400 py-4",
                el("h3", "font-bold text-lg", question),
                el("p", "", page.words.paragraph(1)),
            )
        )
    return [el("section", "px-10 py-8", page.heading("Questions"), *pairs)]


@section("body", "a timeline of the [business|years]", "milestones along a line", weight=2, held_out=True)
def timeline(page: Page) -> list[Node]:
    years = sorted(page.words.year() for _ in range(4))
    points = [
        el(
            "div",
            f"border-l-4 border-{page.style.accent}-500 pl-6 pb-8",
            el("p", "font-bold text-xl", year),
            el("p", "", page.words.fact()),
        )
        for year in years
    ]
    return [el("section", "px-12 py-8", page.heading("Our History"), *points)]


@section("body", "[comments|a discussion] from visitors", "a guest book", weight=2, held_out=True)
def comments(page: Page) -> list[Node]:
    said = [
        el(
            "div",
            "flex mb-6",
            el("div", f"w-12 h-12 rounded-full bg-{page.style.accent}-400 mr-4 flex-shrink-0"),
            el("div", "", el("p", "font-semibold", page.words.person()), el("p", "text-sm", page.words.voice())),
        )
        for _ in range(3)
    ]
    return [el("section", "px-8 py-6", page.heading("Guest Book"), *said)]


@section("body", "a [notice|message] box", "an alert about a change of hours", weight=2, held_out=True)
def notice(page: Page) -> list[Node]:
    colour = page.rng.choice(("yellow", "red", "green", "blue"))
    box = el(
        "div",
        f"border-l-8 border-{colour}-500 bg-{colour}-100 text-{colour}-900 p-4",
        el("p", "font-bold", "Please note"),
        el("p", "", page.words.fact()),
    )
    return [el("div", "px-8 py-4", box)]


@section("body", "a timetable", "a table of services and prices", weight=2, held_out=True)
def price_table(page: Page) -> list[Node]:
    rows: list[Node] = [
        el(
            "tr",
            f"bg-{page.style.accent}-600 text-white text-left",
            *(el("th", "px-4 py-2", title) for title in ("Service", "Duration", "Price")),
        )
    ]
    for number in range(page.rng.choice((4, 5))):
        length = page.rng.choice(("30 min", "1 hour", "half a day", "2 hours"))
        cells = (page.words.offer().title, length, page.words.price())
        rows.append(
            el(
                "tr",
                "bg-gray-300 text-gray-900" if number % 2 else "bg-white text-gray-900",
                *(el("td", "border px-4 py-2", cell) for cell in cells),
            )
        )
    return [el("section", "px-8 py-8", page.heading("Price List"), el("table", "table-auto w-full", *rows))]


@section("body", "a large quotation across the page", "one [sentence|quote] set very large", weight=2, held_out=True)
def big_quote(page: Page) -> list[Node]:
    return [
        el(
            "blockquote",
            f"bg-{page.style.accent}-200 text-gray-900 text-4xl italic text-center px-24 py-16",
            page.words.voice(),
            el("p", "text-base mt-6", page.words.person()),
        )
    ]


@section("body", "bars that show progress", "[progress bars|a small chart] next to {topic}", weight=1, held_out=True)
def progress_bars(page: Page) -> list[Node]:
    bars: list[Node] = []
    for _ in range(3):
        share = page.rng.choice(("w-1/4", "w-1/2", "w-2/3", "w-3/4", "w-5/6"))
        bars.append(
            el(
                "div",
                "mb-4",
                el("p", "mb-1", page.words.offer().title),
                el(
                    "div",
                    "bg-gray-400 h-4 rounded-full",
                    el("div", f"bg-{page.style.accent}-600 h-4 rounded-full {share}"),
                ),
            )
        )
    return [el("section", "px-16 py-8", page.heading("Where We Stand"), *bars)]
