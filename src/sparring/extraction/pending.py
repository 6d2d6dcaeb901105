"""Confirmations that the chatbot waits for."""

from sparring.core.conversation import Conversation, Evidence
from sparring.extraction.phrasebooks import understood_phrasebook
from sparring.extraction.speech_acts import asks_to_confirm
from sparring.extraction.tokens import fold, sentences


def pending_confirmation(conversation: Conversation) -> Evidence | None:
    """Return the question of the last message with which the chatbot asks the user to agree, or None."""
    at = len(conversation.messages) - 1
    if at < len(conversation.case.history) or conversation.messages[at].role != "chatbot":
        return None
    text, book = conversation.messages[at].text, understood_phrasebook(conversation.case)
    for sentence in sentences(text):
        if sentence.asks and (asks_to_confirm(sentence.text) or book.confirm.search(fold(sentence.text))):
            start = max(0, text.find(sentence.text))
            return Evidence(at=at, start=start, end=start + len(sentence.text), text=sentence.text)
    return None
