"""How much a chatbot may say at once."""

from sparring.core.errors import ChatbotError
from sparring.core.message import Part, Text

LONGEST = 50_000


def bounded(parts: tuple[Part, ...]) -> tuple[Part, ...]:
    """What was said, or a ChatbotError if it is too much. None of it is cut: half a reply is not what was said."""
    size = sum([len(part.text) if isinstance(part, Text) else _letters(part) for part in parts])
    if size > LONGEST:
        raise ChatbotError(f"the reply has {size:,} characters; no more than {LONGEST:,} are taken")
    return parts


def _letters(part: Part) -> int:
    return sum(len(text) for name, text in part if name not in ("kind", "url"))
