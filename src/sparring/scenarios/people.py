"""Who the user of a scenario file is: a phrase, the name of a personality, or more about both."""

from dataclasses import dataclass, field
from pathlib import Path

from sparring.core.case import Persona
from sparring.scenarios.languages import NAMES
from sparring.scenarios.part import Part
from sparring.scenarios.personalities import Personality, personality
from sparring.scenarios.styles import Styles, styles


@dataclass(frozen=True, slots=True)
class Person:
    """A persona, and the styles it talks in. `phrases` are those that may hold placeholders, with their parts."""

    persona: Persona
    styles: Styles = field(default_factory=Styles)
    phrases: tuple[tuple[Part, str], ...] = ()


def person(part: Part, file: Path) -> Person:
    """What `user` says. One word is the name of a personality, more than one a phrase about who the user is."""
    if not isinstance(part.data, dict):
        if len(part.text().split()) != 1:
            return _role(part)
        return Person(_with(personality(part, file, otherwise="who the user is takes more than one word")))
    fields = part.fields(("role", "personality", "traits", "language", "styles"))
    known = personality(fields["personality"], file) if "personality" in fields else None
    own = fields["traits"].texts() if "traits" in fields else ()
    persona = _with(known)
    return Person(
        persona.model_copy(
            update={
                "role": fields["role"].text() if "role" in fields else "",
                "traits": (*persona.traits, *own),
                "language": (fields["language"].one_of(NAMES) if "language" in fields else "") or "English",
            }
        ),
        styles(fields["styles"]) if "styles" in fields else Styles(),
        tuple((fields[name], text) for name in ("role", "traits") if name in fields for text in fields[name].texts()),
    )


def _role(part: Part) -> Person:
    return Person(Persona(role=part.text()), phrases=((part, part.text()),))


def _with(known: Personality | None) -> Persona:
    return Persona(name=known.name, traits=known.traits) if known else Persona()
