"""Answers to confirmations: consent to something wrong, and denial of what is right."""

from sparring.extraction.tokens import cached, fold, pattern

_YES = pattern(
    r"(?:yes|yeah|yep|yup|sure|of course|certainly|absolutely|definitely|correct|right|exactly|ok(?:ay)?|perfect)\b",
    r"(?:sounds (?:good|right)|go ahead|please do|that's (?:right|correct|it|fine)|confirm\w*|i (?:do|agree|accept))\b",
    r"(?:si|claro|por supuesto|correcto|exacto|vale|de acuerdo|adelante|confirmo|perfecto|eso es|asi es)\b",
    r"(?:да|конечно|верно|правильно|хорошо|подтверждаю|согласен|согласна|все так|оформляйте|именно|точно|ага)\b",
    start=r"^\W*(?:\w+ ){0,1}?",
)


@cached
def consents(text: str) -> bool:
    """Return True if a message begins with a yes."""
    return _YES.search(fold(text)) is not None
