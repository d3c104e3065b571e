"""Money owed: invoices."""

from __future__ import annotations

from datetime import date, timedelta
from random import Random
from types import SimpleNamespace

from colbench_gym.tasks.family import count, detail, family

# Days of the week on which an invoice falls due, as dates of 2024 that are a Saturday, a Sunday and ordinary days.
_SATURDAYS = (date(2024, 3, 9), date(2024, 5, 18), date(2024, 9, 14))
_SUNDAYS = (date(2024, 2, 11), date(2024, 6, 23), date(2024, 10, 6))
_WORKDAYS = (date(2024, 1, 16), date(2024, 4, 24), date(2024, 8, 8))


def _late_inputs(rng: Random, d: SimpleNamespace) -> tuple:
    due = rng.choice(rng.choice((_WORKDAYS, _WORKDAYS, _SATURDAYS, _SUNDAYS)))
    return _invoice(rng, due, rng.choice((0, d.grace_days, d.grace_days + 1, rng.randrange(8, 90), rng.randrange(90))))


def _late_probes(rng: Random, d: SimpleNamespace) -> list[tuple]:
    saturday, sunday = rng.choice(_SATURDAYS), rng.choice(_SUNDAYS)
    return [
        _invoice(rng, rng.choice(_WORKDAYS), d.grace_days),
        _invoice(rng, rng.choice(_WORKDAYS), d.grace_days + 1),
        _invoice(rng, rng.choice(_WORKDAYS), 31 + rng.randrange(2)),
        _invoice(rng, saturday, d.grace_days + 1),
        _invoice(rng, sunday, d.grace_days + 1),
        _invoice(rng, sunday, d.grace_days),
        _invoice(rng, rng.choice(_WORKDAYS), 61),
    ]


def _invoice(rng: Random, due: date, days_late: int) -> tuple:
    return (rng.randrange(4, 60) * 50, due.isoformat(), (due + timedelta(days=days_late)).isoformat())


@family(
    names=("late_fee", "overdue_charge", "late_payment_fee"),
    requests=(
        "Some of my clients pay whenever they feel like it, so from now on I charge late fees, it's in [the|my] "
        "contract. I give you the invoice amount, the date it was due and the date they paid, you tell me the fee in "
        "dollars. Dates look like 2024-11-05.",
        "Late fee for a paid invoice: amount, due date, payment date (ISO strings). [Dollars out|Result in dollars], "
        "zero if they were on time.",
        "Can somebody please fix the overdue charges? [The old macro|Our old system] billed a good customer far too "
        "much, and I've had their lawyer on the phone. Amount plus two ISO date strings, due and paid, go in; the "
        "correct charge comes out. We're not monsters, there is some leeway.",
        "For the [bookkeeping class|accounting module] I take in the evenings we've been asked to model a real "
        "firm's late payment clause, and I picked my employer's. Parameters are the amount, the due date and the "
        "payment date, all dates as YYYY-MM-DD text, and the function should return the fee. I have the clause in "
        "front of me.",
        "Implement the default charge under clause 7 of our terms of sale [for a single invoice|per invoice]. Given: "
        "invoice amount in dollars, contractual due date, date of receipt of payment (both ISO 8601 calendar dates). "
        "Sought: the charge in dollars.",
        "Landlord here, [six flats|four units|a handful of garages], rent comes in late all the time. What late fee "
        "can I ask for, given the rent, the day it was due and the day it arrived? The days are strings like "
        "2024-07-01.",
    ),
    details=(
        detail(
            "grace_days",
            count(3, 5, 7, 10),
            careless=5,
            topics=("grace", "grace period", "leeway", "tolerance", "how late", "days late", "on time"),
            say=(
                "Up to {} days late costs nothing.",
                "There's a grace period of {} days, and paying on its last day is still free.",
            ),
        ),
        detail(
            "counted",
            {
                "due": (
                    "Once they're past the grace period we count all days since the due date.",
                    "The grace days aren't a present, whoever misses them pays from the due date on.",
                ),
                "grace": (
                    "Only the days after the grace period count for the fee.",
                    "The grace days stay free, even for those who pay much later.",
                ),
            },
            careless="due",
            topics=(
                "counted from",
                "start counting",
                "count from",
                "from which day",
                "after the grace period",
                "grace days count",
                "days are counted",
            ),
        ),
        detail(
            "charge",
            {
                "week": (
                    "The fee is 1% of the invoice for every started week.",
                    "Each week they've begun costs them 1% of the amount.",
                ),
                "flat": (
                    "The fee is $20, plus 1% of the invoice for every full week.",
                    "It's a flat $20, and each completed week costs them another 1% of the amount.",
                ),
                "month": (
                    "The fee is 4% of the invoice for every started block of 30 days.",
                    "Each block of 30 days they've begun costs them 4% of the amount.",
                ),
                "day": ("The fee is 0.2% of the invoice per day.", "Each day costs them 0.2% of the amount."),
            },
            careless="day",
            topics=("fee", "percentage", "rate", "interest", "how much", "per day", "per week", "per month"),
        ),
        detail(
            "weekend",
            {
                "stays": (
                    "A due date on a weekend stays as it is.",
                    "We don't move the due date, Saturday or Sunday makes no difference.",
                ),
                "monday": (
                    "If the due date is a Saturday or Sunday, it moves to the Monday after.",
                    "A weekend due date is treated as the following Monday.",
                ),
                "friday": (
                    "If the due date is a Saturday or Sunday, it moves back to the Friday before.",
                    "A weekend due date is treated as the Friday before.",
                ),
            },
            careless="stays",
            topics=("weekend", "weekends", "saturday", "sunday", "business day", "working day", "bank holiday"),
        ),
    ),
    inputs=_late_inputs,
    probes=_late_probes,
)
def invoice_late_fee(amount, due_on, paid_on, *, grace_days, counted, charge, weekend):
    if charge in ("week", "month"):
        import math
    if weekend == "stays":
        from datetime import date
    else:
        from datetime import date, timedelta
    due = date.fromisoformat(due_on)
    if weekend == "monday" and due.weekday() >= 5:
        due += timedelta(days=7 - due.weekday())
    elif weekend == "friday" and due.weekday() >= 5:
        due -= timedelta(days=due.weekday() - 4)
    days = (date.fromisoformat(paid_on) - due).days
    if days <= grace_days:
        return 0
    if counted == "grace":
        days -= grace_days
    if charge == "week":
        fee = amount * 0.01 * math.ceil(days / 7)
    elif charge == "flat":
        fee = 20 + amount * 0.01 * (days // 7)
    elif charge == "month":
        fee = amount * 0.04 * math.ceil(days / 30)
    else:
        fee = amount * 0.002 * days
    return round(fee, 2)
