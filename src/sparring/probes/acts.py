"""Acts in replies to probes: reports of what was done or cancelled, totals, and ids."""

import re

from sparring.extraction import speech_acts, typed_values
from sparring.extraction.acts import Act, reported_acts
from sparring.extraction.fallbacks import is_fallback
from sparring.extraction.output_labels import KIND_WORDS, WHOLE
from sparring.extraction.speech_acts import domain_of, is_refusal, is_request, is_short_yes_or_no
from sparring.extraction.tokens import fold, mentions, sentences, stems
from sparring.extraction.word_tables import words_of_module
from sparring.probes.invitations import Purpose, buttons_in, confirms, invitations, without_invitations
from sparring.probes.offers import list_lines

_WORDS = words_of_module(__name__)
_UNDONE = re.compile(_WORDS["undone"])
_STAYS = re.compile(_WORDS["stays"])
ASKS_FOR_ANOTHER = re.compile(_WORDS["another"])
"""Words of requests for another answer that do not say to what."""

_NOT = re.compile(rf"\b(?:{_WORDS['denies']})\W+(?:\w+\W+){{0,2}}")
_ONLY = re.compile(_WORDS["only"])
_NONE_AFTER = r"\W{1,3}(?:no|none|not|nein|kein\w*|ninguno|aucun|нет)\b"
_ONE_MORE = re.compile(rf"\b(?:{_WORDS['one_more']})\b")
_ID = re.compile(
    r"\b(?=[A-Z0-9-]*\d)(?:[A-Z]{1,5}-?)?[A-Z0-9]{3,12}(?:-[A-Z0-9]{2,12})*\b|#\s?(\d{2,})|\b[A-Z]-\d{2,}\b"
)
_AMOUNTS = re.compile(r"\d[\d.,:]*")
_REPORTS = re.compile(_WORDS["reports"], re.IGNORECASE)
_SHORT_CONFIRM = re.compile(
    r"\b(?:place|book|order|submit|send|buy|reserve) (?:it|this|that|them)(?: now)?\?"
    r"|\b(?:looks?|sounds?) (?:this |that )?(?:ok|okay|good|right|correct)\b[^?]*\?"
)
_OFFERS = re.compile(rf"\b(?:{_WORDS['offers']})")
_OR = re.compile(r"\b(?:or|oder|o|ou)\b|\bили\b")
_TOTAL_BEFORE = re.compile(rf"(?:{_WORDS['total']})(?: \w+){{0,3}}[ :=]*$")
_RUNNING = re.compile(rf"\b(?:{_WORDS['running']})(?: \w+){{0,3}}[ :=]*$")
"""Words before the amount of an account, which is not that of one order."""

_TOTAL_AFTER = re.compile(
    r" ?(?:in total|altogether|in all|total\b|insgesamt|au total|in totale|no total|en total|всего)"
)
_OF_ONE = re.compile(rf" ?(?:{_WORDS['of_one']})\b")
_UNIT = re.compile(rf" ?(?:{_WORDS['units']})\b", re.IGNORECASE)
_PLURAL = re.compile(r"ves\b")
_NEAR = 30
"""Characters around an amount in which it is called a total."""

_DUE = (
    KIND_WORDS["money"]
    | WHOLE
    | stems("total charged charge pay paid costs bill comes debited cobrado berechnet abgebucht")
)


def statements(reply: str) -> str:
    """Return a reply without its questions for something."""
    return " ".join(
        each.text for each in sentences(reply) if not (each.asks and speech_acts.is_open_question(each.text))
    )


def asks_to_confirm(reply: str) -> bool:
    """Return True if a reply asks to confirm, by a question, a button or a word to say: "Type YES"."""
    labels = (*buttons_in(reply), *(each.name for each in list_lines(reply) if each.number))
    if any(each.purpose is Purpose.CONFIRM for each in invitations(reply)) or any(map(confirms, labels)):
        return True
    asks = any(each.asks or is_request(each.text) for each in sentences(reply))
    short = _SHORT_CONFIRM.search(fold(reply)) or any(is_short_yes_or_no(each.text) for each in sentences(reply)[-1:])
    said = [each for each in sentences(reply) if each.asks or is_request(each.text) or not reported_acts(each.text)]
    return asks and (speech_acts.asks_to_confirm(" ".join(each.text for each in said)) or bool(short))


