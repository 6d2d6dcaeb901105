"""Parts of a text that may be personal: everything that is not known to be harmless.

Harmless are common words, small numbers, amounts, times and recent dates. Words that are names as well are judged by
what stands around them.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from sparring.extraction import personal_patterns as forms
from sparring.extraction.dates_and_times import month_number
from sparring.extraction.made_up import is_card
from sparring.extraction.numbers import CURRENCY, SIGN
from sparring.extraction.word_lists import KnownWords


class PersonalSpan(NamedTuple):
    """A part of a text, and the kind of value that it is."""

    start: int
    end: int
    slot: str


@dataclass(frozen=True, slots=True)
class Context:
    """A text's language, the words of the chatbot's domain, the speaker, and the question before.

    Words that the chatbot wrote in small letters, before the user said them, are `plain`: it capitalises names.
    """

    words: KnownWords
    domain: frozenset[str] = frozenset()
    plain: frozenset[str] = frozenset()
    by_user: bool = True
    asked: str = ""
    key: str = ""
    """The field of a call or result, and empty for a message."""


def spans(text: str, context: Context) -> Iterator[PersonalSpan]:
    """Yield the parts of a text that may be personal, in no order, none within another."""
    if context.key and (whole := _whole(text, context)):
        yield whole
        return
    found = _Found(text)
    for span in _typed(text, context):
        found.add(span)
    yield from found.spans
    yield from _words(found.rest(), text, context)


class _Found:
    """Parts that were found, and the text without them and without what is harmless."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.spans: list[PersonalSpan] = []
        self._taken = bytearray(len(text))

    def add(self, span: PersonalSpan) -> None:
        if not any(self._taken[span.start : span.end]):
            self._taken[span.start : span.end] = b"\1" * (span.end - span.start)
            if span.slot:
                self.spans.append(span)

    def rest(self) -> str:
        return "".join("\0" if taken else char for char, taken in zip(self.text, self._taken, strict=True))


def _whole(text: str, context: Context) -> PersonalSpan | None:
    """Return the whole value of a field that holds nothing but a code."""
    if forms.CODES.search(context.key) and text.strip() and not text.isspace() and len(text) <= 100:
        known = all(context.words.is_word(word) for word in _folded(text))
        secret = re.search("pass|secret|token|pin|senha|answer|contras", context.key, re.IGNORECASE)
        if (
            secret
            or not known
            or any(map(str.isdigit, text))
            or re.search("user|login|nick|handle|usuario", context.key)
        ):
            return PersonalSpan(0, len(text), "id")
    return None


def is_personal_field(key: str) -> bool:
    """Return True if the field of a tool's result holds people, places or codes."""
    return any(pattern.search(key) for pattern in (forms.PEOPLE, forms.PLACES, forms.CODES))


def _folded(text: str) -> list[str]:
    return [match[0].casefold() for match in forms.WORD.finditer(text)]


def _typed(text: str, context: Context) -> Iterator[PersonalSpan]:
    """Yield parts of a telling form; those that are harmless by it have an empty slot."""
    for pattern, slot in (
        (forms.LINK, "link"),
        (forms.EMAIL, "email"),
        (forms.SPOKEN_EMAIL, "email"),
        (forms.IBAN, "iban"),
    ):
        yield from (PersonalSpan(*match.span(), slot) for match in pattern.finditer(text))
    yield from (PersonalSpan(*match.span(), "card") for match in forms.CARD.finditer(text) if is_card(match[0]))
    yield from _secrets(text, context)
    yield from (PersonalSpan(*match.span(), "age") for match in forms.AGE.finditer(text))
    yield from _dates(text, context)
    yield from (PersonalSpan(*match.span(), "id") for match in forms.EXPIRY.finditer(text) if "." not in match[0])
    yield from (PersonalSpan(*match.span(), "flat") for match in forms.FLAT.finditer(text))
    for match in forms.STREET.finditer(text):
        if not any(context.words.is_frequent(word) for word in _folded(match["inner"] or "")):
            yield PersonalSpan(match.start(), match.start() + len(match[0].rstrip()), "address")
    yield from (PersonalSpan(*match.span(), "address") for match in forms.NAMED_STREET.finditer(text))
    if not forms.PLACES.search(context.key):
        yield from (
            PersonalSpan(*match.span(), "") for match in forms.AMOUNTS.finditer(text) if not _is_spaced(match[0])
        )
    yield from (PersonalSpan(*match.span(), "id") for match in forms.COORDINATE.finditer(text))
    yield from _groups(text, context)
    yield from _spoken(text)
    yield from _runs(text, context)


