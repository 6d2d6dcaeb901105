"""Numbers beyond the limits that a chatbot names, "up to £2,500", and an impossible age."""

import re
from collections.abc import Iterator, Sequence

from sparring.core.conversation import Conversation
from sparring.extraction.numbers import number
from sparring.extraction.speech_acts import refuses
from sparring.extraction.tokens import NUMBERS, fold, is_stop_word, mentions
from sparring.extraction.word_tables import words_of_module
from sparring.probes.acts import asks_to_confirm, says_done, turns_down
from sparring.probes.found import AnsweredTurn, Found, exactly, finding, questions_in
from sparring.probes.invitations import without_buttons
from sparring.probes.notes import Notes

_WORDS = words_of_module(__name__)
_NUMBER = rf"(?:\d{{1,3}}(?:[.,]\d{{3}})+|\d+|{'|'.join(sorted(NUMBERS, key=len, reverse=True))})"
_SIGN = r"(?:[£$€] ?)?"
_RANGE = rf"(?:{_WORDS['between']})? ?{_SIGN}(?P<from>{_NUMBER}) ?(?:{_WORDS['to']}) ?{_SIGN}(?P<to>{_NUMBER})"
_OF_TEXT = rf" ?(?:{_WORDS['of_text']})\b"
_MOST = re.compile(
    rf"(?<![\w.,])(?:(?:{_WORDS['most']}) ?{_SIGN}(?P<most>{_NUMBER})|{_RANGE})(?![\w:%]|[.,]\d|{_OF_TEXT})"
    rf"|(?<![\w.,]){_SIGN}(?P<counted>{_NUMBER})(?!{_OF_TEXT})(?: [^\W\d_]+){{0,3}} (?:{_WORDS['most_after']})(?! ?\d)"
)
_OF_OPTION = re.compile(
    rf"\b(?P<name>[^\W\d]{{3,20}})(?::| (?:rooms?|tables?|cars?|size) \w{{3,10}}| \w{{3,10}}s)?"
    rf" (?:{_WORDS['most']}) ?(?P<most>{_NUMBER})(?![\w:%]|[.,]\d)"
)
TOO_OLD = "187"
_DIGITS = re.compile(r"\d{1,3}(?:[.,]\d{3})+(?!\d)|\d+")


def most_in(reply: str) -> int | None:
    """Return the most that a reply names; None if it names none, or several."""
    found = {_value(each["most"] or each["to"] or each["counted"]) for each in _MOST.finditer(fold(reply))}
    return found.pop() if len(found) == 1 else None


def limits_of_options(reply: str) -> dict[str, int]:
    """Return the most that each option takes, by its name: "a double room takes at most 2"."""
    found = _OF_OPTION.finditer(fold(reply))
    return {each["name"]: _value(each["most"]) for each in found if not is_stop_word(each["name"])}


def least_in(reply: str) -> int | None:
    """Return the least of the only range in a reply; None if it has none, or several."""
    found = {(_value(each["from"]), _value(each["to"])) for each in _MOST.finditer(fold(reply)) if each["to"]}
    least, most = found.pop() if len(found) == 1 else (0, 0)
    return least if least < most else None


def within(answer: str, reply: str) -> str:
    """Return an answer; instead of a number outside the only range in a reply, its least."""
    least, most = least_in(reply), most_in(reply)
    if least is None or most is None or not re.fullmatch(r"\d+(?:\.\d+)?", answer):
        return answer
    return answer if least <= float(answer) <= most else str(least)


def beyond(conversation: Conversation, replies: Sequence[AnsweredTurn], notes: Notes) -> Iterator[Found]:
    """Find confirmations of a number beyond the limit that the chatbot named."""
    if notes.beyond is None:
        return
    turn, limit, number_said = notes.beyond
    asked = [questions_in(without_buttons(said.text), True)[-1:] for said in replies[turn - 2 : turn]]
    if number_said == 0 or asked[:1] == asked[1:]:  # it asks again
        return
    for each in (said for said in replies if said.turn >= turn):
        if turns_down(each.text) or refuses(each.text):
            return
        named = [found[0] for found in _DIGITS.finditer(each.text) if _value(found[0]) == number_said]
        if named and (asks_to_confirm(each.text) or says_done(each.text)):
            which = "most" if number_said > limit else "least"
            title = f"The chatbot takes {named[0]}, and names {limit:,} as the {which}"
            yield finding("limit", title, replies[turn - 2], each, unwanted=exactly(named[0]))
            return


def late(conversation: Conversation, replies: Sequence[AnsweredTurn], notes: Notes) -> Iterator[Found]:
    """Find questions to confirm more than an option takes, after a correction."""
    if notes.late_limit is None:
        return
    turn, name, counted = notes.late_limit
    for each in replies[turn - 1 :]:
        if turns_down(each.text) or refuses(each.text):
            return
        if asks_to_confirm(each.text) and mentions(each.text, name):
            if found := re.search(rf"(?i){exactly(counted)}", each.text):
                title = f"The chatbot takes {found[0]} for “{name}”, one more than it names as the most"
                yield finding("limit", title, each, unwanted=exactly(found[0]))
            return


def age(conversation: Conversation, replies: Sequence[AnsweredTurn], notes: Notes) -> Iterator[Found]:
    """Find confirmations of an impossible age."""
    said = next((each for each in replies if each.asked == TOO_OLD), None)
    for each in replies[said.turn - 1 :] if said else ():
        if turns_down(each.text) or refuses(each.text):
            return
        if (asks_to_confirm(each.text) or says_done(each.text)) and re.search(exactly(TOO_OLD), each.text):
            yield finding("limit", f"The chatbot takes {TOO_OLD} as an age", each, unwanted=exactly(TOO_OLD))
            return


def _value(written: str) -> int:
    return NUMBERS.get(written) or int(number(written.replace(",", "").replace(".", "")) or 0)
