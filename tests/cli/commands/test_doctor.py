import json
import platform
import subprocess
import sys
from pathlib import Path

import pytest

from command_line import Sparring
from sparring.cli.targets import add_to_env
from sparring.settings import environment

KEY = "planted-0123456789-key"


def preset(folder: Path, url: str, reply: str = "reply") -> None:
    (folder / "bot.yaml").write_text(
        f"url: {url}/say?secret=${{BOT_KEY}}\n"
        'headers: {authorization: "Bearer ${BOT_KEY}"}\n'
        f'body: {{text: "{{{{message}}}}"}}\nreply: {reply}\n'
    )


def test_doctor_lists_what_is_installed_and_only_whether_keys_are_set(inside: Sparring, tmp_path: Path):
    (tmp_path / ".env").write_text(f"GROQ_API_KEY={KEY}\n")
    (tmp_path / ".env").chmod(0o600)

    done = inside("doctor", env={"OPENAI_API_KEY": KEY, "SPARRING_MODEL": "offline"})

    assert (done.returncode, done.stderr) == (0, "")
    assert f"Python {platform.python_version()}" in done.stdout
    assert "extras: inspect" in done.stdout
    assert "✓ store .sparring/sparring.db can be written" in done.stdout
    assert "✓ chatbot: not chosen\n✓ model: offline\n" in done.stdout
    found, _, missing = done.stdout.partition("✓ keys: ")[2].partition("; not set: ")
    assert set(found.split(", ")) == {"OPENAI_API_KEY", "GROQ_API_KEY"}
    assert "OPENROUTER_API_KEY" in missing
    assert KEY not in done.stdout
    assert not (tmp_path / ".sparring").exists()


def test_a_store_that_cannot_be_written_is_wrong(inside: Sparring, tmp_path: Path):
    (tmp_path / "file").write_text("")

    done = inside("doctor", "--store", "file/sparring.db", "--json")

    assert (done.returncode, json.loads(done.stdout)["store_writable"]) == (1, False)


def test_hello_shows_the_raw_answer_and_the_value_at_every_path(inside: Sparring, tmp_path: Path, bot):
    bot.answer = {"reply": "Hi!", "list": [{"a name": 3}], "none": None}
    preset(tmp_path, bot.url)

    done = inside("doctor", "--chatbot", "http:bot.yaml", env={"BOT_KEY": KEY})

    assert done.returncode == 0, done.stderr
    assert done.stdout.partition("Said hello")[2].splitlines() == [
        " to http:bot.yaml.",
        "",
        f"POST {bot.url}/say: HTTP 200",
        "The raw answer:",
        '  | {"reply": "Hi!", "list": [{"a name": 3}], "none": null}',
        "The value at every path:",
        '  reply              "Hi!"',
        '  list[0]["a name"]  3',
        "  none               null",
        "",
        "What was understood:",
        "[0] user",
        "  | hello",
        "[1] chatbot",
        "  | Hi!",
    ]


@pytest.mark.parametrize("reply", ["answer", "none"])
def test_a_wrong_place_for_the_reply_is_wrong_and_shows_where_it_could_be(
    inside: Sparring, tmp_path: Path, bot, reply: str
):
    bot.answer = {"text": "Hi!", "none": []}
    preset(tmp_path, bot.url, reply)

    done = inside("doctor", "--chatbot", "http:bot.yaml", env={"BOT_KEY": KEY})

    assert done.returncode == 3
    assert '  text  "Hi!"' in done.stdout
    assert "Nothing the chatbot said was found: `reply` in the preset" in done.stdout


def test_an_address_whose_protocol_is_known_is_named_and_greeted(inside: Sparring, bot):
    bot.answer = {"messages": [{"role": "assistant", "content": "Hi!"}]}

    done = inside("doctor", "--chatbot", bot.url)

    assert done.returncode == 0, done.stderr
    assert f"✓ this is messages: --chatbot messages:{bot.url}\n✓ messages:{bot.url} replies\n" in done.stdout


def test_a_server_of_tools_is_named_with_what_it_needs(inside: Sparring, bot):
    bot.answer = {"jsonrpc": "2.0", "id": 1, "result": {"protocolVersion": "2025-11-25", "serverInfo": {"name": "x"}}}

    done = inside("doctor", "--chatbot", bot.url)

    assert done.returncode == 0, done.stderr
    assert (
        f"✓ this is an MCP server, which has tools but does not talk: write `server: {{url: {bot.url}}}`" in done.stdout
    )


def test_an_answer_of_a_known_protocol_to_a_preset_is_named(inside: Sparring, tmp_path: Path, bot):
    bot.answer = {"object": "response", "output": []}
    preset(tmp_path, bot.url)

    done = inside("doctor", "--chatbot", "http:bot.yaml", env={"BOT_KEY": KEY})

    assert "http:bot.yaml answers as responses does" in done.stdout
    assert "--chatbot responses:URL" in done.stdout


