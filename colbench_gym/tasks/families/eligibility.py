"""Decisions about people and their requests, with labels and reasons."""

from __future__ import annotations

from random import Random
from types import SimpleNamespace

from colbench_gym.tasks.family import count, detail, family, money


def _grant_inputs(rng: Random, d: SimpleNamespace) -> tuple:
    return (
        {
            "age": rng.choice((d.min_age, d.min_age - 1, d.min_age + 1, rng.randrange(14, 70))),
            "income": rng.choice(
                (d.income_cap, d.income_cap + 1, d.income_cap - 500, rng.randrange(8, 50) * 1000, None)
            ),
            "months_resident": rng.choice((d.min_months, d.min_months - 1, d.min_months + 9, rng.randrange(0, 60))),
        },
    )


def _grant_probes(rng: Random, d: SimpleNamespace) -> list[tuple]:
    def person(age: int, income: int | None, months: int) -> tuple:
        return ({"age": age, "income": income, "months_resident": months},)

    grown, poor, settled = rng.randrange(25, 60), rng.randrange(8, 18) * 1000, rng.randrange(30, 90)
    return [
        person(d.min_age, d.income_cap, d.min_months),
        person(d.min_age - 1, poor, settled),
        person(grown, d.income_cap + 1, settled),
        person(grown, poor, d.min_months - 1),
        person(grown, None, settled),
        person(d.min_age - 1, d.income_cap + rng.randrange(5, 20) * 1000, 0),
        person(15, None, d.min_months),
    ]


