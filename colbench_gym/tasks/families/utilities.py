"""Meters and what they cost."""

from __future__ import annotations

from random import Random
from types import SimpleNamespace

from colbench_gym.tasks.family import count, detail, family


def _meter(rng: Random, used: list[int]) -> tuple:
    readings = [rng.randrange(1000, 6000)]
    for units in used:
        readings.append(readings[-1] + units)
    return (readings,)


def _bill_inputs(rng: Random, d: SimpleNamespace) -> tuple:
    usual = (d.first_block, d.first_block + 1, d.first_block - 1, rng.randrange(20, 90), rng.randrange(210, 400), 0)
    (readings,) = _meter(rng, [rng.choice(usual) for _ in range(rng.randrange(0, 4))])
    if rng.random() < 0.3:
        readings += [9_990, rng.randrange(5, 200)]
    return (readings,)


def _bill_probes(rng: Random, d: SimpleNamespace) -> list[tuple]:
    return [
        _meter(rng, [d.first_block, rng.randrange(20, 90)]),
        _meter(rng, [d.first_block + rng.randrange(5, 60), 0]),
        ([rng.randrange(9_800, 9_990), rng.randrange(20, 90)],),
        _meter(rng, []),
        ([rng.randrange(7_000, 7_900), rng.randrange(7_905, 8_000), rng.randrange(20, 90)],),
    ]


@family(
    names=("electricity_bills", "meter_charges", "bills_from_readings"),
    requests=(
        "I let out a few [flats|holiday cottages|allotment sheds] and every month I walk down to the meters with my "
        "notebook. Could you write me something that turns the readings of one meter (a list, oldest first, one per "
        "month) into what the tenant has to pay for each month? Power gets dearer once they've used a certain amount.",
        "Tiered [power|electricity] billing. Argument: consecutive monthly meter readings, whole numbers. Returns a "
        "list with one bill per month. Rates on request.",
        "For the [campsite|marina|caravan park] I run with my [husband|sister]: each pitch has got its own little "
        "meter, they're ancient, and it has happened that one showed less than the month before. I type in the "
        "readings of a pitch in order, and I'd like the list of monthly bills to come out. There's a monthly charge, a "
        "cheap part and a dear part, ask me for the figures.",
        "Let readings be the successive monthly counter readings of an electricity meter. Compute from every two "
        "neighbouring readings the amount due for that month under a two-rate block tariff with a fixed charge, and "
        "return the amounts [as a list|in chronological order, as a list].",
        "our landlord [sends bills|does sums] nobody understands and i want to check them!! i've got the meter "
        "readings of every month in a list. first units are cheap then the expensive price starts, and there's a basic "
        "fee too i think. can you make python give the bill for each month?",
        "Good day, I am treasurer of the [garden association|housing cooperative] and I must make the yearly statement "
        "of electricity. From the readings of the meter, one for each month, the program should find the consumption "
        "and then the price for each month, as list.",
    ),
    details=(
        detail(
            "first_block",
            count(100, 150, 200),
            careless=100,
            topics=("first block", "tier", "tiers", "cheap units", "when it gets dearer", "tier limit", "brackets"),
            say=(
                "The first {} units of a month are at the low price.",
                "For up to and including {} units a month you pay the cheap rate, only what's beyond is dearer.",
            ),
        ),
        detail(
            "low_rate",
            {10: "10 cents", 12: "12 cents", 15: "15 cents"},
            careless=10,
            topics=("low rate", "cheap rate", "cheap price", "first rate", "price per unit", "lower price"),
            say=("A unit at the low price is {}.", "Cheap units cost {} each."),
        ),
        detail(
            "high_rate",
            {20: "20 cents", 25: "25 cents", 30: "30 cents"},
            careless=20,
            topics=("high rate", "expensive rate", "dear price", "second rate", "higher price", "expensive units"),
            say=(
                "Units beyond the cheap block cost {} each, but only those.",
                "Every unit above the cheap block is {}.",
            ),
        ),
        detail(
            "standing",
            {500: "$5", 800: "$8", 1200: "$12"},
            careless=500,
            topics=("standing charge", "fixed charge", "basic fee", "monthly charge", "base fee", "no consumption"),
            say=(
                "On top there's {} a month, even if nothing was used.",
                "The fixed charge is {} for every month, used or not.",
            ),
        ),
        detail(
            "backwards",
            {
                "four": (
                    "the meter went round, it jumps from 9999 to 0",
                    "it's a four-digit meter that started over after 9999",
                ),
                "five": (
                    "the meter went round, it jumps from 99999 to 0",
                    "it's a five-digit meter that started over after 99999",
                ),
                "zero": ("count that month as no consumption", "that month counts as zero units"),
                "fresh": (
                    "a new meter was put in that started at 0, so the new reading is the use",
                    "it's a new meter, so the reading itself is what was used",
                ),
            },
            careless="zero",
            topics=(
                "rollover",
                "lower reading",
                "meter reset",
                "negative consumption",
                "went round",
                "new meter",
                "smaller",
            ),
            say=("If a reading is lower than the one before, {}.", "When the meter shows less than last month, {}."),
        ),
        detail(
            "unit",
            {
                "cents": ("in cents as a whole number", "as whole cents, so 1250 and not 12.50"),
                "dollars": (
                    "in dollars as a number, so 12.5 for twelve fifty",
                    "as a plain dollar amount such as 12.5",
                ),
                "text": (
                    "as text with a dollar sign in front and two decimals, like $12.50",
                    "written out like $12.50, always with two decimals",
                ),
            },
            careless="dollars",
            topics=("currency", "dollars or cents", "format", "unit of the amount", "decimals", "text or number"),
            say=("I want each bill {}.", "The amounts come back {}."),
        ),
    ),
    inputs=_bill_inputs,
    probes=_bill_probes,
)
def utility_bill(readings, *, first_block, low_rate, high_rate, standing, backwards, unit):
    from itertools import pairwise

    bills = []
    for previous, current in pairwise(readings):
        used = current - previous
        if used < 0:
            if backwards == "four":
                used += 10000
            elif backwards == "five":
                used += 100000
            elif backwards == "zero":
                used = 0
            else:
                used = current
        cheap = min(used, first_block)
        cents = standing + cheap * low_rate + (used - cheap) * high_rate
        if unit == "cents":
            bills.append(cents)
        elif unit == "dollars":
            bills.append(cents / 100)
        else:
            bills.append(f"${cents / 100:.2f}")
    return bills
