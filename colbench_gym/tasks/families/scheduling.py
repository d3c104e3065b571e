"""Dates and times: when a machine is due, when a room is free."""

from __future__ import annotations

from datetime import date, timedelta
from random import Random
from types import SimpleNamespace

from colbench_gym.tasks.family import count, detail, family


def _last_service(rng: Random, due_on: int | None, days: int) -> str:
    """A date such that `days` later it is weekday `due_on` (0 is Monday), or any day."""
    due = date(2025, 1, 1) + timedelta(days=rng.randrange(700))
    if due_on is not None:
        due += timedelta(days=(due_on - due.weekday()) % 7)
    return (due - timedelta(days=days)).isoformat()


def _closed_around(last_service: str, days: int, offsets: tuple[int, ...]) -> list[str]:
    due = date.fromisoformat(last_service) + timedelta(days=days)
    return [(due + timedelta(days=offset)).isoformat() for offset in offsets]


def _due_inputs(rng: Random, d: SimpleNamespace) -> tuple:
    hours = rng.choice((d.heavy_from, d.heavy_from - 1, d.heavy_from + 1, rng.randrange(5, 60)))
    days = d.heavy_interval if hours >= d.heavy_from else d.interval_days
    last = _last_service(rng, rng.choice((None, 0, 4, 5, 6)), days)
    return (last, hours, _closed_around(last, days, rng.choice(((), (0,), (0, 1), (-1, 0), (2, 9)))))


def _due_probes(rng: Random, d: SimpleNamespace) -> list[tuple]:
    calm, heavy = d.heavy_from - 1, d.heavy_from
    midweek = _last_service(rng, rng.randrange(1, 4), d.interval_days)
    worn = _last_service(rng, rng.randrange(1, 4), d.heavy_interval)
    return [
        (midweek, calm, []),
        (worn, heavy, []),
        (_last_service(rng, 5, d.interval_days), calm, []),
        (_last_service(rng, 6, d.heavy_interval), heavy, []),
        (midweek, calm, _closed_around(midweek, d.interval_days, (0, 3))),
        (worn, d.heavy_from + rng.randrange(5, 10), _closed_around(worn, d.heavy_interval, (0,))),
        ("", rng.randrange(10, 40), []),
    ]


