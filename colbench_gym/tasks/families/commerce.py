"""Shops: points, baskets and returns."""

from __future__ import annotations

from datetime import date, timedelta
from random import Random
from types import SimpleNamespace

from colbench_gym.tasks.family import count, detail, family, money, percent


def _points_inputs(rng: Random, d: SimpleNamespace) -> tuple:
    amount = rng.choice(
        (d.minimum, d.minimum - 1, d.minimum + 3.75, rng.randrange(10, 60) + 0.5, rng.randrange(60, 400))
    )
    return (amount, rng.choice(("basic", "gold")), rng.random() < 0.4)


def _points_probes(rng: Random, d: SimpleNamespace) -> list[tuple]:
    middle = d.minimum + 1
    over = d.cap // d.per_dollar + rng.randrange(30, 60)
    return [
        (middle + 0.75, "basic", False),
        (middle, "gold", False),
        (middle, "basic", True),
        (d.minimum, "basic", False),
        (d.minimum - 1, "gold", True),
        (over, "basic", False),
        (over, "gold", True),
        (middle + 0.5, "gold", True),
    ]


@family(
    names=("loyalty_points", "points_earned", "award_points"),
    requests=(
        "Ok so [my coffee bar is getting its own points app|we finally swapped the paper stamp cards for an app|our "
        "pet shop has a bonus card now] and the till has to know how many points somebody gets when they pay. It "
        "knows the amount in dollars, whether the person is 'gold' or just 'basic', and if it's their birthday. "
        "Whole points please.",
        "Points for one purchase. In: dollars spent, member level (basic or gold), birthday yes or no. Out: [an "
        "integer|a whole number].",
        "Please implement the accrual rule of our loyalty programme for a single transaction. The function receives "
        "the amount paid in dollars, the membership level ('basic' or 'gold') and a flag for purchases on the "
        "member's birthday; it returns the points earned as an integer. The [figures|parameters] are held by the "
        "programme office and are available on request.",
        "Third week in a row that [cashiers get yelled at|I get yelled at|people write one-star reviews] because the "
        "points on the receipt don't match our own leaflet!! I want ONE function that takes what they paid, basic or "
        "gold, and whether it's a birthday, and gives the right number of points. Yes, gold gets more. Yes, there is "
        "a limit.",
        "Good day, I have [small shoe store|toy shop|shop for the tea] and we want give points to the customers when "
        "they buy. The function should get money amount (dollars, can be with cents), the level of customer what is "
        "basic or gold, and if today he has birthday. The answer is how many points, thank you!",
        "My boss sketched our rewards scheme on a napkin and I'm [the intern|the new one] who has to code it: amount "
        "spent, level 'basic' or 'gold', birthday or not, and then the points as a whole number. I still have the "
        "napkin, so ask away.",
    ),
    details=(
        detail(
            "per_dollar",
            count(2, 4, 6),
            careless=2,
            topics=(
                "points per dollar",
                "points for a dollar",
                "per dollar",
                "earning rate",
                "how many points",
                "conversion",
            ),
            say=("Every dollar is worth {} points.", "We give {} points for each dollar spent."),
        ),
        detail(
            "cents",
            {
                "drop": ("We drop the cents first, only whole dollars earn points.", "Cents don't earn anything."),
                "up": (
                    "A started dollar counts as a whole one.",
                    "We round the amount up to the next whole dollar first.",
                ),
                "end": (
                    "Cents earn their share too, and only at the very end a fraction of a point is dropped.",
                    "Work with the exact amount and round the points down once, at the end.",
                ),
            },
            careless="end",
            topics=("cents", "rounding", "fractions", "whole dollars", "decimals", "partial dollar", "round"),
        ),
        detail(
            "minimum",
            money(5, 10, 15),
            careless=5,
            topics=(
                "minimum purchase",
                "minimum spend",
                "minimum amount",
                "small purchases",
                "smallest purchase",
                "at least",
            ),
            say=(
                "You have to spend at least {} to get any points at all.",
                "Anything under {} earns zero points, even on a birthday.",
            ),
        ),
        detail(
            "gold",
            {
                "half_again": (
                    "Gold members get half as many points again.",
                    "For gold it's one and a half times the points.",
                ),
                "double": ("Gold members get twice the points.", "Gold simply doubles the points."),
                "plus_25": (
                    "Gold members get 25 points on top of the normal ones.",
                    "For gold we add 25 points per purchase.",
                ),
            },
            careless="double",
            topics=("gold", "gold members", "member level", "membership level", "gold bonus", "tiers", "status"),
        ),
        detail(
            "birthday",
            {
                "double": (
                    "On a birthday we double whatever they'd get otherwise, gold bonus included.",
                    "A birthday doubles the points, and that's on top of what gold gives.",
                ),
                "plus_50": (
                    "A birthday is worth 50 points extra.",
                    "We add 50 points on a birthday, after the gold bonus.",
                ),
                "plus_100": (
                    "A birthday is worth 100 points extra.",
                    "We add 100 points on a birthday, after the gold bonus.",
                ),
            },
            careless="double",
            topics=("birthday", "birthdays", "birthday bonus", "birthday points", "special day"),
        ),
        detail(
            "cap",
            count(200, 300, 400),
            careless=200,
            topics=("limit", "maximum", "cap", "most points", "upper limit", "max points"),
            say=("One purchase can earn {} points at most.", "We stop at {} points per purchase."),
        ),
        detail(
            "cap_order",
            {
                "first": (
                    "The limit is applied before the birthday extra, so a birthday can take you past it.",
                    "Birthday points come after the limit, they may go above it.",
                ),
                "last": (
                    "The limit comes last, even birthday points can't get past it.",
                    "Whatever happens, birthday or not, nobody ends up above the limit.",
                ),
            },
            careless="last",
            topics=(
                "limit before or after",
                "limit include birthday",
                "limit on birthdays",
                "cap include",
                "cap before or after",
                "which comes first",
                "above the limit",
            ),
        ),
    ),
    inputs=_points_inputs,
    probes=_points_probes,
)
def loyalty_points(amount, level, is_birthday, *, per_dollar, cents, minimum, gold, birthday, cap, cap_order):
    import math

    if amount < minimum:
        return 0
    if cents == "drop":
        amount = math.floor(amount)
    elif cents == "up":
        amount = math.ceil(amount)
    points = amount * per_dollar
    if level == "gold":
        if gold == "half_again":
            points *= 1.5
        elif gold == "double":
            points *= 2
        else:
            points += 25
    if cap_order == "first":
        points = min(points, cap)
    if is_birthday:
        if birthday == "double":
            points *= 2
        elif birthday == "plus_50":
            points += 50
        else:
            points += 100
    if cap_order == "last":
        points = min(points, cap)
    return math.floor(points)


