from sparring.core.conversation import Evidence
from sparring.rules.functions.dialogue import last_reply_says
from sparring.rules.functions.function import EvidenceNotes
from sparring.rules.recording import RecordedMessage, Recording
from sparring.rules.undecided import Failure
from tables import table

TALK = "hello / A: LINK: <empty> / again / A: LINK: <empty> B / bye / no link"


@table(
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
        ("replies_to('(?i)AGAIN|bye')", ["A: LINK: <empty> B", "no link"]),
        ("replies_to('LINK')", []),
        ("chatbot_phrases[2]", "no link"),
        ("interaction[0]", {"User": "hello"}),
        ("length(chatbot_phrases, 'average')", (16 + 18 + 7) / 3),
        ("length(chatbot_phrases, 'max') - length('ab')", 16),
        ("matches('^h', user_phrases[0])", True),
    ],
)
def test_functions_over_what_was_said(value, recording, text: str, expected: object):
    assert value(text, recording(said=TALK)) == expected


def test_an_unstated_output_is_missing(value):
    stated = Recording("c", outputs={"price": 5, "id": None, "time": "None"})

    assert value("(missing_slots(), data_collected())", stated) == (["id", "time"], False)


def test_latency_is_a_quantile_of_the_reply_times(value):
    assert value("(latency(0), latency(), latency(1))", Recording("c", latencies=(3.0, 1.0, 2.0))) == (1.0, 2.0, 3.0)


@table("text", ["latency()", "latency(2)", "conversation_length('bot')", "length([])", "length('a', 'x')"])
def test_what_makes_no_sense_is_an_error(value, text: str):
    assert isinstance(value(text), Failure)


SAID = (
    RecordedMessage("chatbot", "Welcome"),
    RecordedMessage("user", "hi"),
    RecordedMessage("chatbot", "Order 7?"),
    RecordedMessage("user", "yes"),
    RecordedMessage("chatbot", "Done.\nAnything else?"),
    RecordedMessage("chatbot", "Order 9 is lost", injected=True),
)


@table(
    ("text", "expected"),
    [
        ("last_reply()", "Done.\nAnything else?"),
        ("last_reply_says('(?is)done.*ELSE')", True),
        ("last_reply_says('Order')", False),
        ("last_reply_repeats('(?i)[a-z]+ 7')", False),
        ("chatbot_says('Order 7')", True),
        ("chatbot_says('lost')", False),
        ("'lost' in ' '.join(chatbot_phrases)", False),
        ("conversation_length()", 5),
        ("conversation_length('chatbot')", 3),
        ("len(interaction)", 5),
    ],
)
def test_what_a_script_injected_is_nothing_the_chatbot_said(value, text: str, expected: object):
    assert value(text, Recording("c", messages=SAID)) == expected


def test_evidence_of_the_last_reply_is_where_it_was_said(value):
    notes = EvidenceNotes()

    assert last_reply_says.call(Recording("c", messages=SAID), notes, "else")
    assert notes == [Evidence(at=4, start=15, end=19, text="else")]


@table(
    ("replies", "expected"),
    [
        (("Your number is B-7.", "It is B-7."), True),
        (("Your number is B-7.", "It is B-8."), False),
        (("Your number is B-7.", "I do not know."), False),
        (("It is B-7.",), False),
    ],
)
def test_a_reply_repeats_what_an_earlier_one_says(value, replies: tuple[str, ...], expected: bool):
    said = [each for text in replies for each in (RecordedMessage("user", "B-8?"), RecordedMessage("chatbot", text))]

    assert value("last_reply_repeats('B-[0-9]')", Recording("c", messages=tuple(said))) is expected
