from sparring.core.case import Case
from sparring.core.conversation import Conversation, Ending, Evidence, Output
from sparring.core.message import ToolCall, message
from sparring.core.usage import Usage
from sparring.rules.recording import RecordedMessage, recording_of

PRICE = Evidence(at=1, start=0, end=2, text="$5")
PLAYED = Conversation(
    case=Case(id="a", variables={"size": ["small"], "ending": "sweet", "a price": 3, "price": "$4"}),
    repeat=2,
    messages=(message("user", "hi"), message("chatbot", "$5", tool_calls=(ToolCall(name="t"),))),
    ending=Ending.GOALS_ANSWERED,
    outputs=(Output(name="price", value="$5", evidence=PRICE), Output(name="id")),
    reports_tools=True,
    usage={"user": Usage(calls=1, cost=0.5)},
)


def test_a_variable_always_wins_and_everything_is_there_under_its_long_name():
    names = recording_of(PLAYED).names

    wanted = ("size", "ending", "conversation_ending", "price", "data_output_price", "id", "a_price", "cost", "repeat")
    assert [names[name] for name in wanted] == [["small"], "sweet", "goals_answered", "$4", "$5", None, 3, 0.5, 2]


def test_messages_outputs_and_evidence_come_along():
    recording = recording_of(PLAYED)

    assert (recording.id, recording.reports_tools, recording.outputs) == ("a#2", True, {"price": "$5", "id": None})
    assert recording.evidence == {"price": PRICE}
    assert recording.messages == (
        RecordedMessage("user", "hi"),
        RecordedMessage("chatbot", "$5", (ToolCall(name="t"),)),
    )
