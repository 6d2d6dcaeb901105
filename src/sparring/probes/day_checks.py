"""Checks of probes on days: another one than was asked for, and one that cannot be."""

import re
from collections.abc import Iterator, Sequence

from sparring.core.conversation import Conversation
from sparring.extraction.dates_and_times import WEEKDAYS
from sparring.extraction.speech_acts import is_refusal
from sparring.extraction.tokens import fold, mentions, sentences, tokens
from sparring.extraction.typed_values import find as find_typed
from sparring.extraction.word_tables import words_of_module
from sparring.probes.acts import asks_to_confirm, cancels, says_done
from sparring.probes.asking import example_in, is_about_day
from sparring.probes.domain import CLOSED, closed_in, days_open_in
from sparring.probes.examples import INTRODUCED
from sparring.probes.found import AnsweredTurn, Found, exactly, finding, stating
from sparring.probes.hours import hours_in
from sparring.probes.notes import Notes
from sparring.probes.offers import is_weekday

_WORDS = words_of_module(__name__)
_OTHERS = re.compile(rf"\b(?:{_WORDS['others']})\b")
_UNTIL = re.compile(rf"\b(?:{_WORDS['until']})")
_YEAR = re.compile(r"\b20[26]0\b")
_FEBRUARY_30 = re.compile(r"\b30\W+(?:de |di )?[^\W\d]|-02-30\b|\b30[./]02[./]|\b02/30/")
_NEAR_FEBRUARY_30 = ("02-28", "02-29", "03-01", "03-02")
_SHORT = 4
"""Most words of an answer that names a day."""

_CLOSED = re.compile(r"\bclosed|\bno (?:appointments?|tables?|slots?)\b")
_BOOKS = re.compile(
    r"\b(?:book|appointment|reserv|visit|slot|table|class|course|termin|buch|gebuch|kurs|cita|clase|rendez|cours)"
)
"""Words for what takes place where the chatbot is at home."""


def other_day(conversation: Conversation, replies: Sequence[AnsweredTurn], notes: Notes) -> Iterator[Found]:
    """Find confirmations of another weekday than the only one that the user named, without a word of why."""
    answered = [each for each in replies if _weekdays(each.asked)]
    days = _weekdays(answered[-1].asked) if answered else set()
    if len(days) != 1 or notes.day or notes.restarted or len(tokens(answered[-1].asked)) > _SHORT:
        return
    question = next((each.text for each in replies if each.turn == answered[-1].turn - 1), "")
    for each in replies[answered[-1].turn - 1 :]:
        if names_another(each.text) and not _of_time(each.text, days):
            return
        for sentence in sentences(each.text) if asks_to_confirm(each.text) or says_done(each.text) else ():
            named = _weekdays(sentence.text)
            about = set(_UNTIL.findall(fold(sentence.text))) - set(_UNTIL.findall(fold(question)))
            example = INTRODUCED.search(sentence.text) is not None
            if len(named) == 1 and not (_weekdays(each.text) & days or about or example):
                title = f"The chatbot names {named.pop().title()} where {days.pop().title()} was asked for"
                yield finding("day", title, each, unwanted=stating(each.text, sentence.text))
                return


def _half_a_day(one: str, other: str) -> bool:
    """Return True if two times are twelve hours apart: "5 pm" taken for 5:00."""
    minutes = [int(hour) * 60 + int(rest[:2]) for hour, _, rest in (each.partition(":") for each in (one, other))]
    return abs(minutes[0] - minutes[1]) == 12 * 60


def names_another(text: str) -> bool:
    """Return True if a reply says that something is not free, or offers something else."""
    return _OTHERS.search(fold(text)) is not None or is_refusal(text)


def _of_time(text: str, days: set[str]) -> bool:
    """Return True if a reply refuses the time only: "Sorry, on Friday we are open from 9:00 to 17:30."."""
    return bool(_weekdays(text) & days) and hours_in(text) is not None and not _CLOSED.search(fold(text))


def other_date(conversation: Conversation, replies: Sequence[AnsweredTurn], notes: Notes) -> Iterator[Found]:
    """Find questions to confirm another date, or another time, than the only one that the user named."""
    for kind in ("date", "time"):
        said = [(each, found) for each in replies for found in find_typed(kind, each.asked)]
        if not said or notes.day:
            continue
        answer, asked = said[-1]
        for each in (
            said for said in replies[answer.turn - 1 :] if asks_to_confirm(said.text) or notes.reports(said.text)
        ):
            stated = find_typed(kind, each.text)
            words = each.text[stated[0].start : stated[0].end] if len(stated) == 1 else ""
            same = not stated or stated[0].value in [found.value for _, found in said]
            known = any(words in reply.text for reply in replies[answer.turn - 1 : each.turn - 1])
            known = known or words in example_in(each.text)
            alike = words and len(str(stated[0].value)) == len(str(asked.value))  # both with or without a year
            if same or known or not alike or _OTHERS.search(fold(each.text)):
                continue
            title = f"The chatbot names {words} where {answer.asked[asked.start : asked.end]} was asked for"
            half = kind == "time" and _half_a_day(str(asked.value), str(stated[0].value))
            yield finding("day", title, each, certain=kind == "date" or half, unwanted=exactly(words))
            return


