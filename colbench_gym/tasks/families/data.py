"""Records, measurements and counts."""

from __future__ import annotations

from random import Random
from types import SimpleNamespace

from colbench_gym.tasks.family import count, detail, family

_CONTACTS = ("Ada Moss", "Ben Okoro", "Chloe Ito", "Dev Rao", "Eva Lund", "Finn Katz")


def _contact(rng: Random, name: str, *, day: int | None = None, phone: str | None = None) -> dict[str, str]:
    number = f"555-0{rng.randrange(100, 200)}"
    return {
        "name": name,
        "email": f"{name.split()[0].lower()}@{rng.choice(('mail', 'post'))}.example",
        "phone": number if phone is None else phone,
        "updated": f"2024-03-{day or rng.randrange(1, 29):02d}",
    }


def _merge_inputs(rng: Random, d: SimpleNamespace) -> tuple:
    names = rng.sample(_CONTACTS, 4)
    ours = [_contact(rng, name, phone=rng.choice((None, None, ""))) for name in names[: rng.randrange(1, 4)]]
    theirs = []
    for name in rng.sample(names, rng.randrange(1, 4)):
        new = _contact(rng, name, phone=rng.choice((None, None, "")))
        known = next((contact for contact in ours if contact["name"] == name), None)
        if known is not None:
            new[d.match_on] = known[d.match_on] if rng.random() < 0.8 else known[d.match_on].upper()
        elif rng.random() < 0.2:
            new[d.match_on] = ""
        theirs.append(new)
    return (ours, theirs)


def _merge_probes(rng: Random, d: SimpleNamespace) -> list[tuple]:
    one, two, three, four = rng.sample(_CONTACTS, 4)
    late, early = _contact(rng, one, day=20), _contact(rng, two, day=9)
    later, earlier = _contact(rng, one, day=25, phone="555-0201"), _contact(rng, two, day=3, phone="555-0202")
    later[d.match_on], earlier[d.match_on] = late[d.match_on], early[d.match_on]
    no_phone = _contact(rng, one, day=11, phone="")
    no_phone[d.match_on] = late[d.match_on]
    shouted = _contact(rng, two, day=28)
    shouted[d.match_on] = early[d.match_on].upper()
    unnamed = _contact(rng, three, day=15)
    unnamed[d.match_on] = ""
    fresher = {**no_phone, "updated": "2024-03-27"}
    by_mail = {**_contact(rng, four, day=22), "email": early["email"]}
    return [
        ([late, early], [later, earlier]),
        ([{**early, "phone": ""}], [by_mail]),
        ([early, late], [fresher]),
        ([no_phone], [late]),
        ([early], [shouted]),
        ([late], [unnamed, earlier]),
        ([early], [_contact(rng, four, day=24, phone=""), _contact(rng, three, day=2)]),
    ]


