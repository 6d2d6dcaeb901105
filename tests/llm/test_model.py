from sparring.core.message import Button, Image, Link, Message, Text, message
from sparring.llm.model import ChatMessage, view, words

TALK = (message("chatbot", "Hello!"), message("user", "Hi"), message("chatbot", "A pizza?"))


def test_the_user_sees_its_own_lines_as_its_own():
    assert view(TALK, "user") == (
        ChatMessage("user", "Hello!"),
        ChatMessage("assistant", "Hi"),
        ChatMessage("user", "A pizza?"),
    )


def test_the_chatbot_sees_its_own_lines_as_its_own():
    assert [said.role for said in view(TALK, "chatbot")] == ["assistant", "user", "assistant"]


def test_silence_is_shown_because_providers_refuse_empty_lines():
    assert view((Message(role="chatbot"),), "user") == (ChatMessage("user", "(says nothing)"),)


def test_what_is_not_words_is_described():
    said = Message(
        role="chatbot",
        parts=(
            Text(text="Look:"),
            Image(url="http://x/a.png", alt="a pizza"),
            Button(title="Buy"),
            Link(url="http://x"),
        ),
    )

    assert words(said) == "Look:\n[image: a pizza]\n[button: Buy]\n[link: http://x]"
