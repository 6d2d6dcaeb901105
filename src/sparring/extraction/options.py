"""Options of a question: "would you like a small or a large one?" offers "small" and "a large one".

A question is split at its commas and words for `or`. Words before the first option are cut off where its function words
end, and words after the last one at phrases such as "would suit you".
"""

import re

from sparring.extraction.languages import words_of
from sparring.extraction.phrasebooks.phrasebook import Phrasebook
from sparring.extraction.tokens import fold, is_stop_word, language_of
from sparring.extraction.word_tables import words_of_module

_WORDS = words_of_module(__name__)

_MOST_WORDS = 4
"""Words of an option."""

_MOST_NAME = 8
"""Words of a name: "How to Train Your Dragon"."""

_MOST_CHARACTERS = 1000
"""Characters of a question that are read."""

_PRICE = re.compile(_WORDS["price"])
_MENU = re.compile(r": [^:?,]+,[^:?,]+,[^:?]+\?$")
"""Options without `or`: "Which size: small, medium, large?"."""

_LIST = re.compile(r"(?:^|\s)[^A-Z\s]\S*\s?[:;](?=\s)|[:;](?= [^A-Z])|\(")
"""What introduces a list, but no colon within a name: "Mad Max: Fury Road"."""

_DASH = re.compile(r"(\b[a-z]+) [–—-] ")
_REMARK = re.compile(r"\s*\([^(),/]{1,40}\)(?=.)")
_BEFORE_OFFER = re.compile(r"^[^,]*(?:[?!]|\w{3}\.)\s+(?=\w)")
"""Sentences before the one with the first option: "What can I get you? We have roses, tulips and lilies."."""

_AFTER_OFFER = re.compile(r"(.*(?:\w{3}|\d|\b[ap]\.?m))[.!]\s+([A-Z][^,]*)$")
"""A sentence after the one with the last option: "I have 9:00 or 14:30. Which one suits you?"."""

_WHEN = re.compile(r" (?:when|if|once|as soon as|wenn|sobald|falls|cuando|quand|quando|когда) [^,?]*(?=,)")
_DO = (
    r"\b(?:(?:did|do|does|is|was|are|were|has|have|ist|war|wurde|haben|hat) (?:it|you|they|this|that|sie|es|er) "
    r"(?:been )?|(?:will|shall|should|soll(?:en)?) (?:it|you|they|we|i|sie|es|er|wir|ich) )"
)
"""Beginning of a clause of "Did you lose it or was it stolen?"."""

_SUBJECT = r"(?:you|we|i|they|sie|wir|ihr|vous|on|nous)"
_VERB = r"(?:will|shall|should|would|do|are|can|could|holen|essen|nehmen|kommen)"
_THEN_CLAUSE = rf"{_VERB} {_SUBJECT} |{_SUBJECT} (?=\w)"
"""Beginning of a clause after a thing: "Delivery, or will you pick it up?"."""

_OTHER_ACT = re.compile(r"\b(?:like|want|wish|need|prefer|chang|ander|modif)")

_INVERTED = re.compile(r"^.*\b[^\W\d_]+-(?:t-)?(?:ils?|elles?|vous|tu|on) (?=\w)", re.IGNORECASE)
"""Beginning of a French question: "Le véhicule est-il thermique ou électrique ?"."""

_EDGES = " ?.!)\"'“”«»¿¡"
_SMALL = frozenset(_WORDS["small"].split("|"))
"""Words in lower case within a name."""


def _any(key: str, before: str = "", after: str = "") -> re.Pattern[str]:
    return re.compile(rf"{before}(?:{'|'.join(words_of('options', key))}){after}", re.IGNORECASE)


def _words(key: str) -> frozenset[str]:
    return frozenset(word for words in words_of("options", key) for word in fold(words).split())


_QUESTION = _any("questions", "^", r"\b")
_CLAUSE = _any("questions", r"(?:[,;] | )(?:and|but|und|et|y|e|и) (?=", r"\b)")
_TOPIC = _any("topics", "^", r"\b")
_VALUE = _any("values", "^", r"\b")
_VAGUE = _any("vague", r"\b", r"\b")
_EXAMPLE = _any("examples", r"^.*\b", r"\b:?\s*")
_IN_MIND = _any("in_mind", r"\b", "$")
_OTHER = _any("others", "^", r"\b")
_FILLER = _any("fillers", "^", r"\s+")
_AFTER = _any("after", r"[\s,]+", r"\b.*$")
_BEFORE, _ARTICLES, _PREPOSITIONS, _SUBJECTS = map(_words, ("before", "articles", "prepositions", "subjects"))


