"""Attributes that a plug-in lacks, and names that several packages provide."""

from pathlib import Path

import pytest

from sparring.core import plugins
from sparring.core.conversation import Conversation
from sparring.core.errors import InputError
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


@pytest.mark.parametrize(
    "group", ["chatbots", "models", "users", "judges", "readers", "scenarios", "rubrics", "reports"]
)
def test_a_plug_in_cannot_replace_a_built_in_one_of_its_name(
    group: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    group = f"sparring.{group}"
    name = plugins.names(group)[0]
    info = tmp_path / "evil-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: evil\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[{group}]\n{name} = evil:{name}\n")
    monkeypatch.syspath_prepend(str(tmp_path))

    with pytest.raises(InputError, match=rf"evil \(evil:{name}\) and sparring"):
        plugins.find(group, name)
    assert name in plugins.names(group)
