"""References written for the tests: one for each way in which people write Python."""

from __future__ import annotations

REFERENCES: dict[str, str] = {
    "guards": '''
def ticket(age, day, seats=1):
    """Secret docstring."""
    if age < 0:
        raise ValueError("negative age")
    if not day:
        return None
    if age < 5:
        return 0
    if age <= 17:
        return 4.5 * seats
    return 9 * seats
''',
    "class": """
class Basket:
    LIMIT = 25

    def __init__(self, items, coupon=None):
        self.items = items
        self.coupon = coupon

    def total(self):
        amount = sum(item["price"] * item["count"] for item in self.items)
        if self.coupon == "SPRING":
            amount = amount * 0.9
        if amount > self.LIMIT:
            amount -= 3
        return round(amount, 2)


def checkout(items, coupon=None):
    return Basket(items, coupon).total()
""",
    "comprehension": """
def top_names(people, limit=3):
    adults = {person["name"]: person["score"] for person in people if person["age"] >= 18}
    ranked = sorted(adults.items(), key=lambda pair: (-pair[1], pair[0]))
    return [name.title() for name, _ in ranked[:limit]]
""",
    "nested_tables": """
def fare(zone, kind, peak):
    fares = {
        "inner": {"adult": {"peak": 4.2, "quiet": 3.1}, "child": {"peak": 2.1, "quiet": 1.6}},
        "outer": {"adult": {"peak": 7.4, "quiet": 5.9}, "child": {"peak": 3.7, "quiet": 2.9}},
    }
    return fares[zone][kind]["peak" if peak else "quiet"]
""",
    "long_table": f"""
def toll(city):
    tolls = { ({f"town {chr(97 + number % 26)}{number}": number * 17 + 1000 for number in range(40)})!r}
    return tolls.get(city, 55)
""",
    "regex": """
import re

def plate_kind(plate):
    if re.fullmatch(r"[A-Z]{2}\\d{4}", plate):
        return "private"
    if re.search(r"^TX", plate):
        return "taxi"
    cleaned = re.sub(r"[^A-Z0-9]", "", plate.upper())
    return "other " + cleaned
""",
    "dates": """
from datetime import datetime, timedelta

def due(start, days=14):
    begin = datetime.strptime(start, "%Y-%m-%d")
    end = begin + timedelta(days=days)
    if end.weekday() >= 5:
        end += timedelta(days=7 - end.weekday())
    return end.strftime("%d.%m.%Y")
""",
    "recursion": """
def depth(tree, level=0):
    if level > 12:
        return -1
    if not tree.get("children"):
        return level
    return max(depth(child, level + 1) for child in tree["children"])
""",
    "generator": """
def batches(rows, size=50):
    batch = []
    for row in rows:
        if row is None:
            continue
        batch.append(row)
        if len(batch) == size:
            yield batch
            batch = []
    if batch:
        yield batch
""",
    "try_except": """
def parse_amount(text):
    try:
        value = float(text.replace(",", ""))
    except ValueError:
        return -1
    except AttributeError:
        return -2
    if value > 1000000:
        value = 1000000
    return value
""",
    "f_string": """
def greeting(name, points, city="Rome"):
    if points >= 250:
        return f"Welcome back, {name}! You have {points:,} points. Enjoy {city}."
    elif points > 0:
        return f"Hi {name}, only {250 - points} points to go."
    return f"Hello {name}"
""",
    "numpy": """
import numpy as np

def smooth(values, window=5):
    data = np.array(values, dtype=float)
    if data.size < window:
        return []
    kernel = np.ones(window) / window
    result = np.convolve(data, kernel, mode="valid")
    result[result < 0] = 0
    return np.round(result, 3).tolist()
""",
    "while_loop": """
def years_to_goal(balance, goal, rate=0.04):
    years = 0
    while balance < goal and years < 60:
        balance *= 1 + rate
        balance -= 20
        years += 1
    return years
""",
    "string_methods": """
def slug(title):
    words = title.strip().lower().replace("&", "and").split()
    words = [word for word in words if word not in ("the", "a", "of")]
    if len(words) > 8:
        words = words[:8]
    return "-".join(words)[:60]
""",
    "sets": """
def overlap(first, second):
    one, two = set(first), set(second)
    if not one or not two:
        return 0.0
    share = len(one & two) / len(one | two)
    return "similar" if share >= 0.35 else "different"
""",
    "tuple_result": """
def split_bill(total, people, tip=0.12):
    with_tip = total * (1 + tip)
    each = with_tip / people
    return round(each, 2), round(with_tip, 2), people > 8
""",
    "tuple_table": """
def grade(score):
    bands = [(90, "A"), (75, "B"), (60, "C"), (45, "D")]
    for limit, letter in bands:
        if score >= limit:
            return letter
    return "F"
""",
    "match": """
def charge(kind, weight):
    match kind:
        case "letter" | "card":
            return 0.85
        case "parcel" if weight > 10:
            return 14
        case "parcel":
            return 6.9
        case _:
            return None
""",
    "nested_conditions": """
def risk(age, smoker, history):
    score = 0
    if age > 60:
        if smoker:
            score += 30
        else:
            score += 15
    elif age > 40:
        if smoker and history:
            score += 20
    if history:
        score += 25
    return "high" if score > 50 else "medium" if score >= 20 else "low"
""",
}
"""Name of a construct -> a reference that uses it."""
