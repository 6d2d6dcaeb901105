"""The check that after a detour or a correction, the chatbot confirms the same as without."""

import re
from collections.abc import Iterator, Sequence

from sparring.core.conversation import Conversation
from sparring.extraction.dates_and_times import WEEKDAYS
from sparring.extraction.tokens import fold, mentions, sentences, stems, tokens
from sparring.probes.acts import asks_to_confirm, final_question, ids_in, masked, total_of
from sparring.probes.found import AnsweredTurn, Found, exactly, finding, questions_in, replies_in
from sparring.probes.invitations import without_buttons
from sparring.probes.lines import answer_to
from sparring.probes.notes import Notes
from sparring.probes.sums import decimal

_VALUE = re.compile(r"[€$£]?\d(?:[\d.,:/-]*\d)?|[^\W\d_]+")
_ALIKE = 0.6
"""Least share of stems that two summaries of the same have in common."""

_LEAST = 3
"""Characters of a value that a summary may lack."""


def straight_lines(conversation: Conversation, notes: Notes) -> tuple[str, ...]:
    """Return what the user says without the detour until it is to confirm; empty if unclear."""
    replies = list(replies_in(conversation))
    summary = _summary(replies, notes)
    lines = [each.asked for each in replies[: summary.turn]] if summary else []
    if summary is None:
        return ()
    if notes.aside is not None:
        question = questions_in(replies[notes.aside - 2].text, True)[-1:]
        free = any(answer_to(each, 0) == answer_to("describe", 0) for each in question)
        asked = lines.pop(notes.aside - 1).rstrip("?. ")
        return () if free or asked in summary.text else tuple(lines)
    if notes.restarted is not None:
        return (lines[0], *lines[notes.restarted - 1 :])
    if notes.changed is None or notes.again is not None:
        return ()
    said = [at for at, line in enumerate(lines[: notes.changed - 1]) if fold(line) == fold(notes.old)]
    for at in said[:1]:
        lines[at] = notes.new
    before = replies[notes.changed - 2].text
    late = asks_to_confirm(before) or total_of(before) is not None
    left = lines[: notes.changed - 1] if late else lines[: notes.changed - 1] + lines[notes.changed :]
    return tuple(left) if len(said) == 1 else ()


def straight_summary(straight: Conversation, detour: Conversation, notes: Notes) -> str:
    """Return what a conversation without the detour asks to confirm; empty if it went another way."""
    known = notes.domain.accepted | _answers(detour)
    replies = list(replies_in(straight))
    strange = {pair for pair in _answers(straight) - known if pair[1] != notes.new}
    return replies[-1].text if replies and not strange and asks_to_confirm(replies[-1].text) else ""


def _answers(conversation: Conversation) -> set[tuple[str, str]]:
    """Return the questions of a chatbot with the answers of the user."""
    replies = list(replies_in(conversation))
    asked = ["".join(questions_in(without_buttons(each.text), True)[-1:]) for each in replies]
    return {(question, after.asked) for question, after in zip(asked, replies[1:], strict=False)}


def same_outcome(conversation: Conversation, replies: Sequence[AnsweredTurn], notes: Notes) -> Iterator[Found]:
    """Find summaries that have other values than without the detour, or lack one."""
    summary = _summary(replies, notes) if notes.straight else None
    if summary is None or (notes.changed is not None and not mentions(summary.text, notes.new)):
        return  # the correction itself is not applied
    known = (*notes.given.values(), *(each.taken for each in notes.choices))
    values = [each for each in known if each != notes.old]
    shorter = notes.changed is not None or summary.turn == notes.aside  # beside an answer
    for right, wrong in _differing(notes.straight, summary.text, () if shorter else values):
        detour = "a correction" if notes.changed else "beginning anew" if notes.restarted else "a question in between"
        certain = notes.changed is None or not _adds(right, wrong, replies[notes.changed - 2].text)
        instead = f"“{wrong}” instead of “{right}”" if wrong else f"nothing of “{right}”"
        title = f"After {detour}, the chatbot says {instead}"
        yield finding("outcome", title, summary, certain=certain, wanted=exactly(right))
        return


def _adds(right: str, wrong: str, before: str) -> bool:
    """Return True if an amount is higher than without and before a correction: both are taken."""
    amounts = [each.strip("€$£") for each in (right, wrong)]
    if not all(re.fullmatch(r"\d+(?:[.,]\d+)?", each) for each in amounts):
        return False
    stated = (total_of(before), amounts[0])
    return all(decimal(amounts[1]) > decimal(each) for each in stated if each is not None)


def _summary(replies: Sequence[AnsweredTurn], notes: Notes) -> AnsweredTurn | None:
    """Return the first reply after the detour that asks to confirm what is done after a yes."""
    begun = notes.aside or notes.restarted or notes.changed
    asked = (each for each in replies if begun and each.turn >= begun and asks_to_confirm(each.text))
    return next(
        (each for each in asked if each.turn + 1 in notes.yeses or final_question(each.text) in notes.domain.finals),
        None,
    )


def _differing(right: str, wrong: str, said: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield the values of a summary that another one of the same does not have, with those in their place."""
    rights, wrongs = _parts(right), _parts(wrong)
    for each in rights:
        alike = [other for other in wrongs if _shape(other) == _shape(each)]
        if alike and each not in wrongs and not any(other in rights for other in alike):
            values = zip(_VALUE.findall(each), _VALUE.findall(alike[0]), strict=False)
            yield from ((one, other) for one, other in values if one != other)
    stated, now = stems(masked(right)), stems(masked(wrong))
    if len(stated & now) >= _ALIKE * len(stated):
        lacks = (each for each in said if mentions(right, each) and not mentions(wrong, each))
        yield from ((each, "") for each in lacks if len(each) >= _LEAST)


def _parts(summary: str) -> list[str]:
    """Return the sentences of a summary, without ids."""
    for each in sorted(ids_in(summary), key=len, reverse=True):
        summary = summary.replace(each, "~")
    return [" ".join(each.text.split()) for each in sentences(summary)]


def _shape(sentence: str) -> str:
    """Return a sentence without its numbers and weekdays."""
    return " ".join("#" if word in WEEKDAYS else word for word in tokens(masked(sentence)))
