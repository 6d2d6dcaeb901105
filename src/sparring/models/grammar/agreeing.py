"""Whether what a tool returned is what a grammar speaks of."""

from collections.abc import Mapping

from sparring.core.value import Json


def agrees(fields: Mapping[str, Json], when: Mapping[str, Json]) -> bool:
    """A list in the grammar allows any of its values; a value that is missing is null."""
    for name, expected in when.items():
        value = fields.get(name)
        if value not in expected if isinstance(expected, list) else value != expected:
            return False
    return True
