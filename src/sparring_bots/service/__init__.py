"""Customer service of an online shop: the reference chatbot that must follow a policy."""

from sparring_bots.service.chatbot import chatbot

__all__ = ["chatbot"]
