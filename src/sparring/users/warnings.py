"""Warnings about what authors wrote of a user and the user cannot show."""

from collections.abc import Iterator

from sparring.core.case import CHANGE_YOUR_MIND, Case, Style
from sparring.extraction.phrasebooks import has_phrasebook, languages_of
from sparring.extraction.role_sheet import role_sheet
from sparring.extraction.tokens import fold, pattern
from sparring.extraction.word_tables import words_of_module
from sparring.users.styles import ALL_QUESTIONS, CHANGE_LANGUAGE, has_style

_STYLE = "user.style_idle: the style `{}` has no effect: {}"
_LANGUAGE = "user.language_unspoken: {}"


def style_warnings(case: Case, *, model: bool = False) -> tuple[str, ...]:
    """Return a warning for each style and language that a user, played by a `model` or not, lacks."""
    if case.script:
        return tuple(_STYLE.format(each.name, "a script has the words of the user") for each in _styles(case))
    return (*_idle(case), *(() if model else _unspoken(case)))


def _styles(case: Case) -> list[Style]:
    return [each for each in case.persona.styles if each.name != "default"]


def _idle(case: Case) -> Iterator[str]:
    """Yield a warning for each style without effect on any user."""
    if has_style(case, CHANGE_YOUR_MIND) and not case.changes:
        yield _STYLE.format(CHANGE_YOUR_MIND, "no variable has another value that the user may take")
    if has_style(case, ALL_QUESTIONS) and len(case.goals) < 2:
        yield _STYLE.format(ALL_QUESTIONS, "there is no second goal")
    if has_style(case, CHANGE_LANGUAGE) and {*languages_of(case)} == {case.persona.language}:
        yield _STYLE.format(CHANGE_LANGUAGE, f"{case.persona.language} is the language of the user")


def _unspoken(case: Case) -> Iterator[str]:
    """Yield a warning for each language that a user without a model cannot speak, or not fully."""
    own, *others = dict.fromkeys(languages_of(case))
    if not has_phrasebook(own):
        yield _LANGUAGE.format(f"there are no phrases in {own}: a user without a model speaks English instead")
    for other in others:
        if not has_phrasebook(other):
            yield _LANGUAGE.format(f"there are no phrases in {other}: a user without a model never changes to it")
        elif case.goals:
            yield _LANGUAGE.format(f"goals are not translated: in {other}, the user states them as written")
    if others and not any(map(has_phrasebook, others)):
        yield _STYLE.format(CHANGE_LANGUAGE, f"there are no phrases in {' or '.join(others)}")


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
