"""Functions of installed packages: one decorated function and one entry point."""

from collections.abc import Callable
from pathlib import Path

import pytest

from sparring.core import plugins
from sparring.core.checks import Rule
from sparring.core.errors import InputError
from sparring.rules.functions import registry
from sparring.rules.rule_file import rule_of

PLUGIN = """\
from sparring.rules.functions.function import function
from sparring.rules.recording import Recording


@function()
def shouts(conversation: Recording, times: int = 1) -> bool:
    '''Whether the chatbot shouts.'''
    return sum(text.isupper() for text in conversation.texts("chatbot")) >= times


plain = 5
"""
Install = Callable[[str], None]


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Install:
    """Install a package whose entry points are these lines."""

    def installed(lines: str) -> None:
        (tmp_path / "loud.py").write_text(PLUGIN)
        info = tmp_path / "loud-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text("Metadata-Version: 2.1\nName: loud\nVersion: 1.0\n")
        (info / "entry_points.txt").write_text(f"[sparring.functions]\n{lines}\n")
        monkeypatch.syspath_prepend(str(tmp_path))

    return installed


def test_a_function_of_an_installed_package_is_part_of_the_language(install: Install, value, recording):
    install("shouts = loud:shouts")

    assert isinstance(rule_of("not shouts(times=2)"), Rule)
    assert value("shouts()", recording(said="hi / HELLO")) is True


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("plain = loud:plain", "the plug-in 'plain' of loud is not a rule function"),
        ("cries = loud:shouts", "the plug-in 'cries' of loud is called 'shouts': the names must agree"),
    ],
)
def test_a_plug_in_that_is_none_is_named(install: Install, line: str, message: str):
    install(line)

    with pytest.raises(InputError, match=message):
        registry.lookup(line.partition(" ")[0])


def test_two_functions_of_one_name_are_refused(install: Install):
    install("len = loud:shouts")

    both = r"the function 'len': loud \(loud:shouts\) and sparring \(sparring.rules.functions.collections:len_\)"
    with pytest.raises(InputError, match=both):
        registry.lookup("len")


def test_every_function_has_a_sentence_and_an_example_of_use():
    undocumented = [
        name for name in plugins.names(registry.GROUP) if not registry.lookup(name).doc.endswith((".", "`"))
    ]  # type: ignore[union-attr]

    assert undocumented == []