@family(
    names=("merge_contacts", "combine_address_books", "merge_customer_lists"),
    requests=(
        "We [bought a smaller competitor|merged with the branch in the next town] and now have two customer lists "
        "with lots of the same people in them. Each entry is a dict with name, email, phone and updated, the last "
        "one a date like 2024-03-15, and text that's missing is ''. Give me one combined list: ours first as "
        "argument, then theirs.",
        "Both arguments are lists of contacts, i.e. dicts with the string fields 'name', 'email', 'phone' and "
        "'updated' (an ISO date); unknown fields are empty strings. The function returns the consolidated list of "
        "such dicts. Neither list contains the same person twice.",
        "merging contacts from [the old CRM|my phone] (ours) with the ones from [the new CRM|my laptop] (theirs)... "
        "same four keys everywhere: name, email, phone, updated as YYYY-MM-DD, blank string if there's nothing. no "
        "doubles in the output!",
        "Last time we imported the [fair leads|partner list], half of our good phone numbers were overwritten by "
        "blanks or by numbers from 2009. I'm not doing that again! ours and theirs are lists of dicts: name, email, "
        "phone, updated (ISO date), with '' for what isn't known. I need them merged properly this time, and I can "
        "tell you what properly means.",
        "Hello, I keep the address list of our [choir|rowing club|parents' association], and our secretary keeps "
        "another. Every person has a name, an email, a phone and an updated date written year-month-day, and "
        "sometimes a bit is empty. Could you write something that makes one list out of mine (ours) and hers "
        "(theirs)? We've talked about who should win.",
        "Merge ours and theirs (lists of dicts: name, email, phone, updated; dates ISO, gaps '') into one list by "
        "[our usual precedence|the rules agreed with sales].",
    ),
    details=(
        detail(
            "match_on",
            {"email": "email", "name": "name"},
            careless="email",
            topics=("same person", "match", "identify", "duplicate", "duplicates", "which field", "recognise"),
            say=("Two entries belong to one person if the {} is the same.", "We recognise a person by {} alone."),
        ),
        detail(
            "letter_case",
            {
                "ignore": (
                    "Upper and lower case don't matter when entries are compared.",
                    "When comparing entries, treat capitals and small letters as the same.",
                ),
                "exact": (
                    "Entries only match if upper and lower case agree as well.",
                    "When comparing, a capital letter and a small one are different.",
                ),
            },
            careless="exact",
            topics=(
                "case",
                "upper and lower case",
                "capitals",
                "case-sensitive",
                "capital letters",
                "case-insensitive",
            ),
        ),
        detail(
            "winner",
            {
                "ours": ("ours wins", "we keep ours"),
                "theirs": ("theirs wins", "we take theirs"),
                "recent": (
                    "the entry updated later wins, and on the same day ours",
                    "the newer entry wins, a tie goes to ours",
                ),
            },
            careless="ours",
            topics=("wins", "conflict", "precedence", "differ", "priority", "which record", "disagree", "overwrite"),
            say=("If name, email or phone differ, {}.", "When the two entries contradict each other, {}."),
        ),
        detail(
            "blanks",
            {
                "fill": (
                    "A blank field never wins, so it's filled from the other entry.",
                    "Whichever entry wins, its blank fields are filled from the other one.",
                ),
                "stay": (
                    "A field that's blank in the winning entry is blank in the result too.",
                    "The winner's blank fields stay blank, even if the other entry knows more.",
                ),
            },
            careless="fill",
            topics=("blank", "blanks", "empty field", "empty", "missing phone", "missing field", "fill in"),
        ),
        detail(
            "updated_date",
            {
                "ours": ("the date from ours", "our own date, whoever wins"),
                "latest": ("the later of the two dates", "whichever date is later"),
                "earliest": ("the earlier of the two dates", "whichever date is earlier"),
            },
            careless="latest",
            topics=("updated date", "date", "updated", "timestamp", "which date"),
            say=("As its updated date, a merged person has {}.", "For people found in both, updated becomes {}."),
        ),
        detail(
            "newcomers",
            {
                "add": ("are all added", "all come in"),
                "skip": ("are left out", "aren't taken over"),
                "phone": ("are added only if they have a phone number", "come in only with a phone number"),
            },
            careless="add",
            topics=("new people", "only in theirs", "unmatched", "not in ours", "new contacts", "just one list"),
            say=("People we find only in theirs {}.", "Contacts we didn't have before {}."),
        ),
        detail(
            "keyless",
            {"add": ("is added as it is", "comes in unmerged"), "skip": ("is thrown away", "is dropped")},
            careless="add",
            topics=("can't be matched", "without a key", "nothing to match", "matching field is empty", "empty key"),
            say=(
                "An entry of theirs where the field we compare is blank {}, no other rule applies to it.",
                "If one of theirs has nothing in the field we match by, it {} whatever else holds.",
            ),
        ),
        detail(
            "order",
            {
                "listed": (
                    "as given, ours first and then what was added",
                    "unsorted, so ours first and the added ones after",
                ),
                "name": (
                    "sorted by name from A to Z, capitals before small letters and ties as given",
                    "in alphabetical order of the names, capitals before small letters and ties as given",
                ),
                "recent": (
                    "sorted by updated date, latest first and ties as given",
                    "with the most recently updated on top and entries of the same day as given",
                ),
            },
            careless="listed",
            topics=("order", "sorted", "sort", "sort order", "sorting", "ordering"),
            say=("The result comes {}.", "We want the final list {}."),
        ),
    ),
    inputs=_merge_inputs,
    probes=_merge_probes,
    valid=lambda d: not (d.winner == "ours" and d.blanks == "stay"),
)
def contact_merge(ours, theirs, *, match_on, letter_case, winner, blanks, updated_date, newcomers, keyless, order):
    merged = [dict(contact) for contact in ours]
    if letter_case == "ignore":
        known = {contact[match_on].lower(): contact for contact in merged}
    else:
        known = {contact[match_on]: contact for contact in merged}
    for contact in theirs:
        key = contact[match_on].lower() if letter_case == "ignore" else contact[match_on]
        if not key:
            if keyless == "add":
                merged.append(dict(contact))
            continue
        if key not in known:
            if newcomers == "add" or (newcomers == "phone" and contact["phone"]):
                merged.append(dict(contact))
            continue
        match = known[key]
        for field in ("name", "email", "phone"):
            if (blanks == "stay" or contact[field]) and (
                winner == "theirs"
                or (winner == "recent" and contact["updated"] > match["updated"])
                or (blanks == "fill" and not match[field])
            ):
                match[field] = contact[field]
        if updated_date == "latest":
            match["updated"] = max(match["updated"], contact["updated"])
        elif updated_date == "earliest":
            match["updated"] = min(match["updated"], contact["updated"])
    if order == "name":
        merged.sort(key=lambda contact: contact["name"])
    elif order == "recent":
        merged.sort(key=lambda contact: contact["updated"], reverse=True)
    return merged


