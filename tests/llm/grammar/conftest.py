from collections.abc import Callable
from pathlib import Path

import pytest

from sparring.llm.model import Tool

TITLES = ["The Trial", "Emma", "Dracula"]
TOOLS = (
    Tool(
        "order_book",
        "",
        {
            "type": "object",
            "properties": {
                "title": {"enum": TITLES},
                "format": {"anyOf": [{"$ref": "#/$defs/Format"}, {"type": "null"}]},
                "extras": {"type": "array", "items": {"enum": ["bookmark", "gift wraps"]}},
                "copies": {"type": "integer"},
            },
            "$defs": {"Format": {"enum": ["hardback", "paperback"]}},
        },
    ),
    Tool("track", "", {"type": "object", "properties": {"order_id": {"type": "string", "pattern": r"^BK-\d{3}$"}}}),
    Tool("search", "", {"type": "object", "properties": {"words": {"type": "string"}}}),
    Tool("swap", "", {"type": "object", "properties": {"old": {"enum": TITLES}, "new": {"enum": TITLES}}}),
    Tool("hours", "", {"type": "object", "properties": {}}),
    Tool("accept", "", {"type": "object", "properties": {}}),
)


@pytest.fixture
def tools() -> tuple[Tool, ...]:
    return TOOLS


@pytest.fixture
def write(tmp_path: Path) -> Callable[[str], Path]:
    def write(text: str) -> Path:
        path = tmp_path / "grammar.yaml"
        path.write_text(text)
        return path

    return write
