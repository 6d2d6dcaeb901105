import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from sparring.core.case import Case, Goal, Persona, Say
from sparring.core.conversation import Conversation, Ending, Evidence, GoalProgress, Output, goal_progress
from sparring.core.errors import InputError
from sparring.core.events import MessageSaid, VerdictGiven
from sparring.core.message import Button, Message, Text, ToolCall, message
from sparring.core.state import state_record
from sparring.core.verdict import CheckOutcome, Verdict
from sparring.settings import Settings, load
from sparring.store.redaction import Redaction
from sparring.store.sqlite.store import SqliteStore
from sparring.store.store import RecordedChecks
from sparring.testing.factories import a_batch
from sparring.testing.memory_store import MemoryStore
from tables import table

PHONE, EMAIL, CARD = "+1 555 010-0199", "anna.b+1@mail.example.com", "4111 1111 1111 1111"
ALL = Redaction(["email", "phone", "card"])


@table(
    "text, hidden",
    [
        (f"Mail {EMAIL}, please.", f"Mail {'*' * len(EMAIL)}, please."),
        (f"Call {PHONE}!", f"Call {'*' * len(PHONE)}!"),
        ("(555) 010-0199", "**************"),
        ("8 (555) 010-01-99", "*****************"),
        ("555-0199", "********"),
        ("15550100199", "***********"),
        (f"Card {CARD}.", f"Card {'*' * len(CARD)}."),
        ("4111-1111-1111-1111", "*" * 19),
    ],
)
def test_personal_data_is_redacted(text: str, hidden: str):
    assert ALL.text(text) == hidden


@table(
    "text",
    [
        "2026-03-02 10:30",
        "order 1234567",
        "$12.50 for 2 pizzas",
        "10:00-12:00",
        "3.14159265",
        "user@localhost",
        "a @ b",
        "4111 1111 1111",
    ],
)
def test_other_text_is_not_redacted(text: str):
    assert ALL.text(text) == text


def test_a_number_that_only_looks_like_a_card_stays():
    assert Redaction(["card"]).text("4111 1111 1111 1112") == "4111 1111 1111 1112"


def test_patterns_of_ones_own_hide_too():
    assert Redaction([r"/client-\d+/"]).text("I am client-77, привет client-8") == "I am *********, привет ********"


def test_nothing_is_hidden_where_nothing_is_wanted():
    batch = a_batch("a")

    assert Redaction().hidden(batch) is batch
    assert not Redaction()


def test_the_state_is_hidden_like_what_was_said():
    state = state_record({"users": [{"id": 1, "phone": PHONE}]}, {"users": [{"id": 1, "phone": "none"}]}, {})

    hidden = Redaction(["phone"]).hidden(Conversation(case=Case(id="a"), state=state)).state

    assert hidden
    assert PHONE not in hidden.model_dump_json()
    assert [change.path for change in hidden.changes] == ["users.1.phone"]


def test_what_points_into_a_message_shows_what_is_left_there():
    said = f"Your number is {PHONE}, right?"
    start = said.index("555")
    conversation = Conversation(
        case=Case(id="a", goals=(Goal(text="give a number"),)),
        messages=(message("user", "Hi"), message("chatbot", said)),
        goals=(goal_progress("give a number", 0, Evidence(at=1, start=0, end=4, text="Your")),),
        outputs=(
            Output(
                name="phone",
                value="5550100199",
                evidence=Evidence(at=1, start=start, end=start + 12, text="555 010-0199"),
            ),
        ),
    )

    hidden = ALL.hidden(conversation)

    assert hidden.messages[1].text == f"Your number is {'*' * len(PHONE)}, right?"
    assert hidden.goals == conversation.goals
    assert (hidden.outputs[0].value, hidden.outputs[0].evidence.text) == ("*" * 12, "*" * 12)


