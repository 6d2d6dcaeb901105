"""Outputs: what is to be read out of what the chatbot says."""

from sparring.core.case import OutputWanted
from sparring.core.text import close
from sparring.extraction import typed_values
from sparring.scenarios.part import Part


def outputs(part: Part) -> tuple[OutputWanted, ...]:
    """Names, each with a type and a description, or with a type alone."""
    found: dict[str, OutputWanted] = {}
    for name, item in part.entries():
        if name in found:
            item.wrong(f"there is an output {name!r} already", key=True)
        found[name] = _output(name, item)
    return tuple(found.values())


def _output(name: str, part: Part) -> OutputWanted:
    if isinstance(part.data, str):
        return OutputWanted(name=name, type=_type(part))
    fields = part.fields(("type", "description")) if part.data is not None else {}
    return OutputWanted(
        name=name,
        type=_type(fields["type"]) if "type" in fields else "string",
        description=fields["description"].text() if "description" in fields else "",
    )


def _type(part: Part) -> str:
    """A type; one that nobody knows is read as a text, but not one that is only misspelt."""
    named = part.text()
    if not typed_values.known(named) and named.isalpha() and (hint := close(named, typed_values.names())):
        part.wrong(f"{named!r} is no type of output", hint)
    return named
