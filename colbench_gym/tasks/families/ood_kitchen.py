"""The kitchen: amounts for more guests, dishes for guests with allergies."""

from __future__ import annotations

from random import Random
from types import SimpleNamespace

from colbench_gym.tasks.family import count, detail, family

_STAPLES = {
    "g": ("flour", "butter", "sugar", "rice", "lentils"),
    "ml": ("milk", "cream", "stock", "coconut milk"),
    "pcs": ("eggs", "onions", "lemons", "carrots"),
    "pinch": ("salt", "saffron", "nutmeg"),
    "": ("parsley", "pepper", "chives"),
}


def _ingredient(rng: Random, unit: str, *amounts: int | float) -> tuple[str, tuple]:
    name = rng.choice(_STAPLES[unit])
    return (name, (rng.choice(amounts) if amounts else None, unit))


def _recipe_inputs(rng: Random, d: SimpleNamespace) -> tuple:
    lines = [
        _ingredient(rng, "g", 125, 250, 300, 500, 35, 12),
        _ingredient(rng, "ml", 100, 180, 250, 400, 15),
        _ingredient(rng, "pcs", 1, 2, 3, 5),
        _ingredient(rng, "pinch", 1, 2),
        _ingredient(rng, ""),
    ]
    return (dict(rng.sample(lines, rng.randrange(1, 5))), rng.choice((2, 4, 8)), rng.choice((1, 2, 3, 5, 6, 10, 12)))


def _recipe_probes(rng: Random, d: SimpleNamespace) -> list[tuple]:
    return [
        (dict([_ingredient(rng, "g", 250, 350), _ingredient(rng, "pcs", 1, 3), _ingredient(rng, "pinch", 1)]), 4, 5),
        (dict([_ingredient(rng, "ml", 33, 78, 103), _ingredient(rng, "pcs", 3, 5), _ingredient(rng, "")]), 8, 6),
        (dict([_ingredient(rng, "g", 250), _ingredient(rng, "pinch", 1, 2), _ingredient(rng, "")]), 2, 8),
        (dict([_ingredient(rng, "ml", 500), _ingredient(rng, "pcs", 2)]), 4, 16),
        (dict([_ingredient(rng, "g", 700, 750), _ingredient(rng, "pinch", 1)]), 2, 12),
        (dict([_ingredient(rng, "g", 11, 51, 201), _ingredient(rng, "ml", 101)]), 4, 4),
    ]


