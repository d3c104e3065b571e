"""Grades, league tables and ratings."""

from __future__ import annotations

from random import Random
from types import SimpleNamespace

from colbench_gym.tasks.family import count, detail, family


def _homework(rng: Random, d: SimpleNamespace, low: int, missing: int) -> list:
    """Scores of which three remain, with a sum that three does not divide.

    So the weighted total is never a whole or a half number, and floating point cannot tip it over.
    """
    gaps = [None] * missing
    given = 3 + d.dropped - (missing if d.missing != "skip" else 0)
    while True:
        scores = [*gaps, *(rng.randrange(low, 101) for _ in range(given))]
        kept = [s for s in scores if s is not None] if d.missing == "skip" else [_filled(s, d) for s in scores]
        if sum(sorted(kept)[d.dropped :]) % 3:
            rng.shuffle(scores)
            return scores


def _filled(score: int | None, d: SimpleNamespace) -> int:
    if score is None:
        return 0 if d.missing == "zero" else 50
    return score


def _grade_inputs(rng: Random, d: SimpleNamespace) -> tuple:
    homework = _homework(rng, d, rng.choice((30, 50, 70)), rng.choice((0, 0, 1, d.dropped + 1)))
    midterm = rng.choice((rng.randrange(20, 60), rng.randrange(50, 101)))
    final = rng.choice((d.final_minimum, d.final_minimum - 1, rng.randrange(30, 101), rng.randrange(60, 101)))
    return (homework, midterm, final)


def _close_to(rng: Random, d: SimpleNamespace, target: int) -> tuple:
    """Everything that counts lies at `target` or a little above, whatever the weights are."""
    homework = [target + 1, target, target, *(rng.randrange(30, 60) for _ in range(d.dropped))]
    rng.shuffle(homework)
    return (homework, target, target)


def _grade_probes(rng: Random, d: SimpleNamespace) -> list[tuple]:
    return [
        (_homework(rng, d, 95, 0), 100, d.final_minimum - 1),
        (_homework(rng, d, 95, 0), 100, d.final_minimum),
        (_homework(rng, d, 50, d.dropped + 1), rng.randrange(25, 40), 90),
        _close_to(rng, d, d.scale[0]),
        _close_to(rng, d, d.scale[0] - 2),
    ]


