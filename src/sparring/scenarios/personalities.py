"""Personalities: sentences about a user, kept in a file of their own so that many scenarios can share them."""

import os
from dataclasses import dataclass
from pathlib import Path

from sparring import parsing
from sparring.core.errors import InputError
from sparring.core.text import meant
from sparring.scenarios.complaints import Complaints
from sparring.scenarios.nearby import descends, folders, nearby
from sparring.scenarios.part import Part

SHIPPED = Path(__file__).parent / "personas"

_ENDINGS = (".yml", ".yaml")


@dataclass(frozen=True, slots=True)
class Personality:
    """A name, and what is true of everyone who has it."""

    name: str
    traits: tuple[str, ...]


def shipped() -> list[Personality]:
    """The personalities that come with Sparring and can be named in every scenario."""
    return [read(path, Complaints()) for path in sorted(SHIPPED.iterdir())]


def personality(part: Part, file: Path, *, otherwise: str = "") -> Personality | None:
    """The personality that `file` names: a path from its folder or from one above it, or one that is shipped.

    `otherwise` says what else may have been meant where there is none.
    """
    written = Path(part.text())
    if not descends(written):
        part.wrong("should be a path that starts at the folder of this file, or at one above it")
        return None
    found = next((path for spelled in _spelled(written) if (path := nearby(file, spelled))), None)
    shipped_as = SHIPPED / f"{_stem(written)}.yaml"
    if found is None and not os.path.isfile(shipped_as):
        hint = meant(_stem(written), _known(file, written))
        part.wrong("there is no such personality", f"{hint}; {otherwise}" if otherwise else hint)
        return None
    try:
        return read(found or shipped_as, part.problems)
    except InputError as error:
        part.problems.extend(error.problems)
        return None


def context(part: Part, file: Path) -> Personality:
    """What `context` says: sentences, and the name of a personality whose sentences come before them."""
    name = "default"
    borrowed: tuple[str, ...] = ()
    own: list[str] = []
    for item in part.items() if isinstance(part.data, list) else [part]:
        if not isinstance(item.data, dict):
            own.append(item.text())
        elif "personality" in (fields := item.fields(("personality",))):
            if borrowed:
                item.wrong("there can be only one personality")
            elif found := personality(fields["personality"], file):
                name, borrowed = found.name, found.traits
    return Personality(name, (*borrowed, *(text for text in own if text)))


def read(path: Path, problems: Complaints) -> Personality:
    """The personality in a file; what is wrong with what it says is added to `problems`."""
    document = parsing.load(path)
    fields = Part(document.data, document, problems).fields(("name", "context"), required=("context",))
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
    """Whether a file says anything that a personality has to say: scenarios and presets lie beside them."""
    try:
        with path.open(encoding="utf-8", errors="replace") as file:
            return any(line.startswith("context") for line in file)
    except OSError:
        return False
