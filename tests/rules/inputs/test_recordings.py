from pathlib import Path

import pytest

from sparring.core.case import Case
from sparring.core.conversation import Conversation
from sparring.core.errors import InputError
from sparring.core.message import message
from sparring.core.plugins import names
from sparring.rules.inputs.recordings import Recordings

TALK = "ask_about: []\ninteraction:\n- User: {}\n"


def test_a_folder_is_read_in_natural_order_and_what_is_no_conversation_is_skipped_with_a_word(tmp_path: Path):
    (tmp_path / "deep").mkdir()
    for name in ("10_a.yml", "2_a.yml", "deep/1_a.yaml"):
        (tmp_path / name).write_text(TALK.format(name))
    (tmp_path / "report.yml").write_text("Global report: 1\n")
    recordings = Recordings(tmp_path)

    assert [recording.id for recording in recordings] == ["2_a.yml", "10_a.yml", "deep/1_a.yaml"]
    assert [Path(problem.file).name for problem in recordings.skipped] == ["report.yml"]
    assert len(list(recordings)) == 3, "it can be walked again"


def test_lines_are_our_conversations_or_chat_logs(tmp_path: Path):
    ours = Conversation(case=Case(id="ours"), messages=(message("user", "hi"),)).model_dump_json()
    lines = [ours, '{"id": 7, "messages": []}', "{", '{"a": 1}', "", '{"case": {}}']
    (tmp_path / "a.ndjson").write_text("\n".join(lines))
    recordings = Recordings(tmp_path / "a.ndjson")

    assert [recording.id for recording in recordings] == ["ours", "7"]
    assert [(problem.line, problem.message.split(":")[0]) for problem in recordings.skipped] == [
        (3, "is not JSON"),
        (
            4,
            f"is of no known format ({', '.join(names('sparring.logs'))}); it has 'a'",
        ),
        (6, "is not a conversation"),
    ]


def test_a_path_that_is_not_there_is_an_input_error(tmp_path: Path):
    with pytest.raises(InputError, match="there is no such file or folder"):
        Recordings(tmp_path / "nowhere")
