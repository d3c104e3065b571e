"""Staff: pay, leave, expenses and rosters."""

from __future__ import annotations

from datetime import date, timedelta
from random import Random
from types import SimpleNamespace

from colbench_gym.tasks.family import count, detail, family, money

_NAMES = ("Ada", "Ben", "Chloe", "Dmitri", "Elif", "Femi", "Gus", "Hana")
_RATES = (12, 20, 24, 28)  # quarter hours times these stay exact in binary, also with time and a quarter


def _pay_inputs(rng: Random, d: SimpleNamespace) -> tuple:
    timesheets = {}
    for name in rng.sample(_NAMES, rng.choice((1, 2))):
        usual = rng.choice((6, 7.75, 8.25, 9.5, 11))
        days = [rng.choice((usual, usual, usual + 0.25, 0)) for _ in range(5)]
        timesheets[name] = [*days, rng.choice((0, 0, 6, 6.5)), rng.choice((0, 0, 4, 7.25))]
    rates = {name: rng.choice(_RATES) for name in timesheets if rng.random() < 0.85}
    return (timesheets, rates)


def _pay_probes(rng: Random, d: SimpleNamespace) -> list[tuple]:
    one, two = rng.sample(_NAMES, 2)
    rate = rng.choice(_RATES)
    return [
        ({one: [10, 5, 5, 5, 5, 0, 0], two: [9, 9, 9, 9, 9, 0, 0]}, {one: rate, two: 20}),
        ({one: [7.25, 5.75, 0, 0, 0, 0, 0], two: [6, 6, 6, 6, 0, 0, 0]}, {one: rate, two: 24}),
        ({one: [4, 4, 4, 0, 0, 0, 5]}, {one: rate}),
        ({one: [11, 11, 11, 11, 5, 0, 0], two: [3, 3, 0, 0, 0, 0, 0]}, {one: rate}),
        ({one: [5.25, 5.75, 5, 0, 0, 0, 0]}, {one: rate, two: 12}),
    ]


