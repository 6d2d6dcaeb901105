"""A simulated user and the pizzeria's chatbot, both as a model plays them: what to say follows from what was said."""

import json
from collections.abc import Mapping
from typing import Any

from model_server import Reply
from sparring.llm.model import ToolRequest

USER = "You play a person"
ADD_PIZZA = ToolRequest("", "add_pizza", '{"size": "small", "kind": "custom", "toppings": ["corn", "ham"]}')
ADD_DRINK = ToolRequest("", "add_drink", '{"drink": "coke"}')
PLACE = ToolRequest("", "place_order", "{}")


def plays(body: Mapping[str, Any]) -> str:
    return "user" if body["messages"][0]["content"].startswith(USER) else "chatbot"


def last_line(content: str) -> str:
    """What the chatbot said, without the note to the model that plays the user."""
    return content.split("\n\n", 1)[-1]


def talk(body: dict[str, Any]) -> Reply:
    """Both sides, as a model that does its work: what to say follows from what was said."""
    last = body["messages"][-1]
    said = last.get("content") or ""
    if plays(body) == "user":
        said = last_line(said)
        if "placed" in said:
            return "Thanks, bye!"
        if "drink" in said:
            return "The following drink: coke, please."
        return "Yes" if "Shall I" in said else "A small custom pizza with corn and ham, please."
    if last["role"] == "tool":
        result = json.loads(said)
        if "error" in result:
            return ADD_PIZZA
        if "order_id" in result:
            return f"Your order is placed, the order ID is {result['order_id']}."
        drink = result["next"] == "drink"
        return (
            "One small custom pizza with corn and ham. Which drink?" if drink else "One coke. Shall I place the order?"
        )
    if said == "Yes":
        return PLACE
    return ADD_DRINK if "coke" in said else ADD_PIZZA