_ROOMS = ("attic", "cellar", "greenhouse", "hall", "kitchen", "lab", "stable")


def _series(rng: Random, d: SimpleNamespace) -> list:
    size = rng.choice((d.min_values - 1, d.min_values, d.min_values + 1, d.min_values + 2, 6))
    series: list = [rng.randrange(5, 40) for _ in range(size)]
    for _ in range(rng.choice((0, 0, 1, 2))):
        series.insert(rng.randrange(len(series) + 1), rng.choice((None, d.limit + rng.choice((1, 7, 15)), d.limit)))
    return series


def _sensor_inputs(rng: Random, d: SimpleNamespace) -> tuple:
    return ({room: _series(rng, d) for room in rng.sample(_ROOMS, rng.randrange(1, 4))},)


def _sensor_probes(rng: Random, d: SimpleNamespace) -> list[tuple]:
    one, two, three = rng.sample(_ROOMS, 3)
    climbing = sorted(rng.sample(range(5, 45), d.min_values + 1))
    enough = [rng.randrange(10, 30) for _ in range(d.min_values)]
    return [
        ({one: climbing, two: enough[1:], three: enough},),
        ({one: [*climbing, None, 11, None], two: [*enough, d.limit + 1, 20, d.limit + 12]},),
        ({one: [*enough, 47, 20, 46], two: [58, *enough, 22, 56], three: [*enough, 71, 17, 78]},),
        ({one: [*enough, 31], two: [*climbing, 7], three: [*enough, *climbing]},),
    ]


