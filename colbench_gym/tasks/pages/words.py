"""What a page says: names, headings and running text, put together from a kind of business's own words."""

from __future__ import annotations

from random import Random

from colbench_gym.tasks.family import expand
from colbench_gym.tasks.pages.kind import Kind, Offer
from colbench_gym.tasks.pages.names import FIRST_NAMES, STREETS, SURNAMES, TOWNS

_IDENTITY = (
    "{we} [an independent|a family-run|a small|a friendly|a long-established|a locally owned] {noun} "
    "[with a passion for|devoted to|known for|built around] {craft}.",
    "For [more than|nearly|over] [six|nine|twelve|fifteen|twenty|thirty|forty] years we have been {craft}[|, one day "
    "at a time|, and we still enjoy it].",
    "[At {name}|Here|In {town}], [everything|every day|each visit] [starts|begins] with {craft}.",
    "What began [in a garage|around a kitchen table|as a weekend project|in a single rented room|with two friends] has "
    "become the {noun} that {clients} [across {town}|in the whole region|from near and far] [recommend|return to].",
    "Our {people} share one [idea|ambition|habit]: {craft}.",
    "[Since|Ever since] {year}, our {people} have cared about [one thing|little else but one thing]: {craft}.",
    "{name} has brought {people} and {clients} together [|in {town} ][since {year}|for many years].",
    "[We believe that a|Every] good {noun} [should begin|begins|starts] with [listening|people|time and "
    "care], and ours "
    "does.",
)
_OFFER = (
    "Whether for {offer} or {offer2}, [we are "
    "happy to help|you "
    "are in good hands|our {people} know what to do|we have you covered].",
    "From {offer} to {offer2}, [we do it all|our {people} take care of it|there is something for "
    "everyone|we have thought "
    "of it].",
    "Our [work|range|program] [includes|covers] {offer}, {offer2} and {offer3}.",
    "[Ask us|Ask our {people}|Talk to us] about {offer}[ and {offer2}|, or simply look around|].",
    "[Most|Many] of our {clients} [ask about|try] {offer} first and {offer2} later.",
    "[This season|This month|At the moment] we are [especially|particularly] proud of our {offer}.",
)
_PROMISE = (
    "[You can count on|Expect|We promise] {quality} and {quality2}[|, every time|, whatever the season|, "
    "without asking].",
    "[We have always stood for|We take pride in|We are known for] {quality}[|, and for {quality2}|, and it shows].",
    "[Trust|Quality|A good name] [is earned slowly|takes time], [so we keep our promises|which is why we "
    "offer {quality}].",
    "[No small print|Nothing hidden|No pressure]: just {quality} and {quality2}.",
    "Our {clients} [value|mention|thank us for] {quality} [more than anything|again and again|above all].",
)
_AIM = (
    "[Our {clients}|People] come [to us|here] [because they want to|to] {aim}.",
    "[We would love to|Let us|Our {people} can] help you {aim}[|, step by step|, at your own pace].",
    "If you [want|would like|hope] to {aim}, [you have come to the right place|start here|we would like to meet you].",
    "[There is no better place|It has never been easier] to {aim}[| or to {aim2}].",
    "[Some|A few] come to {aim}, others to {aim2}; [both are welcome|we are glad of either|all of them find a friendly "
    "face].",
)
_INVITATION = (
    "[Drop in|Call us|Write to us|Stop by] [any weekday|this week|whenever you like|before noon] [and see for "
    "yourself|and we will find time|and meet our {people}].",
    "[Get in touch|Send us a message|Leave your number] and we will [answer within a day|call you "
    "back|be glad to help].",
    "[Come and see for yourself|Have a look around|Take your time], [the door is open|we are here to help|there is no "
    "hurry].",
    "You will find us [on {street} Street|near the {street} Street stop|a short walk from {street} Street] [in "
    "{town}|with the blue door|next to the old post office].",
)
_POOLS = {"i": _IDENTITY, "o": _OFFER, "p": _PROMISE, "a": _AIM, "v": _INVITATION}
_RECIPES = {
    1: ("i", "f", "a", "p", "o"),
    2: ("if", "ip", "oa", "fp", "ao", "iv", "pf"),
    3: ("iop", "ifa", "iaf", "ofp", "afv", "ipv", "ifo"),
    4: ("iofp", "iaop", "ifpv", "ioav", "ipfa"),
    5: ("iofpv", "iaofp", "ifoap", "ipofa"),
    6: ("iofpav", "iaofpf", "ifoapv", "ipofav"),
    7: ("iofpafv", "iaofppv", "iioapfv"),
}
_SUBJECTS = (
    "About Us",
    "Our Services",
    "Our Story",
    "What We Do",
    "Why Choose Us",
    "How We Work",
    "Our Approach",
    "Meet the Team",
    "Latest News",
    "Our Promise",
    "Visit Us",
    "Contact Us",
    "Who We Are",
    "Good to Know",
    "Upcoming Events",
    "Customer Reviews",
    "Special Offers",
    "Our Values",
)