@family(
    names=("grant_decision", "decide_application", "check_grant_applicant"),
    requests=(
        "We're a small [foundation|parish charity|housing fund] and [two volunteers|my aunt and I] go through all the "
        "applications at the kitchen table. It'd be lovely to have something that looks at one applicant, a dict with "
        "'age', 'income' (a year, sometimes None) and 'months_resident', and says whether they get support and if not, "
        "why not.",
        "Eligibility check for [the hardship fund|our tuition grant]. Applicant is a dict: age, yearly income, "
        "months_resident. Return decision plus reasons. Policy is settled, just ask.",
        "The council asked me to make our [relief grant|home insulation subsidy|start-up bursary] decisions traceable, "
        "because people appealed and nobody could tell them what they had failed on. An applicant is given as a "
        "dictionary with the keys 'age', 'income' and 'months_resident'. What we need out of it is the outcome with "
        "all the grounds for it.",
        "hello, can you code the accept/reject thing for our [youth club|scholarship] applications? one applicant at a "
        "time, as {'age': .., 'income': .., 'months_resident': ..} where income is per year and may be None. rejected "
        "people should see the reasons [lol|pls]",
        "I am new in the team and I got the task to automate [who may join the food co-op|who receives the rent "
        "allowance]. As far as I understood, three things are looked at: the age, the yearly income and how many "
        "months somebody lives in the town, and they are stored in a dict under 'age', 'income' and 'months_resident'. "
        "The answer must contain the decision and why.",
        "Why does it take us [three weeks|a month] to say yes or no to somebody?! It's age, income, time in town, "
        "done. Write me a function that takes the applicant (dict with keys age, income, months_resident) and gives "
        "the verdict and the reasons.",
    ),
    details=(
        detail(
            "min_age",
            count(16, 18, 21),
            careless=18,
            topics=("age", "minimum age", "how old", "age limit", "minors", "too young"),
            say=("They have to be at least {} years old.", "Being younger than {} counts against an applicant."),
        ),
        detail(
            "income_cap",
            money(20_000, 25_000, 30_000),
            careless=30_000,
            topics=("income", "income limit", "salary", "earnings", "income threshold", "earn too much"),
            say=(
                "An income of more than {} a year speaks against them, exactly that is still fine.",
                "They may earn up to and including {} a year.",
            ),
        ),
        detail(
            "min_months",
            count(6, 12, 24),
            careless=12,
            topics=("resident", "residency", "months_resident", "months", "how long", "living in town"),
            say=("They need {} months or more as a resident.", "Anything under {} months as a resident isn't enough."),
        ),
        detail(
            "no_income",
            {
                "zero": ("treat it as no income at all, so it's fine", "it counts as an income of zero"),
                "fail": (
                    "they fail on income, as if it were too high",
                    "it's treated just like an income that's too high",
                ),
                "missing": (
                    "that adds the reason 'income missing' in place of the income reason",
                    "the reason is 'income missing', put where the income reason would be",
                ),
            },
            careless="zero",
            topics=("missing income", "none", "unknown income", "no income given", "missing data", "not stated"),
            say=("If the income is None, {}.", "When somebody's income is None, {}."),
        ),
        detail(
            "one_reason",
            {
                "rejected": ("they're 'rejected' like everybody else", "it's still 'rejected'"),
                "review": ("the decision is 'review' and not 'rejected'", "that's a 'review', not a 'rejected'"),
                "waitlist": ("the decision is 'waitlist' and not 'rejected'", "that's a 'waitlist', not a 'rejected'"),
            },
            careless="rejected",
            topics=("borderline", "only one reason", "near miss", "manual review", "second chance", "exceptions"),
            say=("If exactly one thing speaks against them, {}.", "With just a single reason, {}."),
        ),
        detail(
            "labels",
            {
                ("age", "income", "residency"): "'age', 'income' and 'residency'",
                (
                    "too young",
                    "earns too much",
                    "too new in town",
                ): "'too young', 'earns too much' and 'too new in town'",
                ("R1", "R2", "R3"): "'R1' for age, 'R2' for income and 'R3' for months",
            },
            careless=("age", "income", "residency"),
            topics=(
                "reason names",
                "wording",
                "reason codes",
                "reasons called",
                "order of the reasons",
                "name the reasons",
            ),
            say=("The reasons are {}, in this order.", "We call the reasons {}, and list them in that order."),
        ),
        detail(
            "result",
            {
                "tuple": (
                    "Return a pair of the decision and the list of reasons",
                    "I want a tuple, first the decision and then the reasons as a list",
                ),
                "dict": (
                    "Return a dict with 'decision' and 'reasons', the latter a list",
                    "I want a dict whose keys are 'decision' and 'reasons', where reasons is a list",
                ),
                "text": (
                    "I want one text like 'rejected: x, y' or just 'approved'",
                    "Return a string, the decision first and any reasons behind it as in 'rejected: x, y'",
                ),
            },
            careless="dict",
            topics=("output", "return type", "result format", "return value", "dictionary or tuple", "structure"),
            say=(
                "{}, and the decision is 'approved' with no reasons, normally 'rejected' otherwise.",
                "{}, with 'approved' for those who pass and usually 'rejected' for those who don't.",
            ),
        ),
    ),
    inputs=_grant_inputs,
    probes=_grant_probes,
)
def grant_decision(applicant, *, min_age, income_cap, min_months, no_income, one_reason, labels, result):
    too_young, too_rich, too_new = labels
    income = applicant["income"]
    reasons = []
    if applicant["age"] < min_age:
        reasons.append(too_young)
    if no_income == "zero":
        if income is not None and income > income_cap:
            reasons.append(too_rich)
    elif no_income == "fail":
        if income is None or income > income_cap:
            reasons.append(too_rich)
    else:
        if income is None:
            reasons.append("income missing")
        elif income > income_cap:
            reasons.append(too_rich)
    if applicant["months_resident"] < min_months:
        reasons.append(too_new)
    if not reasons:
        decision = "approved"
    elif one_reason != "rejected" and len(reasons) == 1:
        decision = one_reason
    else:
        decision = "rejected"
    return (
        (decision, reasons)
        if result == "tuple"
        else {"decision": decision, "reasons": reasons}
        if result == "dict"
        else decision + ": " + ", ".join(reasons)
        if reasons
        else decision
    )


_PLAIN = ("Question about my account", "Change of address", "How do I export data", "Two logins", "Typo on the page")

_LONGER = {"down": "downtime", "outage": "outages", "crash": "crashes", "blocked": "unblocked", "broken": "unbroken"}


