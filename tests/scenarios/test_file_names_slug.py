from pathlib import Path

import pytest

from sparring.scenarios.file_names import stem
from sparring.scenarios.loading import load
from tables import table


@table(
    ("name", "id"),
    [
        ("pizza-order-evaluation__eval__custom_pizza.yml", "pizza-order-evaluation__eval__custom_pizza"),
        ("my first.test.yaml", "my first.test"),
        ("заказ пиццы 2.yml", "заказ пиццы 2"),
        ("cafe\u0301 \u0939\u093f\u0928\u094d\u0926\u0940.yml", "cafe\u0301 \u0939\u093f\u0928\u094d\u0926\u0940"),
        ("::error::pwn.yml", "error-pwn"),
        ("red\x1b[31m\nnext.yml", "red-31m-next"),
        ("back\u202eward.yml", "back-ward"),
        ("::.yml", "file"),
    ],
)
def test_only_a_name_that_is_more_than_words_is_changed_in_ids(name: str, id: str):
    assert stem(Path(name)) == id


@pytest.mark.parametrize(
    ("ending", "text"),
    [
        ("yml", "user: {role: r, goals: [hello]}"),
        ("yaml", "goals: [hello]"),
        ("yaml", "scenarios: [{goals: [hello]}]"),
        ("json", '[{"name": "1", "variables": {"ORDER_GOAL": "milk"}}]'),
    ],
)
def test_the_ids_of_every_kind_of_file_begin_so(tmp_path: Path, ending: str, text: str):
    file = tmp_path / f"::error::pwn.{ending}"
    file.write_text(text)

    assert [case.id for case in load([file], seed=7).cases] == ["error-pwn/1"]