@family(
    names=("scale_recipe", "shopping_amounts", "recipe_for_guests"),
    requests=(
        "My [grandmother|mother-in-law|uncle Toni] left me a box of recipes, all for odd numbers of people, and I cook "
        "for a different crowd every [Sunday|weekend]. I'd give it the ingredients like {'flour': (250, 'g'), 'eggs': "
        "(3, 'pcs')}, how many servings the recipe is for and how many I want. Units are g, ml, pcs or pinch; some "
        "things like pepper have no amount (None, and an empty unit). It should give me a dict of the new amounts.",
        "Scale recipes for our [canteen|catering kitchen]. Dict of ingredient to (amount, unit), from servings to "
        "wanted; unit is g, ml, pcs or pinch, amount may be None. Return a dict by ingredient, rounded the way a cook "
        "would.",
        "Have you ever tried to weigh 183.75 grams of butter in a hurry? Me neither, and that's why [the "
        "apprentices|my kitchen crew] need proper numbers. Ingredients are a dictionary of name to a pair of amount "
        "(or None) and unit, one of 'g', 'ml', 'pcs', 'pinch' or '' without amount. Given the servings it's written "
        "for and the wanted ones, return usable amounts by name.",
        "I'm building a [meal-planning app|food blog] and would like a backend function that converts an ingredients "
        "mapping (name -> (amount or None, unit in g/ml/pcs/pinch)) from one number of servings to another. The result "
        "is again a mapping by name. I know how I want roundings and the output to look, so check with me on those.",
        "we are [scout camp|mountain hut|summer school] kitchen, many persons, and old recipe is always for 4. "
        "function should take ingredients (dict: name and pair of amount with unit: g, ml, pcs, pinch; amount None "
        "when recipe gives none), the servings in recipe, the servings we want. give me dict with the amounts for "
        "shopping.",
    ),
    details=(
        detail(
            "step",
            count(5, 10, 25),
            careless=5,
            topics=("round grams", "rounding", "nearest", "grams", "round up", "millilitres", "g and ml"),
            say=(
                "Grams and millilitres are rounded up to a multiple of {}.",
                "For g and ml I go up to the next full {}, unless it's one already.",
            ),
        ),
        detail(
            "pieces",
            {
                "up": ("are rounded up to whole ones", "go up to the next whole number"),
                "half": ("are rounded up to halves", "go up to the next half, so 1.5 is possible"),
                "down": ("are rounded down to whole ones", "go down to a whole number"),
                "exact": ("aren't rounded", "stay exact, decimals and all"),
            },
            careless="up",
            topics=("pieces", "pcs", "eggs", "half an egg", "whole pieces", "fractions"),
            say=("Pieces {}.", "Amounts in pcs {}."),
        ),
        detail(
            "pinch",
            {
                "fixed": ("never changes, however many people come", "stays what it is, we don't scale it"),
                "scaled": (
                    "is scaled as well and rounded up to whole pinches",
                    "grows along, up to the next whole pinch",
                ),
                "double": (
                    "is scaled and rounded up to whole pinches, but never more than double the recipe's amount",
                    "grows along, up to the next whole pinch, but at most to twice the original",
                ),
            },
            careless="scaled",
            topics=("pinch", "pinches", "salt", "spices", "seasoning", "small amounts"),
            say=("A pinch {}.", "Anything measured in pinches {}."),
        ),
        detail(
            "big_from",
            {
                None: ("Keep g and ml even when it's thousands", "We never convert to kilos or litres"),
                1000: (
                    "If the rounded amount is 1,000 g or ml or more, turn it into kg or l",
                    "From 1,000 on, after rounding, g become kg and ml become l",
                ),
                2000: (
                    "If the rounded amount is 2,000 g or ml or more, turn it into kg or l",
                    "From 2,000 on, after rounding, g become kg and ml become l",
                ),
            },
            careless=None,
            topics=("kilos", "kg", "litres", "convert", "large amounts", "unit conversion", "thousand"),
            say="{}.",
        ),
        detail(
            "no_amount",
            {
                "to taste": ("gets the text 'to taste' and nothing else", "is shown as just 'to taste'"),
                "as needed": ("gets the text 'as needed' and nothing else", "is shown as just 'as needed'"),
                "drop": ("is left out of the result", "doesn't show up in the result"),
            },
            careless="to taste",
            topics=("no amount", "none", "missing amount", "without amount", "to taste", "unspecified"),
            say=("An ingredient whose amount is None {}.", "If there's no amount, just None, the ingredient {}."),
        ),
        detail(
            "style",
            {
                "pair": ("as a tuple of amount and unit, just like in the input", "as pairs of number and unit"),
                "text": (
                    "as text like '250 g' or '1.5 kg', with no needless zeros",
                    "as '250 g' or '1.5 pcs', with a space",
                ),
                "tight": (
                    "as text with no space like '250g' or '1.5kg', and no needless zeros",
                    "as '250g' or '1.5pcs', no space",
                ),
            },
            careless="pair",
            topics=("output", "result format", "how amounts look", "text or number", "tuple", "written"),
            say=("I'd like the amounts {}.", "Give me the new amounts {}."),
        ),
    ),
    inputs=_recipe_inputs,
    probes=_recipe_probes,
    held_out=True,
)
def recipe_scaling(ingredients, servings, wanted, *, step, pieces, pinch, big_from, no_amount, style):
    import math

    scaled = {}
    for name, measure in ingredients.items():
        amount, unit = measure
        if amount is None:
            if no_amount != "drop":
                scaled[name] = no_amount
            continue
        needed = amount * wanted / servings
        if unit in ("g", "ml"):
            amount = math.ceil(needed / step) * step
            if big_from is not None and amount >= big_from:
                amount /= 1000
                unit = "kg" if unit == "g" else "l"
        elif unit == "pcs":
            if pieces == "up":
                amount = math.ceil(needed)
            elif pieces == "half":
                amount = math.ceil(needed * 2) / 2
            elif pieces == "down":
                amount = math.floor(needed)
            else:
                amount = needed
        elif pinch == "scaled":
            amount = math.ceil(needed)
        elif pinch == "double":
            amount = min(math.ceil(needed), 2 * amount)
        if style == "pair":
            scaled[name] = (amount, unit)
        elif style == "text":
            scaled[name] = f"{amount:g} {unit}"
        else:
            scaled[name] = f"{amount:g}{unit}"
    return scaled


