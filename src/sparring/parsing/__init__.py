"""Parsers of YAML and JSON files that people write. Every problem names its line and column."""

from sparring.parsing.document import Data, Document, KeyPath, note, noting, once, shortened, unplaced, written
from sparring.parsing.validate import misfits, validate
from sparring.parsing.yaml_reader import MAX_BYTES, load, parse, read_text

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
    "read_text",
    "shortened",
    "unplaced",
    "validate",
    "written",
]