@family(
    names=("summarise_sensors", "sensor_report", "typical_readings"),
    requests=(
        "There's a little logger in every room of the [research farm|museum|cheese cellar], and once a day I get a "
        "dict from the room's name to the list of its readings, whole numbers in order of time. When a logger drops "
        "out we have None in the list. I'd love one typical number per room.",
        "Input: a mapping of sensor names to chronological lists of non-negative integers, with None for failed "
        "measurements. Output: a mapping of sensor names to one representative integer. Erroneous and scarce data "
        "are to be treated according to our [quality manual|measurement plan].",
        "Daily sensor summary. Dict of lists in (whole numbers, oldest first), dict out, one figure a sensor. The "
        "cheap sensors [spike|glitch] and lose readings (None), deal with it.",
        "hey :) for our [air quality|noise level] project we've got readings = sensor name -> list of ints, oldest "
        "first. some are None cause the wifi is bad and some are absurdly high. how do i boil that down to one "
        "number each so the dashboard doesn't look insane",
        "The alarm went off at 3 a.m. because one faulty probe said [four hundred|nine hundred] degrees for a "
        "second. I want a calmer summary of the readings, a dict which has a list of whole numbers for every sensor, "
        "first reading first, None meaning that nothing arrived. My shift leader knows how to treat the bad ones and "
        "so do I.",
    ),
    details=(
        detail(
            "gap",
            {
                "skip": ("is left out", "is skipped"),
                "zero": ("counts as a reading of zero", "counts as 0"),
                "previous": (
                    "takes the value before it, and at the very start it's left out",
                    "repeats the last value we had, or is left out if there was none yet",
                ),
            },
            careless="skip",
            topics=(
                "missing",
                "none",
                "gap",
                "gaps",
                "dropped out",
                "failed measurement",
                "no reading",
                "lost readings",
            ),
            say=("A missing reading {}.", "Where nothing was recorded, the reading {}."),
        ),
        detail(
            "limit",
            count(45, 50, 60, 80),
            careless=50,
            topics=("limit", "threshold", "too high", "absurd", "spike", "maximum", "plausible", "highest"),
            say=(
                "Any reading above {} is a glitch.",
                "Readings up to and including {} are real, higher ones are glitches.",
            ),
        ),
        detail(
            "glitch",
            {
                "gap": ("is treated just like a missing reading", "is handled as if that reading was missing"),
                "cap": (
                    "is lowered to the highest value that's still allowed",
                    "counts as the highest value we accept",
                ),
                "reject": (
                    "spoils the whole sensor, which then counts as one without enough values",
                    "means we don't trust that sensor, so it's treated as if it hadn't enough values",
                ),
            },
            careless="gap",
            topics=("glitch", "glitches", "outlier", "outliers", "faulty", "erroneous", "wrong reading"),
            say=("A glitch {}.", "If a reading is a glitch, it {}."),
        ),
        detail(
            "min_values",
            count(3, 4, 5),
            careless=3,
            topics=("minimum number", "too few", "how many readings", "enough", "scarce", "at least"),
            say=(
                "A sensor needs {} values or more after gaps and glitches are dealt with.",
                "Once the bad readings are dealt with, fewer than {} values is too little to report.",
            ),
        ),
        detail(
            "thin",
            {
                "omit": ("doesn't appear in the result at all", "is missing from the result"),
                "no data": ("gets the text 'no data'", "is reported as 'no data'"),
                "offline": ("gets the text 'offline'", "is reported as 'offline'"),
            },
            careless="omit",
            topics=("not enough", "empty list", "no values", "too little data", "insufficient", "without data"),
            say=("A sensor without enough values {}.", "If there isn't enough to report, the sensor {}."),
        ),
        detail(
            "statistic",
            {
                "mean": ("the mean of all its values", "the plain average of everything"),
                "trimmed": (
                    "the mean without one highest and one lowest value",
                    "the average after taking out a single top and a single bottom value",
                ),
                "latest": ("the mean of its last three values", "the average of the three latest values"),
            },
            careless="mean",
            topics=("average", "mean", "median", "statistic", "typical", "representative", "computed", "one number"),
            say=("What we report per sensor is {}.", "The figure of a sensor is {}."),
        ),
        detail(
            "rounding",
            {
                "half_up": (
                    "to the nearest whole number, exact halves going up",
                    "to the nearest integer, 7.5 becoming 8",
                ),
                "down": ("down to a whole number", "down, so 7.9 becomes 7"),
                "up": ("up to a whole number", "up, so 7.1 becomes 8"),
            },
            careless="half_up",
            topics=("rounding", "round", "rounded", "decimals", "whole number", "integer"),
            say=("The figure is rounded {}.", "Finally we round {}."),
        ),
    ),
    inputs=_sensor_inputs,
    probes=_sensor_probes,
)
def sensor_figures(readings, *, gap, limit, glitch, min_values, thin, statistic, rounding):
    import math

    figures = {}
    for sensor, series in readings.items():
        values = []
        for value in series:
            if value is not None and (glitch != "gap" or value <= limit):
                values.append(min(value, limit) if glitch == "cap" else value)
            elif gap == "zero":
                values.append(0)
            elif gap == "previous" and values:
                values.append(values[-1])
        if len(values) < min_values or (glitch == "reject" and max(values) > limit):
            if thin != "omit":
                figures[sensor] = thin
            continue
        if statistic == "trimmed":
            values = sorted(values)[1:-1]
        elif statistic == "latest":
            values = values[-3:]
        mean = sum(values) / len(values)
        if rounding == "half_up":
            figures[sensor] = math.floor(mean + 0.5)
        elif rounding == "up":
            figures[sensor] = math.ceil(mean)
        else:
            figures[sensor] = math.floor(mean)
    return figures


