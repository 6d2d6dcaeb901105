"""Styles on chatbots, in pairs: no false alarms on correct ones, and faults are found under changes of mind."""

import json

import pytest

from benchmarking import benchmark

pytestmark = pytest.mark.slow  # a benchmark plays conversations


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, dict[str, int]]]:
    file = tmp_path_factory.mktemp("styles") / "counts.json"
    arguments = ["--seeds", "1", "--bots", "pizzeria,hotel", "--json", str(file)]
    benchmark("styles.py", *arguments)
    return json.loads(file.read_text(encoding="utf-8"))


def test_no_pair_of_styles_makes_a_correct_chatbot_fail(measured: dict[str, dict[str, dict[str, int]]]):
    assert {cell: counts for cell, counts in measured["alarms"].items() if counts.get("passed") != 3} == {}


def test_changes_are_made_on_a_chatbot_that_offers_nothing(measured: dict[str, dict[str, dict[str, int]]]):
    cells = [counts for cell, counts in measured["alarms"].items() if cell.startswith("hotel") and "mind" in cell]

    assert sum(counts["made"] for counts in cells) >= 0.8 * sum(counts["drawn"] for counts in cells) > 0


def test_chatbots_that_take_corrections_wrongly_fail(measured: dict[str, dict[str, dict[str, int]]]):
    lost_on_a_detour = ("pizzeria", "(detour)")  # it states no order before it is placed, and places the right one
    found = {
        cell: counts for cell, counts in measured["faults"].items() if not all(w in cell for w in lost_on_a_detour)
    }

    assert {cell: counts for cell, counts in found.items() if counts["failed"] != counts["made"]} == {}
    assert sum(counts["made"] for counts in found.values()) > 20
