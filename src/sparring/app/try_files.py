"""The files that `sparring try` writes for what it found."""

import yaml

from sparring.app.try_chatbot import Tried
from sparring.core.text import visible


def scenario(tried: Tried) -> str:
    """Return a playbook that fails as long as the bug is there."""
    found = tried.found
    steps: list[dict[str, object]] = [{"user": line} for line in tried.lines]
    if found.wanted:
        steps.append({"expect_bot_regex": found.wanted})
    elif found.unwanted:
        steps.append({"expect_bot_regex": {"pattern": found.unwanted, "not": True}})
    else:  # a crash fails by itself
        steps.append({"expect_bot_regex": {"pattern": "Traceback|Internal Server Error", "not": True}})
    case = {"id": f"{tried.probe}-{found.kind}", "tags": ["found"], "steps": steps}
    quotes = "".join(f"#   turn {at}: {visible(' '.join(quote.split()))}\n" for at, quote in found.quotes if quote)
    head = f"# {visible(found.title)}\n{quotes}"
    return head + yaml.safe_dump({"cases": [case]}, sort_keys=False, allow_unicode=True, width=10_000)