def a_conversation_with_personal_data() -> Conversation:
    case = Case(
        id="case/1",
        persona=Persona(role=f"You are at {EMAIL}.", traits=(f"Your card is {CARD}.",)),
        goals=(Goal(text=f"be called at {PHONE}", first=f"call {PHONE}"),),
        script=(Say(text=f"It is {PHONE}"),),
        variables={"phone": PHONE, "deep": [{EMAIL: [CARD]}], "number": 15550100199},
        tags=(EMAIL,),
    )
    call = ToolCall(name="call", arguments={"to": [PHONE]}, result={"card": 4111111111111111}, error=EMAIL)
    said = Message(role="chatbot", parts=(Text(text=CARD), Button(title=EMAIL, payload=PHONE)), tool_calls=(call,))
    return Conversation(
        case=case,
        messages=(message("user", f"I am {EMAIL}"), said),
        ending=Ending.CHATBOT_FAILED,
        error=f"cannot call {PHONE}",
        goals=(GoalProgress(text=f"be called at {PHONE}"),),
        outputs=(Output(name="card", value=CARD),),
        warnings=(f"{EMAIL} is strange",),
    )


async def test_nothing_personal_reaches_the_file(tmp_path: Path):
    conversation = a_conversation_with_personal_data()
    batch = a_batch().model_copy(update={"cases": (conversation.case,), "repeats": 2, "tags": (EMAIL,)})
    verdict = Verdict(check="c", outcome=CheckOutcome.FAIL, conversation="case/1", reason=f"said {CARD}", by="model")
    async with SqliteStore(tmp_path / "a.db", redaction=ALL) as store:
        await store.create(batch)
        await store.add(batch.id, conversation)
        await store.log(batch.id, MessageSaid(conversation="case/1", message=conversation.messages[0]))
        await store.log(batch.id, VerdictGiven(verdict=verdict))
        await store.judge(batch.id, verdict)
        kept = await store.conversation(batch.id, "case/1")

    with closing(sqlite3.connect(tmp_path / "a.db")) as connection:
        dumped = "\n".join(
            str(row) for table in tables(connection) for row in connection.execute(f"SELECT * FROM {table}")
        )
    everything = dumped + whole(tmp_path)
    assert personal(everything) == []
    assert kept == ALL.hidden(conversation)
    assert (kept.ending, kept.case.id, kept.messages[1].tool_calls[0].name) == (Ending.CHATBOT_FAILED, "case/1", "call")


def personal(text: str) -> list[str]:
    return [each for each in (PHONE, EMAIL, CARD, "15550100199", "4111111111111111") if each in text]


async def test_nothing_personal_stays_in_memory():
    conversation = a_conversation_with_personal_data()
    batch = a_batch().model_copy(update={"cases": (conversation.case,), "tags": (EMAIL,)})
    verdict = Verdict(check="c", outcome=CheckOutcome.FAIL, conversation="case/1", reason=f"said {CARD}", by="model")
    store = MemoryStore(redaction=ALL)
    await store.create(batch)
    await store.add(batch.id, conversation, checks=RecordedChecks("case/1", verdicts={"h": verdict, "none": None}))
    await store.log(batch.id, VerdictGiven(verdict=verdict))
    await store.judge(batch.id, verdict)
    await store.record_checks(batch.id, [RecordedChecks("case/1", verdicts={"i": verdict})])

    assert await store.conversation(batch.id, "case/1") == ALL.hidden(conversation)
    assert len([hash async for hash, _ in store.checked(batch.id)]) == 2
    assert personal(str(vars(store))) == []


def tables(connection: sqlite3.Connection) -> list[str]:
    return [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]


def test_the_kinds_to_redact_are_a_setting(tmp_path: Path):
    (tmp_path / "sparring.yaml").write_text("redact: [email, '/client-[0-9]{2,3}/']\n")

    from_file = load({}, directory=tmp_path, environ={})
    from_environment = load({}, directory=tmp_path, environ={"SPARRING_REDACT": "phone, card"})

    assert from_file.redact == ("email", "/client-[0-9]{2,3}/")
    assert from_environment.redact == ("phone", "card")
    assert Settings().redact == ()


@pytest.mark.parametrize("kind", ["emial", "//", "/(/", "phone number", r"/(?P<a/"])
def test_an_unknown_kind_to_redact_is_refused(tmp_path: Path, kind: str):
    with pytest.raises(InputError):
        load({}, directory=tmp_path, environ={"SPARRING_REDACT": kind})


def whole(folder: Path) -> str:
    return "".join(path.read_bytes().decode(errors="replace") for path in folder.iterdir())