@family(
    names=("course_grade", "final_grade_for", "grade_student"),
    requests=(
        "I teach [intro statistics|first-year biology|music theory] and I'd like my grading automated. The function "
        "gets the list of a student's homework scores, the midterm and the final, all out of 100. An assignment that "
        "was never handed in is None in the list. I drop the worst homework, as the students know. I want the "
        "rounded total and the letter.",
        "Per the syllabus: homework (list of points out of 100, None where nothing was submitted), midterm and final "
        "are combined into a total and a letter grade A to F. A number of low homework scores is disregarded. "
        "Weights and further rules are fixed by the [department|faculty].",
        "help, I'm the new TA and have to compute 140 grades by [tonight|Friday]!! homework is a list with None for "
        "missing ones, then one midterm score and one final score. the prof drops low homeworks, and apparently the "
        "final can do something to a bad midterm?? need score plus letter",
        "Need course grades: homework list (None means not submitted), midterm, final, everything on a scale to 100. "
        "Return total and letter.",
        "My wife is a [teacher|lecturer] and does her grades with a pocket calculator, every term, at our kitchen "
        "table. I want to surprise her with a function. What goes in is the homework points of one student, with "
        "None for the ones he forgot, and the two exam scores; what comes out is his total and a letter. She told me "
        "all her rules, some lowest homeworks don't count for instance, and I wrote them down.",
        "[Students keep complaining|Parents keep phoning us] that two graders get two different results for the same "
        "points. Let's settle it in code: homework scores, midterm and final go in, with None for homework never "
        "handed in, and one grade comes out. The worst homework results don't count.",
    ),
    details=(
        detail(
            "weights",
            {
                (20, 30, 50): "homework is 20%, the midterm 30% and the final 50%",
                (40, 20, 40): "homework is 40%, the midterm 20% and the final 40%",
                (20, 40, 40): "homework is 20%, the midterm 40% and the final 40%",
                (10, 40, 50): "homework is 10%, the midterm 40% and the final 50%",
            },
            careless=(20, 30, 50),
            topics=("weights", "weight", "weighted", "percentage of", "how much does", "share", "proportion"),
            say=("Of the total, {}.", "The weights are that {}."),
        ),
        detail(
            "dropped",
            {
                1: "only the lowest homework score is",
                2: "the two lowest homework scores are",
                3: "the three lowest are",
            },
            careless=1,
            topics=("drop", "dropped", "lowest homework", "worst homework", "how many homeworks", "lowest scores"),
            say=(
                "Before we average the homework, {} dropped.",
                "When it comes to homework, {} left out of the average.",
            ),
        ),
        detail(
            "missing",
            {
                "zero": (
                    "counts as zero and can be among the dropped ones",
                    "gets 0 points, and those can be dropped too",
                ),
                "skip": (
                    "is removed first, as if it hadn't existed",
                    "is ignored, and dropping happens among the rest",
                ),
                "fifty": ("counts as 50 points and may be dropped", "gets 50 points, and those can be dropped too"),
            },
            careless="zero",
            topics=("missing", "not submitted", "none", "never handed in", "not handed in", "missing homework"),
            say=("Homework that wasn't handed in {}.", "A missing homework {}."),
        ),
        detail(
            "midterm_rescue",
            {
                "never": (
                    "The midterm counts as it is, however good the final was.",
                    "A better final doesn't change the midterm.",
                ),
                "replace": (
                    "If the final is better than the midterm, it takes the midterm's place as well.",
                    "A final that's better than the midterm replaces the midterm score.",
                ),
                "middle": (
                    "If the final is better, the midterm is raised to the mean of the two exams.",
                    "With a better final, the midterm counts as the average of midterm and final.",
                ),
            },
            careless="never",
            topics=("midterm", "replace", "better final", "bad midterm", "improve", "make up for"),
        ),
        detail(
            "final_minimum",
            count(40, 45, 50, 55),
            careless=50,
            topics=(
                "pass the final",
                "minimum in the final",
                "failing the final",
                "fail",
                "automatic f",
                "passing mark",
            ),
            say=(
                "With less than {} in the final the letter is F, though the total stays as computed.",
                "You need {} or more in the final, else it's an F whatever total we report.",
            ),
        ),
        detail(
            "rounding",
            {
                "half_up": ("rounded to the nearest whole number", "rounded normally with half points going up"),
                "up": ("always rounded up to a whole number", "rounded up even for a tenth of a point"),
                "down": ("always rounded down to a whole number", "cut to the whole number below"),
            },
            careless="half_up",
            topics=("rounding", "round", "rounded", "decimals", "whole number", "fractions"),
            say=("The total is {} before we look up the letter.", "First the total is {}, then comes the letter."),
        ),
        detail(
            "scale",
            {
                (90, 80, 70, 60): "A from 90, B from 80, C from 70, D from 60 and F below",
                (85, 75, 65, 55): "A from 85, B from 75, C from 65, D from 55 and F below",
                (88, 76, 64, 52): "A from 88, B from 76, C from 64, D from 52 and F below",
                (80, 70, 60, 50): "A from 80, B from 70, C from 60, D from 50 and F below",
            },
            careless=(90, 80, 70, 60),
            topics=("scale", "letter", "letters", "cutoffs", "grade boundaries", "thresholds", "which score is an a"),
            say=("The scale is {}.", "Letters go like this: {}."),
        ),
        detail(
            "result",
            {
                "pair": ("a tuple of total and letter, in this order", "total and letter together in a tuple"),
                "text": ("a text such as 87 (B)", "one text: total, space, letter in round brackets, such as 87 (B)"),
                "dict": (
                    "a dict with the keys 'score' and 'grade'",
                    "a dictionary, 'score' for the total, 'grade' the letter",
                ),
            },
            careless="pair",
            topics=("output", "return", "result format", "format", "returned", "tuple", "dictionary"),
            say=("What I want back is {}.", "Please return {}."),
        ),
    ),
    inputs=_grade_inputs,
    probes=_grade_probes,
)
def grade_from_parts(
    homework,
    midterm,
    final,
    *,
    weights,
    dropped,
    missing,
    midterm_rescue,
    final_minimum,
    rounding,
    scale,
    result,
):
    import math

    if missing == "skip":
        scores = [score for score in homework if score is not None]
    elif missing == "zero":
        scores = [0 if score is None else score for score in homework]
    else:
        scores = [50 if score is None else score for score in homework]
    kept = sorted(scores)[dropped:]
    average = sum(kept) / len(kept)
    if midterm_rescue == "replace":
        midterm = max(midterm, final)
    elif midterm_rescue == "middle":
        midterm = max(midterm, (midterm + final) / 2)
    homework_weight, midterm_weight, final_weight = weights
    total = (average * homework_weight + midterm * midterm_weight + final * final_weight) / 100
    if rounding == "half_up":
        total = math.floor(total + 0.5)
    elif rounding == "up":
        total = math.ceil(total)
    else:
        total = math.floor(total)
    letter = "F"
    if final >= final_minimum:
        for candidate, lowest in zip("ABCD", scale):  # noqa: B905
            if total >= lowest:
                letter = candidate
                break
    if result == "pair":
        return (total, letter)
    elif result == "text":  # noqa: RET505
        return f"{total} ({letter})"
    else:
        return {"score": total, "grade": letter}


