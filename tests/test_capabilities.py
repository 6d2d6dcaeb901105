"""Abilities of plug-ins are values: no code asks for a protocol or a flag except where plug-ins are made."""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

import sparring
import sparring_bots

pytestmark = pytest.mark.slow  # it reads the whole source

ROOMS = [Path(package.__file__).parent for package in (sparring, sparring_bots)]

MADE_HERE = {
    "core/plugins.py",  # with_defaults
    "chatbots/python.py",  # a function or class of a user is the plug-in
    "testing/conformance/chatbots.py",  # compares sessions with capabilities
}
FLAGS = {
    "capabilities",
    "commands",
    "deterministic",
    "following",
    "foreign",
    "greeting",
    "hear",
    "incremental",
    "looks_at_readings",
    "price",
    "reads_rubrics",
    "reports_tools",
    "traits",
    "warnings",
    "welcome",
}


@cache
def nodes() -> list[tuple[str, ast.ClassDef | ast.Call]]:
    """Every class, and every call of a plain name, each with its file."""
    return [
        (path.relative_to(room).as_posix(), node)
        for room in ROOMS
        for path in sorted(room.rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.ClassDef) or (isinstance(node, ast.Call) and isinstance(node.func, ast.Name))
    ]


def calls(name: str) -> Iterator[tuple[str, ast.Call]]:
    for path, node in nodes():
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == name:
            yield path, node


def test_no_code_asks_whether_something_is_an_instance_of_a_protocol():
    protocols = {
        node.name
        for _, node in nodes()
        if isinstance(node, ast.ClassDef) and any(ast.unparse(base).startswith("Protocol") for base in node.bases)
    }
    asked = [
        f"{path}:{call.lineno}"
        for path, call in calls("isinstance")
        if protocols & {node.id for node in ast.walk(call.args[1]) if isinstance(node, ast.Name)}
    ]

    assert asked == []


@pytest.mark.parametrize("function", ["getattr", "hasattr"])
def test_no_code_looks_for_flags_except_where_plug_ins_are_made(function: str):
    found = [
        f"{path}:{call.lineno}"
        for path, call in calls(function)
        if path not in MADE_HERE and isinstance(call.args[1], ast.Constant) and call.args[1].value in FLAGS
    ]

    assert found == []