@family(
    names=("next_service_date", "maintenance_due", "service_due_on"),
    requests=(
        "Hi! I look after the [coffee machines in our hotel|forklifts in our warehouse|floor polishers in our school], "
        "and I keep forgetting when each one has to go in again. I'd like to put in the date it was last serviced "
        "(2025-06-30 style), the hours it runs a week and the list of dates when the workshop is shut, and get the "
        "next date back. We've got our own rhythm for this, so ask away!",
        "Next service date for a [compressor|lathe|generator]. Inputs: last service as YYYY-MM-DD, weekly running "
        "hours, closed dates in the same form. Output: the date as text.",
        "Last [spring|autumn] our [lift|boiler|cold store] broke down because nobody had noticed that its maintenance "
        "was overdue, and [now my boss wants|since then head office wants] the due dates worked out by a program. What "
        "we have per machine is the ISO date of the last visit (it can be empty), how many hours a week it runs, and "
        "the ISO dates on which we're closed. The next due date should come out as a string.",
        "Please can you make function which is telling when [tractor|excavator|printing press] must come to "
        "maintenance again? I give the last service date (year-month-day with lines between), hours of work in one "
        "week, and list of days, written the same, when our workshop is closed. Machines which work much must come "
        "earlier.",
        "Given the ISO date of the previous maintenance, the mean operating hours per week and a list of ISO dates on "
        "which the workshop is closed, the function shall return the date of the next maintenance as a string. "
        "[Equipment|Plant] under heavy use follows a different cycle.",
        "when's the next [checkup|inspection|service] due?? got the iso date of the last one, hours per week it runs, "
        "iso dates we're closed -> want a date string, and mind the days nobody works",
    ),
    details=(
        detail(
            "interval_days",
            count(90, 120, 180),
            careless=90,
            topics=(
                "interval",
                "normal cycle",
                "how often",
                "how many days",
                "regular service",
                "days between services",
            ),
            say=(
                "Normally a machine is due {} days after its last service.",
                "The usual interval is {} days, counted from the last service.",
            ),
        ),
        detail(
            "heavy_from",
            count(30, 40, 50),
            careless=40,
            topics=("heavy use", "heavy usage", "hours per week", "weekly hours", "usage threshold", "running hours"),
            say=(
                "A machine that runs {} hours a week or more counts as heavily used.",
                "Heavy use means {} or more hours a week.",
            ),
        ),
        detail(
            "heavy_interval",
            count(30, 45, 60),
            careless=45,
            topics=("shorter interval", "heavy interval", "earlier service", "heavy cycle", "busy machines"),
            say=(
                "The heavily used ones come back {} days after the last service.",
                "With heavy use we don't wait that long, it's due {} days after the last service.",
            ),
        ),
        detail(
            "days_off",
            {
                "weekend": ("We don't work on Saturdays or Sundays", "Saturdays and Sundays are days off for us"),
                "sunday": (
                    "Only Sunday is off every week, Saturday is a working day",
                    "We work Saturdays but not Sundays",
                ),
                "none": (
                    "Weekends are working days like any other, only the closed dates I pass in count",
                    "We're open on Saturdays and Sundays too, unless the date is in the closed list",
                ),
            },
            careless="weekend",
            topics=("weekend", "weekends", "saturday", "sunday", "working days", "business days", "days off"),
            say="{}.",
        ),
        detail(
            "move",
            {
                "later": ("it moves on to the next day we work", "take the first working day after it"),
                "earlier": ("it moves back to the last working day before", "take the closest working day before it"),
            },
            careless="later",
            topics=("closed", "closed dates", "shut", "holiday", "move the date", "postpone", "falls on a day off"),
            say=("If the due date is a closed date or a day off, {}.", "When we don't work on the due date, {}."),
        ),
        detail(
            "no_record",
            {
                "due now": "'due now'",
                "no record": "'no record'",
                "never serviced": "'never serviced'",
            },
            careless="no record",
            topics=("never serviced", "empty date", "missing date", "no last service", "without a date", "blank"),
            say=(
                "If the last service is an empty string, just return the text {}.",
                "Some machines have an empty last service, and for those I want to see {}.",
            ),
        ),
        detail(
            "date_format",
            {
                "%Y-%m-%d": ("year-month-day like 2025-03-09", "2025-03-09, the same style as what goes in"),
                "%d/%m/%Y": ("day, month, year with slashes, like 09/03/2025", "09/03/2025 for the 9th of March 2025"),
                "%d.%m.%Y": ("day, month, year with dots, like 09.03.2025", "09.03.2025 for the 9th of March 2025"),
            },
            careless="%Y-%m-%d",
            topics=("date format", "output format", "format", "how the date should look", "iso", "written"),
            say=("The result is written as {}.", "We write the due date as {}."),
        ),
    ),
    inputs=_due_inputs,
    probes=_due_probes,
)
def maintenance_due(
    last_service,
    hours_per_week,
    closed_days,
    *,
    interval_days,
    heavy_from,
    heavy_interval,
    days_off,
    move,
    no_record,
    date_format,
):
    from datetime import date, timedelta

    if not last_service:
        return no_record
    days = heavy_interval if hours_per_week >= heavy_from else interval_days
    due = date.fromisoformat(last_service) + timedelta(days=days)
    while (
        (days_off == "weekend" and due.weekday() >= 5)
        or (days_off == "sunday" and due.weekday() == 6)
        or due.isoformat() in closed_days
    ):
        if move == "later":
            due += timedelta(days=1)
        else:
            due -= timedelta(days=1)
    return due.strftime(date_format)