class Words:
    """The words of one page.

    Attributes:
        kind: the kind of business.
        name: what the page calls it: a proper name, or simply what it is.
        town, address, phone, email: where it is and how to reach it (invented).
        proper: whether `name` is a proper name.
        label: how the description calls the site.
    """

    def __init__(self, kind: Kind, rng: Random) -> None:
        self.kind = kind
        self._rng = rng
        self.label = rng.choice(kind.labels)
        self.proper = rng.random() < 0.4
        self.town = rng.choice(TOWNS)
        self.name = self._proper_name() if self.proper else self.label.removesuffix(" Website")
        self._offers = rng.sample(kind.offers, len(kind.offers))
        self._facts = rng.sample(kind.facts, len(kind.facts))
        self._voices = rng.sample(kind.voices, len(kind.voices))
        self._subjects = [*rng.sample(_SUBJECTS, len(_SUBJECTS))]
        self._said: set[str] = set()
        self.address = f"{rng.randrange(1, 240)} {rng.choice(STREETS)} Street, {self.town}"
        self.phone = f"(555) {rng.randrange(100, 1000)}-{rng.randrange(1000, 10000)}"
        slug = "".join(letter for letter in self.name.lower() if letter.isascii() and letter.isalnum())
        self.email = f"{rng.choice(('info', 'hello', 'contact', 'office'))}@{slug}.example"

    def welcome(self) -> str:
        """The largest heading."""
        name = self.name if self.proper else self._rng.choice((f"Our {self.name}", f"the {self.name}", self.name))
        return self._rng.choices((f"Welcome to {name}", self.name, self.slogan()), (5, 3, 2))[0]

    def slogan(self) -> str:
        template = self._rng.choice(
            (
                "{Aim}",
                "[Helping|Inviting] {clients} to {aim}",
                "Where {clients} {aim}",
                "{Quality}, [every day|always|in {town}]",
                "For {clients} who want to {aim}",
                "Your {noun} in {town}",
                "{Quality} and {quality2}",
                "The {noun} [of|in] {town}",
            )
        )
        return self.fill(template)

    def offer(self) -> Offer:
        """The next offer of the business, with its sentence; the last is followed by the first again."""
        offer = self._offers.pop(0)
        self._offers.append(offer)
        return Offer(titled(offer.title), expand(offer.sentence, self._rng))

    def fact(self) -> str:
        fact = self._facts.pop(0)
        self._facts.append(fact)
        return expand(fact, self._rng)

    def voice(self) -> str:
        voice = self._voices.pop(0)
        self._voices.append(voice)
        more = self._rng.choice(
            (
                "",
                "",
                self.fill("[I keep|We keep] coming back for {quality}."),
                self.fill("[Thank you|Thanks] for {quality}."),
                self.fill("If you want to {aim}, [go there|ask them|look no further]."),
            )
        )
        return f"{expand(voice, self._rng)} {more}".strip()

    def subject(self) -> str:
        """A section's heading, not used before on this page."""
        if self._rng.random() < 0.45:
            heading = self._subjects.pop(0)
            self._subjects.append(heading)
            return heading
        offer = self._offers[self._rng.randrange(3)]
        return titled(offer.title)

    def action(self) -> str:
        return self._rng.choice((*self.kind.actions, self._rng.choice(("Learn More", "Contact Us", "Get Started"))))

    def menu(self, count: int) -> list[str]:
        """Captions of a navigation with `count` entries."""
        own = self._rng.sample(self.kind.menu, min(len(self.kind.menu), max(1, count - 2)))
        first = ["Home"] if self._rng.random() < 0.75 else []
        last = ["About", "Contact"] if self._rng.random() < 0.6 else ["About Us", "Contact Us"]
        entries = list(dict.fromkeys([*first, *own, *last]))
        return entries[: count - 1] + entries[-1:] if len(entries) > count else entries

    def sight(self) -> str:
        return self._rng.choice(self.kind.sights)

    def person(self) -> str:
        return f"{self._rng.choice(FIRST_NAMES)} {self._rng.choice(SURNAMES)}"

    def price(self) -> str:
        low, high = self.kind.prices
        amount = low + (high - low) * self._rng.random() ** 2
        return f"${amount:.2f}" if high < 100 and self._rng.random() < 0.6 else f"${round(amount)}"

    def year(self) -> str:
        return str(self._rng.randrange(1948, 2019))

    def rights(self) -> str:
        """The line at the bottom."""
        year = self._rng.choice(("2022", "2022", "2022", "2023", "2021"))
        ending = self._rng.choice(("", ".", ". All rights reserved.", ". All rights reserved."))
        return f"© {year} {self.name}{ending}"

    def paragraph(self, sentences: int) -> str:
        """Running text of 1 to 7 sentences; no sentence comes twice on a page."""
        recipe = self._rng.choice(_RECIPES[sentences])
        return " ".join(self._fresh(_POOLS.get(letter)) for letter in recipe)

    def _fresh(self, pool: tuple[str, ...] | None) -> str:
        for _ in range(6):
            sentence = self.fact() if pool is None else self.fill(self._rng.choice(pool))
            if sentence not in self._said:
                break
        self._said.add(sentence)
        return sentence

    def fill(self, template: str) -> str:
        """`template` with its alternatives chosen and its `{slots}` filled from the kind's words."""
        kind, rng = self.kind, self._rng
        offer, offer2, offer3 = rng.sample(kind.offers, 3)
        aim, aim2 = rng.sample(kind.aims, 2)
        quality, quality2 = rng.sample(kind.qualities, 2)
        text = expand(template, rng).format(
            we=f"{self.name} is" if self.proper and rng.random() < 0.5 else "We are",
            name=self.name if self.proper else f"our {kind.noun}",
            noun=kind.noun,
            people=kind.people,
            clients=kind.clients,
            craft=kind.craft,
            town=self.town,
            year=self.year(),
            street=rng.choice(STREETS),
            aim=aim,
            aim2=aim2,
            Aim=aim[0].upper() + aim[1:],
            quality=quality,
            quality2=quality2,
            Quality=quality[0].upper() + quality[1:],
            offer=lowered(offer.title),
            offer2=lowered(offer2.title),
            offer3=lowered(offer3.title),
        )
        return text[0].upper() + text[1:]

    def _proper_name(self) -> str:
        rng = self._rng
        brand, surname = rng.choice(self.kind.brands), rng.choice(SURNAMES)
        return rng.choice(
            (
                brand,
                f"{brand} {titled(self.kind.noun)}",
                f"{surname} & {rng.choice([other for other in SURNAMES if other != surname])}",
                f"{surname} {titled(self.kind.noun)}",
                f"{self.town} {titled(self.kind.noun)}",
                f"{brand} of {self.town}",
                f"The {brand.removeprefix('The ')} {titled(self.kind.noun)}",
                f"{surname} {brand}",
            )
        )


def lowered(title: str) -> str:
    """A title as it stands within a sentence: without capitals, but for abbreviations."""
    return " ".join(word if word.isupper() else word.lower() for word in title.split(" "))


def titled(text: str) -> str:
    """`text` with a capital on every word but the small ones."""
    small = {"and", "of", "the", "in", "for", "by", "to", "with"}
    words = text.split(" ")
    return " ".join(
        word if word in small and place else word[:1].upper() + word[1:] for place, word in enumerate(words)
    )
