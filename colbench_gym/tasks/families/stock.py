"""Stock rooms: what to order and which lot to take."""

from __future__ import annotations

from datetime import date, timedelta
from random import Random
from types import SimpleNamespace

from colbench_gym.tasks.family import count, detail, family

_SKUS = ("MUG", "LAMP", "BOWL", "TRAY", "VASE", "RUG", "CLOCK", "FRAME")


def _reorder_inputs(rng: Random, d: SimpleNamespace) -> tuple:
    stock = {}
    for sku in rng.sample(_SKUS, rng.choice((1, 2, 3, 4))):
        sales = rng.choice((0, 3, 5, 8, 11))
        point = d.weeks * sales
        on_hand = rng.choice((point, max(0, point - 1), point + 1, point // 2, rng.randrange(3)))
        stock[sku] = {"on_hand": on_hand, "incoming": rng.choice((0, 0, 0, 1, 12)), "weekly_sales": sales}
    return (stock,)


def _reorder_probes(rng: Random, d: SimpleNamespace) -> list[tuple]:
    def item(on_hand: int, incoming: int, sales: int) -> dict:
        return {"on_hand": on_hand, "incoming": incoming, "weekly_sales": sales}

    first, second, third, fourth = rng.sample(_SKUS, 4)
    return [
        ({first: item(d.weeks * 5, 0, 5), second: item(d.weeks * 5 - 1, 0, 5)},),
        ({first: item(0, 0, 0), second: item(3, 0, 0), third: item(2, 1, 9)},),
        ({first: item(9, 0, 11), second: item(3, 0, 11), third: item(5, 0, 8), fourth: item(5, 0, 11)},),
        ({first: item(2, d.weeks * 4, 4), second: item(1, 2, 11)},),
    ]


@family(
    names=("reorder_list", "items_to_reorder", "build_purchase_list"),
    requests=(
        "Every Friday I walk through [the shop|our little warehouse|the back room] with a clipboard to see what we "
        "have to order, and I'm too old for that. The stock is a dict, product code to another dict with 'on_hand', "
        "'incoming' and 'weekly_sales'. Tell me what to order and how much of it.",
        "Purchase list from stock levels. Stock maps each sku to a dict with the whole numbers on_hand, incoming, "
        "weekly_sales. We buy in cartons.",
        "We ran out of our [best seller|three best products|most important part] twice this quarter and the supplier "
        "isn't to blame, our ordering is!! Give me something that reads the stock (code as key, and as value a dict "
        "with on_hand, incoming and weekly_sales) and spits out the order we should place today.",
        "Dear all, kindly prepare a function that proposes the weekly purchase order. Its argument is a nested "
        "dictionary: the outer keys are article codes; the inner keys are 'on_hand' (units in house), 'incoming' "
        "(units already ordered) and 'weekly_sales' (units sold per week). The result is the list of order lines in "
        "our usual [form and sequence|layout and sequence].",
        "I took over [my uncle's hardware store|a homeware shop] in spring, and he did the ordering by gut feeling. "
        "What I have is a dict per product with on_hand, incoming and weekly_sales, all in one big dict by product "
        "code. From that I'd like a list of the things that are running low with the quantity to order, following "
        "the rules he finally told me. Ask me if something's unclear.",
        "what should we reorder?? input is one dict, code to a dict with on_hand, incoming and weekly_sales, output "
        "is a list, one entry for each product to buy. [my teammate knows the rules and told me all of them|I have "
        "the rules here from the store manager]",
    ),
    details=(
        detail(
            "weeks",
            count(2, 3, 4),
            careless=2,
            topics=(
                "reorder point",
                "how low",
                "running low",
                "threshold",
                "when to order",
                "safety stock",
                "minimum stock",
            ),
            say=(
                "A product's reorder point is {} weeks of its sales.",
                "It gets critical when there's only enough for {} weeks of sales, that's our reorder point.",
            ),
        ),
        detail(
            "boundary",
            {
                "below": (
                    "If stock is exactly at the reorder point we don't order yet, it has to be lower.",
                    "We only order once we're below the reorder point, hitting it exactly is still fine.",
                ),
                "at": (
                    "We order when stock is at the reorder point or lower.",
                    "Hitting the reorder point exactly is already a reason to order.",
                ),
            },
            careless="below",
            topics=("exactly", "at the reorder point", "inclusive", "equal to", "at or below", "strictly"),
        ),
        detail(
            "incoming",
            {
                "counts": (
                    "Units already on their way count just like those on the shelf, also for the quantity.",
                    "Add what's incoming to what's on hand and work with that sum throughout.",
                ),
                "ignored": (
                    "Forget about what's on its way, only units on hand count.",
                    "Incoming goods are ignored, our supplier isn't reliable enough.",
                ),
                "skip": (
                    "If any units of a product are on their way we don't order that product again.",
                    "Anything with incoming units is left out of the list.",
                ),
            },
            careless="counts",
            topics=("incoming", "on the way", "on order", "already ordered", "in transit", "open orders"),
        ),
        detail(
            "target",
            count(6, 8, 10),
            careless=8,
            topics=("how much to order", "fill up", "target", "order quantity", "target level", "up to which level"),
            say=(
                "We fill up to {} weeks of sales, counting what we've got.",
                "Order what's missing to have {} weeks of sales.",
            ),
        ),
        detail(
            "carton",
            count(6, 10, 12),
            careless=12,
            topics=("carton", "cartons", "pack size", "box", "rounding", "multiples", "case size"),
            say=(
                "A carton holds {} units, we buy full cartons only and round up.",
                "The quantity is in units, always rounded up to full cartons of {}.",
            ),
        ),
        detail(
            "unsold",
            {
                "skip": (
                    "Products with no weekly sales are never ordered.",
                    "If weekly sales are zero we leave the product out.",
                ),
                "one": (
                    "A product with no weekly sales gets one carton if none is on hand and none incoming.",
                    "With zero weekly sales we order a single carton, if there's nothing on hand and nothing incoming.",
                ),
                "two": (
                    "A product with no weekly sales gets two cartons if none is on hand and none incoming.",
                    "With zero weekly sales we order two cartons, if there's nothing on hand and nothing incoming.",
                ),
            },
            careless="skip",
            topics=(
                "no sales",
                "zero sales",
                "doesn't sell",
                "unsold",
                "slow movers",
                "new products",
                "no weekly sales",
            ),
        ),
        detail(
            "sequence",
            {
                "stock": (
                    "Keep the products in the order in which they come in.",
                    "Leave the lines in the order of the stock.",
                ),
                "code": ("Sort the lines by product code.", "The list goes alphabetically by product code."),
                "largest": (
                    "The largest quantity goes on top, same quantities by product code.",
                    "Sort from most to fewest units ordered, ties alphabetically by code.",
                ),
                "scarcest": (
                    "What we have the fewest of on hand goes on top, ties by product code.",
                    "Sort by units on hand, lowest first, and alphabetically by code when they're the same.",
                ),
            },
            careless="stock",
            topics=(
                "sort order",
                "sorted",
                "sort",
                "sequence",
                "which order",
                "ties",
                "order of the list",
                "ordering of",
            ),
        ),
        detail(
            "layout",
            {
                "tuples": (
                    "Each line is a tuple of product code and quantity.",
                    "I want a list of tuples, first the code, then the quantity.",
                ),
                "dicts": (
                    "Each line is a dict with the keys 'sku' and 'quantity'.",
                    "I want a list of dicts that have 'sku' and 'quantity'.",
                ),
                "texts": (
                    "Each line is a text such as '24 x MUG', quantity first.",
                    "I want a list of strings, like '24 x MUG' for 24 units of MUG.",
                ),
            },
            careless="tuples",
            topics=("format", "layout", "look like", "each line", "each entry", "return", "output", "structure"),
        ),
    ),
    inputs=_reorder_inputs,
    probes=_reorder_probes,
)
def reorder_lines(stock, *, weeks, boundary, incoming, target, carton, unsold, sequence, layout):
    import math

    lines = []
    for sku, item in stock.items():
        if incoming == "skip" and item["incoming"] > 0:
            continue
        sales = item["weekly_sales"]
        if sales == 0:
            if unsold != "skip" and item["on_hand"] == 0 and item["incoming"] == 0:
                lines.append((sku, carton if unsold == "one" else 2 * carton))
            continue
        available = item["on_hand"] + item["incoming"] if incoming == "counts" else item["on_hand"]
        if available < weeks * sales if boundary == "below" else available <= weeks * sales:
            cartons = math.ceil((target * sales - available) / carton)
            lines.append((sku, cartons * carton))
    if sequence == "code":
        lines.sort()
    elif sequence == "largest":
        lines.sort(key=lambda line: (-line[1], line[0]))
    elif sequence == "scarcest":
        lines.sort(key=lambda line: (stock[line[0]]["on_hand"], line[0]))
    return (
        [{"sku": sku, "quantity": quantity} for sku, quantity in lines]
        if layout == "dicts"
        else [f"{quantity} x {sku}" for sku, quantity in lines]
        if layout == "texts"
        else lines
    )


_LOTS = ("A12", "B07", "C31", "D18", "E25", "F40", "G03")


def _lots_inputs(rng: Random, d: SimpleNamespace) -> tuple:
    today = _today(rng)
    days = [rng.choice((d.min_days, d.min_days - 1, d.min_days + 5, d.min_days + 5, 45, 90)) for _ in range(4)]
    if rng.random() < 0.4:
        days[rng.randrange(2)] = None
    lots = [
        (lot, None if left is None else _after(today, left), rng.choice((4, 6, 6, 10, 15)))
        for lot, left in zip(rng.sample(_LOTS, rng.choice((2, 3, 4))), days, strict=False)
    ]
    return (lots, rng.choice((5, 6, 10, 12, 20, 60)), today.isoformat())


def _lots_probes(rng: Random, d: SimpleNamespace) -> list[tuple]:
    today = _today(rng)
    one, two, three, four = rng.sample(_LOTS, 4)
    late, soon = _after(today, 60 + rng.randrange(20)), _after(today, 35 + rng.randrange(20))
    border, gone = _after(today, d.min_days), _after(today, d.min_days - 1)
    return [
        ([(one, gone, 5), (two, border, 6), (three, late, 4)], 10, today.isoformat()),
        ([(one, late, 7), (two, soon, 5), (three, _after(today, 100), 9)], 14, today.isoformat()),
        ([("C31", soon, 6), ("A12", soon, 6), ("B07", soon, 6)], 14, today.isoformat()),
        ([(one, soon, 4), (two, late, 5), (three, None, 9)], 11, today.isoformat()),
        ([(one, soon, 4), (two, late, 15), (three, soon, 9)], 9, today.isoformat()),
        ([(one, soon, 6), (two, late, 15), (three, soon, 8), (four, late, 3)], 5, today.isoformat()),
        ([(one, soon, 4), (two, late, 3), (four, None, 2)], 12, today.isoformat()),
        (
            [(one, _after(today, 7), 9), (two, _after(today, 14), 8), (three, _after(today, 30), 7)],
            21,
            today.isoformat(),
        ),
    ]


def _today(rng: Random) -> date:
    return date(2024, rng.randrange(1, 13), rng.randrange(1, 29))


def _after(start: date, days: int) -> str:
    return (start + timedelta(days=days)).isoformat()


@family(
    names=("pick_lots", "allocate_batches", "choose_lots"),
    requests=(
        "In our [dairy|bakery supplies|cosmetics] store room each product lies there in several lots with different "
        "best-before dates. A lot is a tuple (lot code, expiry date or None, units), dates are texts like "
        "2024-05-31. When an order for so many units comes in, which lots do we take, and how many units from each? "
        "Today's date is passed in as well. I'd like a list of (lot code, units) tuples.",
        "Lot allocation. Lots come as (code, expiry ISO string or None, quantity) tuples; plus units needed and "
        "today. Return a list of (code, units) tuples in picking sequence.",
        "Hello, I work in [pharmacy of hospital|warehouse for the medical articles] and we must choose from which "
        "batch we give the goods. List of batches: code, expire date (year-month-day text, sometimes None), "
        "quantity, each batch is one tuple. Also how many is needed and the date of today. Please return list with "
        "tuples of code and how many we take.",
        "The auditors found [expired|nearly expired] goods in a delivery and now I have to explain that to the "
        "board. Fix our picking: it gets the lots as (code, expiry, units) tuples, expiry being an ISO date or None, "
        "the number of units we need, and today. It answers with what to take from where, as (code, units) tuples. "
        "Our rules exist, people just don't follow them.",
        "Could you code up the [batch|lot] picking from our quality handbook? Arguments: the lots, each a tuple of "
        "code, expiry date as an ISO string (None where there isn't any) and units in stock; the units requested; "
        "the current date as an ISO string. Result: a list of tuples of code and units, first pick first. I'll "
        "answer questions on the handbook.",
        "Imagine [a freezer full of labelled boxes|shelves of jars from different days|crates with stickers on "
        "them]: (code, date it goes off or None, how many are inside). I need a certain number today, so tell me "
        "which boxes to open and how many to take out of each one, as tuples (code, how many). Dates are strings, "
        "YYYY-MM-DD, today included.",
    ),
    details=(
        detail(
            "min_days",
            count(1, 7, 14, 30),
            careless=1,
            topics=("expired", "days left", "shelf life", "too close to expiry", "remaining", "still usable", "today"),
            say=(
                "A dated lot must expire at least {} days from today, otherwise we don't touch it.",
                "We only hand out lots whose expiry is today plus {} days or later, apart from undated ones.",
            ),
        ),
        detail(
            "first",
            {
                "earliest": ("Whatever expires first goes out first.", "The earliest expiry date goes first."),
                "latest": (
                    "The freshest goes out first, so the latest expiry date leads.",
                    "Our customers want it fresh, start with the latest expiry date.",
                ),
                "smallest": (
                    "We start with the lot that has the fewest units, to clear the shelf.",
                    "Small lots go first, whatever their date.",
                ),
                "largest": (
                    "We start with the lot that has the most units.",
                    "Large lots go first, whatever their date.",
                ),
            },
            careless="earliest",
            topics=(
                "which lot first",
                "goes first",
                "picking order",
                "sort order",
                "fefo",
                "fifo",
                "priority",
                "sequence",
            ),
        ),
        detail(
            "ties",
            {
                "listed": (
                    "If two lots are level, take them as they're listed.",
                    "For a draw between lots, keep the order in which they came.",
                ),
                "code": (
                    "If two lots are level, go alphabetically by lot code.",
                    "A draw is settled by the lot code, A before B.",
                ),
                "code_desc": (
                    "If two lots are level, the lot code that's later in the alphabet wins.",
                    "A draw is settled by the lot code in reverse, B before A.",
                ),
            },
            careless="listed",
            topics=("ties", "tie", "same date", "same expiry", "same quantity", "equal", "tie-break"),
        ),
        detail(
            "undated",
            {
                "last": (
                    "Lots without a date go last, after all dated ones.",
                    "Undated lots are only used once the dated ones are empty.",
                ),
                "first": (
                    "Lots without a date go first, before all dated ones.",
                    "We use up undated lots before any dated one.",
                ),
                "never": ("Lots without a date are never used.", "Don't touch undated lots, they're blocked."),
            },
            careless="last",
            topics=("no date", "without a date", "none", "undated", "missing expiry", "missing date", "no expiry"),
        ),
        detail(
            "shortage",
            {
                "partial": (
                    "If there isn't enough we give what there is.",
                    "When stock doesn't suffice, just return the picks we can make.",
                ),
                "nothing": (
                    "If there isn't enough we give nothing at all, so the list is empty.",
                    "When stock doesn't suffice, return an empty list.",
                ),
                "marked": (
                    "If there isn't enough, add a last entry 'MISSING' with the units we're short.",
                    "When stock doesn't suffice, the picks are followed by 'MISSING' and the number of units lacking.",
                ),
            },
            careless="partial",
            topics=("not enough", "shortage", "insufficient", "short", "run out", "partial", "can't be filled"),
        ),
        detail(
            "single",
            {
                "no": (
                    "We don't mind splitting, just work through the lots one after the other.",
                    "There's no preference for taking everything from one lot.",
                ),
                "enough": (
                    "If one lot alone has enough, use just the smallest that does, the first in line on a draw.",
                    "The smallest lot that covers it all is used alone, the first in line if several are level.",
                ),
                "exact": (
                    "If a lot has exactly the units we need, take only that one, the first in the picking order.",
                    "A lot whose units match the request exactly is used alone, the first in line if there are more.",
                ),
            },
            careless="no",
            topics=("split", "splitting", "one lot", "single lot", "from several lots", "whole request", "one batch"),
        ),
    ),
    inputs=_lots_inputs,
    probes=_lots_probes,
)
def lot_picking(lots, needed, today, *, min_days, first, ties, undated, shortage, single):
    from datetime import date, timedelta

    cutoff = (date.fromisoformat(today) + timedelta(days=min_days)).isoformat()
    if undated == "never":
        usable = [lot for lot in lots if lot[1] is not None and lot[1] >= cutoff]
    else:
        usable = [lot for lot in lots if lot[1] is None or lot[1] >= cutoff]
    if ties == "code":
        usable.sort(key=lambda lot: lot[0])
    elif ties == "code_desc":
        usable.sort(key=lambda lot: lot[0], reverse=True)
    if first == "earliest":
        usable.sort(key=lambda lot: lot[1] if undated == "never" else lot[1] or "")
    elif first == "latest":
        usable.sort(key=lambda lot: lot[1] if undated == "never" else lot[1] or "", reverse=True)
    else:
        usable.sort(key=lambda lot: lot[2], reverse=first == "largest")
    if undated == "last":
        usable.sort(key=lambda lot: lot[1] is None)
    elif undated == "first":
        usable.sort(key=lambda lot: lot[1] is not None)
    if single == "enough":
        enough = [lot for lot in usable if lot[2] >= needed]
        if enough:
            return [(min(enough, key=lambda lot: lot[2])[0], needed)]
    elif single == "exact":
        for code, _, units in usable:
            if units == needed:
                return [(code, needed)]
    picks = []
    missing = needed
    for code, _, units in usable:
        if missing == 0:
            break
        taken = min(units, missing)
        picks.append((code, taken))
        missing -= taken
    if shortage == "nothing" and missing > 0:
        return []
    if shortage == "marked" and missing > 0:
        picks.append(("MISSING", missing))
    return picks
