"""The vague description of a page: its business, its layout roughly, little of how it looks in detail."""

from __future__ import annotations

import re
from random import Random

from colbench_gym.tasks.family import expand
from colbench_gym.tasks.pages.page import Layout, Page
from colbench_gym.tasks.pages.style import weighted
from colbench_gym.tasks.pages.words import lowered

_SUBJECTS = {
    "About Us": "background information",
    "Our Services": "the services",
    "Our Story": "the story of the business",
    "What We Do": "the daily work",
    "Why Choose Us": "the advantages",
    "How We Work": "the way of working",
    "Our Approach": "the approach",
    "Meet the Team": "the team",
    "Latest News": "news",
    "Our Promise": "a promise to visitors",
    "Visit Us": "directions",
    "Contact Us": "contact details",
    "Who We Are": "the people behind it",
    "Good to Know": "practical hints",
    "Upcoming Events": "upcoming events",
    "Customer Reviews": "reviews",
    "Special Offers": "special offers",
    "Our Values": "the values of the house",
    "Testimonials": "testimonials",
    "Newsletter": "updates by mail",
    "Gallery": "pictures",
}
_MOODS = {
    "green": "[natural|fresh|calm] tones[| that suggest growth| taken from the garden]",
    "yellow": "[sunny|warm|cheerful] shades[| with a little contrast|]",
    "indigo": "[deep|cool|serious] tones[| and light backgrounds|]",
    "red": "[warm|strong|energetic] colors[| used sparingly|]",
    "purple": "[rich|creative|elegant] hues[| on a quiet ground|]",
    "pink": "[soft|playful|friendly] colors[| without being loud|]",
    "blue": "[trustworthy|cool|calm] colors[| and clear contrasts|]",
    "gray": "[muted|neutral|restrained] tones[| with one accent|]",
}
# fmt: off
_MANNERS = (
    "clean", "simple", "modern", "calm", "friendly", "bold", "minimalist", "elegant", "warm", "plain", "airy",
    "quiet", "lively", "professional", "uncluttered", "inviting", "spacious", "classic", "playful", "confident",
    "bright", "tidy", "cozy", "straightforward",
)
# fmt: on
_WISHES = (
    "a [slideshow|carousel] of {sight}",
    "a [menu|header] that [stays in place|sticks to the top] while scrolling",
    "[gentle|subtle] hover effects",
    "icons for each [service|section]",
    "a search box [in the corner|near the menu]",
    "[social media|share] icons",
    "a logo [in the corner|at the top left|in the center]",
    "an interactive map",
    "a [clearly visible|prominent] button to {action}",
    "[customer|client] reviews",
    "a [drop-down|hidden] menu for smaller screens",
    "[large|high-quality] photographs of {sight}",
)
_CLOSERS = (
    "[The palette|The color scheme] [should feel like|leans towards|is built on] {mood}.",
    "[It uses|Think of] {mood} and [plenty of|generous] [white space|room around the text].",
    "[The text is|Headings are] [large|easy to read|set in a plain typeface][| and kept short|].",
    "Nothing should distract from [{topic}|the pictures|what the {noun} offers].",
    "[Visitors|{clients}] should [quickly find|easily get to] {topic}[ and {topic2}| without searching].",
    "The [overall|general] impression is [{manner}|{manner} rather than showy], [as befits|which suits] a {noun}.",
    "[On the whole|All in all], it should [appeal to|speak to|work for] {clients} who want to {aim}.",
    "The [tone|mood] is [{manner}|{manner} and {manner2}], and the [order|arrangement] of the parts is simple.",
)