_TEAMS = ("Foxes", "Badgers", "Herons", "Otters", "Ravens", "Lynx")


def _league_inputs(rng: Random, d: SimpleNamespace) -> tuple:
    teams = rng.sample(_TEAMS, rng.randrange(3, 6))
    matches = []
    for _ in range(rng.randrange(2, 7)):
        home, away = rng.sample(teams, 2)
        score = "" if rng.random() < 0.2 else f"{rng.choice((0, 1, 1, 2, 3, 5))}:{rng.choice((0, 1, 1, 2, 4))}"
        matches.append((home, away, score))
    return (matches,)


def _league_probes(rng: Random, d: SimpleNamespace) -> list[tuple]:
    one, two, three, four, five = rng.sample(_TEAMS, 5)
    low, middle, high = sorted((one, two, three))
    return [
        # Winners level on points: `two` has the better difference, `one` more goals, `three` and `two` conceded none.
        ([(one, four, "5:4"), (two, five, "3:0"), (three, five, "1:0"), (three, four, "0:4"), (four, five, "0:0")],),
        ([(middle, high, "1:1"), (high, low, "1:1"), (middle, low, "1:1"), (four, five, "")],),
        ([(one, two, "2:0"), (four, three, "2:0"), (one, three, "0:3")],),
        ([(one, two, "1:1"), (one, three, "2:2"), (two, three, ""), (four, one, "1:0"), (five, two, "3:3")],),
    ]