@family(
    names=("weekly_payroll", "compute_wages", "wages_for_week"),
    requests=(
        "Payday is Thursday and I [still do it all on a pocket calculator|dread it every week]. There are two things "
        "I can give you: a dict with everybody's hours, name to a list of seven numbers from Monday to Sunday, and a "
        "dict with what each of them makes an hour in dollars. I need name to pay for the week back.",
        "Weekly wages. Timesheets: name to a list of seven daily hours, Monday first. Rates: name to dollars per "
        "hour. Return a dict of name to pay, [overtime included|with overtime].",
        "I hereby request a function for the computation of weekly remuneration. The first argument associates each "
        "employee's name with a list of seven numbers, namely the hours recorded from Monday through Sunday; the "
        "second associates names with hourly rates. The outcome shall be a dictionary of names and gross pay. The "
        "provisions on overtime, [Sundays and breaks|breaks and Sunday work] follow our works agreement.",
        "My payroll guy quit and left me with a [broken|half-finished] sheet!! Hours are in a dict of lists, Monday "
        "to Sunday for every name, the rates are in another dict with the dollars per hour. Just tell me what I owe "
        "whom, as a dict.",
        "so basically I'm helping out at [my aunt's restaurant|a friend's car wash|the family bakery] over the "
        "summer and she asked me to automate the pay. She writes down the hours per day, so each person has a list "
        "with 7 numbers (it starts on monday), all in one dict by name, and the hourly pay is a dict by name too. "
        "Output = dict with how much each one gets for that week. She's got her own ideas about overtime lol",
        "Can we get gross pay per person out of the time clock data? You'd be given the daily hours (a list of seven "
        "per name, Monday through Sunday) and the hourly rates, both as dictionaries keyed by name, and you'd return "
        "another dictionary keyed by name.",
    ),
    details=(
        detail(
            "overtime",
            {
                "week_40": (
                    "Overtime is whatever goes past 40 paid hours in the week.",
                    "After 40 paid hours in a week it's overtime.",
                ),
                "week_38": (
                    "Overtime is whatever goes past 38 paid hours in the week.",
                    "After 38 paid hours in a week it's overtime.",
                ),
                "day_8": (
                    "We look at each day by itself, and paid hours past 8 on a day are overtime.",
                    "Overtime goes by the day, it's anything beyond 8 paid hours, however long the week was.",
                ),
                "day_9": (
                    "We look at each day by itself, and paid hours past 9 on a day are overtime.",
                    "Overtime goes by the day, it's anything beyond 9 paid hours, however long the week was.",
                ),
            },
            careless="week_40",
            topics=(
                "overtime",
                "overtime start",
                "how many hours",
                "regular hours",
                "daily or weekly",
                "overtime threshold",
            ),
        ),
        detail(
            "overtime_factor",
            {
                1.25: (
                    "Overtime is paid at time and a quarter.",
                    "An overtime hour is worth 1.25 times the normal rate.",
                ),
                1.5: ("Overtime is paid at time and a half.", "An overtime hour is worth 1.5 times the normal rate."),
                2: ("Overtime is paid double.", "An overtime hour is worth twice the normal rate."),
            },
            careless=1.5,
            topics=(
                "overtime rate",
                "overtime pay",
                "overtime paid",
                "overtime multiplier",
                "time and a half",
                "overtime premium",
            ),
        ),
        detail(
            "sunday",
            {
                "plain": (
                    "Sunday is a day like any other for us.",
                    "There's nothing special about Sundays, same rate and same overtime.",
                ),
                "double": (
                    "Sunday hours are paid double and stay out of the overtime count.",
                    "For Sundays we pay twice the rate, and those hours never count towards overtime.",
                ),
                "plus_5": (
                    "Each paid Sunday hour gets $5 on top, and it counts towards overtime like any other hour.",
                    "Sundays are normal hours, overtime included, with a $5 bonus for every paid hour.",
                ),
            },
            careless="plain",
            topics=("sunday", "sundays", "weekend", "weekends", "saturday", "holiday pay"),
        ),
        detail(
            "unpaid_break",
            {
                "none": (
                    "Breaks are already out of the hours, don't take off anything.",
                    "We don't deduct any breaks.",
                ),
                "half": (
                    "On days with more than 6 hours we take off half an hour for the break.",
                    "A day longer than 6 hours loses 30 minutes of unpaid break.",
                ),
                "whole": (
                    "On days with more than 6 hours we take off one hour for the break.",
                    "A day longer than 6 hours loses a full hour of unpaid break.",
                ),
            },
            careless="none",
            topics=("break", "breaks", "lunch", "unpaid time", "deduct", "lunch break"),
        ),
        detail(
            "clock",
            {
                "exact": (
                    "The recorded hours are taken as they are, no rounding.",
                    "We pay to the minute, so leave the hours alone.",
                ),
                "down": (
                    "Each day's hours are first rounded down to the half hour.",
                    "Before anything else, cut every day down to full half hours.",
                ),
                "up": (
                    "Each day's hours are first rounded up to the half hour.",
                    "Before anything else, every day goes up to the next full half hour.",
                ),
            },
            careless="exact",
            topics=("rounding", "round", "rounded", "quarter hours", "minutes", "fractions of an hour", "half hours"),
        ),
        detail(
            "no_rate",
            {
                "skip": (
                    "Leave out people who have no hourly rate.",
                    "Anybody without a rate doesn't appear in the result.",
                ),
                "zero": (
                    "People who have no hourly rate are listed with 0.",
                    "Without a rate the pay is 0, but the name stays in.",
                ),
                "sixteen": (
                    "People who have no hourly rate get $16 an hour.",
                    "Anybody without a rate is paid our starting wage of $16.",
                ),
            },
            careless="skip",
            topics=(
                "no rate",
                "missing rate",
                "without a rate",
                "unknown",
                "not in rates",
                "missing name",
                "not in the rates",
            ),
        ),
    ),
    inputs=_pay_inputs,
    probes=_pay_probes,
)
def weekly_pay(timesheets, rates, *, overtime, overtime_factor, sunday, unpaid_break, clock, no_rate):
    if clock != "exact":
        import math

    pay = {}
    for name in timesheets:
        if no_rate != "sixteen" and name not in rates:
            if no_rate == "zero":
                pay[name] = 0
            continue
        rate = rates.get(name, 16) if no_rate == "sixteen" else rates[name]
        if clock == "down":
            days = [math.floor(hours * 2) / 2 for hours in timesheets[name]]
        elif clock == "up":
            days = [math.ceil(hours * 2) / 2 for hours in timesheets[name]]
        elif unpaid_break == "none":
            days = timesheets[name]
        if unpaid_break != "none":
            days = [
                hours - (0.5 if unpaid_break == "half" else 1) if hours > 6 else hours
                for hours in (timesheets[name] if clock == "exact" else days)
            ]
        worked = sum(days[:6]) if sunday == "double" else sum(days)
        if overtime in ("week_40", "week_38"):
            extra = max(0, worked - (40 if overtime == "week_40" else 38))
        else:
            extra = sum(
                max(0, hours - (8 if overtime == "day_8" else 9))
                for hours in (days[:6] if sunday == "double" else days)
            )
        amount = (worked - extra) * rate + extra * rate * overtime_factor
        if sunday == "double":
            amount += days[6] * rate * 2
        elif sunday == "plus_5":
            amount += days[6] * 5
        pay[name] = round(amount, 2)
    return pay


