"""Large, broken and hostile log files."""

import gzip
import random
from pathlib import Path

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from read_logs import jsonl, problems, read
from sparring.rules.inputs import entries as module
from sparring.rules.inputs.entries import LogEntry, entries
from sparring.rules.inputs.recordings import Conversations

CHAT = {"messages": [{"role": "user", "content": "hi"}]}
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-1000, 1000) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=20,
)


@given(st.lists(JSON, min_size=1, max_size=5), st.integers(1, 50), st.booleans())
def test_elements_of_a_document_are_the_same_however_it_is_read(
    tmp_path_factory: pytest.TempPathFactory, values: list[object], chunk: int, indented: bool
):
    file = tmp_path_factory.mktemp("a") / "a.json"
    file.write_bytes(orjson.dumps({"info": 1, "data": values}, option=orjson.OPT_INDENT_2 if indented else None))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_CHUNK", chunk)
        found = list(entries(file, "a.json"))

    assert [each.value for each in found if isinstance(each, LogEntry)] == values
    assert [each.place for each in found if isinstance(each, LogEntry)] == [f"data[{n}]" for n in range(len(values))]


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b'{"a": [' + b"[" * 5000 + b"]" * 5000 + b"]}", "is not JSON"),
        (b'{"messages": ' + b"[" * 200 + b"]" * 200 + b"}\n{}", "is nested too deeply"),
        (b'{"messages": [\0]}\n{}', "is not JSON"),
        (b"\0" * 100, "is not JSON"),
        (b'[{"messages": []}, {"mess', "breaks off in the middle of an entry"),
        (b'{"data": [{"messages": []}', "breaks off in the middle of an entry"),
        (b'{"a" 1}', "is not JSON"),
        (b'["' + b"x" * 1500, "breaks off in the middle of an entry"),
        (b'{"messages": [], "x": "' + b"x" * 3000 + b'"}\n{}', "the line is longer than"),
        (b'[{"x": "' + b"x" * 30000 + b'"}]', "an entry of the file is longer than"),
    ],
)
def test_hostile_input_is_a_problem(tmp_path: Path, content: bytes, problem: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(module, "_LIMIT", 20_000 if b"[[[" in content else 2000)
    monkeypatch.setattr(module, "_CHUNK", 1000)
    suffix = ".jsonl" if content.endswith(b"\n{}") else ".json"
    (tmp_path / f"a{suffix}").write_bytes(content)

    assert problem in problems(tmp_path / f"a{suffix}")[0]


def test_random_bytes_and_cut_files_never_raise(tmp_path: Path):
    random_ = random.Random(7)
    whole = jsonl(tmp_path / "whole.jsonl", CHAT, {"conversations": [{"from": "human", "value": "x"}]}).read_bytes()
    for number in range(300):
        cut = whole[: random_.randrange(len(whole))] + random_.randbytes(random_.randrange(5))
        file = tmp_path / f"a{number}{random_.choice(['.json', '.jsonl', '.csv', '.yml', '.json.gz', '.pb'])}"
        file.write_bytes(cut)
        list(Conversations(file))


def test_packed_files_and_byte_order_marks_are_read(tmp_path: Path):
    line = orjson.dumps(CHAT)
    (tmp_path / "a.jsonl.gz").write_bytes(gzip.compress(b"\xef\xbb\xbf" + line + b"\n" + line))
    (tmp_path / "b.json").write_bytes(b"\xef\xbb\xbf[" + line + b"]")

    assert [each.id for each in read(tmp_path)] == ["line 1", "line 2", "[0]"]


def test_two_formats_in_one_file_are_both_read_and_two_that_fit_are_asked_about(tmp_path: Path):
    mixed = jsonl(tmp_path / "a.jsonl", CHAT, {"id": "r", "role": "user", "text": "hi"})
    both = jsonl(tmp_path / "b.jsonl", CHAT | {"conversations": [{"from": "human", "value": "x"}]})

    assert [each.id for each in read(mixed)] == ["line 1", "r"]
    with pytest.raises(Exception, match=r"b.jsonl:1: may be chatml or sharegpt \(choose one: --format chatml\)"):
        list(Conversations(both))
    assert len(read(both, format="sharegpt")) == 1
    assert problems(mixed, format="chatml") == [":2: is not of the format chatml"]
