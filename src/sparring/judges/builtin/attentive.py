"""The check `attentive`: a chatbot responds to what the user says.

It fails a chatbot that gives the same reply three times in a row to a user who says something new each time, one that
leaves the language in which both have talked, and one that reports something as done with other values than the user
asked for or corrected ("change single to double" ... "your single room is booked"). It does not apply if the reply is a
refusal or asks to repeat, or if the user writes in several languages or asks for another one.
"""

import re
from collections.abc import Iterator

import re2

from sparring.core.case import Case
from sparring.core.conversation import Conversation
from sparring.core.message import Message
from sparring.core.text import visible
from sparring.core.verdict import Verdict
from sparring.extraction import typed_values
from sparring.extraction.answer_kinds import weekdays
from sparring.extraction.fallbacks import is_fallback
from sparring.extraction.function_words import plain_language
from sparring.extraction.languages import LANGUAGES, words_of
from sparring.extraction.speech_acts import (
    is_completion,
    is_denial,
    is_farewell,
    is_refusal,
    is_uncertain,
    only_waits,
    refuses,
)
from sparring.extraction.tokens import fold, pattern, sentences, stems, tokens
from sparring.judges.builtin.misreports import misreports
from sparring.judges.builtin.verdicts import Defect, verdict

ATTENTIVE = "attentive"

_TIMES = 3
_MIN_WORDS = 4
_NAMES_OF_LANGUAGES = pattern(
    *(each.name for each in LANGUAGES), "ingl[eé]s", "español", "castellano", "ruso", "французск", "английск",
    "испанск", "русск", "translat", "traduc", "перевед", "language", "idioma", "язык",
)  # fmt: skip
_WORDS = r"[\w'#:./-]+(?: [\w'#:./-]+){0,3}?"
_END = r"(?=$|[.,;!?)]| (?:please|instead|por favor|bitte|пожалуйста)\b)"
_CORRECTIONS = tuple(
    re.compile(
        fold(rf"\b(?:{each})").replace("{old}", f"(?P<old>{_WORDS})").replace("{new}", f"(?P<new>{_WORDS})") + _END
    )
    for each in words_of("speech", "corrections")
)
_CORRECTS = re2.compile(
    "|".join(fold(each).replace(r"\w", "[^ ]").format(old=".+", new=".") for each in words_of("speech", "corrections"))
)
"""One search that finds the beginning of every correction, and rejects most sentences."""


def attentive(conversation: Conversation) -> Verdict:
    """Fail if a reply shows that the chatbot ignores what the user says."""
    found = next(
        (each for check in (_stuck, _other_language, _forgotten, misreports) for each in check(conversation)), None
    )
    return verdict(ATTENTIVE, conversation, found)


def _replies(conversation: Conversation) -> list[tuple[int, Message]]:
    start = len(conversation.case.history)
    return [
        (at, each)
        for at, each in enumerate(conversation.messages)
        if each.role == "chatbot" and at >= start and not each.injected
    ]


def _quote(conversation: Conversation, at: int) -> tuple[int, int, int]:
    return at, 0, len(conversation.messages[at].text)


def _stuck(conversation: Conversation) -> Iterator[Defect]:
    """Yield the same reply to several messages that differ."""
    replies = _replies(conversation)
    for first in range(len(replies) - _TIMES + 1):
        same = replies[first : first + _TIMES]
        text = same[0][1].text
        if any(tokens(each.text) != tokens(text) or each.tool_calls for _, each in same):
            continue
        said = [each.text for each in conversation.messages[same[0][0] - 1 : same[-1][0]] if each.role == "user"]
        if _may_be_repeated(text) or _answers_all(text, said) or len(said) < _TIMES or not _news(said, text):
            continue
        turn = conversation.turn_of(same[0][0])
        reason = f"turns {turn} to {conversation.turn_of(same[-1][0])}: the chatbot repeats {visible(text)!r}"
        yield Defect(f"{reason} whatever the user says", tuple(_quote(conversation, at) for at, _ in same))


def _may_be_repeated(text: str) -> bool:
    """Return True if a reply may be right again and again."""
    known = is_fallback(text) or is_denial(text) or is_refusal(text) or refuses(text) or is_uncertain(text)
    return known or only_waits(text) or is_farewell(text) or len(tokens(text)) < _MIN_WORDS