@family(
    names=("league_table", "final_standings", "rank_teams"),
    requests=(
        "I run the [pub quiz football league|five-a-side league at work|village hockey league] and every Sunday I do "
        "the standings by hand. The matches come as tuples like ('Foxes', 'Lynx', '2:1'), home team first, and the "
        "score is an empty text if they haven't played. Please make me the table, best team first.",
        "Standings from match results. Each match: (home, away, score), score like '3:0' or '' when not played yet. "
        "Sorted, ranked, our usual [rules|conditions].",
        "Write a function that takes a list of matches (each a tuple of home team, away team and a score string with "
        "a colon, empty for an open match) and returns the ranking of all teams, first place first. Points and "
        "tie-break follow our [tournament regulations|own statutes].",
        "The website showed the wrong leader for [two days|a whole weekend] and I had captains yelling at me on the "
        "phone! Whoever built this didn't know our tie rules. Redo the ranking, please: list of (home, away, '2:2') "
        "in, with '' where the game is still to be played, ordered rows out, and get the ties right this time.",
        "For a school project we organise a [handball|floorball|table football] cup, and my task is the table. I "
        "have the results in tuples, home then away then a text like 4:2, or an empty text because some games didn't "
        "happen. How would I get from there to a ranking? Our PE teacher set the rules.",
    ),
    details=(
        detail(
            "win_points",
            count(2, 3, 4),
            careless=3,
            topics=("points for a win", "win", "victory", "winner gets", "how many points", "winning"),
            say=("A win brings {} points.", "The winner of a match gets {} points, the loser none."),
        ),
        detail(
            "draw_points",
            {1: ("one point each", "1 point each"), 2: ("two points each", "2 points each")},
            careless=1,
            topics=("draw", "drawn", "points for a draw", "equal score", "both score the same", "drawn match"),
            say=("In a draw the teams get {}.", "When a match is drawn, both teams get {}."),
        ),
        detail(
            "tie_break",
            {
                "difference": ("the goal difference decides", "goals scored minus goals conceded decides"),
                "scored": ("the number of goals scored decides", "whoever scored more goals comes first"),
                "wins": ("the number of wins decides", "whoever won more matches comes first"),
                "conceded": ("whoever conceded fewer goals comes first", "fewer goals conceded is better"),
            },
            careless="difference",
            topics=(
                "tie-break",
                "tie",
                "level on points",
                "same points",
                "equal points",
                "goal difference",
                "tiebreaker",
            ),
            say=("If teams are level on points, {}.", "With the same points, {}."),
        ),
        detail(
            "last_resort",
            {
                "name": ("alphabetically", "in alphabetical order"),
                "seen": (
                    "in the order in which they first turn up in the matches",
                    "by who turns up first in the matches",
                ),
                "backwards": ("in reverse alphabetical order", "from Z to A by name"),
            },
            careless="name",
            topics=(
                "still equal",
                "alphabetical",
                "completely equal",
                "second tie",
                "still tied",
                "last resort",
                "order",
            ),
            say=(
                "Teams that are still equal after the tie-break are listed {}.",
                "If even the tie-break leaves them equal, we list them {}.",
            ),
        ),
        detail(
            "ranks",
            {
                "skip": (
                    "Fully equal teams share a rank and the next ranks are skipped, as in 1, 2, 2, 4.",
                    "Ranks go 1, 2, 2, 4 when two teams are the same in points and tie-break.",
                ),
                "dense": (
                    "Fully equal teams share a rank and none is skipped after it, as in 1, 2, 2, 3.",
                    "Ranks go 1, 2, 2, 3 when two teams are the same in points and tie-break.",
                ),
                "own": (
                    "Every team has a rank of its own, as in 1, 2, 3, 4, even if two are fully equal.",
                    "Ranks simply count through, nobody shares one.",
                ),
            },
            careless="own",
            topics=("shared rank", "share", "ranks", "skipped", "same rank", "rank numbers", "numbering", "place"),
        ),
        detail(
            "unplayed",
            {
                "skip": (
                    "is left out, but both teams still appear in the table",
                    "is ignored, though both teams get a row",
                ),
                "goalless": ("counts as a 0:0", "is treated like a 0:0 draw"),
                "home": ("counts as a 3:0 for the home team", "is a 3:0 win for the home side"),
            },
            careless="skip",
            topics=("unplayed", "not played", "no score", "empty score", "missing result", "open match", "postponed"),
            say=("A match without a score {}.", "If a match wasn't played, it {}."),
        ),
        detail(
            "rows",
            {
                "tuple": ("a tuple of rank, team and points", "rank, team, points as a tuple"),
                "text": (
                    "a text such as #1 Lynx (7), with rank, team and the points in brackets",
                    "a text like #1 Lynx (7), so hash sign and rank, then team, then points in brackets",
                ),
                "dict": (
                    "a dict with 'rank', 'team' and 'points'",
                    "a dictionary with the keys 'rank', 'team' and 'points'",
                ),
            },
            careless="dict",
            topics=("row", "rows", "output", "format", "returned", "columns", "result look"),
            say=("Each row of the list is {}.", "Per team I want {}."),
        ),
    ),
    inputs=_league_inputs,
    probes=_league_probes,
    valid=lambda d: d.draw_points < d.win_points,
)
def match_standings(matches, *, win_points, draw_points, tie_break, last_resort, ranks, unplayed, rows):
    table = {}
    for home, away, score in matches:
        table.setdefault(home, [0, 0])
        table.setdefault(away, [0, 0])
        if score:
            home_goals, away_goals = map(int, score.split(":"))
        elif unplayed == "goalless":
            home_goals, away_goals = 0, 0
        elif unplayed == "home":
            home_goals, away_goals = 3, 0
        else:
            continue
        for team, goals, against in ((home, home_goals, away_goals), (away, away_goals, home_goals)):
            if goals > against:
                table[team][0] += win_points
            elif goals == against:
                table[team][0] += draw_points
            if tie_break == "difference":
                table[team][1] += goals - against
            elif tie_break == "scored":
                table[team][1] += goals
            elif tie_break == "wins":
                table[team][1] += goals > against
            else:
                table[team][1] -= against
    if last_resort == "name":
        teams = sorted(table)
    elif last_resort == "backwards":
        teams = sorted(table, reverse=True)
    else:
        teams = list(table)
    teams.sort(key=lambda team: table[team], reverse=True)
    standings = []
    for team in teams:
        points = table[team][0]
        if ranks == "skip":
            rank = 1 + sum(row > table[team] for row in table.values())
        elif ranks == "dense":
            rank = 1 + len({tuple(row) for row in table.values() if row > table[team]})
        else:
            rank = len(standings) + 1
        if rows == "tuple":
            standings.append((rank, team, points))
        elif rows == "text":
            standings.append(f"#{rank} {team} ({points})")
        else:
            standings.append({"rank": rank, "team": team, "points": points})
    return standings


