"""Whether the placeholders in phrases are such."""

from collections.abc import Collection, Iterable

from sparring.scenarios.part import Part
from sparring.scenarios.phrases import placeholders, unclosed


def check_placeholders(phrases: Iterable[tuple[Part, str]], names: Collection[str]) -> None:
    """Complain about placeholders in `phrases` that are no variables, or that do not end."""
    for part, phrase in phrases:
        for name in placeholders(phrase):
            if name not in names:
                part.wrong(f"{{{{{name}}}}} is no variable", part.meant(name, names))
        if unclosed(phrase):
            part.wrong("a placeholder begins here and does not end", "write it {{name}}")