def test_json_has_the_same_facts(inside: Sparring, tmp_path: Path, bot):
    preset(tmp_path, bot.url)

    told = json.loads(inside("doctor", "--chatbot", "http:bot.yaml", "--json", env={"BOT_KEY": KEY}).stdout)

    (exchange,) = told["chatbot"]["exchanges"]
    assert (told["chatbot"]["answered"], told["chatbot"]["error"]) == (True, "")
    assert exchange["places"] == {"reply": json.dumps(bot.answer["reply"])}
    assert json.loads(exchange["raw"]) == bot.answer


@pytest.mark.parametrize("status", [200, 401])
def test_a_key_that_the_server_repeats_is_not_shown(inside: Sparring, tmp_path: Path, bot, status: int):
    bot.status = status
    bot.answer = {"reply": f"your key is {KEY}", KEY: f"Bearer {KEY}"}
    preset(tmp_path, bot.url)

    for more in ((), ("--json",)):
        done = inside("doctor", "--chatbot", "http:bot.yaml", *more, env={"BOT_KEY": KEY})

        assert "your key is [redacted]" in done.stdout
        assert KEY not in done.stdout + done.stderr


def test_a_key_in_the_path_of_an_address_is_not_shown_and_the_address_is(inside: Sparring, tmp_path: Path, bot):
    (tmp_path / "bot.yaml").write_text(
        'url: "${BOT_URL}/bot${BOT_KEY}/say"\nbody: {text: "{{message}}", key: "${BOT_KEY}"}\nreply: reply\n'
    )

    done = inside("doctor", "--chatbot", "http:bot.yaml", env={"BOT_KEY": KEY, "BOT_URL": bot.url})

    assert f"POST {bot.url}/bot[redacted]/say: HTTP 200" in done.stdout
    assert KEY not in done.stdout
    assert bot.asked[0][1] == f"/bot{KEY}/say"


def test_an_answer_of_any_size_and_with_any_letters_is_bounded_and_does_nothing_to_a_terminal(
    inside: Sparring, tmp_path: Path, bot
):
    bot.answer = {"reply": "\u001b[31m" + "x" * 100_000, "many": list(range(10_000))}
    preset(tmp_path, bot.url)

    done = inside("doctor", "--chatbot", "http:bot.yaml", "--json", env={"BOT_KEY": KEY})
    shown = inside("doctor", "--chatbot", "http:bot.yaml", env={"BOT_KEY": KEY})

    (exchange,) = json.loads(done.stdout)["chatbot"]["exchanges"]
    assert (len(exchange["raw"]) < 11_000, len(exchange["places"]), exchange["more_places"]) == (True, 200, 9_801)
    assert "\x1b" not in shown.stdout


def test_chatbots_that_are_not_reached_over_http_say_hello_too(inside: Sparring):
    pizzeria = inside("doctor", "--chatbot", "pizzeria", "--model", "offline")
    nobody = inside("doctor", "--chatbot", "rasa:http://127.0.0.1:9")

    assert (pizzeria.returncode, nobody.returncode) == (0, 3)
    assert "I can help you order a pizza" in pizzeria.stdout
    assert "no answer from http://127.0.0.1:9" in nobody.stdout
    assert "; is it running?" in nobody.stdout.replace("\n", " ")


def hello_lines(done: "subprocess.CompletedProcess[str]") -> list[str]:
    """What a doctor says came back, up to what was understood."""
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout.partition("Said hello")[2].partition("\nWhat was understood")[0].splitlines()[2:]


def test_a_program_is_shown_line_by_line_and_no_key_of_its(inside: Sparring, tmp_path: Path):
    (tmp_path / "bot.py").write_text(
        "import os\nfor line in open(0): print('{\"log\": 1}'); print('{\"say\": [\"%s\"]}' % os.environ['KEY'])\n"
    )
    (tmp_path / "bot.yaml").write_text(
        f"command: [{sys.executable}, -u, bot.py]\nenvironment: {{KEY: '${{BOT_KEY}}'}}\n"
        'answer: json\nbody: "{{message}}"\nreply: say[0]\n'
    )

    done = inside("doctor", "--chatbot", "command:bot.yaml", env={"BOT_KEY": KEY})

    assert KEY not in done.stdout
    assert hello_lines(done) == [
        f"{sys.executable}:",
        "The raw answer:",
        '  | {"log": 1}',
        "The value at every path:",
        "  log  1",
        "",
        f"{sys.executable}:",
        "The raw answer:",
        '  | {"say": ["[redacted]"]}',
        "The value at every path:",
        '  say[0]  "[redacted]"',
    ]