def _reviews(stars: list[int], unverified: list[int]) -> list[dict]:
    return [{"stars": s, "verified": True} for s in stars] + [{"stars": s, "verified": False} for s in unverified]


def _reviews_inputs(rng: Random, d: SimpleNamespace) -> tuple:
    size = rng.choice((d.min_reviews, d.min_reviews - 1, d.min_reviews + 1, rng.randrange(3, 9)))
    mood = rng.choice(((1, 2, 3, 4, 5), (4, 5, 5), (2, 3, 4), (1, 5)))
    reviews = [{"stars": rng.choice(mood), "verified": rng.random() < 0.8} for _ in range(size)]
    return (reviews if rng.random() < 0.95 else [],)


def _reviews_probes(rng: Random, d: SimpleNamespace) -> list[tuple]:
    # For any rounding, one of these two tells what happens to the extreme reviews.
    fair, poor = [1, 2, 2, 2, 2, 5], [1, 1, 1, 1, 2, 5]
    rng.shuffle(fair)
    rng.shuffle(poor)
    return [
        (_reviews([rng.choice((3, 4, 5)) for _ in range(d.min_reviews)], []),),
        (_reviews([rng.choice((3, 4, 5)) for _ in range(d.min_reviews - 1)], []),),
        (_reviews([1] * rng.choice((6, 7)), [5] * 5),),
        (_reviews(fair, []),),
        (_reviews(poor, []),),
    ]