def _is_spaced(text: str) -> bool:
    """Return True if an amount could be a number in groups, as of a phone."""
    return bool(re.fullmatch(r"\d{1,3}(?: \d{3}){2,}\D*", text)) and not re.search(rf"{SIGN}|{CURRENCY}", text)


def _secrets(text: str, context: Context) -> Iterator[PersonalSpan]:
    for pattern, most in ((forms.SECRET, 5), (forms.LOGIN, 1)):
        for cue in pattern.finditer(text):
            link = forms.LINKED.match(text, cue.end())
            start = link.end() if link else cue.end()
            said = re.match(rf"\s*((?:[^\s,;]+ ?){{1,{most if link else 1}}})", text[start:].split("\n")[0])
            if said is None or not (value := re.sub(r"[.!?\"'»”)]+$", "", said[1].split(". ")[0].strip())):
                continue
            first = value.split()[0]
            odd = any(map(str.isdigit, first)) or bool(re.search(r"\w[^\w\s'’-]\w|[$&%#]", first))
            value = first if odd else value
            if odd or (link and not context.words.is_frequent((_folded(value) or ["is"])[0])):
                at = text.index(value, start)
                yield PersonalSpan(at, at + len(value), "id")
    asked = forms.SECRET.search(context.asked) or forms.LOGIN.search(context.asked)
    if asked and len(words := _folded(text)) <= 3 and not all(map(context.words.is_frequent, words)):
        kept = text.strip().rstrip(".!")
        yield PersonalSpan(text.index(kept), text.index(kept) + len(kept), "id")


def _dates(text: str, context: Context) -> Iterator[PersonalSpan]:
    asked = (
        forms.BIRTH.search(context.asked)
        or forms.BIRTH.search(context.key.replace("_", " "))
        or context.key in ("dob", "geb")
    )
    for pattern in (forms.DATE, forms.WORDED):
        for match in pattern.finditer(text):
            groups = match.groupdict()
            if pattern is forms.WORDED:
                if not month_number(groups["m"] or groups["m2"]):
                    continue
                year = groups["y"] or groups["y2"]
            else:
                year = groups["iso"] or groups["year"]
            number = int(year) if year else forms.RECENT
            number += 0 if number >= 100 else 2000 if number <= 40 else 1900
            dashed = groups.get("mark") == "-" and len(year or "") == 2
            born = asked or dashed or forms.BIRTH.search(text, max(0, match.start() - 40), match.start())
            yield PersonalSpan(*match.span(), "birth_date" if born or number < forms.RECENT or number > 2040 else "")


def _groups(text: str, context: Context) -> Iterator[PersonalSpan]:
    """Yield numbers in groups, such as of phones, and groups of capitals and digits, such as of plates."""
    for match in forms.CAPITALS.finditer(text):
        letters = re.findall(r"[A-Z]{3,}", match[0])
        worded = letters and all(context.words.is_word(each.casefold()) for each in letters)
        worded = worded or match[0].casefold() in context.domain
        if sum(map(str.isalnum, match[0])) >= 5 and not worded:
            yield PersonalSpan(*match.span(), "id")

    for match in forms.GROUPS.finditer(text):
        digits = sum(map(str.isdigit, match[0]))
        if digits >= 5 or (digits >= 3 and "*" in match[0]) or re.fullmatch(r"\d\d \d\d", match[0]):
            plain = match[0].strip("-./ ")
            plain = plain.removeprefix("(") if ")" not in plain else plain
            at = match.start() + match[0].index(plain)
            yield PersonalSpan(at, at + len(plain), "phone" if digits >= 9 or plain[0] in "+0" else "id")


def _spoken(text: str) -> Iterator[PersonalSpan]:
    for match in forms.SPOKEN_DATE.finditer(text):
        if month_number((match["m"] or match["m2"]).capitalize()):
            yield PersonalSpan(*match.span(), "id")
    for match in forms.SPOKEN.finditer(text):
        if not re.match(
            rf"[ -]?(?:and [\w-]+ )?(?:{forms.UNITS}|{CURRENCY})(?!\w)", text[match.end() :], re.IGNORECASE
        ):
            yield PersonalSpan(*match.span(), "id")
    yield from (PersonalSpan(*match.span(), "id") for match in forms.SPELLED.finditer(text) if not _is_dotted(match[0]))