_DISHES = (
    "pad thai", "minestrone", "lasagne", "falafel", "brownie", "goulash", "risotto", "caesar salad", "pho",
)  # fmt: skip
_FOODS = ("milk", "egg", "wheat", "fish", "soy", "almond", "walnut", "cashew", "peanut", "sesame")
_PRICES = (6.5, 7, 8.5, 9, 9.5, 11, 12.5)


def _dish(rng: Random, contains: list[str] | None, may_contain: list[str], price: float | None = None) -> dict:
    return {"price": rng.choice(_PRICES) if price is None else price, "contains": contains, "may_contain": may_contain}


def _menu_inputs(rng: Random, d: SimpleNamespace) -> tuple:
    menu = {}
    for name in rng.sample(_DISHES, rng.randrange(3, 7)):
        if rng.random() < 0.15:
            menu[name] = _dish(rng, None, [])
        else:
            menu[name] = _dish(rng, rng.sample(_FOODS, rng.randrange(0, 3)), rng.sample(_FOODS, rng.choice((0, 0, 1))))
    return (menu, rng.sample((*_FOODS, "nuts", "nuts", "nuts"), rng.randrange(0, 3)))


def _menu_probes(rng: Random, d: SimpleNamespace) -> list[tuple]:
    def menu(*rows: tuple) -> dict:
        return {name: _dish(rng, *row) for name, row in zip(rng.sample(_DISHES, len(rows)), rows, strict=True)}

    nutty = menu(*((["milk", food], []) for food in ("almond", "walnut", "cashew", "peanut", "sesame")), (None, []))
    cheap, dear = rng.sample(_PRICES, 2)
    return [
        (nutty, ["nuts"]),
        (menu((["wheat"], ["egg"], dear), (None, [], cheap), ([], [], dear), (["egg"], [], 7)), ["egg"]),
        (menu((["fish"], ["soy"], 9), (["soy"], [], 9), (["milk"], [], 6.5), (["egg"], ["milk"], 9)), ["soy"]),
        ({}, ["milk"]),
    ]


