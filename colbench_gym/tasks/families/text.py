"""Names, messages and other short texts."""

from __future__ import annotations

from random import Random
from types import SimpleNamespace

from colbench_gym.tasks.family import count, detail, family

_SHORT_WORDS = ("Red", "Big", "Blue", "Warm", "Large", "Tiny", "Green", "Soft", "Wooden", "Grey", "Summer", "Plain")
_THINGS = ("Mug", "T-Shirt", "Tea-Towel", "Lamp (LED)", "3.5mm Cable", "Kid's Hat", "Bag", "Poster, A2", "Plate")
_BRANDS = ("M&M", "Smith & Sons", "O'Neill's", "B&K", "Salt & Co.", "Nordlicht", "R&B")
_TAILS = ("for the Garden", "of Wool", "with a Lid", "for Kids", "of the Year", "with the Dog", "in a Box")


def _slug_inputs(rng: Random, d: SimpleNamespace) -> tuple:
    if rng.random() < 0.1:
        return (rng.choice(("", "???", " - ", "!!", "***")),)
    words = [rng.choice(_BRANDS), *rng.sample(_SHORT_WORDS, rng.randrange(4)), rng.choice(_THINGS)]
    if rng.random() < 0.6:
        words.append(rng.choice(_TAILS))
    if rng.random() < 0.3:
        words.insert(0, rng.choice(("The", "A", "An")))
    return (" ".join(words),)


def _slug_probes(rng: Random, d: SimpleNamespace) -> list[tuple]:
    return [
        (f"{rng.choice(('R&B', 'M&M', 'B&K'))} {rng.choice(('Mug', 'Lamp', 'Bag'))}",),
        (f"{rng.choice(_SHORT_WORDS)} {rng.choice(('Kid', 'Girl', 'Dad'))}'s T-Shirt",),
        (f"The {rng.choice(('Bag', 'Box', 'Tin'))} of {rng.choice(('Tea', 'Nuts', 'Salt'))} for a Cat",),
        (rng.choice(("", "???", " - ", "!!")),),
        (" ".join(rng.sample(_SHORT_WORDS, 10)),),
        (" ".join(rng.sample(_SHORT_WORDS, 11)),),
        (" ".join(rng.sample(_SHORT_WORDS, 10)),),
    ]


