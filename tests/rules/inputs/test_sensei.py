import pytest

from sparring.rules.inputs import NotARecording
from sparring.rules.inputs.sensei import parse_recording
from sparring.rules.recording import RecordedMessage, Recording

WHOLE = b"""\
serial: 2024-10-25
language: English
context: [be brief]
ask_about:
- a {{size}} pizza
- size: [small]
- number: 4
- a name: x
conversation:
- number: 6
- goal_style: {all_answered: {export: true, limit: 7}}
- interaction_style: [default]
data_output:
- price: $11
- order_id: null
- time: 10:30
errors:
- 1001: 1 goals left to complete.
total_cost($): 0.5
---
conversation time: 24.5
assistant response time: [3.4, 2.3]
---
interaction:
- User: a small pizza
- Assistant: $11
"""


def test_a_file_becomes_a_recording():
    recording = parse_recording(WHOLE, "a.yml")

    assert recording.messages == (RecordedMessage("user", "a small pizza"), RecordedMessage("chatbot", "$11"))
    assert (recording.outputs, recording.latencies) == ({"price": "$11", "order_id": None, "time": 630}, (3.4, 2.3))


def test_a_variable_wins_and_metadata_keeps_its_long_name():
    names = parse_recording(WHOLE, "a.yml").names

    wanted = ["size", "number", "conversation_number", "limit", "conversation_goal_style_all_answered_limit", "a_name"]
    assert [names[name] for name in wanted] == [["small"], 4, 6, 7, 7, "x"]
    assert [names[name] for name in ("data_output_price", "ending", "cost", "errors")] == [
        "$11",
        "turn_limit",
        0.5,
        [{1001: "1 goals left to complete."}],
    ]


@pytest.mark.parametrize(
    "text",
    [
        "ask_about: []\nconversation: []\ndata_output: []\ninteraction:\n- User: hi\n- Asisstant: 5\n",
        "ask_about: []\n---\ninteraction:\n- User: hi\n- Assistant: 5\n",
    ],
)
def test_older_shapes_are_read_too(text: str):
    assert parse_recording(text.encode(), "a") == Recording(
        "a", parse_recording(text.encode(), "a").names, (RecordedMessage("user", "hi"), RecordedMessage("chatbot", "5"))
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("Global report: {}\n", "is not a conversation"),
        ("a: [", "is not YAML"),
        ("a: 2024-13-45", "is not YAML"),
        ("[" * 500, "is not YAML"),
        ("[" * 2_000_000, "is nested too deeply"),
        ("ask_about: " + "[" * 300_000 + "]" * 300_000, "is nested too deeply"),
        ("- " * 2_000_000, "is nested too deeply"),
        (
            "a: &a [x,x]\n"
            + "".join(f"{c}: &{c} [{','.join(['*' + p] * 9)}]\n" for p, c in zip("abcdefg", "bcdefgh", strict=True)),
            "contains too many values",
        ),
        ("a: !!python/object/apply:os.system [true]", "is not YAML"),
    ],
)
def test_what_is_no_conversation_is_refused(text: str, message: str):
    with pytest.raises(NotARecording, match=message):
        parse_recording(text.encode(), "a")
