"""About town: car parks, the library, the recycling yard."""

from __future__ import annotations

from datetime import date, timedelta
from random import Random
from types import SimpleNamespace

from colbench_gym.tasks.family import count, detail, family, money


def _clock(minutes: int) -> str:
    return f"{minutes // 60 % 24:02}:{minutes % 60:02}"


def _parking_inputs(rng: Random, d: SimpleNamespace) -> tuple:
    entered = rng.randrange(6 * 60, 13 * 60)
    if rng.random() < 0.2:
        return (_clock(rng.randrange(18 * 60, 24 * 60)), _clock(rng.randrange(0, 9 * 60)))
    stay = rng.choice(
        (
            d.free_minutes,
            d.free_minutes + 1,
            d.block,
            d.block + 1,
            d.block + d.free_minutes,
            2 * d.block + d.free_minutes + 1,
            rng.randrange(60, 600),
        )
    )
    return ("" if rng.random() < 0.1 else _clock(entered), _clock(entered + stay))


def _parking_probes(rng: Random, d: SimpleNamespace) -> list[tuple]:
    def stay(minutes: int) -> tuple:
        entered = rng.randrange(6 * 60, 10 * 60)
        return (_clock(entered), _clock(entered + minutes))

    return [
        stay(d.free_minutes),
        stay(d.free_minutes + 1),
        stay(2 * d.block + 1),
        stay(2 * d.block + d.free_minutes),
        stay(rng.randrange(700, 800)),
        ("", _clock(rng.randrange(8 * 60, 20 * 60))),
        ("23:50", _clock(d.free_minutes + rng.randrange(20, 30))),
        (_clock(rng.randrange(18 * 60, 20 * 60)), _clock(rng.randrange(7 * 60, 9 * 60))),
    ]


@family(
    names=("parking_charge", "car_park_fee", "price_at_barrier"),
    requests=(
        "The ticket machine at our [car park|multi-storey|garage by the station] is from the nineties and nobody can "
        "program it any more, so we're putting a [tablet|small computer] at the gate. It knows when a car came in and "
        "when it leaves, both as 'HH:MM', and should tell the attendant how many dollars to take.",
        "Parking fee from entry and exit time ('HH:MM', 24h). Dollars.",
        "Ever since we [opened the farm market|started the drive-in cinema] people leave their cars on our field, some "
        "of them overnight! My neighbour suggested charging, so here I am. I note the time they come and the time they "
        "go, like '08:20' and '17:05', sometimes the first one is an empty string because they've lost their slip. "
        "What do they owe me in dollars? We did agree on the prices at the kitchen table.",
        "Write a function computing the charge, a number of dollars, for one stay in a public car park. Both arguments "
        "are 24-hour clock times given as HH:MM strings, and no stay is longer than a day. Short stays are favoured, "
        "and the charge is limited.",
        "I make app for [city|airport|hospital] parking and need the price function. It takes time of entering and "
        "time of leaving, text like '13:45', result is dollars. Tariff has several rules, I can explain.",
        "Drivers keep [arguing with|yelling at] my staff because everyone computes the fee a bit differently. PLEASE "
        "give us one function, in with the two times (strings like '09:30'), out with the dollars, and make it follow "
        "our board to the letter.",
    ),
    details=(
        detail(
            "free_minutes",
            count(10, 15, 20),
            careless=15,
            topics=("free minutes", "free time", "short stay", "grace period", "drop off", "without paying"),
            say=(
                "If you're out again within {} minutes, the last one included, it's free.",
                "A stay of up to and including {} minutes costs nothing.",
            ),
        ),
        detail(
            "longer_stay",
            {
                "full": ("they pay from the first minute", "the free minutes are gone and every minute counts"),
                "deducted": (
                    "the free minutes still don't count, they come off the time first",
                    "take the free minutes off the stay and charge only the rest",
                ),
            },
            careless="full",
            topics=(
                "longer stay",
                "deducted",
                "subtract",
                "still free",
                "after the grace period",
                "from the first minute",
            ),
            say=(
                "When somebody stays longer than the free time, {}.",
                "Once a stay is longer than the free minutes, {}.",
            ),
        ),
        detail(
            "block",
            count(30, 45, 60),
            careless=60,
            topics=("started hour", "block", "rounding", "per hour", "billing unit", "part of an hour", "time unit"),
            say=(
                "We charge in blocks of {} minutes, and a block that's been started is paid in full.",
                "The time is rounded up to blocks of {} minutes.",
            ),
        ),
        detail(
            "rate",
            money(3, 4, 5),
            careless=3,
            topics=("rate", "price", "tariff", "cost of a block", "how much", "hourly rate"),
            say=("Each block is {}.", "It's {} a block."),
        ),
        detail(
            "cap",
            money(20, 24, 30),
            careless=20,
            topics=("cap", "maximum", "day ticket", "daily maximum", "limit", "most they can pay"),
            say=("Nobody pays more than {} for a normal stay.", "The day maximum is {}, we stop counting there."),
        ),
        detail(
            "overnight",
            {
                "next_day": (
                    "they left the day after, so just count the minutes past midnight as usual",
                    "it's the next day, and they pay by the minutes and the maximum like everybody",
                ),
                "flat": (
                    "they stayed the night, and that's a flat $25 however long it was",
                    "it went past midnight, so forget the blocks and take exactly $25",
                ),
                "twice": (
                    "they stayed the night and pay exactly two day maximums",
                    "it went past midnight, so they owe twice the day maximum however long it was",
                ),
            },
            careless="next_day",
            topics=("overnight", "midnight", "next day", "exit before entry", "night", "earlier than"),
            say=(
                "If the exit time is earlier than the entry time, {}.",
                "When they leave at an earlier clock time than they came, {}.",
            ),
        ),
        detail(
            "lost_ticket",
            money(35, 40, 50),
            careless=40,
            topics=("lost ticket", "lost", "empty string", "missing entry", "no entry time", "lost slip"),
            say=(
                "If the entry time is an empty string the ticket's lost and that's {} flat.",
                "No entry time, meaning an empty string, costs {}.",
            ),
        ),
    ),
    inputs=_parking_inputs,
    probes=_parking_probes,
    held_out=True,
)
def parking_stay(entered, left, *, free_minutes, longer_stay, block, rate, cap, overnight, lost_ticket):
    import math

    if not entered:
        return lost_ticket
    start = int(entered[:2]) * 60 + int(entered[3:])
    end = int(left[:2]) * 60 + int(left[3:])
    if overnight == "next_day":
        if end < start:
            end += 24 * 60
    elif end < start:
        return 25 if overnight == "flat" else 2 * cap
    minutes = end - start
    if minutes <= free_minutes:
        return 0
    if longer_stay == "deducted":
        minutes -= free_minutes
    return min(math.ceil(minutes / block) * rate, cap)