@family(
    names=("product_slug", "make_product_slug", "slug_for_title"),
    requests=(
        "Our [shop|web store|catalogue] has product names full of ampersands, apostrophes and capital letters, and "
        "the links look [horrible|like a cat walked over the keyboard]. Turn a name into a neat lower-case slug for "
        "me?",
        "Specification: given the title of [a product|an article of the range], return its URL slug. Slugs consist "
        "of lower-case letters and digits plus our separator. Length is limited. Titles are plain English without "
        "accents.",
        "slug from title. lower case, not too long, no weird signs. thx",
        "So the last agency hard-coded every single link by hand, eight hundred of them, and now that we've moved to "
        "[a new platform|our own site] I need those endings made automatically from the product title. [Google|The "
        "SEO lady] wants them short, and our shop software has opinions about which little words and signs may stay. "
        "All lower case, that much I know.",
        "I am building webshop for [my uncle|a client] and each product have a title, from title must come the last "
        "part of the address. In small letters. Some titles is very long, some have & and other signs inside.",
        "Can you write the function that makes our link names? It gets the title as it stands [on the label|in the "
        "price list] and hands back the lower-case version we can put behind the slash. Do ask about the odd cases.",
    ),
    details=(
        detail(
            "separator",
            {"-": "a dash", "_": "an underscore", ".": "a dot"},
            careless="-",
            topics=("separator", "between the words", "between words", "joined", "hyphen", "underscore", "spaces"),
            say=("The words are joined with {}.", "We put {} between the words."),
        ),
        detail(
            "ampersand",
            {
                "word": ("becomes a word of its own, 'and'", "is spelled out as a separate word 'and'"),
                "gap": ("counts as a space", "is treated like a space"),
                "glue": ("just vanishes and leaves no gap", "is taken out with no gap left behind"),
            },
            careless="word",
            topics=("ampersand", "and sign", "&", "ampersands", "the word and"),
            say=("An ampersand {}.", "That & sign {}, wherever it stands."),
        ),
        detail(
            "punctuation",
            {
                "gap": "every sign, dashes and apostrophes too, counts as a space",
                "remove": "every sign, dashes and apostrophes too, vanishes without leaving a gap",
                "apostrophe": "apostrophes vanish without a gap while any other sign, dashes too, counts as a space",
            },
            careless="gap",
            topics=(
                "punctuation",
                "special characters",
                "apostrophe",
                "apostrophes",
                "symbols",
                "other signs",
                "dashes",
            ),
            say=("Apart from the ampersand, {}.", "Ampersands aside, {}."),
        ),
        detail(
            "small_words",
            {
                "keep": ("All the little words like 'the' stay in.", "We don't drop any small words, 'the' stays too."),
                "articles": (
                    "Leave out 'a', 'an' and 'the', but no other word.",
                    "Only 'a', 'an' and 'the' get dropped.",
                ),
                "more": (
                    "Leave out 'a', 'an', 'the', 'of', 'for' and 'with', wherever they come.",
                    "We drop the words 'a', 'an', 'the', 'of', 'for' and 'with'.",
                ),
            },
            careless="keep",
            topics=("small words", "stop words", "filler words", "articles", "stopwords", "little words", "drop words"),
        ),
        detail(
            "max_length",
            count(20, 24, 30, 40),
            careless=40,
            topics=("maximum length", "max length", "how long", "length limit", "characters", "limit", "longest"),
            say=("A slug may be {} characters long at most.", "We allow up to {} characters, separators included."),
        ),
        detail(
            "overflow",
            {
                "word": (
                    "If it's too long, drop whole words from the end until it fits.",
                    "We never cut inside a word, so for a long one whole words go from the end till it fits.",
                ),
                "cut": (
                    "If it's too long, cut it right at the limit, even mid-word, and drop a separator left at the end.",
                    "Long ones get chopped exactly at the limit, mid-word or not, minus a separator left at the end.",
                ),
            },
            careless="cut",
            topics=("too long", "truncate", "truncated", "truncation", "cut off", "mid-word", "shorten", "whole words"),
        ),
        detail(
            "fallback",
            {
                "": ("an empty text", "an empty string"),
                "untitled": "'untitled'",
                "product": "'product'",
                "item": "'item'",
            },
            careless="",
            topics=("nothing left", "empty", "blank title", "no letters", "fallback", "empty title", "only symbols"),
            say=("If nothing is left of a title, the slug is {}.", "When no word remains, give back {}."),
        ),
    ),
    inputs=_slug_inputs,
    probes=_slug_probes,
)
def title_slug(title, *, separator, ampersand, punctuation, small_words, max_length, overflow, fallback):
    import re

    text = title.lower()
    if ampersand == "word":
        text = text.replace("&", " and ")
    elif ampersand == "gap":
        text = text.replace("&", " ")
    else:
        text = text.replace("&", "")
    if punctuation == "apostrophe":
        text = text.replace("'", "")
    if punctuation == "remove":
        text = re.sub(r"[^a-z0-9\s]", "", text)
    else:
        text = re.sub(r"[^a-z0-9]", " ", text)
    words = text.split()
    if small_words == "articles":
        words = [word for word in words if word not in ("a", "an", "the")]
    elif small_words == "more":
        words = [word for word in words if word not in ("a", "an", "the", "of", "for", "with")]
    if overflow == "word":
        while len(separator.join(words)) > max_length:
            words.pop()
        slug = separator.join(words)
    else:
        slug = separator.join(words)[:max_length].rstrip(separator)
    return slug if fallback == "" else slug or fallback


_DOMAINS = ("mail.example", "shop.example", "post.example")
_PEOPLE = ("anna.berg", "tom", "li.wei", "jo", "mrs.patel", "samir", "kate.o")


def _grouped(rng: Random, digits: int) -> str:
    number = "".join(rng.choice("123456789") for _ in range(digits))
    sign = rng.choice(("", " ", "-"))
    return f"{number[:3]}{sign}{number[3:]}" if digits < 7 else f"{number[:3]}{sign}{number[3:6]}{sign}{number[6:]}"