def _subject(rng: Random, d: SimpleNamespace) -> str:
    word = rng.choice(d.words)
    return rng.choice(
        (
            rng.choice(_PLAIN),
            f"site {word} since Monday",
            f"{word.upper()} again",
            f"{word.capitalize()} this morning",
            f"Asking about {_LONGER[word]}",
            f"the {rng.choice(('invoice', 'crash', 'outage', 'down', 'blocked', 'broken'))} thing",
        )
    )


def _ticket(rng: Random, d: SimpleNamespace, number: int) -> dict:
    return {
        "id": number,
        "subject": _subject(rng, d),
        "plan": rng.choice(("free", "basic", "pro", "enterprise", "partner")),
        "hours": rng.choice((d.old_after, d.old_after + 1, d.old_after - 1, rng.randrange(1, 23), 30, 50, 80)),
    }


def _triage_inputs(rng: Random, d: SimpleNamespace) -> tuple:
    numbers = rng.sample(range(100, 990), rng.randrange(2, 6))
    return ([_ticket(rng, d, number) for number in numbers],)


def _triage_probes(rng: Random, d: SimpleNamespace) -> list[tuple]:
    word = rng.choice(d.words)
    low, middle, high = sorted(rng.sample(range(100, 990), 3))

    def tickets(*rows: tuple) -> tuple:
        return ([dict(zip(("id", "subject", "plan", "hours"), row, strict=True)) for row in rows],)

    plain = rng.choice(_PLAIN)
    return [
        tickets((high, plain, "free", d.old_after), (middle, plain, "free", 4), (low, plain, "free", d.old_after - 2)),
        tickets((low, plain, "free", d.old_after + 1), (high, f"{word} again", "free", 3), (middle, plain, "free", 2)),
        tickets((middle, f"Asking about {_LONGER[word]}", "free", 3), (low, f"{word.upper()} here", "free", 2)),
        tickets((high, plain, "basic", 2), (low, plain, "pro", 3), (middle, plain, "partner", 1)),
        tickets((low, plain, "enterprise", 3), (high, f"the {d.words[0]} bit", "free", d.old_after + 2)),
        tickets((middle, f"still {d.words[1]} now", "free", 5)),
        tickets(),
    ]


