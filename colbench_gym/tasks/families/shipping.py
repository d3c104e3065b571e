"""Parcels and deliveries."""

from __future__ import annotations

from random import Random
from types import SimpleNamespace

from colbench_gym.tasks.family import count, detail, family, money


def _quote_inputs(rng: Random, d: SimpleNamespace) -> tuple:
    total = rng.choice((d.free_from, d.free_from - 1, d.free_from + 10, rng.randrange(5, 40)))
    weight = rng.choice((d.included_kilos, d.included_kilos + 1, d.included_kilos + 0.4, d.included_kilos + 2.5, 1))
    return (total, weight, rng.choice(("standard", "standard", "express")), rng.random() < 0.4)


def _quote_probes(rng: Random, d: SimpleNamespace) -> list[tuple]:
    cheap = rng.randrange(6, 20)
    return [
        (d.free_from, 1, "standard", False),
        (cheap, 1, "standard", False),
        (cheap, d.included_kilos + 1.3, "standard", False),
        (cheap, 1, "express", False),
        (cheap, 1, "standard", True),
        (d.free_from + 5, 1, "express", True),
    ]


@family(
    names=("shipping_cost", "quote_shipping", "delivery_fee"),
    requests=(
        "hey, I [run a small candle shop|sell ceramics from my garage|have a little online bookstore] and I'm sick of "
        "working out postage by hand. Can you write something that tells me what to charge for delivery? It should "
        "look at how much they spent, how heavy the parcel is, the service they picked and whether they live far out.",
        "Our checkout needs a delivery fee. Small orders pay, bigger ones don't, heavy ones pay more, [you get the "
        "idea|the usual]. Please write the function.",
        "I need a Python function which computes the shipping price of an order from its value, its weight in kilos, "
        "the delivery speed and a flag that says whether the address is remote. We have our own rules for [when it is "
        "free|surcharges], so please check with me before you finalise it.",
        "Shipping calculator please! My [accountant|business partner|sister who does our books] says we've been "
        "undercharging for months, especially for heavy stuff and remote addresses.",
        "Could you help me [replace|get rid of] the spreadsheet we use for courier prices? You put in order total, "
        "weight, service and remote yes/no and out comes a price. I don't remember all the [numbers|rules] off the top "
        "of my head but I can look them up if you ask.",
    ),
    details=(
        detail(
            "base_fee",
            money(4, 5, 6, 8),
            careless=5,
            topics=("base fee", "base price", "flat fee", "standard fee", "normal fee", "usual fee", "starting price"),
            say=("A normal delivery starts at {}.", "The base fee is {} before anything gets added."),
        ),
        detail(
            "free_from",
            money(50, 60, 75, 100),
            careless=50,
            topics=("free shipping", "free delivery", "free", "minimum order", "order value", "threshold"),
            say=("Delivery is free once the order reaches {}.", "Spend {} or more and the base fee is waived."),
        ),
        detail(
            "included_kilos",
            count(2, 3, 5, 10),
            careless=5,
            topics=("weight limit", "included weight", "weight", "heavy", "kilos"),
            say=("The first {} kilos are included in the price.", "Up to {} kilos there is no extra for weight."),
        ),
        detail(
            "per_kilo",
            money(1, 2, 3),
            careless=1,
            topics=("price per kilo", "per kilo", "extra weight", "overweight", "surcharge for weight"),
            say=("Every kilo above the included weight adds {}.", "Overweight costs {} a kilo on top."),
        ),
        detail(
            "partial_kilo",
            {
                "up": ("counts as a whole one", "is charged like a full one"),
                "down": ("is ignored", "costs nothing"),
                "exact": ("is charged in proportion", "is charged pro rata"),
            },
            careless="exact",
            topics=("partial kilo", "fraction of a kilo", "rounding", "part of a kilo", "started kilo", "decimals"),
            say=("A started kilo {}.", "If there's only part of an extra kilo, it {}."),
        ),
        detail(
            "express",
            {
                "double": ("doubles the whole fee", "is twice the fee"),
                "plus_nine": "adds $9",
                "plus_twelve": "adds $12",
            },
            careless="double",
            topics=("express", "service", "speed", "fast delivery", "urgent"),
            say=("Express {}.", "If they pick express, that {}."),
        ),
        detail(
            "remote_fee",
            money(3, 4, 7),
            careless=3,
            topics=("remote", "remote address", "far", "islands", "rural"),
            say=("Remote addresses pay {} more, whatever else applies.", "We always add {} for remote places."),
        ),
    ),
    inputs=_quote_inputs,
    probes=_quote_probes,
)
def shipping_quote(
    order_total,
    weight_kg,
    service,
    remote,
    *,
    base_fee,
    free_from,
    included_kilos,
    per_kilo,
    partial_kilo,
    express,
    remote_fee,
):
    import math

    fee = 0 if order_total >= free_from else base_fee
    extra = max(0, weight_kg - included_kilos)
    if partial_kilo == "up":
        extra = math.ceil(extra)
    elif partial_kilo == "down":
        extra = math.floor(extra)
    fee += extra * per_kilo
    if service == "express":
        if express == "double":
            fee *= 2
        elif express == "plus_nine":
            fee += 9
        else:
            fee += 12
    if remote:
        fee += remote_fee
    return round(fee, 2)
