"""Are the words that a judge quotes really in the conversation?"""

import re

from sparring.core.conversation import Conversation, Evidence


def find(words: str, at: int, conversation: Conversation) -> Evidence | None:
    """Where the words were said: in the message the judge names, else in the first that holds them, else nowhere.

    White space may differ, as it does when a model copies text from JSON.
    """
    if not words.strip():
        return None
    numbers = sorted(range(len(conversation.messages)), key=lambda number: number != at)
    return next((found for number in numbers if (found := _inside(words.strip(), number, conversation))), None)


def _inside(words: str, number: int, conversation: Conversation) -> Evidence | None:
    text = conversation.messages[number].text
    start = text.find(words)
    end = start + len(words)
    if start < 0:
        match = re.search(r"\s+".join(map(re.escape, words.split())), text)
        if match is None:
            return None
        start, end = match.span()
    return Evidence(at=number, start=start, end=end, text=text[start:end])