def _mask_inputs(rng: Random, d: SimpleNamespace) -> tuple:
    number = _grouped(rng, rng.choice((d.min_digits, d.min_digits - 1, d.min_digits + 1, 10, 4)))
    email = f"{rng.choice(_PEOPLE)}@{rng.choice(_DOMAINS)}"
    template = rng.choice(
        (
            "Please call me on {number}, thanks!",
            "My address is {email} and the account is {number}",
            "write to {email} today",
            "{number} is my number, {email} my mail",
            "I waited 20 minutes, then I tried {number}",
            "Nothing to report.",
            "Old card: {number}. New mail: {email} (ask for Tom)",
        )
    )
    return (template.format(number=number, email=email),)


def _mask_probes(rng: Random, d: SimpleNamespace) -> list[tuple]:
    number = "".join(rng.choice("123456789") for _ in range(9))
    below = "".join(rng.choice("123456789") for _ in range(d.min_digits - 1))
    exact = "".join(rng.choice("123456789") for _ in range(d.min_digits))
    return [
        (f"Write to {rng.choice(('anna.berg', 'samir', 'li.wei'))}@{rng.choice(_DOMAINS)} please",),
        (f"My number is {number[:3]} {number[3:6]}-{number[6:]}, call after 5",),
        (f"It is about case {below}, I think",),
        (f"It is about case {exact}, I think",),
    ]


@family(
    names=("mask_message", "hide_personal_data", "redact_ticket"),
    requests=(
        "Before we [paste support chats into the wiki|share tickets with the contractor] I want e-mail addresses and "
        "long numbers made unreadable. The function gets the message and gives the cleaned message back. People type "
        "phone numbers with spaces or dashes in all sorts of places, just so you know.",
        "Yesterday somebody forwarded a customer's [phone number|card number] to the whole company. AGAIN. I want "
        "every message run through a filter that blanks out mail addresses and numbers, in our house style, before "
        "anyone can hit send!",
        "Write a function for masking e-mail addresses and digit sequences in a text message. Digit sequences may "
        "contain single blanks or hyphens. All the rest of the text must be returned unchanged.",
        "GDPR homework: [scrub|censor] a message string, mails and phone numbers, return the string.",
        "Hi! I volunteer at a [youth hotline|food bank|library] and we keep a log of the messages we receive. My "
        "coordinator says addresses and phone numbers mustn't be readable in it, although volunteers should still be "
        "able to tell two callers apart, so a little bit may stay visible. Could you help me with that? I have her "
        "notes here.",
        "could you do the anonymising step for our [chat export|comment archive]? text in, text out, e-mails and "
        "numbers (with or without gaps in them) hidden the way legal told us",
    ),
    details=(
        detail(
            "email_style",
            {
                "letters": (
                    "In an e-mail address every character before the at sign is masked and the domain stays.",
                    "Mails keep their domain, and each character before the at sign turns into one masking sign.",
                ),
                "first": (
                    "A mail address keeps its first letter and all from the at sign on, three masking signs between.",
                    "For mails we show the first letter, exactly three masking signs, the at sign and the domain.",
                ),
                "tag": (
                    "A whole e-mail address is swapped for '(email)', round brackets included.",
                    "We replace all of a mail address by the text '(email)' in round brackets.",
                ),
            },
            careless="letters",
            topics=("email", "e-mail", "emails", "mail address", "domain", "at sign", "e-mails"),
        ),
        detail(
            "mask_sign",
            {"*": ("a star", "an asterisk"), "#": "a hash sign", "x": "a small letter x", "-": "a dash"},
            careless="*",
            topics=(
                "masking sign",
                "mask character",
                "masking character",
                "which character",
                "asterisk",
                "symbol",
                "star",
            ),
            say=("The masking sign is {}.", "The sign we mask with is {}."),
        ),
        detail(
            "shown_digits",
            count(2, 3, 4),
            careless=4,
            topics=("last digits", "visible digits", "digits stay", "readable", "how many digits", "visible", "shown"),
            say=(
                "In a masked number the last {} digits stay readable.",
                "Replace every digit of a long number except the last {}.",
            ),
        ),
        detail(
            "min_digits",
            count(5, 6, 7, 8),
            careless=7,
            topics=(
                "short numbers",
                "minimum digits",
                "how long",
                "which numbers",
                "counts as a phone number",
                "at least",
            ),
            say=(
                "Numbers with fewer than {} digits are left alone.",
                "We only touch a number if it has {} digits or more.",
            ),
        ),
        detail(
            "gaps",
            {
                "keep": ("stay where they are", "are kept as typed"),
                "drop": ("are taken out", "are removed"),
                "space": ("all turn into spaces", "all become spaces"),
                "dash": ("all turn into dashes", "all become dashes"),
            },
            careless="keep",
            topics=("spaces", "dashes", "hyphens", "blanks", "separators", "gaps", "formatting", "grouping"),
            say=(
                "The spaces and dashes inside a masked number {}.",
                "If a number gets masked, its spaces and dashes {}.",
            ),
        ),
    ),
    inputs=_mask_inputs,
    probes=_mask_probes,
)
def masked_message(message, *, email_style, mask_sign, shown_digits, min_digits, gaps):
    import re

    def hide(match):
        number = match.group()
        digits = len(re.findall(r"\d", number))
        if digits < min_digits:
            return number
        if gaps == "drop":
            number = re.sub(r"[ -]", "", number)
        elif gaps == "space":
            number = number.replace("-", " ")
        elif gaps == "dash":
            number = number.replace(" ", "-")
        return re.sub(r"\d", mask_sign, number, count=digits - shown_digits)

    text = re.sub(r"\d(?:[ -]?\d)*", hide, message)
    if email_style == "letters":
        text = re.sub(r"[\w.]+(?=@)", lambda match: mask_sign * len(match.group()), text)
    elif email_style == "first":
        text = re.sub(r"(\w)[\w.]*@", r"\1" + mask_sign * 3 + "@", text)
    else:
        text = re.sub(r"[\w.]+@[\w.]*\w", "(email)", text)
    return text