def _slot_inputs(rng: Random, d: SimpleNamespace) -> tuple:
    bookings = []
    clock = rng.choice((d.opens, d.opens + 1, 8)) * 60
    while clock < d.closes * 60 - 30 and len(bookings) < 6:
        stop = clock + rng.choice((30, 50, 60, 90, 120, 180))
        bookings.append((_clock(clock), _clock(stop)))
        clock = stop + rng.choice((0, 10, 30, 40, 60, 120))
    if rng.random() < 0.3:
        bookings.reverse()
    return (bookings, rng.choice((30, 30, 45, 60, 90)))


def _clock(minutes: int) -> str:
    return f"{minutes // 60:02}:{minutes % 60:02}"


def _slot_probes(rng: Random, d: SimpleNamespace) -> list[tuple]:
    late = d.closes * 60 - 60
    return [
        ([], 30),
        ([("08:00", _clock(late - 15))], 60),
        ([("08:00", "10:50")], 30),
        ([("08:00", "11:00")], 30),
        ([("08:00", "12:00"), ("15:00", "16:00")], 30),
        ([("08:00", "13:00")], 45),
        ([("08:00", "11:40"), ("14:00", "20:00")], 30),
        ([("08:00", "20:00")], 30),
    ]


@family(
    names=("free_slots", "open_appointments", "bookable_times"),
    requests=(
        "My [barber shop|nail studio|massage practice] takes bookings by phone and I'm forever flipping pages to see "
        "where somebody still fits in. The day's bookings come as pairs of start and end like ('10:00', '10:45'), and "
        "duration is how many minutes the [client|customer] needs. Tell me the times I can offer.",
        "[Meeting room|Studio|Lab bench] finder: one day's bookings (tuples of 'HH:MM' strings, start and end) and a "
        "length in minutes in, list of free slots out.",
        "Twice this week two [patients|clients] turned up for the same hour and guess who got shouted at! Enough of "
        "the paper diary. I hand over what's booked today, every booking being a ('09:15', '10:00') kind of tuple in "
        "24-hour time, plus the minutes the next one takes, and I want to know what's still free. And it must never, "
        "ever offer a time that clashes!",
        "I'm a student and for my [side job at a tennis club|traineeship in a music school] I have to build the "
        "booking page. The part I'm stuck on: existing bookings are a list of (start, end) tuples with times as "
        "'HH:MM', a new one has a duration in minutes, and we should return a list with the possible slots of that "
        "day. There are a few house rules which I can find out for you.",
        "The function receives the bookings of a single day, each a tuple of start and end time in the form HH:MM, and "
        "a duration in minutes. It returns the slots of that length that do not collide with any booking, [in "
        "chronological order|earliest first].",
        "so we've got this [escape room|pottery workshop|recording booth], people book it for different lengths, and "
        "my [partner|cousin] always says yes to everything, which is how we end up with overlaps... could you code "
        "something that takes today's bookings as tuples like ('13:30', '15:00') and the minutes somebody asks for, "
        "and spits out where they'd fit? Only while we're open, obviously.",
    ),
    details=(
        detail(
            "opens",
            {8: "8:00", 9: "9:00", 10: "10:00"},
            careless=9,
            topics=("opening time", "opening hours", "open", "earliest", "start of the day", "business hours"),
            say=(
                "We open at {} in the morning, so that's the earliest start.",
                "Nothing starts before {} in the morning.",
            ),
        ),
        detail(
            "closes",
            {17: "17:00", 18: "18:00", 19: "19:00"},
            careless=17,
            topics=("closing time", "close", "latest", "end of the day", "last appointment", "until when"),
            say=(
                "Everything has to be over by {}, and ending exactly then is fine.",
                "We close at {}, so a slot may end at that time but no later.",
            ),
        ),
        detail(
            "step",
            count(20, 30, 60),
            careless=30,
            topics=("step", "grid", "start times", "granularity", "every how many minutes", "interval", "half hour"),
            say=(
                "We only offer a start every {} minutes, counted from when we open.",
                "Starts are {} minutes apart, beginning at opening time.",
            ),
        ),
        detail(
            "buffer",
            {
                None: (
                    "One booking can follow the other directly, no gap is needed",
                    "We don't need any pause between bookings",
                ),
                10: (
                    "Leave at least 10 minutes free between a new slot and any booking before or after it",
                    "There must be 10 minutes or more between a booking and a slot, on both sides",
                ),
                15: (
                    "Leave at least 15 minutes free between a new slot and any booking before or after it",
                    "There must be 15 minutes or more between a booking and a slot, on both sides",
                ),
            },
            careless=None,
            topics=("buffer", "gap", "cleaning", "pause between", "between bookings", "back to back", "turnaround"),
            say="{}.",
        ),
        detail(
            "lunch",
            {
                "none": ("We work through lunch, so no hours are blocked for it", "Nothing is blocked for lunch"),
                "noon": (
                    "From 12:00 to 13:00 it's lunch, treat that like one more booking",
                    "Lunch is 12:00 to 13:00 and counts exactly like a booking",
                ),
                "one": (
                    "From 13:00 to 14:00 it's lunch, treat that like one more booking",
                    "Lunch is 13:00 to 14:00 and counts exactly like a booking",
                ),
            },
            careless="none",
            topics=("lunch", "lunch break", "break", "breaks", "midday", "noon"),
            say="{}.",
        ),
        detail(
            "limit",
            {
                None: ("Give me every slot that fits, however many there are", "Show all of the free slots"),
                2: ("Give me no more than the first 2 slots", "Only the 2 earliest free slots, please"),
                4: ("Give me no more than the first 4 slots", "Only the 4 earliest free slots, please"),
            },
            careless=None,
            topics=("limit", "how many slots", "maximum number", "all slots", "at most", "too many"),
            say="{}.",
        ),
        detail(
            "style",
            {
                "start": (
                    "Write each slot as just its start time, like 09:30 or 14:00",
                    "A slot is its start only, written like 09:30 or 14:00",
                ),
                "range": (
                    "Write each slot as start and end with a hyphen and no spaces, like 09:30-10:15",
                    "A slot looks like 09:30-10:15, so start, hyphen, end",
                ),
                "twelve": (
                    "Write each slot as just its start in 12-hour style with a space, like 9:30 am or 12:00 pm",
                    "A slot is its start only, written like 9:30 am or 2:00 pm",
                ),
            },
            careless="start",
            topics=("format", "written", "24-hour", "12-hour", "am or pm", "end time", "what a slot looks like"),
            say="{}.",
        ),
        detail(
            "nothing",
            {
                "list": ("an empty list is fine", "an empty list should come back"),
                "fully booked": ("return the text 'fully booked' in place of a list", "I want the text 'fully booked'"),
                "call us": ("return the text 'call us' in place of a list", "I want the text 'call us'"),
            },
            careless="list",
            topics=("nothing free", "no slots", "fully booked", "no free slot", "empty result", "none available"),
            say=("If nothing fits, {}.", "When there's no free slot at all, {}."),
        ),
    ),
    inputs=_slot_inputs,
    probes=_slot_probes,
)
def booking_slots(bookings, duration, *, opens, closes, step, buffer, lunch, limit, style, nothing):
    def minutes(clock):
        hour, minute = clock.split(":")
        return int(hour) * 60 + int(minute)

    busy = [(minutes(begin), minutes(end)) for begin, end in bookings]
    if lunch == "noon":
        busy.append((12 * 60, 13 * 60))
    elif lunch == "one":
        busy.append((13 * 60, 14 * 60))
    slots = []
    for start in range(opens * 60, closes * 60 - duration + 1, step):
        stop = start + duration
        if buffer is None:
            taken = any(start < end and begin < stop for begin, end in busy)
        else:
            taken = any(start < end + buffer and begin < stop + buffer for begin, end in busy)
        if taken:
            continue
        if style == "start":
            slots.append(f"{start // 60:02}:{start % 60:02}")
        elif style == "range":
            slots.append(f"{start // 60:02}:{start % 60:02}-{stop // 60:02}:{stop % 60:02}")
        else:
            half = "am" if start < 12 * 60 else "pm"
            slots.append(f"{(start // 60 + 11) % 12 + 1}:{start % 60:02} {half}")
    if nothing != "list" and not slots:
        return nothing
    return slots if limit is None else slots[:limit]
