"""The names a customer can choose from, as annotations: what a model is told, and what a tool is given."""

from collections.abc import Callable, Iterable
from typing import Annotated

from pydantic import AfterValidator, WithJsonSchema

from sparring_bots.pizzeria.menu import Menu, read

MENU: Menu = read()


def one_of(names: Iterable[str], aliases: dict[str, str]) -> tuple[AfterValidator, WithJsonSchema]:
    """Any of these names or of what they are also called, in any case; the tool is given the name itself."""
    known = {name.lower(): name for name in names}
    known |= {alias.lower(): name for alias, name in aliases.items() if name in known.values()}
    allowed = [*known.values(), *(alias for alias in aliases if aliases[alias] in known.values())]
    schema = {"type": "string", "enum": list(dict.fromkeys(allowed))}
    return AfterValidator(_chosen(known)), WithJsonSchema(schema)


def _chosen(known: dict[str, str]) -> Callable[[str], str]:
    def choose(said: str) -> str:
        if said.lower() not in known:
            raise ValueError(f"there is no {said!r}; there are {', '.join(dict.fromkeys(known.values()))}")
        return known[said.lower()]

    return choose


Size = Annotated[str, *one_of(MENU.sizes, MENU.aliases)]
Kind = Annotated[str, *one_of(MENU.kinds, MENU.aliases)]
Topping = Annotated[str, *one_of(MENU.toppings, MENU.aliases)]
Drink = Annotated[str, *one_of(MENU.drinks, MENU.aliases)]
