"""Checks of probes that stop half-way, begin anew, or do the same twice."""

from collections.abc import Iterator, Sequence

from sparring.core.conversation import Conversation
from sparring.extraction.speech_acts import is_refusal
from sparring.extraction.tokens import mentions
from sparring.probes.acts import affirms, asks_to_confirm, cancels, ids_in, says_done
from sparring.probes.found import AnsweredTurn, Found, finding, questions_in, stating
from sparring.probes.notes import Notes
from sparring.probes.offers import without_list


def cancelled_early(conversation: Conversation, replies: Sequence[AnsweredTurn], notes: Notes) -> Iterator[Found]:
    """Find a cancellation that is ignored at one question, by a chatbot that can cancel at others."""
    if notes.cancelled is None or notes.kept or not notes.domain.cancels:
        return
    asked = next((questions_in(each.text) for each in replies if each.turn == notes.cancelled - 1), [])
    after = [each for each in replies if each.turn >= notes.cancelled and each.turn != notes.recalled]
    again = [each for each in after if asked and questions_in(each.text)[-1:] == asked[-1:]]
    done = any(cancels(each.text) or is_refusal(each.text) for each in after)
    if again and not done and not asks_to_confirm(asked[-1]):
        yield finding("cancel", f"A cancellation is ignored after “{asked[-1]}”", again[0])


def starts_over(conversation: Conversation, replies: Sequence[AnsweredTurn], notes: Notes) -> Iterator[Found]:
    """Find values of what was stopped that come back in what was begun after it."""
    if notes.restarted is None:
        return
    said = "\n".join(each.asked for each in replies if each.turn >= notes.restarted)
    stated = "\n".join(each.asked for each in replies if each.turn < notes.restarted)
    for each in replies:
        text = without_list(each.text)
        if each.turn < notes.restarted or not (asks_to_confirm(text) or says_done(text)):
            continue
        dropped = [value for value in notes.dropped if mentions(stated, value) and not mentions(said, value)]
        back = [value for value in dropped if affirms(text, value)]
        if back:
            title = f"After beginning anew, the chatbot keeps “{back[0]}” from before"
            yield finding("kept", title, each, unwanted=stating(each.text, back[0]))
            return


def same_number(conversation: Conversation, replies: Sequence[AnsweredTurn], notes: Notes) -> Iterator[Found]:
    """Find the number of something done in the report of the next one."""
    if notes.repeated is None:
        return
    done = [each for each in replies if each.turn in notes.yeses and notes.reports(each.text) and ids_in(each.text)]
    first = [each for each in done if each.turn < notes.repeated]
    again = [each for each in done if each.turn > notes.repeated]
    if first and again and (same := ids_in(first[-1].text) & ids_in(again[-1].text)):
        said = "\n".join(each.asked for each in replies)
        if new := sorted(each for each in same if each not in said):
            title = f"Two orders get the same number, {new[0]}"
            yield finding("double", title, first[-1], again[-1], unwanted=stating(again[-1].text, new[0]))
