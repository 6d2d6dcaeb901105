"""Text in Markdown that means nothing but itself."""

from sparring.core.text import visible


def safe(text: str) -> str:
    """`text` in one line of Markdown that means nothing but itself."""
    escaped = "".join(f"\\{c}" if c in "\\`*_{}[]<>|#!~" else c for c in visible(text))
    return escaped.replace("@", "@\u2060")