def _is_dotted(text: str) -> bool:
    return text.lower() in ("e.g", "i.e", "a.m", "p.m", "z. b", "u. a", "d. h", "s. o", "u.s.a", "r s v p")


def _runs(text: str, context: Context) -> Iterator[PersonalSpan]:
    """Yield what has digits or signs of codes inside, unless it is a small number or a time."""
    small = not (forms.PLACES.search(context.key) or forms.CODES.search(context.key))
    for match in forms.RUN.finditer(text):
        run = match[0].strip(".:-–…*_/=&")
        start = match.start() + match[0].index(run) if run else 0
        if any(map(str.isdigit, run)):
            plain = run.lstrip("$€£#")
            if forms.AMOUNT_KEY.search(context.key) and plain.replace(".", "").replace("-", "").isdigit():
                yield PersonalSpan(start, start + len(run), "")
            elif run.startswith("20") and len(run) == 4 and forms.LAST_FOUR.search(text, max(0, start - 25), start):
                yield PersonalSpan(start, start + len(run), "id")
            elif small and (
                forms.TIME.fullmatch(run) or forms.SMALL.fullmatch(run) or run.casefold() in context.domain
            ):
                yield PersonalSpan(start, start + len(run), "")
            else:
                yield PersonalSpan(start, start + len(run), "id")
        elif _is_code(run, context):
            yield PersonalSpan(start, start + len(run), "id")


def _is_code(run: str, context: Context) -> bool:
    if re.search(r"\w[.@\\:]\w|\w_\w|^@\w|\w[*•]{2,}|[*•]{2,}\w|[A-Za-z][$&%#+][A-Za-z]", run):
        plain = "@" in run or (context.by_user and not context.key and "_" in run)
        return plain or not all(context.words.is_word(word) or len(word) < 2 for word in _folded(run))
    return bool(re.search(r"[a-zà-ÿ][A-Z].*[A-Z]|[A-Z]{2,}[a-z]{2,}[A-Z]", run))


def _words(text: str, whole: str, context: Context) -> Iterator[PersonalSpan]:
    """Yield words of a text, in which the other parts are blank, that are not known or that are names."""
    found = list(forms.WORD.finditer(text))
    shouted = len(found) >= 3 and not any(match[0].islower() and len(match[0]) > 1 for match in found)
    if shouted and whole.isupper() and len(text.lower()) == len(text):
        found = list(forms.WORD.finditer(text.lower()))
    personal = [_is_personal(match, text, whole, context) for match in found]
    personal = _spread(personal, found, text, context)
    personal = [each or is_answer for each, is_answer in zip(personal, _answers(found, context), strict=True)]
    for each, match in zip(personal, found, strict=True):
        if each:
            low = match[0].casefold()
            name = match[0][0].isupper() or context.words.is_name(low)
            yield PersonalSpan(*match.span(), "name" if name else "word")


def _answers(found: list[re.Match[str]], context: Context) -> list[bool]:
    """Return which words are the answer to a question for a name or an address."""
    words = context.words
    if context.key or not forms.REQUEST.search(context.asked):
        return [False] * len(found)
    if len(found) <= 8 and (forms.SECRET.search(context.asked) or forms.LOGIN.search(context.asked)):
        return [not words.is_ordinary(low) for low in _all(found)]
    if forms.ASKS_NAME.search(context.asked) and len(found) <= 3:
        return [
            (words.is_name(low) and not words.is_frequent(low)) or not words.is_ordinary(low) for low in _all(found)
        ]
    if forms.ASKS_ADDRESS.search(context.asked) and len(found) <= forms.REPLY:
        return [len(low) > 2 and not words.is_frequent(low) for low in _all(found)]
    return [False] * len(found)


def _all(found: list[re.Match[str]]) -> list[str]:
    return [match[0].casefold() for match in found]