def test_a_python_function_is_shown_as_it_answers(inside: Sparring, tmp_path: Path):
    (tmp_path / "bot.py").write_text("def reply(messages, variables):\n    return 'You said ' + messages[-1].text\n")

    assert hello_lines(inside("doctor", "--chatbot", "python:bot.py:reply")) == [
        "bot.py:reply:",
        "The raw answer:",
        "  | You said hello",
        "The value at every path:",
        '  $  "You said hello"',
    ]


def test_a_stream_is_shown_event_by_event(inside: Sparring, tmp_path: Path, bot):
    bot.raw = b'data: {"reply": "Hel"}\n\ndata: {"reply": "lo"}\n\ndata: [DONE]\n\n'
    preset(tmp_path, bot.url, "reply\nanswer: deltas")

    done = inside("doctor", "--chatbot", "http:bot.yaml", env={"BOT_KEY": KEY})

    assert done.returncode == 0
    assert '  event 1: reply  "Hel"\n  event 2: reply  "lo"\n' in done.stdout
    assert done.stdout.endswith("[1] chatbot\n  | Hello\n")


def test_a_missing_preset_is_one_sentence(inside: Sparring):
    done = inside("doctor", "--chatbot", "http:nowhere.yaml")

    assert done.returncode == 2
    assert "error: nowhere.yaml: there is no such file" in done.stderr


def test_fix_writes_the_session_the_secret_and_the_path_of_the_reply(inside: Sparring, tmp_path: Path, bot):
    bot.answer = {"data": {"say": "Good morning, how can I help?"}, "id": "a1"}
    (tmp_path / "bot.yaml").write_text(
        f"# mine\nurl: {bot.url}/say\nheaders:\n  Authorization: Bearer {KEY}  # for now\n"
        'body: {text: "{{message}}", session_id: abc}\nreply: answer\n'
    )

    told = inside("doctor", "--chatbot", "http:bot.yaml")
    mended = inside("doctor", "--chatbot", "http:bot.yaml", "--fix")
    again = inside("doctor", "--chatbot", "http:bot.yaml")

    assert (told.returncode, mended.returncode, again.returncode) == (1, 0, 0)
    assert "✗ bot.yaml: body.session_id is the same in every conversation: sparring doctor" in told.stdout
    assert "✗ bot.yaml: the reply is at data.say: sparring doctor" in told.stdout
    assert (tmp_path / "bot.yaml").read_text() == (
        f'# mine\nurl: {bot.url}/say\nheaders:\n  Authorization: "Bearer ${{CHATBOT_KEY}}"  # for now\n'
        'body: {text: "{{message}}", session_id: "{{new_session}}"}\nreply: "data.say"\n'
    )
    assert (tmp_path / ".env").read_text() == f"CHATBOT_KEY='{KEY}'\n"
    assert (tmp_path / ".env").stat().st_mode & 0o777 == 0o600
    assert f"Bearer {KEY}" in bot.asked[-1][2].values()
    assert KEY not in "".join(each.stdout + each.stderr for each in (told, mended, again))
    assert "✗" not in again.stdout


def test_a_variable_with_another_value_is_not_overwritten(inside: Sparring, tmp_path: Path, bot):
    (tmp_path / ".env").write_text("CHATBOT_KEY=other")
    text = (
        f"url: {bot.url}/say\nheaders: {{Authorization: Bearer {KEY}}}\nbody: {{text: '{{{{message}}}}'}}\nreply: a\n"
    )
    (tmp_path / "bot.yaml").write_text(text)

    done = inside("doctor", "--chatbot", "http:bot.yaml", "--fix")

    assert (done.returncode, (tmp_path / "bot.yaml").read_text()) == (2, text)
    assert "CHATBOT_KEY has another value already" in done.stderr
    assert (tmp_path / ".env").read_text() == "CHATBOT_KEY=other"


def test_a_file_of_keys_that_others_can_read_is_wrong(inside: Sparring, tmp_path: Path):
    (tmp_path / ".env").write_text("A=1\n")
    (tmp_path / ".env").chmod(0o644)

    done = inside("doctor")

    assert (done.returncode, "✗ .env can be read by other users: chmod 600 .env\n" in done.stdout) == (1, True)


@pytest.mark.parametrize("value", ["it's", 'back\\slash "quoted"', "two\nlines", "# no comment", "a$b ${c} "])
def test_any_secret_is_read_as_it_was_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, value: str):
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".env").write_text("A=1")  # without a newline

    assert add_to_env({"B": value}) == ["B"]
    assert add_to_env({"B": value}) == []
    assert environment(tmp_path, {}) == {"A": "1", "B": value}


def test_in_a_project_the_chatbot_of_the_settings_is_asked(inside: Sparring, tmp_path: Path):
    (tmp_path / "sparring.yaml").write_text("chatbot: rasa:http://127.0.0.1:9\n")

    done = inside("doctor")

    assert (done.returncode, "no answer from http://127.0.0.1:9" in done.stdout) == (3, True)
