"""Customer service of an online shop: the reference bot that has to keep to a policy."""

from sparring_bots.service.chatbot import chatbot

__all__ = ["chatbot"]
