"""Failures by cause on the command line, over a bot with a planted fault."""

import json
from pathlib import Path

import pytest

from command_line import Sparring

RUN = ("run", "orders.yml", "--chatbot", "pizzeria:fault=wrong_total", "--model", "offline")
ORDERS = """
user: a hungry customer
goals: ["a {{size}} Margarita with {{drink}}"]
variables: {size: [small, big], drink: [water, coke]}
outputs: {price: money}
expect:
  - "extract_float(price) == {'small': 10, 'big': 20}[size] + {'water': 1, 'coke': 1.5}[drink]"
"""


@pytest.fixture(autouse=True)
def orders(tmp_path: Path) -> None:
    (tmp_path / "orders.yml").write_text(ORDERS, encoding="utf-8")


def ids(inside: Sparring, *more: str) -> set[str]:
    inside(*RUN, *more)
    return {each["id"] for each in json.loads(inside("show", "latest", "--json").stdout)["causes"]}


def test_a_bug_is_one_cause_with_its_conversations(inside: Sparring):
    done = inside(*RUN)
    told = json.loads(inside("show", "latest", "--json").stdout)
    (cause,) = told["causes"]
    listed = json.loads(inside("show", "latest", cause["id"][:8], "--json").stdout)

    assert done.returncode == 1
    assert f"  {cause['count']}  100 %  Price at the confirmation is lower than expected" in done.stdout
    assert cause["count"] == told["outcomes"]["failed"] == len(listed["conversations"]) > 1
    assert {each["cause"] for each in listed["conversations"]} == {cause["id"]}
    assert inside("show", "latest", cause["id"]).stdout.count("orders/") >= cause["count"]


@pytest.mark.slow
def test_causes_have_the_same_ids_with_other_seeds_and_at_any_concurrency(inside: Sparring):
    assert ids(inside) == ids(inside, "--seed", "3", "--concurrency", "1") == ids(inside, "--seed", "9")


def test_an_unknown_cause_is_refused_with_the_known_ones(inside: Sparring):
    inside(*RUN)
    done = inside("show", "latest", "c-000000")

    assert done.returncode == 2
    assert "the batch has no such cause\nhint: there are: c-" in done.stderr
