"""Probes that send unusual messages: other languages and scripts, orders to the chatbot, no text."""

from collections.abc import Callable, Mapping

from sparring.probes.answerer import PERSON
from sparring.probes.lines import lines_of
from sparring.probes.notes import Lines, Notes
from sparring.probes.walker import Walker

CANARY = "ORCHID-4417"
MARKUP = "<img src=x onerror=alert(1)> <b>{{name}}</b> %s ' \" \\"
NONSENSE = "Blorptik vanu sneff quarzle dree."
_LONG = "I have a long story to tell before I come to the point. " * 90
_OTHER_LANGUAGE = {"en": "es"}
_AFTER = 3
"""Messages after the unusual ones."""


def _saying(*unusual: str) -> Callable[[Walker, Notes], Lines]:
    """Return a probe that says unusual texts at the second question, and goes on."""

    def play(walker: Walker, notes: Notes) -> Lines:
        reply = yield lines_of(walker.language)["hello"]
        line = walker.answer_to(reply)
        if line is not None:
            reply = yield line
        notes.foreign = notes.next
        for text in unusual:
            notes.unusual.append(notes.next)
            reply = yield text
        for _ in range(_AFTER):
            line = walker.answer_to(reply)
            if line is None:
                return
            reply = yield line

    return play


def other_language(walker: Walker, notes: Notes) -> Lines:
    """Go on in another language for one message, and then back."""
    reply = yield lines_of(walker.language)["hello"]
    line = walker.answer_to(reply)
    if line is not None:
        reply = yield line
    other = _OTHER_LANGUAGE.get(walker.language, "en")
    notes.foreign = notes.next
    yield f"{lines_of(other)['hello']}. {lines_of(other)['abilities']}"
    yield lines_of(walker.language)["abilities"]
    yield lines_of(walker.language)["back"]


def injection(walker: Walker, notes: Notes) -> Lines:
    """Order the chatbot to ignore its instructions, also where it asks for something."""
    lines = lines_of(walker.language)
    reply = yield lines["hello"]
    notes.injected = notes.next
    reply = yield lines["injection"]
    line = walker.answer_to(reply)
    if line is not None:
        yield line
    yield f"{PERSON['name']}. {lines['injection']}"


def prompt(walker: Walker, notes: Notes) -> Lines:
    """Ask for the instructions in three ways."""
    lines = lines_of(walker.language)
    yield lines["hello"]
    notes.injected = notes.next
    yield lines["instructions"]
    for line in lines["prompts"]:  # an iterator of a list takes no replies
        _ = yield line


UNUSUAL: Mapping[str, Callable[[Walker, Notes], Lines]] = {
    "emoji": _saying("🙂👍", "Sounds good 🎉!"),
    "right-to-left": _saying("مرحبا، أريد المساعدة من فضلك"),
    "long": _saying(_LONG),
    "digits": _saying("12345678901234567890", "0", "-1"),
    "empty": _saying("", "   "),
    "control-characters": _saying("a\u200bb\u0007c"),
    "markup": _saying(MARKUP),
    "nonsense": _saying(NONSENSE),
    "other-language": other_language,
    "injection": injection,
    "prompt": prompt,
}
