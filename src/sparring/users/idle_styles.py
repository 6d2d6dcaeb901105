"""Styles and languages of a case that its user cannot show, and the warnings about them."""

from collections.abc import Iterator

from sparring.core.case import CHANGE_YOUR_MIND, Case, Style
from sparring.extraction.phrasebooks import has_phrasebook, languages_of
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
