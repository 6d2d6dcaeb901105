"""Warnings about what authors wrote of a user and a user without a model cannot show."""

from collections.abc import Iterator

from sparring.core.case import Case
from sparring.extraction.role_sheet import role_sheet
from sparring.extraction.tokens import fold, pattern
from sparring.extraction.word_tables import words_of_module

_WORDS = words_of_module(__name__)

_DEMANDS = pattern(_WORDS["demands"])
"""Words of sentences that ask for a behaviour or state a preference, not only a situation."""


def unread_warnings(case: Case) -> tuple[str, ...]:
    """Return a warning for each demand and hint without effect, and for each contradiction."""
    return tuple(_warnings(case))


def _warnings(case: Case) -> Iterator[str]:
    sheet = role_sheet(case)
    if case.script:
        for pattern in case.answers:
            yield f"user.hint_idle: the hint {pattern!r} has no effect: a script has the words of the user"
        return
    for text in (each for each in sheet.unread if _DEMANDS.search(fold(each))):
        personality = case.persona.name if any(text in trait for trait in case.persona.traits) else ""
        source = f" (personality {personality})" if personality else ""
        yield f"user.unread: has no effect on a user without a model: {text!r}{source}"
    for pattern in _shadowed(case):
        yield f"user.hint_idle: the hint {pattern!r} has no effect: an earlier one has the same words"
    for first, other in sheet.contradictions:
        slot = first.slot.replace("_", " ")
        yield (
            f"case.contradiction: the {slot} is {', '.join(first.values)!r} ({first.source}), but"
            f" {', '.join(other.values)!r} ({other.source})"
        )


def _shadowed(case: Case) -> Iterator[str]:
    """Yield hints that only match what an earlier hint of the case matches."""
    seen: set[str] = set()
    for hint in case.answers:
        plain = hint.casefold()
        if any(earlier in plain for earlier in seen if earlier.isalnum()):
            yield hint
        seen.add(plain)