def _duration_inputs(rng: Random, d: SimpleNamespace) -> tuple:
    days, hours, minutes = f"{rng.randrange(1, 4)}d", f"{rng.randrange(1, 13)}h", f"{rng.randrange(1, 90)}m"
    return (
        rng.choice(
            (
                f"{hours} {minutes}",
                f"{days} {hours}",
                f"{days}{hours}{minutes}",
                minutes,
                f"{days} {minutes}",
                str(rng.randrange(1, 60)),
                f" {hours[:-1]} H {minutes}",
                rng.choice(("", "soon", "2x", "h", "1h later", "??")),
            )
        ),
    )


def _duration_probes(rng: Random, d: SimpleNamespace) -> list[tuple]:
    return [
        (rng.choice(("", "soon", "2x", "all day", "1h later")),),
        (str(rng.randrange(2, 50)),),
        (f"{rng.randrange(1, 4)}d {rng.randrange(1, 6)}h {rng.randrange(5, 50)}m",),
    ]


@family(
    names=("parse_duration", "read_time_entry", "duration_from_text"),
    requests=(
        "People write their [working time|project time] into our sheet however they please: 1h 30m, 2d, 45, 3 H 5m. "
        "I'd like something that reads one such entry and gives me the duration.",
        "parse duration strings made of whole days (d), hours (h) and minutes (m), in that notation, any spacing, "
        "any letter case. some entries are a plain number, some are garbage.",
        "We bill by [consulting hours|machine time], and the export only has a text column such as 2h 15m. "
        "Accounting wants it as a proper amount, in the form their system takes. There's some nonsense in that "
        "column too, sadly.",
        "ok so for my [thesis|course project] I collected time diaries and everybody wrote the durations "
        "differently, like 1d 2h or 90 or just rubbish. Whole numbers only, luckily. Please help, I need to get "
        "these converted. My supervisor told me how, so ask me when you're unsure!",
        "The function shall accept one text of the form 2d 4h 10m, where every part may be missing, and shall return "
        "the total duration. Input that's merely a number and input that can't be read need special treatment, which "
        "[I shall explain on request|is laid down in our manual].",
    ),
    details=(
        detail(
            "bare_unit",
            {"m": "minutes", "h": "hours", "d": "days"},
            careless="m",
            topics=(
                "plain number",
                "bare number",
                "no unit",
                "without unit",
                "just a number",
                "unitless",
                "only a number",
            ),
            say=("A plain number without a letter means {}.", "If somebody just writes a number, those are {}."),
        ),
        detail(
            "day_hours",
            count(24, 8, 7, 6),
            careless=24,
            topics=("working day", "hours in a day", "hours per day", "length of a day", "one day", "24 hours"),
            say=("One day stands for {} hours.", "For us a day has {} hours."),
        ),
        detail(
            "unreadable",
            {
                0: ("the number zero", "0, as a number"),
                "invalid": "the word 'invalid'",
                "?": "a text with one question mark",
            },
            careless=0,
            topics=("invalid", "unreadable", "garbage", "empty", "can't be read", "malformed", "nonsense", "rubbish"),
            say=(
                "If an entry is empty or has anything odd in it, the result is {}.",
                "An empty entry, or one we can't read from start to end, gives {}.",
            ),
        ),
        detail(
            "result",
            {
                "minutes": ("the total as a whole number of minutes", "one whole number, the minutes in total"),
                "hours": (
                    "the total in hours, rounded to two decimals",
                    "decimal hours with two decimals, as a number",
                ),
                "clock": (
                    "a text with the total hours, a colon and the minutes in two digits, such as 7:05",
                    "a text such as 7:05, meaning total hours, a colon and two-digit minutes",
                ),
            },
            careless="minutes",
            topics=("output", "result", "format", "return", "returned", "which unit", "unit of the result"),
            say=("What I need back is {}.", "It should give {}."),
        ),
    ),
    inputs=_duration_inputs,
    probes=_duration_probes,
)
def duration_entry(entry, *, bare_unit, day_hours, unreadable, result):
    import re

    text = entry.strip().lower()
    if text.isdigit():
        text += bare_unit
    if not re.fullmatch(r"(\d+\s*[dhm]\s*)+", text):
        return unreadable
    factors = {"d": day_hours * 60, "h": 60, "m": 1}
    minutes = sum(int(number) * factors[unit] for number, unit in re.findall(r"(\d+)\s*([dhm])", text))
    if result == "minutes":
        return minutes
    elif result == "hours":  # noqa: RET505
        return round(minutes / 60, 2)
    else:
        return f"{minutes // 60}:{minutes % 60:02d}"


