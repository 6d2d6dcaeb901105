"""YAML that people write, read with the place of everything in it, so that every complaint names line and column."""

from sparring.documents.document import Data, Document, KeyPath, shortened, unplaced, written
from sparring.documents.fitting import misfits, validate
from sparring.documents.noting import note, noting
from sparring.documents.reading import MAX_BYTES, load, parse
from sparring.documents.remembering import once

__all__ = [
    "MAX_BYTES",
    "Data",
    "Document",
    "KeyPath",
    "load",
    "misfits",
    "note",
    "noting",
    "once",
    "parse",
    "shortened",
    "unplaced",
    "validate",
    "written",
]