@family(
    names=("safe_dishes", "dishes_without_allergens", "menu_for_guest"),
    requests=(
        "Every evening some guest asks what they can eat here, and my waiters [run to the kitchen ten times|make it "
        "up]. The menu is a dict from dish to a dict with 'price', 'contains' (a list of ingredients, or None if the "
        "cook didn't say) and 'may_contain' (traces). With the list of what the guest has to avoid, tell me what we "
        "may serve, as a list.",
        "Allergen filter for [our canteen app|the school lunch page]. menu = {dish: {'price', 'contains', "
        "'may_contain'}}, the latter two being lists of ingredients, contains can be None. avoid = list. Return the "
        "list of dish names.",
        "My son has allergies and [the holiday camp|his new nursery] publishes a menu as data, which is great! Each "
        "dish has a 'price', a list 'contains' (None where nobody filled it in) and a list 'may_contain' for traces. "
        "I'd like to pass that dictionary together with the things he can't have and see a list of dishes that are "
        "left for him.",
        "Please implement the selection of suitable dishes. The menu maps the name of a dish to a dictionary holding "
        "price, contains (a list, or None if not recorded) and may_contain (a list of traces); avoid lists ingredients "
        "in lower case, where 'nuts' stands for a whole group. The names of suitable dishes are returned in a list; "
        "[doubtful cases need care|the doubtful cases should follow our policy].",
        "ugh, a [blogger|customer] just wrote we nearly poisoned her with a walnut brownie. I need this fixed TODAY: "
        "dishes come as a dict of dicts (price, contains, may_contain), she says what she avoids in a list, e.g. "
        "['nuts', 'milk'], and we answer with the list of dishes. contains is None for stuff we never looked up.",
    ),
    details=(
        detail(
            "traces",
            {
                "allowed": (
                    "are fine, only what it really contains matters",
                    "don't matter, the dish is listed as usual",
                ),
                "forbidden": (
                    "rule a dish out just like the ingredient itself",
                    "are as bad as the real thing, leave it out",
                ),
                "marked": (
                    "are allowed, but put ' (traces)' behind the dish's name",
                    "don't rule it out, but add ' (traces)' to the name",
                ),
            },
            careless="forbidden",
            topics=("traces", "may contain", "may_contain", "trace", "cross contamination"),
            say=(
                "Traces of something they avoid {}.",
                "If something they avoid is only in the list of traces, those {}.",
            ),
        ),
        detail(
            "nuts",
            {
                ("almond", "walnut", "cashew"): "'almond', 'walnut' and 'cashew', but not 'peanut'",
                ("almond", "walnut", "cashew", "peanut"): "'almond', 'walnut', 'cashew' and even 'peanut'",
                ("almond", "walnut"): "only 'almond' and 'walnut', no other kinds",
                ("almond", "walnut", "peanut", "sesame"): "'almond', 'walnut', 'peanut' and 'sesame', but not 'cashew'",
            },
            careless=("almond", "walnut", "cashew"),
            topics=("nuts", "nut", "groups", "group of ingredients", "peanuts", "almonds", "kinds of nuts"),
            say=("When somebody avoids 'nuts', that stands for {}.", "By 'nuts' we mean {}."),
        ),
        detail(
            "no_info",
            {
                "drop": ("leave the dish out", "we don't offer it"),
                "safe": ("list it like any suitable dish", "assume it's fine and list it"),
                "ask": ("list it with ' (ask)' behind the name", "keep it, but add ' (ask)' to the name"),
            },
            careless="drop",
            topics=("no information", "contains none", "unknown ingredients", "missing", "not filled in", "none"),
            say=("If 'contains' is None, {}.", "For a dish where 'contains' is None, {}."),
        ),
        detail(
            "order",
            {
                "menu": ("Keep the order of the menu", "The dishes stay in the order in which the menu has them"),
                "price": (
                    "Cheapest first, and at the same price by name from A to Z",
                    "Sort by price from low to high, with equal prices by name alphabetically",
                ),
                "dearest": (
                    "Most expensive first, and at the same price by name from A to Z",
                    "Sort by price from high to low, with equal prices by name alphabetically",
                ),
                "name": ("Sort the dishes by name from A to Z", "Alphabetically by the name of the dish, please"),
            },
            careless="menu",
            topics=("order", "sort", "sorted", "sort order", "ties", "same price", "alphabetical"),
            say="{}.",
        ),
    ),
    inputs=_menu_inputs,
    probes=_menu_probes,
    held_out=True,
)
def menu_filter(menu, avoid, *, traces, nuts, no_info, order):
    avoided = set(avoid)
    if "nuts" in avoided:
        avoided.update(nuts)
    if order == "price":
        dishes = sorted(menu, key=lambda dish: (menu[dish]["price"], dish))
    elif order == "dearest":
        dishes = sorted(menu, key=lambda dish: (-menu[dish]["price"], dish))
    elif order == "name":
        dishes = sorted(menu)
    else:
        dishes = list(menu)
    suitable = []
    for dish in dishes:
        contains = menu[dish]["contains"]
        if contains is None:
            if no_info == "safe":
                suitable.append(dish)
            elif no_info == "ask":
                suitable.append(f"{dish} (ask)")
            continue
        if avoided.intersection(contains):
            continue
        if traces == "allowed":
            suitable.append(dish)
        elif traces == "forbidden":
            if not avoided.intersection(menu[dish]["may_contain"]):
                suitable.append(dish)
        else:
            doubtful = avoided.intersection(menu[dish]["may_contain"])
            suitable.append(f"{dish} (traces)" if doubtful else dish)
    return suitable