_FIRST_NAMES = ("Anna", "Bo", "Christopher", "Dana", "Elif", "Jonathan", "Maria", "Ola", "Priya", "Tim")
_LAST_NAMES = ("Li", "Smith", "Okonkwo", "Featherstone", "Garcia", "Vandenberg", "Roy", "Kowalczyk")


def _base_name(d: SimpleNamespace, full_name: str) -> str:
    """What the function proposes as long as nothing is taken; the inputs need it to arrange collisions."""
    return account_name.function(full_name, [], **vars(d))


def _username_inputs(rng: Random, d: SimpleNamespace) -> tuple:
    full_name = (
        f"{rng.choice(_FIRST_NAMES)} {rng.choice(_LAST_NAMES)}" if rng.random() < 0.9 else rng.choice(("", "  "))
    )
    taken = [rng.choice(("admin", "tsmith", "office", "roy", "maria")) for _ in range(rng.randrange(2))]
    base = _base_name(d, full_name)
    if rng.random() < 0.5:
        taken.append(base)
        if rng.random() < 0.4:
            taken += [f"{base}{d.first_number}", f"{base[: d.max_length - 1]}{d.first_number}"]
    return (full_name, taken)


def _username_probes(rng: Random, d: SimpleNamespace) -> list[tuple]:
    long_name = f"{rng.choice(('Christopher', 'Jonathan'))} {rng.choice(('Featherstone', 'Vandenberg'))}"
    short_name = f"{rng.choice(('Bo', 'Tim', 'Ola'))} {rng.choice(('Li', 'Roy'))}"
    return [
        (long_name, ["admin", _base_name(d, long_name)]),
        (short_name, [_base_name(d, short_name)]),
        (long_name, []),
        (rng.choice(("", "  ")), ["office"]),
    ]


