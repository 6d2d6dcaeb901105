"""Checks of probes that correct what was chosen: the last value wins, and nothing else changes."""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from sparring.core.conversation import Conversation
from sparring.extraction.tokens import fold, mentions
from sparring.probes.acts import affirms, asks_to_confirm, settles, turns_down
from sparring.probes.found import AnsweredTurn, Found, finding, questions_in, stating
from sparring.probes.notes import Notes
from sparring.probes.offers import offered_in

_INSISTS = re.compile(r"\b(?:please|bitte|por favor|per favore)\W+(?:antwort|answer|reply|respond|say|type|rispond)")
"""Words of replies that do not take a message for an answer: "Please answer yes or no."."""


def last_value(conversation: Conversation, replies: Sequence[AnsweredTurn], notes: Notes) -> Iterator[Found]:
    """Find confirmations that name a value before a correction, and not the one after it."""
    if notes.changed is None:
        return
    last = notes.newest or notes.new
    refused = [
        after.turn
        for before, after in pairwise(replies)
        if after.turn >= notes.changed and (turns_down(after.text) or passes_over(before, after))
    ]
    for each in replies:
        if each.turn < (notes.again or notes.changed) or not settles(each.text):
            continue
        if len(offered_in(each.text, notes.language)) > 1:
            continue
        old = next((value for value in (notes.old, notes.new) if value != last and affirms(each.text, value)), "")
        if old and not mentions(each.text, last):
            title = f"A correction is not applied: “{old}” → “{last}”"
            certain = not any(turn <= each.turn for turn in refused)
            yield finding("correction", title, each, certain=certain, unwanted=stating(each.text, old))
            return


def passes_over(before: AnsweredTurn, after: AnsweredTurn) -> bool:
    """Return True if a reply asks the question before again, as one that did not understand the message."""
    insists = _INSISTS.search(fold(after.text)) and not _INSISTS.search(fold(before.text))
    same = questions_in(before.text)[-1:] == questions_in(after.text)[-1:]
    return bool(insists) or (same and not settles(after.text))


def keeps_others(conversation: Conversation, replies: Sequence[AnsweredTurn], notes: Notes) -> Iterator[Found]:
    """Find corrections after which another choice has changed as well."""
    if notes.changed is None or notes.again is not None:
        return
    before = next(
        (each for each in reversed(replies) if each.turn < notes.changed and asks_to_confirm(each.text)), None
    )
    after = next((each for each in replies if each.turn >= notes.changed and settles(each.text)), None)
    if before is None or after is None or not affirms(after.text, notes.new) or notes.changed + 1 < after.turn:
        return
    for choice in notes.choices:
        if choice.turn > before.turn or choice.taken == notes.old or not affirms(before.text, choice.taken):
            continue
        others = [each for each in choice.others if affirms(after.text, each) and not mentions(before.text, each)]
        if len(others) == 1 and not mentions(after.text, choice.taken):
            title = f"A correction changes something else: “{choice.taken}” → “{others[0]}”"
            yield finding("side-effect", title, before, after, unwanted=stating(after.text, others[0]))
            return
