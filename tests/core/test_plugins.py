"""Attributes that a plug-in lacks."""

from sparring.core.conversation import Conversation
from sparring.core.plugins import with_defaults
from sparring.extraction.extractor import BaseReader


class MinimalReader:
    """A reader with nothing but `read`."""

    async def read(self, conversation: Conversation) -> str:
        return "read"


async def test_a_default_method_acts_on_the_plug_in_and_not_on_the_defaults():
    reader = with_defaults(MinimalReader(), BaseReader())

    assert await reader.incremental().read(None) == "read"


def test_an_attribute_of_the_plug_in_hides_the_default():
    class Warning(MinimalReader):
        def warnings(self, case: object) -> tuple[str, ...]:
            return ("mine",)

    assert with_defaults(Warning(), BaseReader()).warnings(None) == ("mine",)