def _line(rng: Random, price: int, on_sale: bool) -> dict:
    """One line of the basket worth `price` in all, sometimes as two pieces at half of it."""
    quantity = 2 if price % 20 == 0 and rng.random() < 0.5 else 1
    return {"price": price // quantity, "quantity": quantity, "on_sale": on_sale}


def _basket_inputs(rng: Random, d: SimpleNamespace) -> tuple:
    goal = rng.choice((d.tier_from, d.tier_from - 10, d.big_from, d.big_from - 10, d.big_from + 60, 30))
    sale = rng.choice((0, 0, 20, 40, 60))
    items = [_line(rng, goal - 10, False), {"price": 10, "quantity": 1, "on_sale": False}]
    if sale:
        items.insert(rng.randrange(3), _line(rng, sale, True))
    coupon = rng.choice((None, None, None, "WELCOME", "WELCOME", "welcome", " Welcome ", "WELCOME ", "SUMMER"))
    return (items, coupon)


def _basket_probes(rng: Random, d: SimpleNamespace) -> list[tuple]:
    return [
        ([_line(rng, d.tier_from, False)], None),
        ([_line(rng, d.tier_from - 10, False), _line(rng, 40, True)], None),
        ([_line(rng, d.big_from, False)], None),
        ([_line(rng, d.big_from - 10, False), _line(rng, 40, True)], None),
        ([_line(rng, d.tier_from + 20, False), _line(rng, 60, True)], "WELCOME"),
        ([_line(rng, 30, False)], "WELCOME"),
        ([_line(rng, 40, False)], "welcome"),
        ([_line(rng, 40, False)], " WELCOME "),
        ([_line(rng, d.tier_from - 10, False)], None),
        ([_line(rng, d.big_from - 10, False)], None),
    ]


@family(
    names=("basket_total", "cart_price", "checkout_total"),
    requests=(
        "I run [a garden centre webshop|an online yarn store|a small web shop for board games] and the cart keeps "
        "showing prices nobody understands. Each line in the cart is a dict with 'price', 'quantity' and 'on_sale' "
        "(true or false), then there's a coupon text, or None if they didn't type one. What should the customer pay? "
        "Bigger carts get a discount, in two steps.",
        "Cart total after volume discount and coupon. Items are dicts: price, quantity, on_sale. Coupon is a string "
        "or None.",
        "Write a function that prices a shopping basket. Input 1: a list of dictionaries with the keys 'price' "
        "(dollars), 'quantity' and 'on_sale' (boolean). Input 2: the coupon code as entered by the customer, "
        "possibly None. Output: the amount due. Two discount levels exist, and the interplay between [sale goods, "
        "levels and coupon|sale items, discount levels and coupon] is regulated.",
        "So the thing is, marketing invented a coupon, sales already had the discount for large orders, and then "
        "there's [the clearance stuff|the sale rack], and of course nobody wrote down how these go together, well, I "
        "did, somewhere. Could you make the function that gets the basket (list of dicts with price, quantity and "
        "on_sale) plus whatever code was typed, None when there's none, and says what they pay in the end?",
        "please help with homework-ish thing for [our student shop|the school fair web shop]: total of a cart where "
        "every item has price, quantity, on_sale as dict keys, with a coupon param (text or None) and discounts when "
        "you spend a lot. return just the final price",
        "A customer paid [less than cost|almost nothing] yesterday because the old code got every single discount "
        "wrong. Never again. Take the list of items, each a dict of price, quantity and on_sale, and the coupon they "
        "entered (may be None), and return the correct price.",
    ),
    details=(
        detail(
            "tier_from",
            money(50, 80, 100),
            careless=100,
            topics=(
                "first level",
                "first step",
                "first tier",
                "first discount",
                "lower threshold",
                "smaller discount starts",
            ),
            say=(
                "The first discount level starts at {}, and exactly that is enough.",
                "From {} on you're in the first level.",
            ),
        ),
        detail(
            "tier_rate",
            percent(5, 10, 15),
            careless=0.1,
            topics=("first rate", "first percentage", "first level discount", "lower percentage", "smaller percentage"),
            say=("The first level gets {} off.", "We take {} off in the first discount level."),
        ),
        detail(
            "big_from",
            money(200, 250, 300),
            careless=200,
            topics=(
                "second level",
                "second step",
                "second tier",
                "upper threshold",
                "large orders",
                "bigger discount starts",
            ),
            say=(
                "The second discount level starts at {}, and exactly that is enough.",
                "From {} on you're in the second level.",
            ),
        ),
        detail(
            "big_rate",
            percent(20, 25, 30),
            careless=0.2,
            topics=(
                "second rate",
                "second percentage",
                "second level discount",
                "higher percentage",
                "largest discount",
            ),
            say=(
                "The second level gets {} off, instead of the first one's discount.",
                "In the second level it's {} off.",
            ),
        ),
        detail(
            "sale_items",
            {
                "included": (
                    "Things on sale get the volume discount like everything else.",
                    "Sale items are treated like any other item.",
                ),
                "excluded": (
                    "Sale items help to reach a discount level, but the percentage isn't taken off them.",
                    "Things on sale count towards the level, yet only the other items are discounted.",
                ),
                "not_counted": (
                    "Sale items neither count towards a level nor get the percentage off.",
                    "For the volume discount we ignore sale items altogether, they just cost what they cost.",
                ),
            },
            careless="included",
            topics=("sale items", "on sale", "sale", "reduced items", "clearance", "already reduced", "exclusions"),
        ),
        detail(
            "coupon_off",
            money(5, 10, 15),
            careless=10,
            topics=("coupon worth", "coupon value", "coupon code", "coupons", "codes", "voucher", "valid coupon"),
            say=(
                "The only valid code is 'WELCOME', it takes {} off the total.",
                "There's one coupon, 'WELCOME', worth {}, and any other code does nothing.",
            ),
        ),
        detail(
            "typing",
            {
                "exact": (
                    "The code has to be typed exactly, capitals and all.",
                    "If the coupon's spelling differs in case or has stray spaces, it doesn't count.",
                ),
                "any_case": (
                    "Upper or lower case doesn't matter in the code, but a stray space makes it invalid.",
                    "We accept the coupon in any mix of capitals, just not with spaces around it.",
                ),
                "forgiving": (
                    "Case doesn't matter in the code and spaces around it are fine.",
                    "We trim spaces around the coupon and ignore upper and lower case.",
                ),
            },
            careless="exact",
            topics=(
                "case",
                "upper case",
                "lower case",
                "spaces",
                "case-sensitive",
                "typed",
                "whitespace",
                "exact match",
            ),
        ),
        detail(
            "stacking",
            {
                "both": (
                    "They can have both: volume discount first, then the coupon comes off what's left.",
                    "The coupon is taken off after the volume discount, so both count.",
                ),
                "coupon_only": (
                    "Whoever uses a valid coupon gets no volume discount, only the coupon.",
                    "A valid coupon replaces the volume discount, even if that's worse for the customer.",
                ),
                "better": (
                    "It's either coupon or volume discount, whichever makes it cheaper.",
                    "They don't add up, the customer gets the better one of the two discounts.",
                ),
            },
            careless="both",
            topics=("combine", "combined", "stack", "together", "both discounts", "order of discounts", "add up"),
        ),
    ),
    inputs=_basket_inputs,
    probes=_basket_probes,
)
def basket_price(items, coupon, *, tier_from, tier_rate, big_from, big_rate, sale_items, coupon_off, typing, stacking):
    total = sum(item["price"] * item["quantity"] for item in items)
    if sale_items != "included":
        regular = sum(item["price"] * item["quantity"] for item in items if not item["on_sale"])
    if (regular if sale_items == "not_counted" else total) >= big_from:
        rate = big_rate
    elif (regular if sale_items == "not_counted" else total) >= tier_from:
        rate = tier_rate
    else:
        rate = 0
    price = total - (total if sale_items == "included" else regular) * rate
    if (
        coupon
        if typing == "exact"
        else (coupon or "").upper()
        if typing == "any_case"
        else (coupon or "").strip().upper()
    ) == "WELCOME":
        if stacking == "both":
            price -= coupon_off
        elif stacking == "coupon_only":
            price = total - coupon_off
        else:
            price = min(price, total - coupon_off)
    return round(price, 2)


# Multiples of 0.80: every share that can be asked for comes out in whole cents, never in whole dollars.
_PRICES = (23.2, 36.8, 49.6, 62.4, 88.8, 120.8)


def _refund_inputs(rng: Random, d: SimpleNamespace) -> tuple:
    days = rng.choice((d.full_days, d.full_days + 1, d.last_days, d.last_days + 1, rng.randrange(130)))
    return (rng.choice(_PRICES), *_bought_and_returned(rng, rng.choice((3, 6, 11, 12)), days), rng.random() < 0.5)


def _refund_probes(rng: Random, d: SimpleNamespace) -> list[tuple]:
    def back_after(days: int, opened: bool, month: int = 4) -> tuple:
        return (rng.choice(_PRICES), *_bought_and_returned(rng, month, days), opened)

    return [
        back_after(d.full_days, False),
        back_after(d.full_days + 1, False),
        back_after(d.last_days, True),
        back_after(d.last_days + 1, False),
        back_after(d.full_days, True),
        back_after(d.full_days + 8, False, month=11),
        back_after(d.full_days + 4, False, month=12),
    ]


def _bought_and_returned(rng: Random, month: int, days: int) -> tuple[str, str]:
    bought = date(rng.choice((2022, 2023, 2024)), month, rng.randrange(12, 29))
    return bought.isoformat(), (bought + timedelta(days=days)).isoformat()


@family(
    names=("refund_amount", "money_back", "return_refund"),
    requests=(
        "When people bring things back late we never agree on what they get. I want to type in the price, the date "
        "they bought it, the date it came back (both like 2024-03-31) and whether it's been opened, and see the "
        "refund. [Early returns get everything, later ones get some of it, very late ones get nothing.|The longer "
        "they wait, the less they get.]",
        "Refund calculator: price, purchase date and return date as ISO strings, opened or not. Returns the dollars "
        "we pay back.",
        "Would you mind writing the returns rule for [our outdoor gear shop|my sister's kitchenware store|the museum "
        "shop]? The arguments are the price in dollars, two dates in the form YYYY-MM-DD and a boolean for an opened "
        "package. I forget what we decided for [the weeks before Christmas|the holidays], but it's all in my binder "
        "and I can look things up.",
        "It is necessary to calculate refund for the returned product. Input data: price, when was bought, when was "
        "returned (text, year-month-day) and was the package opened (True or False). Output: sum of the refund. "
        "[Please consider|Important] that the rules of our shop are not the same as in other shops.",
        "I'm so done with [customers arguing at the desk|chargebacks|people waving month-old receipts]. Price, date "
        "bought, date returned (text, YYYY-MM-DD), opened flag. Tell my staff what to hand back, and make it match "
        "OUR policy, not some textbook one.",
        "For my internship project I am digitising the paper return form of [an electronics shop|a bookstore]. It "
        "has four fields: price, bought on, returned on (ISO dates) and a tick box that says opened. The form's last "
        "line is the amount refunded, and that is what the function should compute.",
    ),
    details=(
        detail(
            "full_days",
            count(14, 30, 45),
            careless=30,
            topics=("full refund", "return window", "return period", "deadline", "all their money", "how many days"),
            say=(
                "Within {} days they get the whole price back, and the last of those days still counts.",
                "The full refund is for returns up to {} days after the purchase, inclusive.",
            ),
        ),
        detail(
            "last_days",
            count(60, 90, 120),
            careless=60,
            topics=("no refund", "latest", "too late", "final cut-off", "cutoff", "nothing back", "very late"),
            say=(
                "After more than {} days there's no refund at all.",
                "Day {} is the last one on which we still pay something back.",
            ),
        ),
        detail(
            "late_share",
            percent(50, 60, 75),
            careless=0.5,
            topics=(
                "late returns",
                "partial refund",
                "late refund",
                "reduced refund",
                "share of the price",
                "late percentage",
            ),
            say=(
                "Late returns get {} of the price.",
                "Once the full refund is off the table we give back {} of what they paid.",
            ),
        ),
        detail(
            "opened_box",
            {
                "tenth": (
                    "For an opened package we keep 10% of the price.",
                    "Opened means the refund drops by 10% of the price.",
                ),
                "flat": (
                    "Opened packages cost them $15 of the refund, though it never goes below zero.",
                    "If it's been opened we take $15 off the refund and stop at zero.",
                ),
                "half": (
                    "An opened item gets half of the refund it'd get otherwise.",
                    "Opened cuts the refund in half.",
                ),
            },
            careless="tenth",
            topics=("opened", "open package", "used items", "restocking", "restocking fee", "packaging", "condition"),
        ),
        detail(
            "season",
            {
                "none": (
                    "Christmas presents follow the same rules as everything else, no extra time.",
                    "There's no longer return time for the holidays after all.",
                ),
                "december": (
                    "Anything bought in December counts as bought on the 1st of January.",
                    "For December purchases the days only start running on the 1st of January.",
                ),
                "nov_dec": (
                    "Anything bought in November or December counts as bought on the 1st of January.",
                    "For November and December purchases the days only start running on the 1st of January.",
                ),
            },
            careless="none",
            topics=("christmas", "holiday", "holidays", "season", "december", "gifts", "extended"),
        ),
        detail(
            "rounding",
            {
                "cents": ("We pay it out to the cent.", "Round the refund to two decimals."),
                "down": ("The refund is rounded down to whole dollars.", "We drop the cents of the refund at the end."),
                "up": ("The refund is rounded up to whole dollars.", "In the end we round up to the next full dollar."),
            },
            careless="cents",
            topics=("rounding", "round", "cents", "whole dollars", "decimals", "exact amount"),
        ),
    ),
    inputs=_refund_inputs,
    probes=_refund_probes,
)
def late_return_refund(
    price, bought_on, returned_on, opened, *, full_days, last_days, late_share, opened_box, season, rounding
):
    if rounding != "cents":
        import math
    from datetime import date

    bought = date.fromisoformat(bought_on)
    if (season == "december" and bought.month == 12) or (season == "nov_dec" and bought.month >= 11):
        bought = date(bought.year + 1, 1, 1)
    days = (date.fromisoformat(returned_on) - bought).days
    if days <= full_days:
        refund = price
    elif days <= last_days:
        refund = price * late_share
    else:
        return 0
    if opened:
        if opened_box == "tenth":
            refund -= price * 0.1
        elif opened_box == "flat":
            refund = max(0, refund - 15)
        else:
            refund /= 2
    return math.floor(refund) if rounding == "down" else math.ceil(refund) if rounding == "up" else round(refund, 2)