def options(text: str, book: Phrasebook) -> tuple[str, ...]:
    """Return the options of a question, at least two and without prices; empty if it offers none."""
    text = " ".join(text[:_MOST_CHARACTERS].split())
    if not (book.options.search(fold(text)) or _MENU.search(text)):
        return ()
    text = _WHEN.sub("", text)
    plain = _PRICE.sub("", text)
    if two := re.search(rf"{_DO}([^,?]+?),? (?:{book.options.pattern}) ?{_DO}([^,?]+)\?$", plain, re.IGNORECASE):
        return (two[1], two[2]) if max(len(two[1].split()), len(two[2].split())) <= _MOST_WORDS else ()
    or_ = book.options.pattern
    return _options(plain, or_) or _options(text, or_) or _thing_or_clause(plain, or_)


def _thing_or_clause(text: str, or_: str) -> tuple[str, ...]:
    """Return a thing and the act that may replace it: "delivery" and "pick it up"."""
    found = re.search(rf"^([^,?]+?),? (?:{or_}) ?(?:{_THEN_CLAUSE})([^,?]+)\?$", text, re.IGNORECASE)
    if found is None or _OTHER_ACT.search(fold(found[2])) or _TOPIC.match(found[1]) or _OTHER.match(found[1]):
        return ()
    thing = _first(found[1].strip(_EDGES), found[2])
    both = (thing, found[2].strip())
    return both if thing and all(map(_is_short, both)) else ()


def _options(text: str, or_: str) -> tuple[str, ...]:
    text = _DASH.sub(r"\1, ", _REMARK.sub("", text))
    text = next((each for each in _CLAUSE.split(text) if re.search(or_, each)), text)
    after = _AFTER_OFFER.match(text)
    text = after[1] if after and not re.search(or_, after[2]) else text
    text = _BEFORE_OFFER.sub("", text)
    listed = [*_LIST.finditer(text)]
    if not listed and _VALUE.match(text) and re.search(or_, text.partition(",")[0]):
        return ()  # "How much will the repair or a replacement cost?"
    parts = _parts(text[listed[-1].end() :] if listed else text, or_)
    if listed and len(parts) < 2:
        return _options(text[: listed[0].start()], or_)  # "Small or large (both are the same price)?"
    parts, exact = _from_examples(parts)
    if len(parts) < 2:
        return ()
    vague = not exact and _VAGUE.search(parts[0])
    if len(parts) > 2 and (vague or _TOPIC.match(parts[0])) and not exact and not _ends_in_name(parts):
        parts, vague = parts[1:], None  # "Which size, small or large?"
    parts = [parts[0], *(each for each in parts[1:] if not _OTHER.match(each))]
    if len(parts) < 2 or (not exact and (_asks_for_either(parts) or _IN_MIND.search(parts[-1]))):
        return ()
    parts[-1] = _last(parts[-1])
    if not (listed and len(parts[0].split()) <= _MOST_WORDS):
        parts[0] = _first(parts[0], parts[-1])
    if vague and not parts[0][:1].isupper():
        return ()  # "Is there a day or time you prefer?"
    parts = [_without_article(each) for each in parts]
    found = [each for each in parts if not _OTHER.match(each) and _is_short(each)]
    return tuple(dict.fromkeys(found)) if len(found) > 1 else ()


def _parts(text: str, or_: str) -> list[str]:
    """Return what stands between commas and words for `or`, from the last clause that goes on after them."""
    found = [part for each in re.split(rf",|{or_}", text) if (part := _FILLER.sub("", each.strip(_EDGES)))]
    for at in range(len(found) - 1, 0, -1):
        if found[at][0].islower() and _QUESTION.match(found[at]):
            if at < len(found) - 1:
                return found[at:]  # "Sure, do you want tea or coffee?"
            found.pop()  # "Tea or coffee, or is there anything else?"
    return found


def _from_examples(parts: list[str]) -> tuple[list[str], bool]:
    """Return the parts from "such as" on, and True if there is such a word."""
    for at, part in enumerate(parts[:-1]):
        if example := _EXAMPLE.match(part):
            rest = _without_article(part[example.end() :])
            return [*filter(None, [rest]), *parts[at + 1 :]], True
    return parts, False