_ITEMS = ("tea", "oat milk", "apples", "bread", "honey", "rice", "soap", "figs", "candles")


def _typed(rng: Random, item: str) -> str:
    return rng.choice((item, item, item, item.upper(), item.title(), f" {item}", f"{item} "))


def _popular_inputs(rng: Random, d: SimpleNamespace) -> tuple:
    if rng.random() < 0.05:
        return ([],)
    stock = rng.sample(_ITEMS, rng.randrange(3, 8))
    return ([[_typed(rng, rng.choice(stock)) for _ in range(rng.randrange(1, 6))] for _ in range(rng.randrange(2, 6))],)


def _popular_probes(rng: Random, d: SimpleNamespace) -> list[tuple]:
    items = rng.sample(_ITEMS, 8)
    one, two, three, four, five = items[:5]
    ladder = [items[: d.size + 1], items[: d.size], items[: d.size], items[: d.size - 1]]
    level = items[:1] + items[: d.size + 2]
    return [
        ([[one.upper(), two], [f" {one}", one], [three, four], [five, two]],),
        ([level, [items[-1], items[0]]],),
        (ladder,),
        ([rng.sample(items, 4), [one, one, one, two], [f"{three} ", four, three]],),
    ]


@family(
    names=("top_items", "most_popular_items", "frequent_items_report"),
    requests=(
        "What do people buy most at [our corner shop|our farm stand|the school kiosk]? I've got the orders as a list "
        "of baskets and every basket is a list of item names, typed by hand, so ignore stray spaces around them and "
        "expect all kinds of capitals. I'd like the favourites, most frequent first.",
        "Bestseller list from baskets ([list of lists of strings|lists of item names in a list]), names stripped. "
        "Most frequent on top.",
        "The function shall determine the most frequent entries over several lists of names. Leading and trailing "
        "blanks of a name are meaningless. The number of entries reported, the treatment of ties and the form of "
        "each line shall follow [the client's guidelines|the reporting handbook].",
        "every [monday|first of the month] my boss asks for the hit list and every time somebody complains that his "
        "product was cut off though it sold just as well as the one above!!! please do it right: baskets are lists "
        "of item names (strip the blanks), count them, most popular first, and for ties we've agreed on something",
        "For the [yearbook|club magazine] we asked everyone to name some favourite [songs|snacks|games], and each "
        "answer sheet is now one list of names inside a big list called baskets (don't ask). I need the top of the "
        "ranking. Blanks around a name are typos.",
        "I would want to know which items appears the most in our baskets. Each basket is list of texts, maybe with "
        "blanks before and after which we don't want. Some [customer|colleague] puts same item many times in one "
        "basket, I am not sure now if this was counted one time or more, I can look.",
    ),
    details=(
        detail(
            "size",
            count(2, 3, 4, 5),
            careless=5,
            topics=("how many items", "how many", "top n", "length of the list", "number of items", "list length"),
            say=("It's a top {} list.", "We want the {} most frequent ones."),
        ),
        detail(
            "tie_order",
            {
                "name": (
                    "alphabetically, capitals before small letters",
                    "from A to Z, with capitals before small letters",
                ),
                "seen": ("in the order in which they first turn up", "with the one that turned up first on top"),
                "late": (
                    "with the one that first turned up latest on top",
                    "so that what first turned up later comes first",
                ),
            },
            careless="name",
            topics=(
                "tie order",
                "same count",
                "equally often",
                "equal counts",
                "order among",
                "alphabetical",
                "sort order",
            ),
            say=("Items with the same count are listed {}.", "Among equals we sort {}."),
        ),
        detail(
            "tie_cut",
            {
                "strict": (
                    "The list is cut at its length even if an item left out has the same count as the last one in.",
                    "We never list more than our fixed number, and a tie for the last place is settled by the order.",
                ),
                "all": (
                    "Every item with the same count as the last one in gets listed too, so the list may grow longer.",
                    "If there's a tie for the last place, all of those tied are listed.",
                ),
                "none": (
                    "If items in and out of the list have the same count, none with that count is listed.",
                    "If there's a tie over who's still in, all of those tied are left out.",
                ),
            },
            careless="strict",
            topics=("last place", "cut", "cut off", "tie at the end", "tied", "ties", "tie"),
        ),
        detail(
            "spelling",
            {
                "exact": (
                    "Tea and tea are two different items, we keep names as typed apart from the blanks around them.",
                    "Upper and lower case make different items, and apart from the outer blanks names stay as typed.",
                ),
                "lower": (
                    "Case doesn't matter for counting, and all names are shown in small letters.",
                    "Count tea and TEA together and write every name in lower case.",
                ),
                "capital": (
                    "Case doesn't matter for counting, and a name is shown with only its first letter big.",
                    "Count tea and TEA together and write Tea, so only the very first letter of a name is a capital.",
                ),
            },
            careless="lower",
            topics=(
                "case",
                "upper and lower case",
                "capitals",
                "spelling",
                "case-sensitive",
                "lower case",
                "capital letters",
            ),
        ),
        detail(
            "repeats",
            {
                "each": ("counts every time", "is counted as often as it's in there"),
                "once": ("counts only once for that basket", "adds just one for that basket"),
            },
            careless="each",
            topics=(
                "repeats",
                "repeated",
                "twice in one basket",
                "duplicates",
                "several times",
                "same basket",
                "count once",
            ),
            say=(
                "An item that's in one basket several times {}.",
                "When a basket has the same thing repeatedly, it {}.",
            ),
        ),
        detail(
            "layout",
            {
                "pairs": ("a tuple of name and count", "a tuple, the name first and then its count"),
                "text": ("a text such as tea x3", "name, space, a small x and the count in one text, such as tea x3"),
                "dicts": ("a dict with 'item' and 'count'", "a dictionary with the keys 'item' and 'count'"),
            },
            careless="pairs",
            topics=("layout", "output", "format", "returned", "line", "each entry", "include the count"),
            say=("Each line of the list is {}.", "Per item I want {}."),
        ),
    ),
    inputs=_popular_inputs,
    probes=_popular_probes,
)
def popular_items(baskets, *, size, tie_order, tie_cut, spelling, repeats, layout):
    counts = {}
    for basket in baskets:
        if spelling == "exact":
            items = [item.strip() for item in basket]
        elif spelling == "lower":
            items = [item.strip().lower() for item in basket]
        else:
            items = [item.strip().capitalize() for item in basket]
        if repeats == "once":
            items = dict.fromkeys(items)
        for item in items:
            counts[item] = counts.get(item, 0) + 1
    if tie_order == "name":
        ranked = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
    elif tie_order == "seen":
        ranked = sorted(counts.items(), key=lambda pair: -pair[1])
    else:
        ranked = list(counts.items())[::-1]
        ranked.sort(key=lambda pair: -pair[1])
    top = ranked[:size]
    if tie_cut == "all":
        top += [pair for pair in ranked[size:] if pair[1] == top[-1][1]]
    elif tie_cut == "none":
        left_out = {times for _, times in ranked[size:]}
        top = [pair for pair in top if pair[1] not in left_out]
    if layout == "pairs":
        return top
    elif layout == "text":  # noqa: RET505
        return [f"{item} x{times}" for item, times in top]
    else:
        return [{"item": item, "count": times} for item, times in top]
