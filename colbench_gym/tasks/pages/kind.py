"""What the generator knows about one kind of business."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Offer:
    """Something the business sells or does: a title and a sentence about it."""

    title: str
    sentence: str


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of business: the words that its pages are made of. `[a|b]` in a sentence stands for one of a, b.

    Attributes:
        name: identifier; the `family` of its tasks.
        labels: what its site is called in a description and, often, on the page.
        noun: what it calls itself in a sentence, without an article.
        brands: words that proper names are made of.
        offers: what it sells or does.
        people: who works there, plural.
        clients: whom it serves, plural.
        craft: what it does all day, a gerund phrase.
        aims: what its clients want, infinitives without `to`.
        qualities: what it is proud of, noun phrases.
        facts: sentences that are true of it alone.
        voices: what its clients say.
        actions: captions of buttons.
        menu: captions of its navigation.
        sights: what its pictures show.
        prices: lowest and highest, in whole dollars.
        held_out: True for kinds that only the `test_ood` split has.
    """

    name: str
    labels: tuple[str, ...]
    noun: str
    brands: tuple[str, ...]
    offers: tuple[Offer, ...]
    people: str
    clients: str
    craft: str
    aims: tuple[str, ...]
    qualities: tuple[str, ...]
    facts: tuple[str, ...]
    voices: tuple[str, ...]
    actions: tuple[str, ...]
    menu: tuple[str, ...]
    sights: tuple[str, ...]
    prices: tuple[int, int]
    held_out: bool = False


def offers(sentences: dict[str, str]) -> tuple[Offer, ...]:
    """Offers from their sentences by title."""
    return tuple(Offer(title, sentence) for title, sentence in sentences.items())
