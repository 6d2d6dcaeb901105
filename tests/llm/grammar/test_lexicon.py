from typing import Any

from sparring.core.value import Json
from sparring.llm.grammar.lexicon import lexicon, mentions
from sparring.llm.grammar.utterance import parse_utterance
from sparring.llm.model import Tool
from tables import table


def mentioned(text: str, schema: dict[str, Any]) -> list[Json]:
    tool = Tool("t", "", {"type": "object", "properties": {"x": schema}})
    return [mention.meanings["t", "x"] for mention in mentions(parse_utterance(text), lexicon((tool,)))]


PIZZAS = {"enum": ["cheese", "Four cheese", "pepper", "pepperoni", "olives", "glass"]}


@table(
    ("text", "schema", "values"),
    [
        ("FOUR CHEESE, please", PIZZAS, ["Four cheese"]),
        ("four-cheese and cheese", PIZZAS, ["Four cheese", "cheese"]),
        ("pepperoni, peppers and an olive", PIZZAS, ["pepperoni", "pepper", "olives"]),
        ("cheesecake with peppermint", PIZZAS, []),
        ("glasses", PIZZAS, ["glass"]),
        ("Give me four. Cheese?", PIZZAS, ["cheese"]),
        ("a cheese", {"type": "array", "items": PIZZAS}, ["cheese"]),
        ("two or 3, twenty-five, umpteen", {"type": "integer"}, [2, 3, 25]),
        ("at 11:30 for $1.50", {"type": "integer"}, []),
        ("where is bk-007 or BK-12?", {"type": "string", "pattern": r"^BK-\d{3}$"}, ["BK-007"]),
        ("the third", {"const": "third"}, ["third"]),
        ("1 or 2", {"enum": [1, 2]}, [1, 2]),
        ("yes", {"enum": [True, None]}, []),
    ],
)
def test_values_are_recognised_by_the_schema(text: str, schema: dict[str, Any], values: list[Json]):
    assert mentioned(text, schema) == values


def test_a_pattern_that_cannot_be_read_is_reported():
    tool = Tool("t", "", {"properties": {"x": {"type": "string", "pattern": "(?=a)b"}}})

    assert list(lexicon((tool,)).unreadable) == [("t", "x")]
