"""The user of a scenario: role, personality, language and interaction styles.

Personalities are sentences about a user in a file of their own, so that scenarios can share them.
"""

import os
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from sparring import parsing
from sparring.core.case import CHANGE_YOUR_MIND, Persona, Style
from sparring.core.errors import InputError
from sparring.core.text import suggest
from sparring.scenarios.field_reader import FieldReader, ProblemList
from sparring.scenarios.field_types import (
    NOTHING,
    TEXT,
    TEXTS,
    AnyOf,
    FieldType,
    Key,
    ListOf,
    OneOf,
    Record,
    Schema,
    Shared,
    schema_of_file,
)
from sparring.scenarios.file_names import descends, find_nearby, folders

SHIPPED = Path(__file__).parent / "personas"

_ENDINGS = (".yml", ".yaml")


@dataclass(frozen=True, slots=True)
class Personality:
    """A name, and sentences about the user."""

    name: str
    traits: tuple[str, ...]


def bundled_personalities() -> list[Personality]:
    """Return the bundled personalities by name."""
    return [read_personality(path, ProblemList()) for path in sorted(SHIPPED.iterdir())]


def personality(part: FieldReader, file: Path, *, otherwise: str = "") -> Personality | None:
    """Load the personality that `file` names: a path from its folder or one above it, or a bundled one.

    `otherwise` completes the hint if there is none.
    """
    written = Path(part.text())
    if not descends(written):
        part.report("should be a path that starts at the folder of this file, or at one above it")
        return None
    found = next((path for spelled in _spelled(written) if (path := find_nearby(file, spelled))), None)
    shipped_as = SHIPPED / f"{_stem(written)}.yaml"
    if found is None and not os.path.isfile(shipped_as):
        hint = suggest(_stem(written), _known(file, written))
        part.report("there is no such personality", f"{hint}; {otherwise}" if otherwise else hint)
        return None
    try:
        return read_personality(found or shipped_as, part.problems)
    except InputError as error:
        part.problems.extend(error.problems)
        return None


_REFERENCE = Record({"personality": Key(TEXT)})
_CONTEXT = AnyOf((TEXT, _REFERENCE))
CONTEXT = AnyOf((TEXT, _REFERENCE, ListOf(_CONTEXT), NOTHING))


def context(part: FieldReader, file: Path) -> Personality:
    """Parse `context`: sentences, and the name of a personality whose sentences come first."""
    name = "default"
    borrowed: tuple[str, ...] = ()
    own: list[str] = []
    for item in part.listed():
        if not isinstance(item.data, dict):
            own.append(item.text())
        elif "personality" in (fields := item.fields(_REFERENCE)):
            if borrowed:
                item.report("there can be only one personality")
            elif found := personality(fields["personality"], file):
                name, borrowed = found.name, found.traits
    return Personality(name, (*borrowed, *(text for text in own if text)))


_PERSONALITY = Record(
    {"name": Key(TEXT, "what it is called"), "context": Key(TEXTS, "sentences about the user", required=True)}
)


def personality_schema() -> Schema:
    """Return the JSON Schema of a personality file."""
    return schema_of_file("A personality: what is true of everyone who has it", _PERSONALITY)


def read_personality(path: Path, problems: ProblemList) -> Personality:
    """Load the personality in a file; add its problems to `problems`."""
    document = parsing.load(path)
    fields = FieldReader(document.data, document, problems).fields(_PERSONALITY)
    traits = fields["context"].texts() if "context" in fields else ()
    return Personality(fields["name"].text() if "name" in fields else path.stem, traits)


def _stem(written: Path) -> str:
    return written.stem if written.suffix in _ENDINGS else written.name


def _spelled(written: Path) -> list[Path]:
    names = [written] if written.suffix in _ENDINGS else [written.with_name(written.name + end) for end in _ENDINGS]
    return [start / name for name in names for start in (Path(), Path("personalities"))]


def _known(file: Path, written: Path) -> list[str]:
    above = {(folder / start).resolve() for folder in folders(file) for start in (written.parent, "personalities")}
    return sorted({path.stem for place in {SHIPPED, *above} for path in place.glob("*.y*ml") if _may_be_one(path)})


def _may_be_one(path: Path) -> bool:
    """Return True if a file has a key of a personality: scenarios and presets are in the same folders."""
    try:
        with path.open(encoding="utf-8", errors="replace") as file:
            return any(line.startswith("context") for line in file)
    except OSError:
        return False


# fmt: off
_LANGUAGES = (
    "Afrikaans", "Albanian", "Amharic", "Arabic", "Armenian", "Azerbaijani", "Basque", "Belarusian", "Bengali",
    "Bosnian", "Bulgarian", "Catalan", "Chinese", "Chinese (Simplified)", "Chinese (Traditional)", "Croatian",
    "Czech", "Danish", "Dutch", "English", "Estonian", "Filipino", "Finnish", "French", "Galician", "Georgian",
    "German", "Greek", "Gujarati", "Hausa", "Hebrew", "Hindi", "Hungarian", "Icelandic", "Indonesian", "Irish",
    "Italian", "Japanese", "Kannada", "Kazakh", "Korean", "Latvian", "Lithuanian", "Macedonian", "Malay",
    "Malayalam", "Marathi", "Nepali", "Norwegian", "Persian", "Polish", "Portuguese", "Punjabi", "Romanian",
    "Russian", "Serbian", "Slovak", "Slovenian", "Spanish", "Swahili", "Swedish", "Tamil", "Telugu", "Thai",
    "Turkish", "Ukrainian", "Urdu", "Uzbek", "Vietnamese", "Welsh", "Zulu",
)