@family(
    names=("triage_tickets", "prioritise_tickets", "support_queue"),
    requests=(
        "My support people pick whatever ticket they like best and the [big customers|emergencies] wait. I've had it! "
        "Give me a function that takes the open tickets (dicts with id, subject, plan and hours, which is how long "
        "they've been waiting) and returns (id, priority) pairs with the most urgent on top.",
        "Triage for our [helpdesk|service desk]: list of ticket dicts with the keys id, subject, plan, hours (waiting "
        "so far) -> list of tuples (id, label), most urgent first.",
        "In our [web agency|software firm], tickets get three levels of priority, decided from the words in the "
        "subject, what plan the customer is on and the hours that the ticket has been open. Each ticket is a "
        "dictionary with 'id', 'subject', 'plan' and 'hours'. Could you write something that sorts the queue from "
        "urgent to harmless and gives me the ids along with their level, as tuples?",
        "hey, first week as [team lead|on-call coordinator] here and the inbox is a zoo. tickets look like {'id': 7, "
        "'subject': '...', 'plan': 'pro', 'hours': 5} (hours = waiting time). i'd love a list of (id, priority), worst "
        "first. the old hands know the rules so i can ask them whatever you need",
        "I would be glad for help with ordering the requests of our [clients|users]. Every request has 'id', "
        "'subject', 'plan' and 'hours' of waiting, in one dict. Some words in the subject make it urgent at once; old "
        "requests climb one step. As answer I expect the list of pairs of id and priority, the highest priority in "
        "front.",
    ),
    details=(
        detail(
            "words",
            {
                ("down", "outage"): "'down' and 'outage'",
                ("crash", "down"): "'crash' and 'down'",
                ("blocked", "broken"): "'blocked' and 'broken'",
                ("outage", "blocked"): "'outage' and 'blocked'",
            },
            careless=("down", "outage"),
            topics=("urgent words", "keywords", "key words", "which words", "words in the subject", "trigger words"),
            say=(
                "The words that put a ticket straight in the top level are {}.",
                "If the subject has one of {}, it gets the highest priority.",
            ),
        ),
        detail(
            "matching",
            {
                "inside": (
                    "Capitals don't matter, and an urgent word counts even inside a longer one",
                    "Look for the urgent words anywhere in the subject, even within another word, in any case",
                ),
                "word": (
                    "Capitals don't matter, but an urgent word has to stand as a whole word between spaces",
                    "Urgent words only count as whole words separated by spaces, in upper or lower case",
                ),
                "exact": (
                    "An urgent word has to be a whole word between spaces and all lower case, never with capitals",
                    "Urgent words only count as whole lower-case words separated by spaces, capitals don't match",
                ),
            },
            careless="inside",
            topics=(
                "case",
                "upper case",
                "whole word",
                "part of a word",
                "capital letters",
                "case sensitive",
                "substring",
            ),
            say="{}.",
        ),
        detail(
            "paid",
            {
                ("pro", "enterprise"): "'pro' and 'enterprise'",
                ("basic", "pro", "enterprise"): "'basic', 'pro' and 'enterprise'",
                ("enterprise", "partner"): "'enterprise' and 'partner'",
            },
            careless=("pro", "enterprise"),
            topics=("plan", "plans", "paying customers", "important customers", "premium", "subscription"),
            say=(
                "Without an urgent word, the plans {} start in the middle level and all others in the lowest.",
                "Customers on {} begin at the middle level, anybody else at the lowest, unless a word makes it urgent.",
            ),
        ),
        detail(
            "old_after",
            count(24, 48, 72),
            careless=24,
            topics=("hours", "waiting time", "old tickets", "age of a ticket", "how long", "escalate", "climb"),
            say=(
                "More than {} hours of waiting lifts a ticket by one level, but never above the top.",
                "Once a ticket's been waiting for over {} hours it goes up one level, if it isn't at the top yet.",
            ),
        ),
        detail(
            "labels",
            {
                ("low", "normal", "high"): "'low', 'normal' and 'high'",
                ("P3", "P2", "P1"): "'P3', 'P2' and 'P1'",
                ("green", "amber", "red"): "'green', 'amber' and 'red'",
            },
            careless=("low", "normal", "high"),
            topics=("labels", "names of the levels", "priority names", "levels", "called", "colours"),
            say=(
                "From harmless to urgent the levels are {}.",
                "We name the priorities {}, the last being the most urgent.",
            ),
        ),
        detail(
            "order",
            {
                "waiting": (
                    "the longest waiting comes first, and with equal hours they stay in the order given",
                    "sort by hours waited, longest first, and leave equal ones as they came in",
                ),
                "id": ("the smaller id comes first", "go by id, smallest first"),
                "given": ("keep the order in which I pass them in", "don't reorder, they stay as they were listed"),
            },
            careless="waiting",
            topics=("ties", "same priority", "sort order", "within a level", "equal priority", "order inside"),
            say=("Among tickets of the same level, {}.", "If two tickets share a level, {}."),
        ),
    ),
    inputs=_triage_inputs,
    probes=_triage_probes,
)
def ticket_triage(tickets, *, words, matching, paid, old_after, labels, order):
    ranked = []
    for ticket in tickets:
        subject = ticket["subject"]
        if matching == "inside":
            urgent = any(word in subject.lower() for word in words)
        elif matching == "word":
            urgent = any(word in subject.lower().split() for word in words)
        else:
            urgent = any(word in subject.split() for word in words)
        if urgent:
            level = 2
        elif ticket["plan"] in paid:
            level = 1
        else:
            level = 0
        if ticket["hours"] > old_after:
            level = min(level + 1, 2)
        ranked.append((level, ticket["hours"], ticket["id"]))
    if order == "waiting":
        ranked.sort(key=lambda entry: (-entry[0], -entry[1]))
    elif order == "id":
        ranked.sort(key=lambda entry: (-entry[0], entry[2]))
    else:
        ranked.sort(key=lambda entry: -entry[0])
    names = labels
    return [(number, names[level]) for level, _, number in ranked]
