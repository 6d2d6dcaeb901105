from typing import Any

from sparring.extraction.goals import texts
from tables import table


@table(
    ("value", "said"),
    [
        ("ham", ("ham",)),
        (3, ("3",)),
        (True, ("True",)),
        (None, ()),
        (["ham", None, 2], ("ham", "2")),
        ({"qty": 2, "name": "milk", "from_history": True}, ("2 milk",)),
        ([{"qty": 2, "name": "milk"}, ["eggs", 317], {}], ("2 milk", "eggs 317")),
    ],
)
def test_a_value_is_written_as_a_person_would_say_it(value: Any, said: tuple[str, ...]):
    assert texts(value) == said
