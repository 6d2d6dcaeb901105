"""Words by which texts are read, kept in TOML beside the modules that read them."""

import re
import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files

from sparring.extraction.languages import fill_in

_CONTINUED = re.compile(r"\n +")


def words_of_module(module: str) -> Mapping[str, str]:
    """Return the words of a module, by name: those of its table in the `words.toml` of its package.

    Each is a part of a regular expression. Its lines are alternatives; an indented line continues the one before it.
    `<name>` stands for the words of this name in the same table.
    """
    package, _, table = module.rpartition(".")
    return _tables(package)[table]


@cache
def _tables(package: str) -> Mapping[str, Mapping[str, str]]:
    tables = tomllib.loads((files(package) / "words.toml").read_text(encoding="utf-8"))
    return {table: fill_in(joined := _joined(words), joined) for table, words in tables.items()}


def _joined(words: Mapping[str, str]) -> Mapping[str, str]:
    return {name: "|".join(_CONTINUED.sub("", lines).splitlines()) for name, lines in words.items()}