def describe(page: Page, skeleton: Layout) -> str:
    """One to four sentences, true of the page in most of what they mention."""
    rng = page.rng
    slots = _slots(page)
    phrases = _phrases(page, skeleton)
    count = rng.choices((1, 2, 3, 4), (15, 42, 34, 9))[0]
    lead = rng.choice((4, 4, 5)) if count > 1 else rng.choice((4, 5, 6))
    sentences = [_opening(page, phrases[:lead])]
    rest = phrases[lead:]
    while len(sentences) < count:
        if rest and rng.random() < 0.5:
            sentences.append(_further(rest.pop(0), rng))
        else:
            sentences.append(rng.choice([closer for closer in _CLOSERS if closer not in sentences]))
    return " ".join(_filled(sentence, slots, rng) for sentence in sentences)


def _phrases(page: Page, skeleton: Layout) -> list[str]:
    """What may be mentioned, in the page's order, without repetition; some of it wished for rather than there."""
    rng = page.rng
    found = [rng.choice(skeleton.says), *(rng.choice(kind.says) for kind in page.drawn)]
    found = [phrase for phrase in dict.fromkeys(found) if phrase and rng.random() < 0.9]
    missing = max(0, 3 - len(found))
    for wish in rng.sample(_WISHES, missing + (rng.random() < 0.6)):
        found.insert(rng.randrange(len(found) + 1), wish)
    return found


def _opening(page: Page, phrases: list[str]) -> str:
    rng = page.rng
    manner = rng.choice(("{manner}", "{manner}, {manner2}", "{manner} and {manner2}", "{manner}"))
    design = rng.choice(("design", "design", "layout", "page", "website design", "look"))
    label = page.words.label
    site = (
        ""
        if re.search("Website|Site|Page|Blog", label)
        else weighted(rng, {"": 6, " Website": 3, " Site": 1, " Homepage": 1})
    )
    listed = f"{', '.join(phrases[:-1])}{',' if len(phrases) > 2 else ''} and {phrases[-1]}"
    return weighted(
        rng,
        {
            f"{label}{site}: A {manner} {design} [with|featuring] {listed}.": 66,
            f"{label}{site}: A {manner} {design}. [It has|Expect|Visitors find] {listed}.": 8,
            f"{label}{site}: {{manner}} and {{manner2}}, with {listed}.": 6,
            f"A {{noun}}'s [site|website|home page] with {listed}. The {design} is {manner}.": 7,
            f"A {manner} [site|website] for a {{noun}}, with {listed}.": 7,
            f"[We need|I am looking for] a {manner} {design} for our {{noun}}, with {listed}.": 6,
        },
    )


def _further(phrase: str, rng: Random) -> str:
    return rng.choice(
        (
            f"[Further down|Below that|After that|Then] [you see|there is room for] {phrase}.",
            f"[It also has|I would also like|The page also offers] {phrase}.",
            f"{phrase} should [be easy to find|not be missing|catch the eye].",
        )
    )


def _slots(page: Page) -> dict[str, str]:
    rng, kind = page.rng, page.words.kind
    own = [lowered(offer.title) for offer in kind.offers]
    known = [_SUBJECTS.get(topic, lowered(topic)) for topic in page.topics]
    topics = [topic for topic in known if topic in own or topic in _SUBJECTS.values()]
    topics = list(dict.fromkeys([*topics, *rng.sample(own, 3)]))
    manner, manner2 = rng.sample(_MANNERS, 2)
    page1, page2 = (caption.lower() for caption in rng.sample(kind.menu, 2))
    return {
        "topic": topics[0],
        "topic2": topics[1],
        "manner": manner,
        "manner2": manner2,
        "mood": expand(_MOODS[page.style.accent], rng),
        "noun": kind.noun,
        "clients": kind.clients,
        "aim": rng.choice(kind.aims),
        "sight": f"the {rng.choice(('work', 'place', 'people', 'products'))}",
        "action": rng.choice(kind.actions).lower(),
        "page1": page1,
        "page2": page2,
    }


def _filled(sentence: str, slots: dict[str, str], rng: Random) -> str:
    text = expand(sentence, rng).format(**slots)
    text = re.sub(r"\b([Aa]) (?=[aeiou](?!ne\b))", r"\1n ", text)
    label, colon, rest = text.rpartition(": ")
    return label + colon + rest[0].upper() + rest[1:]
