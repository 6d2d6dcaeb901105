"""No list of kinds is kept by hand, or a test here compares it with the entry points."""

from configparser import ConfigParser
from importlib.metadata import entry_points
from pathlib import Path

from sparring.rules.functions import collections, dialogue, goals, model, state, text, tools
from sparring.rules.functions.function import functions_in
from tables import table

ROOT = Path(__file__).parents[1]


def built_in(group: str) -> dict[str, str]:
    """The entry points of a group that belong to Sparring, as name and object reference."""
    return {each.name: each.value for each in entry_points(group=group) if each.value.startswith("sparring.")}


def independent(contract: str) -> set[str]:
    """The modules that a contract keeps apart."""
    parser = ConfigParser()
    parser.read(ROOT / ".importlinter")
    return set(parser[f"importlinter:contract:{contract}"]["modules"].split())


def test_kinds_of_chatbot_are_kept_apart_in_the_import_contract():
    modules = {value.partition(":")[0] for value in built_in("sparring.chatbots").values()}

    packages = {".".join(module.split(".")[:3]) for module in modules}
    assert independent("chatbot-kinds") == packages


def test_kinds_of_user_are_kept_apart_in_the_import_contract():
    modules = {value.partition(":")[0] for value in built_in("sparring.users").values()}

    assert modules <= independent("kinds")


def test_every_rule_function_is_an_entry_point():
    defined = {
        each.name
        for module in (collections, dialogue, goals, model, state, text, tools)
        for each in functions_in(module)
    }

    assert set(built_in("sparring.functions")) == defined


@table("group", ["chatbots", "models", "users", "judges", "readers", "reports", "functions"])
def test_every_entry_point_can_be_loaded(group: str):
    assert all(each.load() is not None for each in entry_points(group=f"sparring.{group}"))