def ruled_out(conversation: Conversation, replies: Sequence[AnsweredTurn], notes: Notes) -> Iterator[Found]:
    """Find confirmations of a day that is past, in no calendar, or one on which the chatbot is closed."""
    for each in replies if notes.day else ():
        done = each.turn in notes.yeses and notes.reports(each.text)
        done = done and not (cancels(each.text) or is_refusal(each.text))
        past = _YEAR.search(notes.day)  # or one to come, where the question is about the past
        agreed = replies[max(each.turn - 2, 0) : each.turn]
        shown = [said for said in agreed if mentions(said.text, notes.day) or (past and past[0] in said.text)]
        shown = [said for said in shown if not names_another(said.text)]
        if done and shown:
            closed = notes.day == notes.domain.closed
            what = f"{notes.day.title()}, on which it is closed" if closed else f"{notes.day}, which no calendar has"
            what = f"{notes.day}, which is {'still to come' if past[0] > '2050' else 'long past'}" if past else what
            asked = replies[: each.turn - 1] if closed else ()  # "Which day (Tuesday to Saturday)?"
            certain = not closed or any(
                is_about_day(said.text) and closed_in(said.text, notes.language) == notes.day for said in asked
            )
            certain = certain or _BOOKS.search(fold(each.text)) is not None
            certain = certain and not any(_is_other_day(value, notes.day, each.text) for value in notes.given.values())
            unwanted = stating(each.text, notes.day) if shown[-1] is each else ""
            quoted = dict.fromkeys((*shown, each))
            yield finding("ruled-out", f"The chatbot confirms {what}", *quoted, certain=certain, unwanted=unwanted)
            return


def open_day(conversation: Conversation, replies: Sequence[AnsweredTurn], notes: Notes) -> Iterator[Found]:
    """Find a day on which the chatbot says that it is open, and that it is closed."""
    answer = next((each for each in replies if notes.open_day and each.turn == notes.hours_asked), None)
    for each in replies[answer.turn :] if answer else ():
        for sentence in sentences(each.text) if mentions(each.asked, notes.open_day) else ():
            closed = CLOSED.search(fold(sentence.text)) and notes.open_day in _weekdays(sentence.text)
            if answer and closed and not days_open_in(sentence.text, notes.language):
                title = f"The chatbot says that it is open on {notes.open_day.title()}, and that it is closed"
                yield finding("fact", title, answer, each, unwanted=stating(each.text, sentence.text))
                return


def _is_other_day(value: str, day: str, text: str) -> bool:
    """Return True if a text names a weekday that the user gave instead of a day."""
    return value != day and is_weekday(value) and mentions(text, value)


def moved_day(conversation: Conversation, replies: Sequence[AnsweredTurn], notes: Notes) -> Iterator[Found]:
    """Find a day that no calendar has, for which another one is done without a word."""
    first = next((each for each in replies if notes.day and notes.day in each.asked), None)
    if first is None or not _FEBRUARY_30.search(fold(notes.day)):
        return
    said = " ".join(each.asked for each in replies)
    for each in replies[first.turn - 1 :]:
        if names_another(each.text) or not (asks_to_confirm(each.text) or says_done(each.text)):
            return
        days = [found for found in find_typed("date", each.text) if str(found.value)[-5:] in _NEAR_FEBRUARY_30]
        if days and each.turn in notes.yeses and says_done(each.text):
            words = each.text[days[0].start : days[0].end]
            if words not in said:
                title = f"The chatbot takes {notes.day}, which no calendar has, for {words}"
                yield finding("ruled-out", title, first, each, unwanted=exactly(words))
            return


def _weekdays(text: str) -> set[str]:
    return {day for word in tokens(text) for day in (word, word.removesuffix("s")) if day in WEEKDAYS}


def ruled_out_time(conversation: Conversation, replies: Sequence[AnsweredTurn], notes: Notes) -> Iterator[Found]:
    """Find confirmations of a time that no clock has, or that is outside of the hours of the chatbot."""
    for each in replies if notes.time else ():
        done = each.turn in notes.yeses and notes.reports(each.text) and not cancels(each.text)
        agreed = replies[max(each.turn - 2, 0) : each.turn]
        shown = [said for said in agreed if mentions(said.text, notes.time)]
        if done and shown:
            why = "is outside of its hours" if find_typed("time", notes.time) else "no clock has"
            quoted = dict.fromkeys((*shown, each))
            yield finding("ruled-out", f"The chatbot confirms {notes.time}, which {why}", *quoted)
            return


def keeps_word(conversation: Conversation, replies: Sequence[AnsweredTurn], notes: Notes) -> Iterator[Found]:
    """Find reports of another day, time or address than the one that was to confirm."""
    for turn in notes.yeses:
        if not 1 < turn <= len(replies) or not notes.reports(replies[turn - 1].text):
            continue
        before, after = replies[turn - 2], replies[turn - 1]
        for kind in ("date", "time", "email") if before.turn != notes.aside else ():
            stated, done = find_typed(kind, before.text), find_typed(kind, after.text)
            about = set(_UNTIL.findall(fold(after.text))) - set(_UNTIL.findall(fold(before.text)))
            if not len(stated) == len(done) == 1 or stated[0].value == done[0].value or about:
                continue
            old, new = before.text[stated[0].start : stated[0].end], after.text[done[0].start : done[0].end]
            if len(str(stated[0].value)) == len(str(done[0].value)) and old not in after.text:
                yield finding("day", f"The chatbot confirms {old} and does {new}", before, after, unwanted=exactly(new))
                return
