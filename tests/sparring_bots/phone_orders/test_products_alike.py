"""Orders of two products that share a word: each is asked for, understood and judged by itself."""

import json
from itertools import product
from pathlib import Path

import pytest

import sparring
from sparring.core.outcome import Outcome

ALIKE = (
    ("Potatoes", "French fries", "Monday"),
    ("Wheat flour", "Rye flour", "Monday"),
    ("Картофель", "Картофель фри", "понедельник"),
    ("Молоко безлактозное", "Молоко топлёное", "понедельник"),
    ("Сахар песок", "Сахар тростниковый", "понедельник"),
)


def scenario(one: str, other: str, day: str, vagueness: int) -> dict[str, object]:
    box = "коробка" if "Молоко" in other else "мешок" if day == "понедельник" else "bag"
    wanted = [{"name": one, "qty": 4}, {"name": other, "qty": 2, "packaging": "упаковка" if "Сахар" in one else box}]
    facts = {"LOCATIONS": "1 Mill Lane", "DELIVERY_DAYS": day, "CURRENT_DATE": "2026-02-03 Tuesday"}
    return {
        "name": f"{one} {vagueness}",
        "variables": {"ORDER_GOAL": wanted, "AMB_LEVEL": vagueness, "PATIENCE": 2, "PERSONALITY": "calm", **facts},
    }


@pytest.mark.slow
def test_products_that_share_a_word_are_kept_apart(tmp_path: Path):
    file = tmp_path / "alike.json"
    file.write_text(json.dumps([scenario(*alike, level) for alike, level in product(ALIKE, range(4))]))

    results = sparring.run(file, "phone_orders", model="offline", judge="order", store=":memory:", seed=1)

    assert {each.conversation.case.id: each.explain() for each in results if each.outcome is not Outcome.PASSED} == {}
