"""What a chatbot answered, made fit to be shown."""

_LONGEST_READ = 20_000
_LONGEST_SHOWN = 200
_SHORTEST_SECRET = 4  # to hide every "x" would hide the message and no secret


def quote(text: str, *secrets: str) -> str:
    """A stranger's words on one line, without these secrets and control characters, in at most 200 characters."""
    # Secrets go before the text is cut, or half of one could stay.
    for secret in secrets:
        if len(secret) >= _SHORTEST_SECRET:
            text = text.replace(secret, "[redacted]")
    printable = "".join(letter for letter in text[:_LONGEST_READ] if letter.isprintable() or letter.isspace())
    line = " ".join(printable.split())
    return line if len(line) <= _LONGEST_SHOWN else line[: _LONGEST_SHOWN - 1] + "…"