@family(
    names=("suggest_username", "new_account_name", "propose_login"),
    requests=(
        "We onboard about [thirty|forty|sixty] people a month and IT invents their logins by hand. I'd rather have a "
        "function: it gets first and last name in one text plus the list of names already taken, and proposes a free "
        "username in lower case.",
        "usernames! full_name is always first name, space, last name (or blank, when [HR messes up|the form "
        "breaks]). taken is a list of strings. Give me a free one in lower case.",
        "Please write a function which, from a person's first and last name and the list of existing accounts, "
        "derives the lower-case account name according to our [naming convention|directory policy].",
        "Is it possible that you help me? In our [clinic|school|warehouse] every new colleague must get a login, "
        "made from her name, all small letters. When the login exists already in the list, then a number comes "
        "behind.",
        "I inherited a script that made two Jonathan Vandenbergs share a mailbox, and [you can imagine the mess|it "
        "was a nightmare to untangle]. So: full name in, taken logins in, one fresh lower-case login out, and never "
        "a duplicate. There's a naming rule and a length limit, which I'll look up if you need them.",
        "[Login generator|Account name generator] for new starters, lower case, unique, following the pattern we've "
        "always used.",
    ),
    details=(
        detail(
            "pattern",
            {
                "initial_last": "the first letter of the first name, then the last name",
                "first_last": "the whole first name, then the last name",
                "last_initial": "the last name, then the first letter of the first name",
            },
            careless="initial_last",
            topics=(
                "pattern",
                "convention",
                "which parts",
                "built from",
                "initial",
                "structure",
                "first name",
                "surname",
            ),
            say=("A username is {}.", "Build it from {}."),
        ),
        detail(
            "joiner",
            {"": "nothing", ".": "a dot", "_": "an underscore", "-": "a dash"},
            careless="",
            topics=("separator", "dot", "between the parts", "joined", "underscore", "hyphen", "in between"),
            say=("Between the two parts comes {}.", "We put {} between the parts of the name."),
        ),
        detail(
            "max_length",
            count(6, 8, 10, 12),
            careless=12,
            topics=("maximum length", "max length", "length limit", "how long", "characters", "limit", "too long"),
            say=(
                "A username without a number has {} characters at most, the rest is cut off.",
                "We cut usernames after {} characters.",
            ),
        ),
        detail(
            "first_number",
            {1: "1", 2: "2", 10: "10"},
            careless=1,
            topics=("number", "taken", "duplicate", "collision", "already exists", "counting", "suffix", "start at"),
            say=(
                "If it's taken, put a {} behind it and count up from there until it's free.",
                "The first duplicate ends in {}, the next one in the number after that, and so on.",
            ),
        ),
        detail(
            "overflow",
            {
                "extend": (
                    "The number may go beyond the length limit, nothing is cut for it.",
                    "A number comes on top of the length limit, so the name in front of it isn't cut further.",
                ),
                "shorten": (
                    "The number has to fit into the length limit, so cut the name in front of it as far as needed.",
                    "Even with a number we stay within the limit, by taking letters off the end of the name part.",
                ),
            },
            careless="extend",
            topics=(
                "number fit",
                "exceed",
                "beyond the limit",
                "longer with number",
                "number within",
                "shortened",
                "fits",
            ),
        ),
        detail(
            "nameless",
            {"user": "'user'", "guest": "'guest'", "staff": "'staff'", "new": "'new'"},
            careless="user",
            topics=("empty", "blank", "no name", "missing name", "empty name", "blank name", "fallback"),
            say=("If the name is blank, we use {} as the name.", "No name at all is treated as {}."),
        ),
    ),
    inputs=_username_inputs,
    probes=_username_probes,
)
def account_name(full_name, taken, *, pattern, joiner, max_length, first_number, overflow, nameless):
    names = full_name.lower().split()
    if not names:
        base = nameless
    elif pattern == "initial_last":
        base = joiner.join([names[0][0], names[-1]])
    elif pattern == "first_last":
        base = joiner.join([names[0], names[-1]])
    else:
        base = joiner.join([names[-1], names[0][0]])
    base = base[:max_length]
    username = base
    number = first_number
    while username in taken:
        if overflow == "shorten":
            username = base[: max_length - len(str(number))] + str(number)
        else:
            username = base + str(number)
        number += 1
    return username
