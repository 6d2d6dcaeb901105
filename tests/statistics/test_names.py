"""The names of `sparring.statistics` are listed twice: for type checkers, and for the import at first use."""

import ast
import inspect

from sparring import statistics


def test_both_lists_of_names_agree():
    imports = [each for each in ast.walk(ast.parse(inspect.getsource(statistics))) if isinstance(each, ast.ImportFrom)]
    typed = {(each.module, name.name) for each in imports for name in each.names if each.module != "importlib"}

    listed = {(f"{statistics.__name__}.{module}", name) for name, module in statistics._NAMES.items()}
    assert typed == listed


def test_every_name_is_imported_when_it_is_used():
    assert [name for name in statistics.__all__ if getattr(statistics, name, None) is None] == []
