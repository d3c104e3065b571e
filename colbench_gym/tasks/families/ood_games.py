"""Games night: what a hand is worth, who plays with whom."""

from __future__ import annotations

from random import Random
from types import SimpleNamespace

from colbench_gym.tasks.family import count, detail, family

_RANKS = ("2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "A")
_SUITS = "SHDC"


def _hand(rng: Random, ranks: tuple[str, ...], one_suit: bool = False) -> tuple:
    suits = rng.sample(_SUITS, 1 if one_suit else 4)
    return ([rank + suits[position % len(suits)] for position, rank in enumerate(ranks)],)


def _cards_inputs(rng: Random, d: SimpleNamespace) -> tuple:
    ranks = tuple(rng.choice(_RANKS) for _ in range(rng.choice((1, 2, 2, 3, 3, 4))))
    if rng.random() < 0.3:
        ranks = tuple(rng.sample(_RANKS, 3))
        return _hand(rng, ranks, one_suit=True)
    return _hand(rng, ranks)


def _cards_probes(rng: Random, d: SimpleNamespace) -> list[tuple]:
    small = rng.choice(("2", "3"))
    return [
        _hand(rng, ("K", small)),
        _hand(rng, ("A", "5", "Q")),
        _hand(rng, ("A", "9", "8", "10")),
        _hand(rng, ("4", "4", small)),
        _hand(rng, ("2", "3", "4"), one_suit=True),
        _hand(rng, ("10", "9", "8", "7")),
        _hand(rng, ("A", "4", "6")),
        _hand(rng, ("6", "6", "10", "8", "2")),
        _hand(rng, ("9", "8", "10", "5"), one_suit=True),
    ]


@family(
    names=("score_cards", "hand_points", "card_hand_score"),
    requests=(
        "We play a house variant of [twenty-one|an old card game] at [the club|my brother's place] and argue about "
        "points all night. A hand is a list like 'QH', '10S', '3C' (rank first, then the suit's letter), and I want "
        "the number that goes on the score sheet. Going over the limit is bad, pairs and one-suit hands are good!",
        "Score a hand of cards. Strings such as 'AS' or '10D', rank 2 to 10, J, Q, K or A, then suit S, H, D or C. "
        "Return whole points by our house rules, which I'll explain on demand.",
        "For a [browser game|mobile game] that I am programming in my free time, I must calculate the points of a "
        "hand. The cards are texts, first the rank (2-10, J, Q, K, A) and at the end one letter for suit, for example "
        "'KH'. There is a limit for the total, and some bonus. Number comes back.",
        "Grandpa invented this card game in [1962|the navy] and only he could ever count it properly. We'd like to "
        "keep it going with the [kids|cousins], so could you turn it into code? You get the hand as strings, 'JD' "
        "being the jack of diamonds and '7C' the seven of clubs, and say how many points it is. Some of it is like "
        "blackjack, with bonuses on top.",
        "how many points is my hand? cards look like '9H' or 'AC' in a list. number cards are worth their number, the "
        "others [well, ask me|you'd have to ask], and you shouldn't get too many",
        "The function evaluates a card hand given as a list of strings, each a rank followed by a one-letter suit, and "
        "returns an integer. Number cards carry their face value. The treatment of pictures, aces, totals above the "
        "limit and bonuses follows the [club's|association's] rule book.",
    ),
    details=(
        detail(
            "pictures",
            {
                "ten": ("count 10 each", "are all worth 10"),
                "rising": ("count 11, 12 and 13", "are worth 11 for the jack, 12 for the queen and 13 for the king"),
                "five": ("count 5 each", "are only worth 5 apiece"),
            },
            careless="ten",
            topics=("picture cards", "face cards", "jack", "queen", "king", "court cards"),
            say=("Jack, queen and king {}.", "The pictures, so J, Q and K, {}."),
        ),
        detail(
            "ace",
            {
                "high": ("always 11", "11 whatever the total"),
                "low": ("always 1", "1 and nothing else"),
                "soft": (
                    "11, but one ace after the other drops to 1 as long as the hand is over the limit",
                    "11 unless the hand is over the limit, then aces turn to 1 one by one until it fits",
                ),
            },
            careless="soft",
            topics=("ace", "aces", "one or eleven", "value of an ace"),
            say=("An ace is {}.", "We count the ace as {}."),
        ),
        detail(
            "limit",
            count(21, 25, 31),
            careless=21,
            topics=("limit", "maximum", "twenty-one", "bust", "too many points", "highest total"),
            say=(
                "The limit is {}, and hitting it exactly is fine.",
                "You're over when the cards come to more than {}.",
            ),
        ),
        detail(
            "over",
            {
                "zero": ("are worth nothing, zero", "count 0"),
                "half": ("count half, rounded down", "are halved, and we drop the half point"),
                "limit": ("are worth just the limit, not more", "count as if they hit the limit exactly"),
            },
            careless="zero",
            topics=("over the limit", "over", "what happens above", "exceed", "lose", "too high"),
            say=("If a hand goes over, the cards {}.", "Cards that come to more than the limit {}."),
        ),
        detail(
            "pair_bonus",
            count(2, 3, 5),
            careless=5,
            topics=("pair", "pairs", "same rank", "three of a kind", "doubles", "twins"),
            say=(
                "Every rank you hold two or more of adds {} at the very end, even after going over.",
                "Each rank that's there at least twice adds {}, once per rank and at the very end whatever happened "
                "before.",
            ),
        ),
        detail(
            "suit_bonus",
            count(4, 6, 10),
            careless=10,
            topics=("suit", "flush", "same suit", "one suit", "suits", "colour"),
            say=(
                "A hand of three cards or more, all of one suit, adds {} at the very end, even after going over.",
                "If the whole hand is one suit and has at least 3 cards, that's {} extra, added last in any case.",
            ),
        ),
    ),
    inputs=_cards_inputs,
    probes=_cards_probes,
    held_out=True,
)
def card_hand(hand, *, pictures, ace, limit, over, pair_bonus, suit_bonus):
    ranks = [card[:-1] for card in hand]
    suits = {card[-1] for card in hand}
    points = 0
    for rank in ranks:
        if rank == "A":
            points += 1 if ace == "low" else 11
        elif rank in ("J", "Q", "K"):
            if pictures == "ten":
                points += 10
            elif pictures == "rising":
                points += {"J": 11, "Q": 12, "K": 13}[rank]
            else:
                points += 5
        else:
            points += int(rank)
    if ace == "soft":
        for _ in range(ranks.count("A")):
            if points > limit:
                points -= 10
    if points > limit:
        if over == "zero":
            points = 0
        elif over == "half":
            points //= 2
        else:
            points = limit
    for rank in set(ranks):
        if ranks.count(rank) >= 2:
            points += pair_bonus
    if len(hand) >= 3 and len(suits) == 1:
        points += suit_bonus
    return points


_PEOPLE = ("Ada", "Ben", "Cleo", "Dan", "Eva", "Finn", "Gus", "Hana", "Ivo", "Jo", "Kim", "Lea", "Max", "Nia")


def _split_inputs(rng: Random, d: SimpleNamespace) -> tuple:
    names = rng.sample(_PEOPLE, rng.randrange(3, 10))
    return ([(name, rng.choice((1, 2, 3, 4, 5, 6, 8, 9, None))) for name in names], rng.choice((2, 2, 3)))


def _split_probes(rng: Random, d: SimpleNamespace) -> list[tuple]:
    def players(*ratings: int | None) -> list[tuple]:
        return list(zip(rng.sample(_PEOPLE, len(ratings)), ratings, strict=True))

    reverse = sorted(rng.sample(_PEOPLE, 4), reverse=True)
    return [
        (players(9, 8, 5, 4, 2, 1), 2),
        (players(8, None, 6, 4, 2), 2),
        ([(name, 4) for name in reverse], 2),
        (players(9, 4, None, 3, 2, 6, 1), 3),
        (players(9, None, 1, 4), 2),
    ]


@family(
    names=("split_teams", "make_teams", "draw_teams"),
    requests=(
        "Every Thursday we waste [twenty minutes|half the evening] picking teams for [football|volleyball|basketball], "
        "and the same people get chosen last. Players are (name, rating) tuples, some without a rating (None), and we "
        "say how many teams there should be. I want them split fairly from the strongest down.",
        "Team splitter for our [pub quiz|company tournament|games night]: list of (name, rating) and number of teams. "
        "Return the teams with the names in the order they were assigned.",
        "As a PE teacher I'd love to stop the drama around who plays with whom. I keep a rating for each [pupil|kid], "
        "though the new ones have None, so I'd pass pairs of name and rating plus the number of teams, and get "
        "balanced teams of names out of it. [There's a way of dealing them out that my classes already know.|The "
        "dealing is done like we do it in the hall, strongest first.]",
        "Given a list of (name, rating) tuples, in which a rating can be None, and a positive number of teams, "
        "distribute the players over the teams beginning with the highest rating. Only names appear in the result, in "
        "order of assignment.",
        "can someone code this for our [e-sports clan|bouldering gym|chess club]? I've got names with their rating in "
        "tuples (None if unrated) and want n fair teams, best players handed out first, dont care how fancy it is",
    ),
    details=(
        detail(
            "method",
            {
                "turns": (
                    "Team one, team two and so on each get a player in turn, always in the same order",
                    "Deal them out round and round, every round starting with the first team",
                ),
                "snake": (
                    "The order of the teams turns around each round, so the last team picks twice in a row",
                    "Go through the teams forwards, then backwards, then forwards again, like a snake",
                ),
                "lowest": (
                    "Each player goes to the team with the lowest rating total so far, the earlier team if that's "
                    "equal",
                    "The next player always joins the team whose ratings add up to least, with equal sums the first "
                    "such team",
                ),
            },
            careless="turns",
            topics=(
                "distribute",
                "assign",
                "how to split",
                "balance",
                "snake",
                "dealing",
                "fair",
                "algorithm",
                "turns",
            ),
            say="{}.",
        ),
        detail(
            "unrated",
            count(1, 3, 5),
            careless=1,
            topics=("no rating", "none", "unrated", "missing rating", "new players", "without a rating"),
            say=("Somebody whose rating is None counts as {}.", "For a missing rating, that's None, take {}."),
        ),
        detail(
            "same_rating",
            {
                "listed": ("stay in the order in which I list them", "come in the order of the list"),
                "name": ("go by name from A to Z", "are ordered alphabetically by name"),
                "reverse": (
                    "come in the reverse order of the list, the later one first",
                    "go the other way round, last listed first",
                ),
            },
            careless="listed",
            topics=("ties", "same rating", "equal rating", "tie-break", "equally strong", "equal players"),
            say=("Players with the same rating {}.", "Equally strong ones {}."),
        ),
        detail(
            "leftover",
            {
                "play": ("everybody plays anyway", "nobody is left out"),
                "out": (
                    "the weakest ones who are too many sit out and don't appear",
                    "drop as many from the weak end as it takes to divide evenly",
                ),
            },
            careless="play",
            topics=("uneven", "left over", "leftover", "odd number", "remainder", "not divisible", "team size"),
            say=("If the players don't divide evenly, {}.", "When the players can't be divided evenly, {}."),
        ),
        detail(
            "naming",
            {
                "lists": ("a list of lists of names", "a plain list that holds one list of names per team"),
                "numbers": (
                    "a dict of lists of names with keys like 'Team 1' and 'Team 2'",
                    "a dictionary from 'Team 1', 'Team 2' and so on to that team's list of names",
                ),
                "letters": (
                    "a dict of lists of names with keys 'A', 'B', 'C' and so on",
                    "a dictionary from the letters 'A', 'B' and so on to that team's list of names",
                ),
            },
            careless="lists",
            topics=("output", "result", "team names", "return format", "dictionary", "list of lists", "called"),
            say=("The result is {}.", "What I want back is {}."),
        ),
    ),
    inputs=_split_inputs,
    probes=_split_probes,
    held_out=True,
)
def team_split(players, teams, *, method, unrated, same_rating, leftover, naming):
    rated = [(name, unrated if rating is None else rating) for name, rating in players]
    if same_rating == "name":
        rated.sort()
    elif same_rating == "reverse":
        rated.reverse()
    rated.sort(key=lambda player: -player[1])
    if leftover == "out":
        rated = rated[: len(rated) - len(rated) % teams]
    split = [[] for _ in range(teams)]
    if method == "lowest":
        totals = [0] * teams
        for name, rating in rated:
            weakest = totals.index(min(totals))
            split[weakest].append(name)
            totals[weakest] += rating
    else:
        for position, (name, _) in enumerate(rated):
            if method == "turns":
                seat = position % teams
            else:
                lap, seat = divmod(position, teams)
                if lap % 2 == 1:
                    seat = teams - 1 - seat
            split[seat].append(name)
    return (
        split
        if naming == "lists"
        else {f"Team {number}": names for number, names in enumerate(split, start=1)}
        if naming == "numbers"
        else {chr(ord("A") + number): names for number, names in enumerate(split)}
    )
