from io import BytesIO, TextIOWrapper
from pathlib import Path

import pytest

from read_logs import problems, read
from sparring.core.errors import InputError
from sparring.rules.inputs.recordings import Conversations
from sparring.rules.inputs.rows import ColumnNames, columns_of
from tables import table

COLUMNS = ColumnNames(id="session", role="who", text="said")


def rows_of(path: Path) -> list[tuple[str, dict[str, object], list[tuple[str, str]]]]:
    found = read(path, columns=COLUMNS)
    return [(c.id, c.case.variables, [(m.role, m.text) for m in c.messages]) for c in found]


def test_rows_of_a_conversation_need_not_be_adjacent(tmp_path: Path):
    path = tmp_path / "log.csv"
    path.write_text('session,who,said,shop\na,User,hi,north\nb,customer,yo,south\na,BOT,"hello, you",north\n')

    assert rows_of(path) == [
        ("a", {"shop": "north"}, [("user", "hi"), ("chatbot", "hello, you")]),
        ("b", {"shop": "south"}, [("user", "yo")]),
    ]


def test_json_rows_keep_their_types(tmp_path: Path):
    path = tmp_path / "log.jsonl"
    path.write_text('{"session": 7, "who": "assistant", "said": null, "price": 9.5}\n')

    assert rows_of(path) == [("7", {"price": 9.5}, [("chatbot", "")])]


def test_rows_that_are_none_are_skipped_with_a_word(tmp_path: Path):
    path = tmp_path / "log.jsonl"
    rows = ["[", '{"sesion": 1, "who": "user", "said": ""}', '{"session": 1, "who": "ghost", "said": ""}']
    path.write_text("\n".join([*rows, '{"session": "", "who": "user", "said": ""}']))

    found = problems(path, columns=COLUMNS)

    assert found[0].startswith(":1: is not JSON")
    assert found[1:] == [
        ":2: has no 'session' (did you mean 'sesion'?)",
        ":3: unknown role 'ghost'",
        ":4: has no id",
    ]


@table(
    "header",
    ["id,role,text", "conversation_id,id,sender,message", "Session ID,time,Author,Body", "threadId,speaker,utterance"],
)
def test_usual_columns_are_recognised(header: str, tmp_path: Path):
    path = tmp_path / "log.csv"
    others = ["7" if name.lower().endswith("id") else "10:00" for name in header.split(",")[:-2]]
    rows = (",".join([*others, *said]) for said in (("user", "Hi"), ("agent", "Hello")))
    path.write_text("\n".join([header, *rows]))

    found = read(path)

    assert [(c.id, [(m.role, m.text) for m in c.messages]) for c in found] == [
        ("7", [("user", "Hi"), ("chatbot", "Hello")])
    ]


def test_columns_of_another_table_are_named(tmp_path: Path):
    path = tmp_path / "log.csv"
    path.write_text("nr;from;body\n1;user;Hi\n")
    assert problems(path, columns=COLUMNS) == [":2: has no 'session' (columns: 'nr', 'from', 'body')"]


def test_a_table_is_read_from_the_standard_input(monkeypatch: pytest.MonkeyPatch):
    table = b"session,who,said\n1,user,Hi\n1,ghost,Boo\n"
    monkeypatch.setattr("sys.stdin", TextIOWrapper(BytesIO(table)))

    found = Conversations("-", columns=COLUMNS)

    assert [(each.id, [said.text for said in each.messages]) for each in found] == [("1", ["Hi"])]
    assert [str(each) for each in found.skipped] == ["standard input:3: unknown role 'ghost'"]


def test_a_map_says_which_column_holds_what():
    assert columns_of("id=session, role=who,text=said") == COLUMNS


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("id=a,role=b", "--map: 'text' is missing"),
        ("id=a,rôle=b,role=b,text=c", "--map: unknown 'rôle' (did you mean 'role'?)"),
        ("", "--map: 'id' is missing\n--map: 'role' is missing\n--map: 'text' is missing"),
    ],
)
def test_a_map_that_says_less_is_refused(text: str, message: str):
    with pytest.raises(InputError) as caught:
        columns_of(text)

    assert str(caught.value) == message