def _asks_for_either(parts: list[str]) -> bool:
    """Return True if the parts are kinds of values, as in "which city or area are you in?"."""
    topic = _TOPIC.match(parts[0])
    if topic is None or len(parts) > 2 or any(map(_is_function_word, parts[0][topic.end() :].split())):
        return False
    return _last(parts[1]) != parts[1]


def _first(part: str, last: str) -> str:
    """Return the first option, which ends a part of the question: "pool" of "would you like a pool"."""
    words, others = _INVERTED.sub("", part).split(), last.split()
    if (start := _same_beginning(words, others)) is None and (start := _name(words, last)) is None:
        start = _after_function_words(words)
        opened = start and fold(words[start - 1]) in _SUBJECTS
        if opened and len(words) - start > len(others):  # "shall we paint blue or red?"
            start = len(words) - len(others)
    return _without_article(" ".join(words[start:]))


def _same_beginning(words: list[str], others: list[str]) -> int | None:
    """Return where an article or preposition stands, if the last option begins with one, too.

    If there is a verb before its article, it is where a verb stands: "open a claim or track a parcel".
    """
    inside = [at for at, word in enumerate(others) if at and fold(word) in _ARTICLES][:1]
    own = [at for at, word in enumerate(words) if fold(word) in _ARTICLES][-1:]
    verb = others[:1] and " ".join(others).islower() and fold(others[0]) not in _ARTICLES | _PREPOSITIONS
    if verb and inside and own and own[0] >= inside[0]:
        return own[0] - inside[0]
    for kind in (_ARTICLES, _PREPOSITIONS):
        if others and others[0].islower() and fold(others[0]) in kind:
            places = [at for at, word in enumerate(words[:-1]) if fold(word) in kind]
            if places and len(words) - places[-1] <= _MOST_WORDS + 1:
                return places[-1]
    return None


def _name(words: list[str], last: str) -> int | None:
    """Return where the name at the end of a part begins, if the last option is a name."""
    if not last[:1].isupper() or language_of(" ".join(words)) == "de":
        return None
    start = None
    for at in range(len(words) - 1, -1, -1):
        if (words[at][0].isupper() or words[at][0].isdigit()) and not (at == 0 and _is_function_word(words[0])):
            start = at
        elif fold(words[at]) not in _SMALL:
            break
    return start


def _ends_in_name(parts: list[str]) -> bool:
    """Return True if the first part ends with a name, as others are."""
    return any(_name(parts[0].split(), each) for each in parts[1:])


def _after_function_words(words: list[str]) -> int:
    """Return where the last words begin that are no function words; some may follow them: "eat in"."""
    at = len(words)
    while at > 0 and _is_function_word(words[at - 1]):
        at -= 1
    if at == 0 and len(words) > 1:
        return len(words)
    while at > 0 and not _is_function_word(words[at - 1]):
        at -= 1
    return at


def _is_function_word(word: str) -> bool:
    return is_stop_word(word := fold(word.strip(_EDGES))) or word in _BEFORE


def _last(part: str) -> str:
    """Return the last option without what follows it: "the late class right for you"."""
    part = _AFTER.sub("", part)
    words = part.split()
    if len(words) > _MOST_WORDS and words[0].islower() and fold(words[0]) in _ARTICLES:
        return " ".join(words[:3])
    return part


def _without_article(option: str) -> str:
    first, _, rest = option.partition(" ")
    return rest if rest and fold(first) in _ARTICLES and not first[0].isupper() else option.strip(_EDGES)


def _is_short(option: str) -> bool:
    return 0 < len(option.split()) <= (_MOST_NAME if option[:1].isupper() else _MOST_WORDS)


_ITEM = re.compile(r"(?:^|(?<=[\s(,;:]))\(?(\d{1,2})[.)] +(?=\S)")
_CHOOSES = _any("chooses", r"\b")


def menu(text: str) -> tuple[str, ...]:
    """Return the items of a numbered menu in a text that asks to choose: "Choose: 1) Billing 2) Hours"."""
    marks = [*_ITEM.finditer(text[:_MOST_CHARACTERS])]
    if len(marks) < 2 or [int(each[1]) for each in marks] != [*range(1, len(marks) + 1)]:
        return ()
    asks = text[: marks[0].start()].rstrip()
    ends = [each.start() for each in marks[1:]] + [len(text)]
    items = (text[a.end() : b].partition("\n")[0].strip(" ,;.?!()") for a, b in zip(marks, ends, strict=True))
    return tuple(items) if asks.endswith("?") or _CHOOSES.search(asks) else ()
