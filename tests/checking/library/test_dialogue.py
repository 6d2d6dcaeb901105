import pytest

from sparring.checking.recording import Recording
from sparring.checking.undecided import Failure

TALK = "hello / A: LINK: <empty> / again / A: LINK: <empty> B / bye / no link"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("turns()", 3),
        ("conversation_length()", 6),
        ("conversation_length('chatbot')", 3),
        ("conversation_length('assistant')", 3),
        ("conversation_length(conv[0], 'user')", 3),
        ("chatbot_returns('LINK:')", [0, 1]),
        ("chatbot_returns('LINK:', and_not=' B')", [0]),
        ("chatbot_says('no l.nk')", True),
        ("user_says('(?i)BYE')", True),
        ("user_says('LINK')", False),
        ("chatbot_phrases[2]", "no link"),
        ("interaction[0]", {"User": "hello"}),
        ("length(chatbot_phrases, 'average')", (16 + 18 + 7) / 3),
        ("length(chatbot_phrases, 'max') - length('ab')", 16),
        ("matches('^h', user_phrases[0])", True),
    ],
)
def test_functions_over_what_was_said(value, recording, text: str, expected: object):
    assert value(text, recording(said=TALK)) == expected


def test_an_output_nobody_stated_is_missing(value):
    stated = Recording("c", outputs={"price": 5, "id": None, "time": "None"})

    assert value("(missing_slots(), data_collected())", stated) == (["id", "time"], False)


def test_latency_is_a_quantile_of_the_reply_times(value):
    assert value("(latency(0), latency(), latency(1))", Recording("c", latencies=(3.0, 1.0, 2.0))) == (1.0, 2.0, 3.0)


@pytest.mark.parametrize(
    "text", ["latency()", "latency(2)", "conversation_length('bot')", "length([])", "length('a', 'x')"]
)
def test_what_makes_no_sense_is_an_error(value, text: str):
    assert isinstance(value(text), Failure)