def _loan(today: date, kind: str, days_late: int) -> dict:
    return {"kind": kind, "due": (today - timedelta(days=days_late)).isoformat()}


def _library_inputs(rng: Random, d: SimpleNamespace) -> tuple:
    today = date(2025, 1, 10) + timedelta(days=rng.randrange(330))
    lateness = (-5, 0, 1, d.grace_days, d.grace_days + 1, rng.randrange(6, 20), d.block_over // d.day_rate)
    loans = [
        _loan(today, rng.choice(("book", "book", "dvd")), rng.choice(lateness)) for _ in range(rng.randrange(0, 4))
    ]
    return (loans, today.isoformat(), rng.random() < 0.4)


def _library_probes(rng: Random, d: SimpleNamespace) -> list[tuple]:
    today = date(2025, 1, 10) + timedelta(days=rng.randrange(330))

    def visit(junior: bool, *loans: tuple[str, int]) -> tuple:
        return ([_loan(today, kind, days) for kind, days in loans], today.isoformat(), junior)

    limit_days = d.block_over // d.day_rate
    return [
        visit(False, ("book", d.grace_days), ("book", 0)),
        visit(False, ("book", d.grace_days + 1), ("book", -rng.randrange(1, 9))),
        visit(False, ("dvd", rng.randrange(7, 12))),
        visit(False, ("book", limit_days)),
        visit(False, ("book", limit_days + 1)),
        visit(True, ("book", rng.randrange(9, 14)), ("book", 3)),
        visit(True, ("book", 2 * limit_days + 2)),
        visit(rng.random() < 0.5),
    ]


@family(
    names=("library_standing", "member_fines", "overdue_status"),
    requests=(
        "I volunteer at our [village library|school library|parish library] on Saturdays. When a member comes to the "
        "desk I'd like to see at once what they owe (in cents) and whether they may borrow. I've got their loans as "
        "dicts with 'kind', which is 'book' or 'dvd', and 'due', an ISO date, then today's date in the same style and "
        "whether they're a junior.",
        "Overdue check. loans: list of {'kind': 'book'/'dvd', 'due': 'YYYY-MM-DD'}; today: same date form; junior: "
        "bool. Return (fine in cents, status).",
        "We've moved to a new [catalogue|lending system] over the summer and it can do everything except fines. From "
        "the items someone has out (each with its kind, 'book' or 'dvd', and its ISO date 'due'), the date of the day "
        "and the junior flag, it should give a tuple, first the fine in cents, then the member's status. Our "
        "[committee|head librarian] decided on the rules years ago and I know them by heart.",
        "A parent [screamed at|complained to] me about a fine that had been worked out wrongly, and honestly she was "
        "right! So: loans as a list of dictionaries (kind: book or dvd, due: a date like 2025-04-30), today as a date "
        "string, and a True/False for kids. Out come the cents to pay and the borrowing status, as a pair.",
        "For my [coursework|final project] I model a library. One function has to determine, for a member's current "
        "loans on a given day, the pair of total fine (integer, cents) and status text. A loan is a dict having 'kind' "
        "('book' or 'dvd') and 'due' (ISO date); today is an ISO date as well, and junior a bool.",
    ),
    details=(
        detail(
            "day_rate",
            {10: "10 cents", 20: "20 cents", 25: "25 cents"},
            careless=10,
            topics=("daily fine", "fine per day", "rate", "per day", "how much per day", "cost a day"),
            say=("A late book costs {} a day.", "It's {} for each day a book is late."),
        ),
        detail(
            "grace_days",
            count(2, 3, 5),
            careless=3,
            topics=("grace period", "grace", "first days", "a few days late", "tolerance", "leeway"),
            say=(
                "Up to and including {} days late there's no fine, but after that all late days count.",
                "We let {} late days pass for free, yet whoever is later than that pays from the first day.",
            ),
        ),
        detail(
            "dvd",
            {
                "same": ("cost the same as books", "are charged just like books"),
                "double": ("cost double", "cost twice as much a day as books"),
                "dollar": (
                    "cost a flat dollar each when a fine is due, however late",
                    "are one dollar flat each, once they're late enough for a fine",
                ),
            },
            careless="same",
            topics=("dvd", "dvds", "films", "kinds of items", "media type", "other items"),
            say=("Late DVDs {}.", "DVDs {}."),
        ),
        detail(
            "child_rule",
            {
                "free": ("pay no fine at all", "never pay anything"),
                "half": (
                    "pay half of the total, rounded down to a whole cent",
                    "get half off the total, dropping any half cent",
                ),
                "cap": ("pay the total but never more than a dollar", "have their total limited to one dollar"),
                "same": ("pay like grown-ups", "get no discount, they pay the same"),
            },
            careless="same",
            topics=("junior", "juniors", "children", "kids", "minors", "young members"),
            say=("Juniors {}.", "Members with the junior flag {}."),
        ),
        detail(
            "block_over",
            {500: "$5", 600: "$6", 800: "$8"},
            careless=500,
            topics=("blocked", "blocking", "may borrow", "borrowing limit", "maximum debt", "owe too much"),
            say=(
                "With more than {} to pay they're blocked, exactly that much is still all right.",
                "We block people whose final fine is over {}, not at it.",
            ),
        ),
        detail(
            "labels",
            {
                (
                    "ok",
                    "reminder",
                    "blocked",
                ): "'ok' if nothing is past its due date, 'blocked' if they owe too much, and otherwise 'reminder'",
                (
                    "good",
                    "late",
                    "stop",
                ): "'good' if nothing is past its due date, 'stop' if they owe too much, and otherwise 'late'",
                (
                    "OK",
                    "LATE",
                    "BLOCKED",
                ): "'OK' if nothing is past its due date, 'BLOCKED' if they owe too much, and otherwise 'LATE'",
            },
            careless=("ok", "reminder", "blocked"),
            topics=("status", "statuses", "labels", "status text", "status names", "reminder"),
            say=("The status is {}.", "For the status we write {}."),
        ),
    ),
    inputs=_library_inputs,
    probes=_library_probes,
    held_out=True,
)
def library_status(loans, today, junior, *, day_rate, grace_days, dvd, child_rule, block_over, labels):
    from datetime import date

    clear, late, blocked = labels
    fine = 0
    status = clear
    for loan in loans:
        days = (date.fromisoformat(today) - date.fromisoformat(loan["due"])).days
        if days > 0:
            status = late
        if days > grace_days:
            if dvd == "double" and loan["kind"] == "dvd":
                fine += 2 * days * day_rate
            elif dvd == "dollar" and loan["kind"] == "dvd":
                fine += 100
            else:
                fine += days * day_rate
    if child_rule != "same" and junior:
        if child_rule == "free":
            fine = 0
        elif child_rule == "half":
            fine //= 2
        else:
            fine = min(fine, 100)
    if fine > block_over:
        status = blocked
    return (fine, status)


_WASTE = {
    "paper": ("newspaper", "envelope", "flyer"),
    "cardboard": ("pizza box", "shoe box", "egg carton"),
    "plastic": ("yoghurt pot", "shampoo bottle", "bread bag"),
    "metal": ("soup tin", "bottle cap", "foil tray"),
    "food": ("apple core", "coffee grounds", "stale bread"),
    "ceramic": ("broken mug", "flower pot"),
    "textile": ("old sock", "curtain"),
    "paper+plastic": ("window envelope", "juice carton"),
    "metal+cardboard": ("crisps tube", "binder"),
    "plastic+food": ("full salad bowl", "mouldy dip"),
}


def _waste(rng: Random, material: str, dirty: bool = False) -> tuple[str, str, bool]:
    return (rng.choice(_WASTE[material]), material, dirty)


def _waste_inputs(rng: Random, d: SimpleNamespace) -> tuple:
    materials = [rng.choice(list(_WASTE)) for _ in range(rng.randrange(1, 5))]
    items = [_waste(rng, material, "+" not in material and rng.random() < 0.3) for material in materials]
    if rng.random() < 0.3:
        items.append(items[0])
    return (items,)


def _waste_probes(rng: Random, d: SimpleNamespace) -> list[tuple]:
    paper = _waste(rng, "paper")
    return [
        ([paper, _waste(rng, "metal"), paper, _waste(rng, "plastic")],),
        ([_waste(rng, "cardboard", True), _waste(rng, "ceramic"), _waste(rng, "food", True)],),
        ([_waste(rng, "paper+plastic"), _waste(rng, "textile")],),
        ([_waste(rng, "plastic+food"), _waste(rng, "metal", True)],),
        ([_waste(rng, "metal+cardboard"), _waste(rng, "paper", True)],),
    ]


@family(
    names=("sort_waste", "bins_for_items", "recycling_plan"),
    requests=(
        "Our [street|housing block|student hall] got fined because the rubbish keeps ending up in the wrong bins. I "
        "want to list what's lying around, each thing as (name, material, dirty) with dirty being True or False, and "
        "get back a dict that says for each bin which names go in.",
        "Write a sorter for the [recycling yard|transfer station]: items are tuples of name, material and a dirty "
        "flag, the result maps each bin to a list of item names. Rules from the town leaflet, ask for them.",
        "My daughter's class is doing a [recycling week|waste project] and they'd like a little program where the kids "
        "type in their trash and see the right bin. Every item is a tuple: what it's called, what it's made of (such "
        "as 'plastic', sometimes two things like 'paper+plastic'), and whether it's dirty. The answer would be a "
        "dictionary from bin to the names in the order they were typed.",
        "What goes where?? Every [town|district|county] does it differently and I've just moved here. The function "
        "gets (name, material, dirty) triples and makes me a dict, bin names as keys and lists of things as values.",
        "Requirement: assign household items to bins according to our [municipality's|district's] rules. Input is a "
        "list of 3-tuples consisting of the item's name, its material in lower case (composites are joined by a plus "
        "sign), and a boolean stating whether it is dirty. Output is a dict of lists of names in the order given.",
    ),
    details=(
        detail(
            "bins",
            {
                (
                    "blue",
                    "yellow",
                    "brown",
                    "grey",
                ): "Paper and cardboard are 'blue', plastic is 'yellow', food is 'brown' and the "
                "bin for the rest is 'grey'",
                (
                    "paper",
                    "packaging",
                    "compost",
                    "landfill",
                ): "Paper and cardboard go in 'paper', plastic in 'packaging', food in "
                "'compost', and the bin for the rest is 'landfill'",
                (
                    "A",
                    "B",
                    "C",
                    "D",
                ): "Bin 'A' takes paper and cardboard, 'B' plastic, 'C' food, and the bin for the rest is 'D'",
            },
            careless=("paper", "packaging", "compost", "landfill"),
            topics=("bins", "bin names", "which bins", "colours", "which materials", "categories", "containers"),
            say="{}.",
        ),
        detail(
            "metal",
            {
                "plastic": ("goes where plastic goes", "shares the bin with plastic"),
                "rest": ("goes in with the rest", "belongs to the rest"),
                "scrap": ("has a bin of its own called 'scrap'", "gets its own bin, 'scrap'"),
            },
            careless="plastic",
            topics=("metal", "tins", "cans", "aluminium", "foil"),
            say=("Metal {}.", "With us metal {}."),
        ),
        detail(
            "dirty_paper",
            {
                "same": ("treated like clean", "sorted as if it were clean"),
                "food": ("put with the food", "put in the same bin as food"),
                "rest": ("put with the rest", "put in the bin for the rest"),
            },
            careless="same",
            topics=("dirty", "greasy", "soiled", "clean", "pizza boxes", "stains"),
            say=(
                "Dirty paper or cardboard is {}, and for other materials dirt makes no difference.",
                "If paper or cardboard is dirty it's {}, while dirt on anything else doesn't matter.",
            ),
        ),
        detail(
            "mixed",
            {
                "first": ("is sorted by the first material named", "counts as the material before the plus"),
                "last": ("is sorted by the last material named", "counts as the material after the plus"),
                "rest": ("always goes in with the rest", "can't be recycled, so it lands in the bin for the rest"),
            },
            careless="first",
            topics=("mixed", "composite", "two materials", "combined materials", "plus sign", "several materials"),
            say=("A thing of two materials {}.", "Whatever has a plus in its material {}."),
        ),
        detail(
            "unknown",
            {
                "rest": ("goes in with the rest", "belongs in the bin for the rest"),
                "skip": ("is left out altogether", "doesn't appear anywhere"),
                "ask": ("is listed under 'ask'", "goes under an extra key called 'ask'"),
            },
            careless="rest",
            topics=("unknown", "unknown material", "other materials", "anything else", "not listed", "glass"),
            say=("A material that we have no bin for {}.", "If the material isn't one we know, the thing {}."),
        ),
        detail(
            "repeats",
            {
                "all": ("it's listed that often", "list it every time"),
                "once": ("it's listed only once in that bin", "don't repeat it in a bin, once is enough"),
            },
            careless="all",
            topics=("duplicates", "duplicate", "same item twice", "repeated", "same name", "more than once"),
            say=("If the same name comes up twice, {}.", "When there are several of the same name, {}."),
        ),
        detail(
            "empty_bins",
            {
                "hidden": ("left out of the result", "not in the dict at all"),
                "shown": (
                    "still there with an empty list, but only the four normal ones",
                    "shown as an empty list, if it's one of the usual four",
                ),
            },
            careless="hidden",
            topics=("empty bins", "empty bin", "empty", "no items", "unused bins", "nothing in it"),
            say=("A bin with nothing in it is {}.", "If a bin gets nothing, it's {}."),
        ),
    ),
    inputs=_waste_inputs,
    probes=_waste_probes,
    held_out=True,
)
def waste_sorting(items, *, bins, metal, dirty_paper, mixed, unknown, repeats, empty_bins):
    paper_bin, plastic_bin, food_bin, rest_bin = bins
    where = {
        "paper": paper_bin,
        "cardboard": paper_bin,
        "plastic": plastic_bin,
        "food": food_bin,
        "metal": plastic_bin if metal == "plastic" else rest_bin if metal == "rest" else "scrap",
    }
    if empty_bins == "shown":
        filled = {paper_bin: [], plastic_bin: [], food_bin: [], rest_bin: []}
    else:
        filled = {}
    for item in items:
        name, material, dirty = item
        if mixed == "first":
            material = material.split("+")[0]
        elif mixed == "last":
            material = material.split("+")[-1]
        if mixed == "rest" and "+" in material:
            target = rest_bin
        elif dirty_paper != "same" and dirty and material in ("paper", "cardboard"):
            target = food_bin if dirty_paper == "food" else rest_bin
        elif material in where:
            target = where[material]
        elif unknown == "skip":
            continue
        elif unknown == "ask":
            target = "ask"
        else:
            target = rest_bin
        names = filled.setdefault(target, [])
        if repeats == "all" or name not in names:
            names.append(name)
    return filled
