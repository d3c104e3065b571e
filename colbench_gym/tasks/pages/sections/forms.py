"""Sections to fill in."""

from colbench_gym.tasks.pages.markup import Element, Node, el
from colbench_gym.tasks.pages.page import Page, section
from colbench_gym.tasks.pages.sections.texts import block


def field(page: Page, kind: str, caption: str, classes: str) -> Element:
    return el("input", classes, type=kind, placeholder=caption)


def submit(page: Page, caption: str, classes: str = "") -> Element:
    return el("button", f"{page.style.button} {classes}", caption, type="submit")


@section("body", "a contact form", "a form to [write|get in touch]", weight=2)
def contact_form(page: Page) -> list[Node]:
    look = page.rng.choice(("border rounded w-full py-2 px-3 mb-4", "p-2 mb-2 w-full border", "p-2 m-2 w-1/2 border"))
    labelled = page.chance(0.35)
    rows: list[Node] = []
    for kind, caption in (("text", "Name"), ("email", "Email"), ("text", page.rng.choice(("Phone", "Subject")))):
        if labelled:
            rows.append(el("label", "block font-bold mb-2", caption, for_=caption.lower()))
        rows.append(field(page, kind, caption, look))
    if page.chance(0.6):
        rows.append(el("textarea", f"{look} h-32", placeholder="Message"))
    form = el(
        "form",
        page.rng.choice(("", "flex flex-col items-center", "bg-white p-6 rounded shadow", "max-w-md mx-auto")),
        *rows,
        submit(page, page.rng.choice(("Send", "Submit", "Send Message"))),
    )
    return [
        block(
            page, page.heading(page.rng.choice(("Contact Us", "Get in Touch", "Write to Us")), page.style.middle), form
        )
    ]


@section("body", "a newsletter sign-up", "a [field|form] to subscribe to [the newsletter|updates]", weight=2)
def newsletter(page: Page) -> list[Node]:
    form = el(
        "form",
        page.rng.choice(("flex", "flex justify-center", "")),
        field(page, "email", "Email address", "border p-2 mr-2"),
        submit(page, page.rng.choice(("Subscribe", "Sign Up", "Join"))),
    )
    line = el(
        "p",
        "mb-4",
        page.words.fill("[News|Offers|Tips] for {clients}, [once a month|now and then|never more than weekly]."),
    )
    return [block(page, page.heading("Newsletter", page.style.middle), line if page.chance(0.7) else None, form)]


@section("body", "a [prominent|handy] search bar", "a search field", weight=2.5)
def search_bar(page: Page) -> list[Node]:
    look = page.rng.choice(("border p-2 w-full rounded", "p-2 w-1/2 border rounded", "w-full p-4 rounded-lg shadow"))
    button = submit(page, "Search", "ml-2") if page.chance(0.6) else None
    place = page.rng.choice(("flex", "flex justify-center", "flex items-center"))
    hint = page.rng.choice(("Search...", page.words.fill("Search for {offer}"), "What are you looking for?"))
    return [
        el("div", f"{page.rng.choice(('p-4', 'my-8', 'px-4 py-6'))} {place}", field(page, "text", hint, look), button)
    ]


@section("body", "a [booking|reservation] form", "a form with date and time", weight=1.5)
def booking_form(page: Page) -> list[Node]:
    look = page.rng.choice(("p-2 m-2 border", "p-2 m-2 w-1/2", "border rounded p-2 mr-4"))
    fields = [field(page, "text", "Name", look), field(page, "date", "Date", look), field(page, "time", "Time", look)]
    form = el(
        "form",
        page.rng.choice(("flex flex-col items-center", "flex flex-wrap")),
        *fields,
        submit(page, page.words.action(), "m-2"),
    )
    return [block(page, page.heading(page.words.action(), page.style.middle), form)]


@section("body", "a log-in form", "fields for name and password", weight=2, held_out=True)
def login_form(page: Page) -> list[Node]:
    look = "shadow border rounded w-full py-2 px-3 mb-4"
    form = el(
        "form",
        "bg-white text-gray-900 shadow-md rounded px-8 pt-6 pb-8 max-w-sm mx-auto",
        el("label", "block text-sm font-bold mb-2", "Username", for_="username"),
        field(page, "text", "Username", look),
        el("label", "block text-sm font-bold mb-2", "Password", for_="password"),
        field(page, "password", "Password", look),
        submit(page, "Sign In"),
    )
    return [el("div", "py-10", form)]


@section("body", "a survey with [choices|check boxes]", "a short questionnaire", weight=1.5, held_out=True)
def survey(page: Page) -> list[Node]:
    choices: list[Node] = []
    for _ in range(4):
        choices.append(el("label", "block py-1", el("input", "mr-3", type="checkbox"), page.words.offer().title))
    return [
        el(
            "section",
            "mx-16 my-8 p-8 border-4 border-dashed border-gray-400",
            page.heading("What Interests You?"),
            *choices,
            el("button", f"mt-4 bg-{page.style.accent}-600 text-white px-6 py-2", "Send"),
        )
    ]