def _leave_inputs(rng: Random, d: SimpleNamespace) -> tuple:
    years = rng.choice(
        (0, 0, 1, d.every_years, d.every_years - 1, 2 * d.every_years, d.every_years * d.max_extra, 17, 26)
    )
    return _leave_call(rng, 12 * years + rng.randrange(12), rng.choice((5, 5, 4, 3, 2)))


def _leave_probes(rng: Random, d: SimpleNamespace) -> list[tuple]:
    return [
        _leave_call(rng, 12 * d.every_years, 5),
        _leave_call(rng, 12 * d.every_years - 1, 5),
        _leave_call(rng, 12 * 31, 5),
        _leave_call(rng, 13, 4),
        _leave_call(rng, 12 * 3 * d.every_years, 3),
        _leave_call(rng, rng.randrange(2, 11), 5),
        _leave_call(rng, 6, 3),
        _leave_call(rng, 12 * 2 * d.every_years - 1, 2),
    ]


def _leave_call(rng: Random, months: int, days_per_week: int) -> tuple:
    """Somebody with so many full months of service, and up to 20 days."""
    hired = date(rng.randrange(1980, 1995), rng.randrange(1, 13), rng.randrange(1, 9))
    month = hired.month - 1 + months
    on_date = date(hired.year + month // 12, month % 12 + 1, hired.day + rng.choice((0, 0, 11, 20)))
    return (hired.isoformat(), on_date.isoformat(), days_per_week)


@family(
    names=("leave_entitlement", "vacation_days", "annual_leave_days"),
    requests=(
        "How many vacation days does a person get? That's the question I answer [ten times a week|every single day] "
        "in HR, so let's automate it: the day they were hired, the date we're looking at (both as text like "
        "2024-09-01), and the days a week they work, 5 being full time. Part-timers get their share.",
        "Yearly leave by length of service. Hire date and reference date as ISO strings, working days per week (5 = "
        "full time), result in days.",
        "We're [a family-run print shop|a small care home|a landscaping firm], 30 people, and the ones who've been "
        "here longest get a bit more holiday. [I'll have to look up what we said about newcomers.|Newcomers always "
        "ask what they get.] Could you write the function that takes the hire date, the date to check (YYYY-MM-DD, "
        "both) and how many days a week somebody works out of five, and gives the holiday in days?",
        "Excuse me, how can be calculated the annual leave? It depends from how long time the person is in the "
        "[firm|company]. I have date of hiring and date of today in the format year-month-day, and also number of "
        "working days in a week (full is five, who works less receives proportional less). I need number of days.",
        "Union rep here. Members keep telling me their leave is [miscounted|wrong], so I want my own check: the day "
        "hired, the day in question, both ISO dates, and the working days per week where five means full time and "
        "less than that is pro rata. It should return the days of leave under our agreement.",
        "Quick one for [our HR wiki|the staff portal]: somebody enters when they joined, today's date and how many "
        "days a week they work (five at most, and that's full time), and sees their yearly holiday in days. ISO "
        "dates as text. The longer you stay the more you get, up to a point, and part-time is pro rata.",
    ),
    details=(
        detail(
            "base_days",
            count(20, 22, 25, 28),
            careless=20,
            topics=(
                "base",
                "basic entitlement",
                "standard days",
                "full-time days",
                "normal leave",
                "starting days",
                "how many days",
            ),
            say=(
                "A full-timer starts with {} days a year.",
                "The basic entitlement is {} days for somebody who works five days a week.",
            ),
        ),
        detail(
            "every_years",
            {2: ("two", "2"), 3: ("three", "3"), 5: ("five", "5")},
            careless=5,
            topics=(
                "extra days",
                "length of service",
                "years of service",
                "seniority",
                "loyalty",
                "additional days",
                "longer service",
            ),
            say=(
                "You get one extra day for every {} full years with us.",
                "After each {} completed years of service there's one more day.",
            ),
        ),
        detail(
            "max_extra",
            count(3, 4, 6),
            careless=4,
            topics=("maximum", "cap", "limit", "at most", "upper limit", "most extra days"),
            say=(
                "There are never more than {} extra days for long service.",
                "The additional days for service stop at {}.",
            ),
        ),
        detail(
            "first_year",
            {
                "full": (
                    "Newcomers get everything from day one.",
                    "The first year is no different, the full entitlement applies.",
                ),
                "monthly": (
                    "Before the first full year is over it's just two days for each full month, as a full-timer.",
                    "In the first twelve months a full-timer earns two days per completed month, nothing else.",
                ),
                "half": (
                    "Until they've completed a full year they only get half of the basic days.",
                    "With less than one full year of service it's half the basic entitlement.",
                ),
                "none": (
                    "Until they've completed a full year there's no leave at all.",
                    "With less than one full year of service it's zero days.",
                ),
            },
            careless="full",
            topics=(
                "first year",
                "newcomers",
                "new hires",
                "new employees",
                "less than a year",
                "joined recently",
                "probation",
            ),
        ),
        detail(
            "fraction",
            {
                "tenth": ("We keep one decimal, so 13.2 days stay 13.2 days.", "Part days are given to one decimal."),
                "up": ("Fractions are rounded up to a whole day.", "In the end any started day counts as a whole one."),
                "down": ("Fractions are dropped, we give whole days only.", "At the end we round down to full days."),
                "half_up": ("We round up to the next half day.", "In the end it's rounded up to half days."),
            },
            careless="tenth",
            topics=("rounding", "round", "fractions", "half days", "part days", "decimals", "whole days"),
        ),
    ),
    inputs=_leave_inputs,
    probes=_leave_probes,
)
def leave_days(hired_on, on_date, days_per_week, *, base_days, every_years, max_extra, first_year, fraction):
    if fraction != "tenth":
        import math
    from datetime import date

    hired = date.fromisoformat(hired_on)
    today = date.fromisoformat(on_date)
    months = (today.year - hired.year) * 12 + today.month - hired.month
    if today.day < hired.day:
        months -= 1
    if first_year == "monthly" and months < 12:
        days = months * 2
    elif first_year == "half" and months < 12:
        days = base_days / 2
    elif first_year == "none" and months < 12:
        days = 0
    else:
        days = base_days + min(max_extra, months // 12 // every_years)
    days = days * days_per_week / 5
    return (
        round(days, 1)
        if fraction == "tenth"
        else math.ceil(days)
        if fraction == "up"
        else math.floor(days)
        if fraction == "down"
        else math.ceil(days * 2) / 2
    )


_CATEGORIES = ("travel", "meal", "hotel")


def _claim(category: str, amount: float, receipt: bool = True) -> dict:
    return {"category": category, "amount": amount, "receipt": receipt}


def _expense_inputs(rng: Random, d: SimpleNamespace) -> tuple:
    claims = []
    for _ in range(rng.choice((0, 1, 2, 3, 3))):
        category = rng.choice((*_CATEGORIES, "meal", "gifts"))
        near = d.meal_limit if category == "meal" else d.receipt_from
        amount = rng.choice((near, near + 10, near - 1, rng.randrange(5, 20), d.manager_from - 20))
        claims.append(_claim(category, amount, rng.random() < 0.7))
    if claims and rng.random() < 0.3:
        claims.append(dict(claims[0]))
    return (claims,)


def _expense_probes(rng: Random, d: SimpleNamespace) -> list[tuple]:
    small = rng.randrange(6, 18)
    return [
        ([_claim("travel", d.receipt_from, False), _claim("travel", d.receipt_from - 1, False)],),
        ([_claim("meal", d.meal_limit), _claim("meal", d.meal_limit + 12)],),
        ([_claim("gifts", small * 2), _claim("travel", small)],),
        ([_claim("travel", small), _claim("hotel", 110), _claim("travel", small)],),
        ([_claim("hotel", d.manager_from)],),
        ([_claim("hotel", d.manager_from + 1)],),
        ([_claim("hotel", d.manager_from + 30), _claim("travel", d.receipt_from + 2, False)],),
        ([_claim("hotel", small), _claim("travel", d.receipt_from + 2, False)],),
        ([],),
    ]


@family(
    names=("approve_expenses", "reimburse_claims", "check_expense_report"),
    requests=(
        "Our [sales people|consultants|field engineers] hand in expense reports and I check every line by hand, "
        "which is silly. A report is a list of dicts with 'category' (travel, meal, hotel or whatever they come up "
        "with), 'amount' in dollars and 'receipt', true or false. What I'd like back is a tuple: the dollars we pay, "
        "how many lines we refuse, and a status word.",
        "Expense approval: list of dicts (category, amount, receipt) in, tuple (total paid, number of refused lines, "
        "status) out. Usual categories are travel, meal and hotel.",
        "Somebody claimed [a 90 dollar breakfast|a dinner for the whole family|something nobody could explain] "
        "again, and guess who has to explain it to the auditors. Check these reports for me! Every line has category "
        "('travel', 'meal', 'hotel', or something odd), amount and receipt (a bool), as a dict. I expect three "
        "things in a tuple: what gets reimbursed, the count of refused lines, the status.",
        "The finance department seeks an automated first check of travel expense reports. Input: a list of "
        "dictionaries, each with 'category' (a string; 'travel', 'meal' and 'hotel' are the regular ones), 'amount' "
        "(dollars) and 'receipt' (boolean). Output: a tuple consisting of the amount to be reimbursed, the number of "
        "rejected lines and the resulting status. Policy questions may be directed to [me|the undersigned].",
        "ok here's the deal, I [volunteer for a theatre group|help run a charity] and I'm treasurer because nobody "
        "else wanted it, people send me what they spent and I've typed our rules up once. Each thing is a dict, "
        "category, amount, receipt True/False, categories are travel, meal, hotel plus some random ones. Give me "
        "(paid total, refused count, status), as a tuple, and I'm happy.",
        "You're given a claim, which is a list of dicts with the keys category, amount and receipt; decide what we "
        "pay. Categories we know are travel, meal and hotel, and receipt says whether there is one. Return the "
        "total, the number of lines turned down and a status, [in this order|in that order], as a tuple.",
    ),
    details=(
        detail(
            "receipt_from",
            money(20, 25, 50),
            careless=25,
            topics=("receipt", "receipts", "without a receipt", "no receipt", "missing receipt", "proof"),
            say=(
                "From {} on there has to be a receipt or the line is refused, smaller lines don't need one.",
                "We only waive the receipt for lines below {} and refuse the others that lack one.",
            ),
        ),
        detail(
            "meal_limit",
            money(30, 40, 60),
            careless=40,
            topics=("meal", "meals", "food", "meal limit", "limits", "dinner", "maximum"),
            say=("A meal may cost up to {}.", "The limit for one meal is {}, and exactly that much is fine."),
        ),
        detail(
            "dear_meal",
            {
                "cut": (
                    "A meal above its limit is paid up to the limit, that's not a refusal.",
                    "If the meal cost too much we pay just the limit and don't count it as refused.",
                ),
                "refuse": (
                    "A meal above its limit is refused completely.",
                    "If the meal cost too much we pay nothing for it and count it as refused.",
                ),
                "share": (
                    "For a meal above its limit we pay the limit plus half of the rest, that's not a refusal.",
                    "If the meal cost too much we pay the limit and half of the excess, and it isn't refused.",
                ),
            },
            careless="cut",
            topics=(
                "over the limit",
                "above the limit",
                "exceed",
                "exceeds",
                "too expensive",
                "more than the limit",
                "over limit",
            ),
        ),
        detail(
            "other",
            {
                "refuse": (
                    "Anything that isn't travel, meal or hotel is refused.",
                    "We refuse categories we don't know.",
                ),
                "pay": (
                    "Categories we don't know are paid like travel, with the same receipt rule.",
                    "Anything that isn't travel, meal or hotel is treated just like travel.",
                ),
                "half": (
                    "Of a category we don't know we pay half, if the receipt rule is met.",
                    "Anything that isn't travel, meal or hotel is paid at 50% once it passes the receipt check.",
                ),
            },
            careless="refuse",
            topics=(
                "other categories",
                "unknown",
                "unknown category",
                "unusual",
                "something odd",
                "not on the list",
                "random ones",
            ),
        ),
        detail(
            "repeats",
            {
                "pay": (
                    "Identical lines are all paid, people do take the same bus twice.",
                    "We don't look for duplicates, each line stands for itself.",
                ),
                "refuse_repeat": (
                    "A line identical to an earlier one is refused, only the first of them counts.",
                    "Duplicates are refused, except for the first time the line appears.",
                ),
                "refuse_all": (
                    "If a line is listed more than once, all of its copies are refused.",
                    "Duplicates are refused altogether, including the first one.",
                ),
            },
            careless="pay",
            topics=("duplicate", "duplicates", "twice", "same line", "identical", "repeated", "repeats"),
        ),
        detail(
            "manager_from",
            money(200, 300, 500),
            careless=500,
            topics=("status", "manager", "approval", "large claims", "total limit", "status word", "statuses"),
            say=(
                "If we pay more than {} in all, the status is 'manager', and otherwise it's 'ok'.",
                "Up to {} paid the status says 'ok', above that it says 'manager'.",
            ),
        ),
        detail(
            "refused_status",
            {
                "ignore": (
                    "Refused lines have no influence on the status.",
                    "The status only depends on the total, not on refusals.",
                ),
                "wins": (
                    "As soon as one line is refused the status is 'partial', whatever the total.",
                    "Any refusal makes it 'partial', and that beats every other status.",
                ),
                "loses": (
                    "With a refused line the status is 'partial', unless the total needs 'manager', which wins.",
                    "A refusal turns 'ok' into 'partial' but leaves 'manager' alone.",
                ),
            },
            careless="ignore",
            topics=(
                "refused lines",
                "refusal",
                "rejected lines",
                "partial",
                "partially",
                "some lines are refused",
                "status when refused",
            ),
        ),
    ),
    inputs=_expense_inputs,
    probes=_expense_probes,
)
def expense_approval(expenses, *, receipt_from, meal_limit, dear_meal, other, repeats, manager_from, refused_status):
    if repeats == "refuse_repeat":
        seen = []
    paid = 0
    refused = 0
    for line in expenses:
        amount = line["amount"]
        if (
            (amount >= receipt_from and not line["receipt"])
            or (repeats == "refuse_repeat" and line in seen)
            or (repeats == "refuse_all" and expenses.count(line) > 1)
        ):
            refused += 1
        elif line["category"] == "meal" and amount > meal_limit:
            if dear_meal == "cut":
                paid += meal_limit
            elif dear_meal == "refuse":
                refused += 1
            else:
                paid += meal_limit + (amount - meal_limit) / 2
        elif other != "pay" and line["category"] not in ("travel", "meal", "hotel"):
            if other == "half":
                paid += amount / 2
            else:
                refused += 1
        else:
            paid += amount
        if repeats == "refuse_repeat":
            seen.append(line)
    if refused_status == "wins" and refused > 0:
        status = "partial"
    elif paid > manager_from:
        status = "manager"
    elif refused_status == "loses" and refused > 0:
        status = "partial"
    else:
        status = "ok"
    return (round(paid, 2), refused, status)


def _roster_inputs(rng: Random, d: SimpleNamespace) -> tuple:
    names = rng.sample(_NAMES, 3)
    shifts = []
    for name in names[: rng.choice((2, 3, 3))]:
        day = date(2024, rng.randrange(1, 13), rng.randrange(1, 25))
        for _ in range(rng.choice((1, 2, 2, 3))):
            shifts.append(_shift(name, day, rng.choice((6, 8, 14, 20, 22)), rng.choice((6, 8, 9, d.longest))))
            day += timedelta(days=1)
    if rng.random() < 0.3:
        shifts.append(shifts[0])
    rng.shuffle(shifts)
    return (shifts,)


def _roster_probes(rng: Random, d: SimpleNamespace) -> list[tuple]:
    one, two, three = rng.sample(_NAMES, 3)
    day = date(2024, rng.randrange(1, 13), rng.randrange(1, 25))
    following = day + timedelta(days=1)
    return [
        ([_shift(one, day, 14, 8), _shift(one, following, d.rest_hours - 2, 5), _shift(two, following, 9, 4)],),
        ([_shift(one, day, 13, 8), _shift(one, following, d.rest_hours - 4, 5), _shift(two, day, 13, 4)],),
        ([_shift(one, day, 6, d.longest), _shift(two, day, 6, d.longest + 1), _shift(three, day, 7, 5)],),
        ([_shift(one, day, 22, 8), _shift(two, day, 7, 6), _shift(one, following, 9, 8)],),
        ([_shift(three, day, 8, 6), _shift(three, day, 8, 6)],),
        ([_shift(one, day, 12, 9), _shift(one, following, 5, 9), _shift(one, following + timedelta(days=1), 0, 5)],),
        ([_shift(two, day, 5, 6)],),
    ]


def _shift(name: str, day: date, start: int, hours: int) -> tuple:
    return (name, day.isoformat(), f"{start:02d}:00", f"{(start + hours) % 24:02d}:00")


@family(
    names=("roster_conflicts", "check_shift_plan", "find_bad_shifts"),
    requests=(
        "I plan the shifts for [two wards|a petrol station|the night shelter] and every month someone points out "
        "that I broke the rules about rest or about shifts being too long. Could you write me a checker? The plan's "
        "a list of tuples: name, day (2024-02-28), start and end (both like 22:00).",
        "Check a duty roster. Shifts: list of (name, ISO date, start HH:MM, end HH:MM). Report violations of rest "
        "time and [maximum shift length|maximum length].",
        "The works council demands [proof|evidence] that no roster goes out with illegal shifts. Needed is a "
        "function over all planned shifts, each a tuple of employee name, calendar day as YYYY-MM-DD, start time and "
        "end time as HH:MM, which reports where somebody has too little rest or works too long. In which form it "
        "reports is laid down.",
        "hi!! our [student cafe|youth hostel|campus radio] roster lives in python now (don't ask) and looks like [a "
        "list of tuples|one long list of tuples], (who, date, from, to), date as in 2025-01-31 and times as in "
        "07:30. can you spot the shifts that aren't allowed? people get too little sleep between them or they're too "
        "long",
        "Two nurses nearly fell asleep on me last night because the planning tool doesn't check a thing. I need "
        "shifts flagged when the break before them is too short or when they drag on too long. What you'd get is a "
        "list of tuples with the name, the date in ISO format, and the start and end as 24 hour clock times.",
        "Ever since we [opened on weekends|hired students|took on the second site], my roster has been a mess, and "
        "nobody notices until someone's had no sleep. It's a list of tuples of four texts: the name, the day as "
        "YYYY-MM-DD, and start and end such as 06:30. Please tell me what breaks our rules on rest and shift length; "
        "I can explain the rules.",
    ),
    details=(
        detail(
            "rest_hours",
            count(8, 10, 11, 12),
            careless=8,
            topics=("rest", "rest time", "between shifts", "hours between", "break before", "too little rest", "gap"),
            say=(
                "Somebody's next shift must start at least {} hours after the previous one ended, or it's a problem.",
                "Less than {} hours of rest before a shift makes that shift a problem.",
            ),
        ),
        detail(
            "longest",
            count(9, 10, 12),
            careless=10,
            topics=(
                "too long",
                "shift length",
                "maximum length",
                "longest",
                "how long",
                "longest shift",
                "maximum shift",
            ),
            say=("A shift of more than {} hours is a problem.", "Shifts may last {} hours at most."),
        ),
        detail(
            "overnight",
            {
                "next_day": (
                    "If the end isn't later than the start, the shift ends on the next day.",
                    "A shift whose end comes before its start simply runs past midnight.",
                ),
                "skip": (
                    "If the end isn't later than the start, somebody mistyped, so ignore that shift completely.",
                    "A shift whose end comes before its start is dropped as if it weren't there.",
                ),
                "problem": (
                    "If the end isn't later than the start, that's a problem, and the rest check skips this shift.",
                    "A shift whose end comes before its start is a problem, and it's left out of the rest check.",
                ),
            },
            careless="next_day",
            topics=("midnight", "overnight", "night shift", "night shifts", "nights", "end before start", "next day"),
        ),
        detail(
            "copies",
            {
                "each": (
                    "If the very same shift is listed twice, treat it as two shifts, the second without any rest.",
                    "We don't clean up identical entries, the second copy is checked like any other shift.",
                ),
                "once": (
                    "If the very same shift is listed twice, count it once.",
                    "Identical entries are a copying mistake, use only one of them.",
                ),
            },
            careless="each",
            topics=("duplicate", "duplicates", "twice", "identical", "same shift", "listed twice", "repeated"),
        ),
        detail(
            "report",
            {
                "names": (
                    "I want the list of people with any problem, each name once, alphabetically.",
                    "Return the names of those who have a bad shift, sorted and without repeats.",
                ),
                "shifts": (
                    "I want a list of tuples with name and date for each bad shift, sorted by name and then date.",
                    "Return one (name, date) tuple per bad shift, in order of name and then date.",
                ),
                "counts": (
                    "I want a dict from name to the number of bad shifts, only with people who have any.",
                    "Return how many bad shifts each person has, as a dict by name, leaving out those with none.",
                ),
            },
            careless="shifts",
            topics=("return", "report", "output", "result", "format", "look like", "sorted", "sort order"),
        ),
    ),
    inputs=_roster_inputs,
    probes=_roster_probes,
)
def shift_conflicts(shifts, *, rest_hours, longest, overnight, copies, report):
    from datetime import datetime, timedelta

    planned = {}
    problems = []
    for name, day, start, end in dict.fromkeys(shifts) if copies == "once" else shifts:
        begins = datetime.fromisoformat(day + " " + start)
        ends = datetime.fromisoformat(day + " " + end)
        if ends <= begins:
            if overnight == "next_day":
                ends += timedelta(days=1)
            else:
                if overnight == "problem":
                    problems.append((name, day))
                continue
        planned.setdefault(name, []).append((begins, ends))
    for name, spans in planned.items():
        spans.sort()
        free_from = datetime.min
        for begins, ends in spans:
            if ends - begins > timedelta(hours=longest) or begins < free_from:
                problems.append((name, begins.date().isoformat()))
            free_from = ends + timedelta(hours=rest_hours)
    if report != "shifts":
        names = [name for name, _ in problems]
    return (
        sorted(set(names))
        if report == "names"
        else {name: names.count(name) for name in names}
        if report == "counts"
        else sorted(problems)
    )