_AND = {
    "Catalan": "i", "Dutch": "en", "English": "and", "French": "et", "Galician": "e", "German": "und",
    "Italian": "e", "Polish": "i", "Portuguese": "e", "Russian": "и", "Spanish": "y", "Ukrainian": "і",
}
# fmt: on
LANGUAGES = OneOf(_LANGUAGES)


def conjunction(language: str) -> str:
    """Return the word before the last item of a list in a language; "" if it is unknown."""
    return _AND.get(language, "")


_WITH_LANGUAGES = "change language"
STYLES = OneOf(
    (
        "default",
        "long phrases",
        CHANGE_YOUR_MIND,
        _WITH_LANGUAGES,
        "make spelling mistakes",
        "single question",
        "all questions",
    ),
    also={"long phrase": "long phrases"},  # what SENSEI's README calls it
)
_ALONE = OneOf(tuple(name for name in STYLES.names if name != _WITH_LANGUAGES), STYLES.also)
MODES = OneOf(("for good", "detour"))
_STYLE = Record(
    {
        _WITH_LANGUAGES: Key(TEXTS, "the languages to change to"),
        CHANGE_YOUR_MIND: Key(MODES, "for good: from another value to the right one; detour: there and back"),
        "random": Key(Shared("styles", lambda: _SOME), "some of these, drawn anew for every conversation"),
    },
    least=1,
)
_ONE = Shared("style", lambda: AnyOf((_ALONE, _STYLE)))
_SOME: FieldType = AnyOf((_ONE, ListOf(_ONE)))
INTERACTION_STYLES = Shared("styles", lambda: _SOME)


@dataclass(frozen=True, slots=True)
class Styles:
    """Styles of all conversations, and styles of which each conversation draws at least one."""

    always: tuple[Style, ...] = ()
    sometimes: tuple[Style, ...] = ()

    def pick(self, random: Random) -> tuple[Style, ...]:
        """Return the styles of one conversation, in the order of the file."""
        if not self.sometimes:
            return self.always
        drawn = random.sample(range(len(self.sometimes)), random.randint(1, len(self.sometimes)))
        return (*self.always, *(self.sometimes[index] for index in sorted(drawn)))


def styles(part: FieldReader) -> Styles:
    """Parse `interaction_style`: names, some with a value, and `random: [...]` around any of these."""
    always, sometimes = [], []
    for name, more in _named(part):
        if name.data == "random" and more is not None:
            sometimes += [style for inner in _named(more) for style in _style(*inner)]
        else:
            always += _style(name, more)
    return Styles(tuple(always), tuple(sometimes))


def _named(part: FieldReader) -> list[tuple[FieldReader, FieldReader | None]]:
    """Return the names of styles, each with the value after its colon, if it has one."""
    if isinstance(part.data, str):
        return [(part, None)]
    if isinstance(part.data, dict):
        return [(more.with_data(name), more) for name, more in part.entries()]
    return [entry for item in part.items() for entry in _named(item)]


def _style(name: FieldReader, more: FieldReader | None) -> list[Style]:
    known = name.one_of(STYLES)
    if known in ("", "default"):
        return []
    if known == CHANGE_YOUR_MIND and more is not None:
        return [Style.model_validate({"name": known, "mode": more.one_of(MODES)})]
    if known != _WITH_LANGUAGES:
        return [Style(name=known)]
    if more is None or not more.data:
        name.report("needs the languages to change to, as a list")
        return []
    return [Style(name=known, languages=tuple(language.one_of(LANGUAGES) for language in more.listed()))]


@dataclass(frozen=True, slots=True)
class Person:
    """A persona and its styles. `phrases` are its texts that may have placeholders, with their places."""

    persona: Persona
    styles: Styles = field(default_factory=Styles)
    phrases: tuple[tuple[FieldReader, str], ...] = ()


_PERSON = Record(
    {
        "role": Key(TEXT, "who the user is"),
        "personality": Key(TEXT, "a personality by name or file"),
        "traits": Key(TEXTS, "sentences about the user"),
        "language": Key(TEXT, "what the user speaks"),
        "styles": Key(INTERACTION_STYLES),
    }
)
PERSON = AnyOf((TEXT, _PERSON))


def person(part: FieldReader, file: Path) -> Person:
    """Parse `user`. One word is the name of a personality, several are the role of the user."""
    if not isinstance(part.data, dict):
        if len(part.text().split()) != 1:
            return _role(part)
        return Person(_with(personality(part, file, otherwise="who the user is takes more than one word")))
    fields = part.fields(_PERSON)
    known = personality(fields["personality"], file) if "personality" in fields else None
    own = fields["traits"].texts() if "traits" in fields else ()
    persona = _with(known)
    return Person(
        persona.model_copy(
            update={
                "role": fields["role"].text() if "role" in fields else "",
                "traits": (*persona.traits, *own),
                "language": (fields["language"].one_of(LANGUAGES) if "language" in fields else "") or "English",
            }
        ),
        styles(fields["styles"]) if "styles" in fields else Styles(),
        tuple((fields[name], text) for name in ("role", "traits") if name in fields for text in fields[name].texts()),
    )


def _role(part: FieldReader) -> Person:
    return Person(Persona(role=part.text()), phrases=((part, part.text()),))


def _with(known: Personality | None) -> Persona:
    return Persona(name=known.name, traits=known.traits) if known else Persona()