def _is_personal(match: re.Match[str], text: str, whole: str, context: Context) -> bool:
    word, words = match[0], context.words
    low = word.casefold()
    if len(word) < 2 or (len(word) == 2 and word.islower() and not words.is_name(low)) or low in forms.TITLES:
        return False
    name, ordinary = words.is_name(low), words.is_ordinary(low)
    if forms.PEOPLE.search(context.key) or forms.PLACES.search(context.key):
        return (name and not word.islower()) or not words.is_frequent(low)
    linking = bool(forms.LINKED.fullmatch(f" {low}"))
    introduced = name and not linking and _is_introduced(text[: match.start()], text[match.end() :])
    introduced |= (
        name and context.by_user and not words.is_frequent(low) and bool(forms.INTRO.search(text[: match.start()]))
    )
    if low in context.domain and not introduced:
        return False
    before = text[: match.start()]
    if month_number(word) or low in forms.WEEKDAYS:
        return bool(name and (forms.STRONG.search(text, 0, match.start()) or forms.PERSON.search(before)))
    if context.by_user and len(low) > 2 and (forms.LIVES.search(before) or forms.HEALTH.search(before)):
        ends = re.match(r"\s*(?:[,.;!?]|$)", text[match.end() :])
        if ends or not words.is_frequent(low):
            return True
    if word[0].islower() and word != word.upper():
        called = name and not words.is_frequent(low) and bool(forms.PERSON.search(before))
        called |= name and not ordinary and not _is_noun(low, before, context)
        return not words.is_word(low) or introduced or called or bool(forms.ILLNESS.fullmatch(low))
    if not words.is_word(low, certain=True):
        return True
    if forms.TITLED.search(before) or forms.POSTCODE.search(whole[: match.start()]):
        return True
    if introduced or (name and not ordinary) or forms.ILLNESS.fullmatch(low):
        return True
    if _is_first(before):
        addressed = name and not words.is_frequent(low) and re.match(r" ?,", text[match.end() :])
        return bool(addressed) or _is_alone(text, match, words)
    if "de" in words.languages and words.languages[0] == "de" and not word.isupper():
        cued = forms.NAMED.search(before) or forms.PERSON.search(before)
        return bool((name and cued) or (not ordinary and forms.STRONG.search(before)))
    return (context.by_user and not context.key and not words.is_frequent(low)) or name


def _is_noun(word: str, before: str, context: Context) -> bool:
    """Return True if a word in small letters, which may be a name, is used as another word."""
    determined = context.words.languages[0] == "en" and bool(forms.DETERMINER.search(before))
    return context.words.is_word(word, certain=True) and (determined or word in context.plain)


def _is_first(before: str) -> bool:
    """Return True if a word begins a sentence, a line or a quote."""
    return not (left := before.rstrip(" \t*_-–•\"'«“„¿¡([")) or left[-1] in ".!?…:;\n" or before[-1] in '"«“„¿¡['


def _is_introduced(before: str, after: str) -> bool:
    if forms.STRONG.search(before):
        return True
    return bool(forms.GREETED.fullmatch(before)) and bool(forms.INTRODUCED.match(after.lstrip(" ,")))


def _is_alone(text: str, match: re.Match[str], words: KnownWords) -> bool:
    """Return True if a word is in a line of its own with nothing but capitals, as of a signature."""
    start, end = text.rfind("\n", 0, match.start()) + 1, text.find("\n", match.end())
    line = text[start : end if end >= 0 else len(text)].strip(" -–~.!")
    inside = forms.WORD.findall(line)
    if not 1 <= len(inside) <= 4 or not all(each[0].isupper() for each in inside) or "," in line:
        return False
    last = start > 0 and len(inside) <= 4
    return last and any(words.is_name(each.casefold()) for each in inside)


def _spread(personal: list[bool], found: list[re.Match[str]], text: str, context: Context) -> list[bool]:
    """Return the same with names that stand beside a name, as in `Mark Achterberg`."""
    german = "de" in context.words.languages
    for at in [*range(len(found) - 1), *reversed(range(len(found) - 1))]:
        one, other = found[at], found[at + 1]
        if personal[at] == personal[at + 1] or text[one.end() : other.start()] not in (" ", "-", ", "):
            continue
        new = found[at if personal[at + 1] else at + 1][0]
        low = new.casefold()
        if not (one[0][0].isupper() and other[0][0].isupper()) or low in forms.TITLES:
            continue
        name, follows = context.words.is_name(low), personal[at] and text[one.end()] == " "
        common = context.words.is_ordinary(low) if german or not name else context.words.is_frequent(low)
        if (name or follows) and (not common or (low in forms.WEEKDAYS and name)):
            personal[at] = personal[at + 1] = True
    return personal
