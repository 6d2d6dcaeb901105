"""Checks of probes that ask for what was done: its number, its date, and whether it is cancelled."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from sparring.core.conversation import Conversation
from sparring.extraction import typed_values
from sparring.extraction.acts import Act, reported_acts, wants
from sparring.extraction.fallbacks import is_fallback
from sparring.extraction.speech_acts import is_denial, refuses
from sparring.extraction.tokens import fold, mentions, sentences, stems
from sparring.probes.acts import cancels, ids_in, leaves, masked, settles
from sparring.probes.found import AnsweredTurn, Found, exactly, finding, pattern, questions_in, stating
from sparring.probes.invitations import without_buttons
from sparring.probes.notes import Notes
from sparring.probes.offers import named_in, offered_in, without_list
from sparring.probes.sums import only_amount

_ALREADY = re.compile(r"\b(?:already|bereits|schon|ya|deja|gia|ja foi|уже)\b")
"""Words of replies that refer to what was done: "It is already placed, nothing else was ordered"."""

_CANCELLED = re.compile(r"\b(?:cancell?ed|storniert|(?:cancel|anul)ad[oa]|annulee?|annullat[oa])\b|\bотменен")
_NONE = re.compile(
    r"\b(?:there (?:is|are)|you have|i (?:find|have|see)|we have|found) no\b|\b(?:no hay|no tiene|kein\w*|aucun\w*"
    r"|nessun\w*|ningun\w*|nenhum\w*)\b|\bнет\b"
)
"""Nothing is on file."""

_NOT_BEGUN = re.compile(
    r"\bnothing (?:\w+ ){0,3}to cancel|\bnichts (?:\w+ ){0,2}(?:zu stornieren|abzubrechen)|nada que cancelar"
)
"""There is nothing to cancel, which may be said of what goes on, not of what is done."""

_ALIKE = 0.6
"""Least share of stems of two sentences that say the same."""

_LEAST = 3
"""Characters of an answer by which what was ordered is known again."""

_TYPES = ("time", "money", "duration", "percent")
_PART = re.compile(r"[;\n]|(?<=[^\d\W])[.!?] |, (?=[A-Z])")


def recalled(conversation: Conversation, replies: Sequence[AnsweredTurn], notes: Notes) -> Iterator[Found]:
    """Find chatbots that forget or change what they did when asked about it."""
    asked = next((each for each in replies if each.turn == notes.recalled), None)
    if asked is None:
        return
    done = next((each for each in replies if notes.reports(each.text) and each.turn < asked.turn), None)
    if notes.cancelled is not None:
        before = " ".join(each.text for each in replies if each.turn < notes.cancelled and settles(each.text))
        taken = [choice.taken for choice in notes.choices]
        others = any(mentions(asked.text, other) for choice in notes.choices for other in choice.others)
        offers_again = asked.asks and len(offered_in(asked.text, notes.language) or named_in(asked.text)) > 1
        if offers_again or others or any(leaves(each.text) for each in replies if each.turn >= notes.cancelled):
            return
        known = set().union(*(ids_in(each.text) for each in replies if each.turn in notes.yeses))
        since = [each.text for each in replies if notes.cancelled <= each.turn < asked.turn]
        gone = any(
            (Act.CANCEL in reported_acts(each) or (_CANCELLED.search(fold(each)) and not questions_in(each)))
            and not refuses(each)
            for each in since
        )
        if notes.kept and gone and not cancels(asked.text) and (same := sorted(known & ids_in(asked.text))):
            found = finding("kept", "What was cancelled is still there", asked, unwanted=pattern(same[0]))
            yield replace(found, repeated=True)
            return
        said_values = [each for each in notes.given.values() if len(each) >= _LEAST and not asked.asks]
        said_values = [each for each in said_values if not _is_example(each, replies)]
        stated = [each for each in (*taken, *said_values) if mentions(before, each)]
        named = [each for each in stated if mentions(asked.text, each)]
        if named and named == stated and not cancels(asked.text):
            found = finding("kept", "What was cancelled is still there", asked, unwanted=stating(asked.text, named[0]))
            yield replace(found, certain=not any(_NOT_BEGUN.search(fold(each)) for each in since))
        return
    if done is None or any(mentions(asked.text, choice.taken) for choice in notes.choices if choice.turn > 1):
        return  # nothing was done, or the chatbot knows it: "with no extras" denies nothing
    if (amount := only_amount(done.text)) is not None and amount == only_amount(asked.text):
        return
    known, asked_ids = ids_in(done.text), ids_in(asked.text)
    shows = asked.asked == notes.domain.recap  # by its own word
    if len(known) == 1 and len(asked_ids) == 1 and known != asked_ids:
        yield finding("id", "The chatbot gives another number when it is asked for it", done, asked, certain=False)
    elif (
        not known & asked_ids
        and (is_denial(asked.text) or _NONE.search(fold(asked.text)))
        and not ((not shows and (refuses(asked.text) or is_fallback(asked.text))) or _ALREADY.search(fold(asked.text)))
        and stems(asked.asked if shows else asked.text) & stems(without_list(done.text))
    ):
        yield finding("gone", "The chatbot does not know what it has done", done, asked, certain=shows)


def _is_example(value: str, replies: Sequence[AnsweredTurn]) -> bool:
    """Return True if the chatbot named a value before the user said it."""
    said = next((each.turn for each in replies if mentions(each.asked, value)), 0)
    return any(mentions(each.text, value) for each in replies[: said - 1])


def keeps_date(conversation: Conversation, replies: Sequence[AnsweredTurn], notes: Notes) -> Iterator[Found]:
    """Find another date of what was done when the user asks for it."""
    asked = next((each for each in replies if each.turn == notes.recalled and notes.cancelled is None), None)
    done = next((each for each in reversed(replies) if each.turn in notes.yeses and notes.reports(each.text)), None)
    dates = typed_values.find("date", done.text) if done else []
    if asked is None or done is None or len(dates) != 1:
        return
    for choice in notes.choices:
        parts = [part for part in _PART.split(asked.text) if mentions(part, choice.taken)]
        named = typed_values.find("date", parts[0]) if len(parts) == 1 and mentions(done.text, choice.taken) else []
        if (
            len(named) == 1
            and named[0].value != dates[0].value
            and len(str(named[0].value)) == len(str(dates[0].value))
        ):
            words = parts[0][named[0].start : named[0].end]
            title = f"The chatbot says {done.text[dates[0].start : dates[0].end]}, and later {words}"
            yield finding("recalled", title, done, asked, unwanted=exactly(words))
            return


def cancelled_again(conversation: Conversation, replies: Sequence[AnsweredTurn], notes: Notes) -> Iterator[Found]:
    """Find chatbots that offer to cancel what they have cancelled."""
    again = next((each for each in replies if each.turn == notes.cancelled_again), None)
    done = [each for each in replies if (notes.cancelled or 0) <= each.turn < (again.turn if again else 0)]
    known = set().union(*(ids_in(each.text) for each in replies if each.turn in notes.yeses))
    known &= set().union(*(ids_in(each.text) for each in done))
    done = [
        each
        for each in done
        if cancels(each.text) and not (refuses(each.text) or questions_in(without_buttons(each.text)))
    ]
    if again is None or not done or any(masked(again.text) == masked(each.text) for each in done):
        return
    if wants(again.text, Act.CANCEL) and (named := ids_in(again.text) & known):
        title = f"The chatbot offers to cancel {min(named)}, which it has cancelled"
        found = finding("kept", title, done[0], again, unwanted=pattern(min(named)))
        yield replace(found, repeated=True)


def same_number(conversation: Conversation, replies: Sequence[AnsweredTurn], notes: Notes) -> Iterator[Found]:
    """Find another number of what was done when the user asks for it."""
    done = [each for each in replies if notes.reports(each.text) and ids_in(each.text) and each.turn in notes.yeses]
    if notes.asked_number is None or len(done) != 1:
        return
    known = ids_in(done[0].text)
    for asked in replies[notes.asked_number - 1 :]:
        named = ids_in(asked.text)
        if asked.asks or not len(known) == len(named) == 1 or known == named:
            continue
        if {masked(each) for each in known | named} == {masked(*named)}:
            title = f"The chatbot gives {min(named)} as the number of {min(known)}"
            yield replace(finding("id", title, done[0], asked, wanted=pattern(min(named))), repeated=True)
            return


def same_fact(conversation: Conversation, replies: Sequence[AnsweredTurn], notes: Notes) -> Iterator[Found]:
    """Find other values in the answer to the same question."""
    by_turn = {each.turn: each for each in replies}
    for first, second in notes.facts:
        before, after = by_turn.get(first), by_turn.get(second)
        if before is not None and after is not None and (differs := _differing(before.text, after.text)):
            title = "The same question gets another answer"
            yield finding("fact", title, before, after, certain=differs[1], unwanted=exactly(differs[0]))
            return


def _differing(before: str, after: str) -> tuple[str, bool] | None:
    """Return a value that differs in two sentences that say the same, and True if it is certain.

    A waiting time may change while one asks for it.
    """
    for earlier in sentences(before):
        for later in sentences(after):
            one, other = stems(masked(earlier.text)), stems(masked(later.text))
            if not one or later.text in before or len(one & other) < _ALIKE * max(len(one), len(other)):
                continue
            for kind in _TYPES:
                stated, again = typed_values.find(kind, earlier.text), typed_values.find(kind, later.text)
                new = [each for each in again if each.value not in [known.value for known in stated]]
                if stated and new and len(stated) == len(again):
                    return later.text[new[0].start : new[0].end], one == other and kind != "duration"
    return None
