"""Makes up the values that files ask for with `any(...)`, by a language model, before anything is expanded."""

from collections.abc import Iterable, Mapping
from importlib.resources import files
from math import isfinite
from string import Template

from pydantic import Field

from sparring.core.value import Value
from sparring.llm.model import ChatMessage, Model, Request
from sparring.llm.structured_output import ask
from sparring.parsing import Data
from sparring.scenarios.outside import Wish

MOST = 20

_PROMPT = Template(files("sparring.scenarios").joinpath("prompts/making_up.md").read_text(encoding="utf-8"))


class Ideas(Value):
    """Values, as text."""

    values: tuple[str, ...] = Field(min_length=1, max_length=MOST)


async def made_up(wishes: Iterable[Wish], model: Model, *, seed: int) -> Mapping[Wish, tuple[Data, ...]]:
    """What the model makes up for each wish; raises a `ModelError` where it does not."""
    return {wish: await _made_up(wish, model, seed) for wish in dict.fromkeys(wishes)}


async def _made_up(wish: Wish, model: Model, seed: int) -> tuple[Data, ...]:
    given = "\n".join(f"- {value}" for value in wish.given) or "(nothing)"
    prompt = _PROMPT.substitute(text=wish.text, kind=_KINDS.get(wish.kind, "text"), most=MOST, given=given)
    request = Request((ChatMessage("user", prompt),), temperature=0.8, seed=seed)
    ideas = (await ask(model, request, Ideas)).value.values
    return tuple(_read(wish.kind, idea) for idea in ideas)


_KINDS = {
    "int": "whole numbers, in digits",
    "float": "numbers, in digits with a decimal point",
    "bool": "true or false",
    "date": "dates, as day/month/year",
}


def _read(kind: str, idea: str) -> Data:
    """An idea as its type has it; where it does not fit, it stays text, and whoever reads it complains."""
    if kind == "bool":
        return {"true": True, "false": False}.get(idea.strip().lower(), idea)
    if kind not in ("int", "float"):
        return idea
    try:
        number = int(idea) if kind == "int" else float(idea)
    except ValueError:
        return idea
    return number if isfinite(number) else idea
