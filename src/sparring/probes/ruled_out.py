"""Probes that ask for days and times that cannot be: in no calendar, past, or when it is closed."""

from sparring.probes.answerer import OUTSIDE
from sparring.probes.cancelling import to_the_end
from sparring.probes.domain import days_open_in
from sparring.probes.lines import lines_of
from sparring.probes.notes import Lines, Notes
from sparring.probes.offers import is_weekday
from sparring.probes.walker import Walker


def closed_hour(walker: Walker, notes: Notes) -> Lines:
    """Ask for a time outside of the hours that the chatbot names, and go on."""
    yield from _at_time(walker, notes, "")


def impossible_time(walker: Walker, notes: Notes) -> Lines:
    """Ask for a time that no clock has, and go on."""
    yield from _at_time(walker, notes, "25:70")


def _at_time(walker: Walker, notes: Notes, time: str) -> Lines:
    walker.odd_time = time or OUTSIDE
    reply = yield lines_of(walker.language)["hello"]
    yield from to_the_end(walker, reply)
    notes.time = walker.odd_time if walker.odd_time in walker.given.values() else ""
    if not notes.time:
        notes.missed = "the chatbot named no hours within which it asked for a time"


def impossible_date(walker: Walker, notes: Notes) -> Lines:
    """Ask for a day that no calendar has, and go on."""
    yield from _on_day(walker, notes, *lines_of(walker.language)["no_days"])


def past_date(walker: Walker, notes: Notes) -> Lines:
    """Ask for a day that is long past, or say that it happened on one that is to come, and go on."""
    past = str(lines_of(walker.language)["past_day"])
    walker.later_days = (past.replace("2020", "2060"),)
    yield from _on_day(walker, notes, past)
    if walker.tried_day and not any(each[:4] in walker.tried_day for each in ("2020", "2060")):
        notes.missed, notes.day = "the chatbot asked for a day without its year", ""


def closed_day(walker: Walker, notes: Notes) -> Lines:
    """Ask for a day on which the chatbot says that it is closed, and go on."""
    if not walker.domain.closed:
        notes.missed = "the chatbot named no day on which it is closed"
        return
    yield from _on_day(walker, notes, walker.domain.closed)


def open_day(walker: Walker, notes: Notes) -> Lines:
    """Ask for the hours, and then for the first day on which the chatbot says that it is open."""
    lines = lines_of(walker.language)
    notes.hours_asked = notes.next
    named = days_open_in((yield lines["facts"][0][0]), walker.language)
    if not named:
        notes.missed = "the chatbot named no days on which it is open"
        return
    notes.open_day = named[0]
    walker.days = (named[0].title(),)
    reply = yield lines["hello"]
    yield from to_the_end(walker, reply)


def _on_day(walker: Walker, notes: Notes, *days: str) -> Lines:
    walker.days, walker.until_day, notes.day = days, lines_of(walker.language)["after_no_day"], days[0]
    reply = yield lines_of(walker.language)["hello"]
    yield from to_the_end(walker, reply)
    if any(any(map(is_weekday, each.options)) for each in walker.choices):
        notes.missed = "the chatbot offered the days from which to choose"
    elif not walker.dated:
        notes.missed = "the chatbot asked for no day"
    notes.day = walker.tried_day or notes.day
