"""Charges that differ from the amount to which the user agreed just before."""

from collections.abc import Iterator, Sequence
from itertools import chain

from sparring.core.conversation import Conversation
from sparring.extraction import typed_values
from sparring.extraction.speech_acts import asks_to_confirm, is_denial
from sparring.extraction.tokens import MAX_MESSAGE, Sentence, fold, pattern, sentences
from sparring.extraction.word_tables import words_of_module
from sparring.judges.builtin.statements import Statement, plain_value, statements

_WORDS = words_of_module(__name__)
_CHARGES = pattern(_WORDS["charges"], end=r"\b")
_PARTS = pattern(_WORDS["parts"], end=r"\b")
"""Words of amounts that are not the whole, or that are due under a condition."""

_DUE = (frozenset({"total"}), frozenset({"due"}))


def other_charge(
    conversation: Conversation, asked: int, at: int, stated: Sequence[Statement]
) -> tuple[Statement, Statement] | None:
    """Return what reply `asked` named to confirm, and what reply `at` charges instead.

    `stated` are the statements of reply `at`.
    """
    earlier, later = (conversation.messages[each].text[:MAX_MESSAGE] for each in (asked, at))
    if "?" not in earlier or (charged := _charged(at, later, stated)) is None:
        return None
    if (agreed := _agreed(asked, earlier)) is None:
        return None
    if charged.value in _amounts(earlier) or _unit(agreed) != _unit(charged):
        return None
    replies = [each.text for each in conversation.messages[: at + 1] if each.role == "chatbot"]
    return None if any(_PARTS.search(fold(text)) for text in replies) else (agreed, charged)


def _agreed(at: int, text: str) -> Statement | None:
    """Return the total of a reply that asks only to confirm it.

    Of a reply without a total it is the only amount if that is a price.
    """
    questions = [each for each in sentences(text) if each.asks]
    if not questions or not asks_to_confirm(questions[-1].text) or len(questions) > 1:
        return None
    stated = [each for each in statements(at, text) if each.kind == "money"]
    totals = [each for each in stated if each.key in _DUE]
    return next(iter(totals or (stated if len(_amounts(text)) == 1 else [])), None)


def _charged(at: int, text: str, stated: Sequence[Statement]) -> Statement | None:
    """Return the only amount of a reply if it says that it is charged or due."""
    if len(_amounts(text)) != 1:
        return None
    due = (each for each in stated if each.kind == "money" and each.key in _DUE)
    return next(chain(due, _charges(at, text)), None)


def _charges(at: int, text: str) -> Iterator[Statement]:
    for each in sentences(text):
        if not each.asks and _CHARGES.search(fold(each.text)) and not is_denial(each.text):
            for value in _amounts(each.text):
                yield _charge(at, each, value)


def _charge(at: int, said: Sentence, value: str) -> Statement:
    return Statement("money", frozenset({"charge"}), value, at, said.start, said.end, said.text)


def _amounts(text: str) -> list[str]:
    """Return the different amounts of money in a text, in one notation."""
    return list(dict.fromkeys(plain_value("money", str(each.value)) for each in typed_values.find("money", text)))


def _unit(stated: Statement) -> str:
    return stated.value.partition(" ")[2]