def _answers_all(text: str, said: list[str]) -> bool:
    """Return True if a reply states what all of the messages ask for."""
    common = frozenset[str].intersection(*map(stems, said)) if said else frozenset[str]()
    stated = frozenset[str]().union(*(stems(each.text) for each in sentences(text) if not each.asks))
    return len(common) > 1 and 2 * len(common & stated) >= len(common)


def _news(said: list[str], reply: str) -> bool:
    """Return True if each message says something that none before it said."""
    known = stems(said[0])
    for text in said[1:]:
        if len(stems(text) - known) < 1 or is_denial(text) or is_fallback(text):
            return False
        known |= stems(text)
    return True


def _other_language(conversation: Conversation) -> Iterator[Defect]:
    """Yield the first reply in another language than that of all messages before it."""
    spoken = ""
    for at, each in enumerate(conversation.messages):
        language = plain_language(each.text)
        if each.role == "user":
            if _NAMES_OF_LANGUAGES.search(fold(each.text)) or (spoken and language not in ("", spoken)):
                return
        elif each.injected or at < len(conversation.case.history):
            return
        elif language and spoken and language != spoken and _has_user(conversation, at, spoken):
            name = next(one.name for one in LANGUAGES if one.code == language).capitalize()
            turn = conversation.turn_of(at)
            reason = f"turn {turn}: the chatbot changes to {name}, but the user does not: {visible(each.text)!r}"
            yield Defect(reason, (_quote(conversation, at),))
            return
        spoken = spoken or language


def _has_user(conversation: Conversation, at: int, language: str) -> bool:
    """Return True if both sides have used a language before a message."""
    before = conversation.messages[:at]
    return {each.role for each in before if plain_language(each.text) == language} == {"user", "chatbot"}


def _forgotten(conversation: Conversation) -> Iterator[Defect]:
    """Yield reports of something as done with a value that the user has corrected."""
    for at, each in enumerate(conversation.messages):
        if each.role != "user" or at < len(conversation.case.history):
            continue
        for old, new in _corrections(each.text):
            if not _is_value(conversation.case, old, new):
                continue
            if (found := _reported(conversation, at, old, new)) is not None:
                index, start, end = found
                quote = conversation.messages[index].text[start:end]
                reason = (
                    f"turn {conversation.turn_of(index)}: the chatbot says {visible(quote)!r}, but the user changed"
                )
                yield Defect(f"{reason} {visible(old)!r} to {visible(new)!r}", (found,))


def _corrections(text: str) -> Iterator[tuple[str, str]]:
    for sentence in sentences(text):
        said = fold(sentence.text)
        for found in (each.search(said) for each in _CORRECTIONS) if _CORRECTS.search(said) else ():
            if found and stems(found["old"]) - stems(found["new"]) and stems(found["new"]) - stems(found["old"]):
                yield found["old"].rstrip(" ."), found["new"].rstrip(" .")


def _is_value(case: Case, old: str, new: str) -> bool:
    """Return True if the old words are a value, unlike in "change my booking to Friday"."""
    if any(typed_values.find(kind, old) and typed_values.find(kind, new) for kind in ("date", "time", "money")):
        return True
    if weekdays(old) and weekdays(new):
        return True
    known = [str(value) for each in case.variables.values() for value in (each if isinstance(each, list) else [each])]
    known += [value for goal in case.goals for others in goal.others.values() for value in others]
    known += [value for each in case.changes for value in (each.first, each.final)]
    return any(stems(old) == stems(value) for value in known)


def _reported(conversation: Conversation, at: int, old: str, new: str) -> tuple[int, int, int] | None:
    """Return the last report after message `at` if it has the old value and not the new one."""
    before, after = stems(old) - stems(new), stems(new) - stems(old)
    last: tuple[int, int, int] | None = None
    for index, each in enumerate(conversation.messages[at + 1 :], at + 1):
        for sentence in sentences(each.text):
            said = stems(sentence.text)
            if each.role == "user":
                if before & said:
                    return None
            elif is_denial(sentence.text) or is_refusal(sentence.text):
                return None
            elif after & said:
                last = None
            elif before <= said and is_completion(sentence.text) and not sentence.asks:
                last = (index, sentence.start, sentence.end)
    return last
