"""Personalities: sentences about a user, kept in a file of their own so that many profiles can share them."""

from dataclasses import dataclass
from pathlib import Path

from sparring import documents
from sparring.core.errors import InputError
from sparring.scenarios.part import Part
from sparring.scenarios.spelling import meant

_FOLDERS_UP = 4
_ENDINGS = (".yml", ".yaml")


@dataclass(frozen=True, slots=True)
class Personality:
    """A name, and what is true of everyone who has it."""

    name: str
    traits: tuple[str, ...]


def personality(part: Part, file: Path) -> Personality | None:
    """The personality a profile names: a path from its own folder or from one above it, with or without ending."""
    written = Path(part.text())
    if written.is_absolute() or not written.name:
        part.wrong("should be a path that starts at the folder of the profile, or at one above it")
        return None
    folders = [file.parent, *list(file.resolve().parent.parents)[:_FOLDERS_UP]]
    found = next((path for folder in folders for path in _spelled(folder, written) if path.is_file()), None)
    if found is None:
        part.wrong("there is no such personality", meant(written.stem, _neighbours(folders, written)))
        return None
    return _read(part, found)


def _spelled(folder: Path, written: Path) -> list[Path]:
    names = [written] if written.suffix in _ENDINGS else [written.with_name(written.name + end) for end in _ENDINGS]
    return [folder / start / name for start in ("", "personalities") for name in names]


def _neighbours(folders: list[Path], written: Path) -> list[str]:
    places = {(folder / start).resolve() for folder in folders for start in (written.parent, "personalities")}
    return sorted(
        {path.stem for place in places if place.is_dir() for path in place.iterdir() if path.suffix in _ENDINGS}
    )


def _read(part: Part, path: Path) -> Personality | None:
    try:
        document = documents.load(path)
    except InputError as error:
        part.problems.extend(error.problems)
        return None
    whole = Part(document.data, document, part.problems)
    fields = whole.fields(("name", "context"), required=("context",))
    traits = fields["context"].texts() if "context" in fields else ()
    return Personality(fields["name"].text() if "name" in fields else path.stem, traits)