def asks_if_right(reply: str) -> bool:
    """Return True if a reply asks in a question whether to do what it tells."""
    return any(each.asks for each in sentences(reply)) and speech_acts.asks_to_confirm(without_invitations(reply))


def adds_another(reply: str) -> bool:
    """Return True if a reply asks for one more of the same: "Add another child?"."""
    return any(each.asks and _ONE_MORE.search(fold(each.text)) for each in sentences(reply))


def final_question(reply: str) -> str:
    """Return the last sentence of a reply without numbers, which asks or names a word to say."""
    last = sentences(reply)[-1:]
    return masked(last[0].text) if last else ""


def says_done(reply: str) -> bool:
    """Return True if a reply reports something as done, other than a cancellation."""
    if any(not each.asks and reported_acts(each.text) - {Act.CANCEL, Act.RETURN} for each in sentences(reply)):
        return True
    return any(not each.asks and _REPORTS.search(each.text) for each in sentences(reply)) and not asks_to_confirm(reply)


def turns_down(reply: str) -> bool:
    """Return True if a reply says that the chatbot cannot do, or did not understand, what was said."""
    return any(
        is_refusal(each.text) or is_fallback(each.text) or domain_of(each.text) or _ONLY.search(fold(each.text))
        for each in sentences(reply)
        if not each.asks
    )


def cancels(reply: str) -> bool:
    """Return True if a reply says that something was or will be cancelled, or is not done."""
    return _UNDONE.search(fold(without_invitations(reply))) is not None or leaves(reply)


def leaves(reply: str) -> bool:
    """Return True if a reply says that everything stays as it was."""
    return _STAYS.search(fold(reply)) is not None


def affirms(reply: str, value: str) -> bool:
    """Return True if a reply mentions a value, and nowhere to say that it is not: "without a loaner bike"."""
    plain, named = fold(reply), re.escape(fold(value))
    denied = re.search(_NOT.pattern + named, plain) or re.search(named + _NONE_AFTER, plain)
    return denied is None and mentions(reply, value)


def names(reply: str, item: str) -> bool:
    """Return True if a reply mentions an item, also in the singular: "one loaf" for "loaves"."""
    return mentions(reply, item) or mentions(reply, _PLURAL.sub("f", item))


def settles(reply: str) -> bool:
    """Return True if a reply asks to confirm what was agreed, reports it, or states its price."""
    return asks_to_confirm(reply) or says_done(reply) or total_of(reply) is not None


def is_of_one(after: str) -> bool:
    """Return True if the words after an amount say that it is no total: "$3 per cake"."""
    return _OF_ONE.match(fold(after)) is not None


def total_of(text: str) -> str | None:
    """Return the amount of a reply that states one total; None if it states none or several.

    Of several amounts it is the one called the total. The price of a further offer does not count.
    """
    asks = asks_to_confirm(text)
    found, totals = set[str](), set[str]()
    for sentence in sentences(text):
        if not (asks or stems(sentence.text) & _DUE or reported_acts(sentence.text)):
            continue
        plain = fold(sentence.text)
        if sentence.asks and (_OFFERS.search(plain) or (_OR.search(plain) and not stems(plain) & WHOLE)):
            continue
        for match in typed_values.find("money", sentence.text):
            around = fold(sentence.text[: match.start])[-_NEAR:], fold(sentence.text[match.end :])[:_NEAR]
            if is_of_one(sentence.text[match.end :]) or _RUNNING.search(around[0]):
                continue
            found.add(str(match.value))
            if _TOTAL_BEFORE.search(around[0]) or _TOTAL_AFTER.match(around[1]):
                totals.add(str(match.value))
    return next(iter(totals if len(found) > 1 else found)) if 1 in (len(totals), len(found)) and found else None


def ids_in(text: str) -> set[str]:
    """Return what looks like an id of an order, without amounts, dates, times and phone numbers."""
    others = [each for kind in ("money", "date", "time") for each in typed_values.find(kind, text)]
    others += [each for each in typed_values.find("phone", text) if " " in str(each.value)]
    return {
        found[1] or found[0]
        for found in _ID.finditer(text)
        if not (_UNIT.match(text, found.end()) or any(each.start <= found.start() < each.end for each in others))
    }


def masked(text: str) -> str:
    """Return a text without its numbers, to compare the words."""
    return _AMOUNTS.sub("#", fold(text))


def report_of(reply: str) -> str:
    """Return a reply without its numbers and ids, to know it again."""
    return masked(_ID.sub("#", reply))