@family(
    names=("average_stars", "product_rating", "star_rating"),
    requests=(
        "We sell [hiking boots|coffee grinders|garden furniture] and every product page should show one rating. The "
        "reviews come as dicts with 'stars' (1 to 5) and 'verified' (true if the person really bought it). Marketing "
        "has ideas about [which reviews deserve to count|what's fair]...",
        "Given a list of reviews, each a dict with keys stars (an integer from 1 to 5) and verified (boolean), "
        "compute the overall rating to be displayed. Where there isn't enough evidence, a substitute is displayed.",
        "our ratings look fishy because [competitors|trolls] leave one-star reviews without buying anything. can u "
        "write sth that turns the reviews (stars, verified yes/no, as dicts) into the rating we show? there are a "
        "few rules",
        "Rating for a list of review dicts ('stars', 'verified'). Apply our [moderation rules|display policy].",
        "When my [grandfather's bakery|sister's guesthouse] got its first online review, it was one star from "
        "somebody who had mixed up the address, and for a month that was all you saw. I promised to build something "
        "fairer. I have each review as a dict, 'stars' being 1 to 5 and 'verified' True or False, and I want one "
        "rating out of the lot, or something else while there are too few.",
    ),
    details=(
        detail(
            "unverified",
            {
                "same": ("counts like any other", "is treated the same as a verified one"),
                "ignore": ("is ignored completely", "doesn't count at all"),
                "cap": ("counts, but with three stars at most", "counts for no more than 3 stars"),
            },
            careless="same",
            topics=("unverified", "verified", "not bought", "fake", "which reviews", "verified purchase"),
            say=("A review that isn't verified {}.", "An unverified review {}."),
        ),
        detail(
            "min_reviews",
            count(3, 4, 5, 6),
            careless=3,
            topics=("minimum", "too few", "how many reviews", "enough reviews", "at least", "minimum number"),
            say=(
                "There's a rating as soon as {} reviews count, before any extreme ones are left out.",
                "With fewer than {} reviews that count there's no rating, checked before leaving out extremes.",
            ),
        ),
        detail(
            "too_few",
            {
                "new": "the text 'new'",
                "not rated": "the text 'not rated'",
                0: ("the number zero", "0, as a number"),
                "-": "a single dash",
            },
            careless=0,
            topics=(
                "not enough",
                "instead of a rating",
                "no rating",
                "no reviews",
                "empty list",
                "substitute",
                "placeholder",
            ),
            say=("As long as there aren't enough reviews, show {}.", "Without enough reviews the result is {}."),
        ),
        detail(
            "extremes",
            {
                "keep": ("All of them go into the average, the extreme ones too.", "We don't throw out any outliers."),
                "both": (
                    "One best and one worst review are left out of the average.",
                    "Before averaging, take out a single highest and a single lowest review.",
                ),
                "low": (
                    "The single worst review is left out of the average.",
                    "Before averaging, take out one lowest review, just that one.",
                ),
            },
            careless="keep",
            topics=("outliers", "extreme", "extremes", "highest and lowest", "trim", "worst review", "outlier"),
        ),
        detail(
            "rounding",
            {
                "tenth": (
                    "rounded to one decimal, exact halves going up",
                    "rounded to the nearest tenth, so 4.25 becomes 4.3",
                ),
                "half_down": ("rounded down to half stars", "cut to the half star below"),
                "half_up": ("rounded up to half stars", "lifted to the next half star"),
                "whole": (
                    "rounded to whole stars, exact halves going up",
                    "rounded to the nearest whole star, and 3.5 becomes 4",
                ),
            },
            careless="tenth",
            topics=("rounding", "round", "rounded", "decimals", "half stars", "precision", "whole stars"),
            say=("The average is {}.", "We show the average {}."),
        ),
    ),
    inputs=_reviews_inputs,
    probes=_reviews_probes,
)
def review_rating(reviews, *, unverified, min_reviews, too_few, extremes, rounding):
    import math

    if unverified == "ignore":
        stars = [review["stars"] for review in reviews if review["verified"]]
    elif unverified == "cap":
        stars = [review["stars"] if review["verified"] else min(review["stars"], 3) for review in reviews]
    else:
        stars = [review["stars"] for review in reviews]
    if len(stars) < min_reviews:
        return too_few
    if extremes == "both":
        stars = sorted(stars)[1:-1]
    elif extremes == "low":
        stars = sorted(stars)[1:]
    average = sum(stars) / len(stars)
    if rounding == "tenth":
        return math.floor(average * 10 + 0.5) / 10
    elif rounding == "half_down":  # noqa: RET505
        return math.floor(average * 2) / 2
    elif rounding == "half_up":
        return math.ceil(average * 2) / 2
    else:
        return math.floor(average + 0.5)
