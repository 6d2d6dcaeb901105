"""Chatbots of a certain technology, each by the preset of its name in `presets/`."""

from sparring.chatbots.http import HttpChatbot, shipped
from sparring.llm.plugin_context import Context


def taskyto(argument: str, context: Context) -> HttpChatbot:
    """`taskyto:URL`: a Taskyto server, such as taskyto:http://localhost:5000."""
    return shipped("taskyto", argument, context)


def openai(argument: str, context: Context) -> HttpChatbot:
    """`openai:URL#NAME`: an assistant behind an OpenAI-compatible address; its key is CHATBOT_API_KEY."""
    return shipped("openai", argument, context)


def millionbot(argument: str, context: Context) -> HttpChatbot:
    """`millionbot:`, a chatbot of 1MillionBot, by MILLIONBOT_BOT, MILLIONBOT_KEY and MILLIONBOT_SITE."""
    return shipped("millionbot", argument, context)


def serviceform(argument: str, context: Context) -> HttpChatbot:
    """`serviceform:`, an assistant of Serviceform, by SERVICEFORM_TID and SERVICEFORM_ASSISTANT."""
    return shipped("serviceform", argument, context)


def kuki(argument: str, context: Context) -> HttpChatbot:
    """`kuki:`, the public Kuki."""
    return shipped("kuki", argument, context)


def julie(argument: str, context: Context) -> HttpChatbot:
    """`julie:`, Julie of Amtrak."""
    return shipped("julie", argument, context)
