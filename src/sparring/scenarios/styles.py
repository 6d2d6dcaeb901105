"""Interaction styles: how a user talks, the same in every conversation or drawn anew."""

from dataclasses import dataclass
from random import Random

from sparring.core.case import Style
from sparring.scenarios.languages import NAMES
from sparring.scenarios.part import Part

STYLES = (
    "default",
    "long phrases",
    "change your mind",
    "change language",
    "make spelling mistakes",
    "single question",
    "all questions",
)
_ALSO = {"long phrase": "long phrases"}  # what SENSEI's README calls it


@dataclass(frozen=True, slots=True)
class Styles:
    """The styles of every conversation, and those of which each draws at least one."""

    always: tuple[Style, ...] = ()
    sometimes: tuple[Style, ...] = ()

    def pick(self, random: Random) -> tuple[Style, ...]:
        """The styles of one conversation, in the order they were written."""
        if not self.sometimes:
            return self.always
        drawn = random.sample(range(len(self.sometimes)), random.randint(1, len(self.sometimes)))
        return (*self.always, *(self.sometimes[index] for index in sorted(drawn)))


def styles(part: Part) -> Styles:
    """What `interaction_style` says: names, `change language: [...]`, and `random: [...]` around any of these."""
    always, sometimes = [], []
    for name, more in _named(part):
        if name.data == "random" and more is not None:
            sometimes += [style for inner in _named(more) for style in _style(*inner)]
        else:
            always += _style(name, more)
    return Styles(tuple(always), tuple(sometimes))


def _named(part: Part) -> list[tuple[Part, Part | None]]:
    """The names of styles, and what is written after the colon of those that have one."""
    if isinstance(part.data, str):
        return [(part, None)]
    if isinstance(part.data, dict):
        return [(more.with_data(name), more) for name, more in part.entries()]
    return [entry for item in part.items() for entry in _named(item)]


def _style(name: Part, more: Part | None) -> list[Style]:
    known = name.one_of(STYLES, also=_ALSO)
    if known in ("", "default"):
        return []
    if known != "change language":
        return [Style(name=known)]
    if more is None or not more.data:
        name.wrong("needs the languages to change to, as a list")
        return []
    languages = more.items() if isinstance(more.data, list) else [more]
    return [Style(name=known, languages=tuple(language.one_of(NAMES) for language in languages))]
