"""The published corpus, for tests that check us against what we did not write.

`SPARRING_CORPUS` names the folder; where it is unset these tests skip and say so, where it is set they may not.
"""

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from sparring.core.case import Case, Goal, OutputSpec
from sparring.core.conversation import Conversation
from sparring.core.message import message

_PLACEHOLDER = re.compile(r"\{\{\s*(\w+)\s*\}\}")


def folder() -> Path:
    path = os.environ.get("SPARRING_CORPUS")
    if not path:
        pytest.skip("SPARRING_CORPUS is not set: the published corpus is not here")
    assert Path(path).is_dir(), f"SPARRING_CORPUS={path} is not a folder"
    return Path(path)


def recordings(kind: str) -> Iterator[tuple[Path, dict[str, Any], Conversation]]:
    """The published conversations of one chatbot of the mutation study, as the metadata and as a conversation."""
    for path in sorted((folder() / "conversations/taskyto-mutation" / kind).rglob("*.yml")):
        documents = list(yaml.load_all(path.read_text(encoding="utf-8"), Loader=yaml.CSafeLoader))
        meta = documents[0]
        lines = next(document["interaction"] for document in documents if "interaction" in document)
        said = tuple(
            message("user" if who == "User" else "chatbot", str(text)) for line in lines for who, text in line.items()
        )
        yield path, meta, Conversation(case=_case(path, meta), messages=said)


def _case(path: Path, meta: dict[str, Any]) -> Case:
    variables = {
        name: _plain(value) for item in meta["ask_about"] if isinstance(item, dict) for name, value in item.items()
    }
    phrases = [item for item in meta["ask_about"] if isinstance(item, str)]
    return Case(
        id=path.stem,
        goals=tuple(Goal(text=_filled(p, variables), variables=tuple(_PLACEHOLDER.findall(p))) for p in phrases),
        variables=variables,
        outputs=tuple(
            OutputSpec(name=name, type=_type(name), description=name.replace("_", " "))
            for item in meta["data_output"]
            for name in item
        ),
    )


def _plain(value: Any) -> Any:
    if isinstance(value, list):
        return [_plain(item) for item in value]
    return value if isinstance(value, str | int | float) else str(value)


def _filled(phrase: str, variables: dict[str, Any]) -> str:
    return _PLACEHOLDER.sub(
        lambda m: ", ".join(map(str, v)) if isinstance(v := variables[m[1]], list) else str(v), phrase
    )


def _type(name: str) -> str:
    """The types the profiles of these conversations gave their outputs."""
    if name == "order_time":
        return "str"
    return {"price": "money", "date": "date", "time": "time"}.get(name.rpartition("_")[2], "str")
