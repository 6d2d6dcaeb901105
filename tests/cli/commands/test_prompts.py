import json
from pathlib import Path

import pytest

from scripted import ScriptedChatbot
from sparring.app.preflight import check_refusals
from sparring.chatbots.chatbot import Capabilities
from sparring.cli import call
from sparring.core.case import Case
from sparring.core.errors import InputError

pytestmark = pytest.mark.slow  # its tests play batches

SPEC = "entry: a\nagents:\n  a: {prompt: a.md, tools: [add], handoffs: {b: later}}\n  b: {prompt: b.md}\n"
GRAMMAR = (
    "fallback: Sorry?\n"
    "intents: [{name: add, patterns: [milk], tool: add}, {name: bye, patterns: [bye], reply: Goodbye.}]\n"
    'replies: {add: [{say: "It is {{result}}."}]}\n'
)
TOOLS = 'class Tools:\n    def add(self) -> int:\n        "Count on."\n        return 1\n'


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    here = tmp_path / "desk"
    here.mkdir()
    for name, text in {"spec.yaml": SPEC, "a.md": "Hello.\n", "b.md": "Bye.\n", "tools.py": TOOLS}.items():
        (here / name).write_text(text)
    return here


@pytest.mark.slow
def test_everything_that_comes_along_is_valid_and_listed(capsys: pytest.CaptureFixture[str]):
    assert call(["prompts", "validate", "--json"]) == 0
    checked = json.loads(capsys.readouterr().out)["checked"]
    assert call(["prompts", "list", "--json"]) == 0
    listed = json.loads(capsys.readouterr().out)["prompts"]

    assert {each["which"] for each in checked} >= {
        "phone_orders",
        "phone_orders:spec=stages",
        "pizzeria",
        "service",
        "user",
        "judge",
    }
    assert {version["hash"] for each in checked for version in each["prompts"]} == {each["hash"] for each in listed}


def test_problems_of_a_folder_are_reported_with_their_places(folder: Path, capsys: pytest.CaptureFixture[str]):
    assert call(["prompts", "validate", "desk"]) == 0
    (folder / "a.md").write_text("Hello {{nobody}}.\n")
    (folder / "tools.py").unlink()
    capsys.readouterr()

    assert call(["prompts", "validate", "desk", "--json"]) == 2

    (told,) = json.loads(capsys.readouterr().out)["checked"]
    places = [(error["file"], error["line"], error["column"], error["message"]) for error in told["errors"]]
    assert places == [
        ("desk/spec.yaml", 3, 29, "unknown tool 'add'"),
        ("desk/a.md", 1, 7, "unknown variable 'nobody'"),
    ]


def test_two_versions_are_compared_file_by_file(folder: Path, capsys: pytest.CaptureFixture[str]):
    other = folder.parent / "other"
    other.mkdir()
    for file in folder.iterdir():
        if file.is_file():
            (other / file.name).write_text(file.read_text().replace("Bye.", "Goodbye."))

    assert call(["prompts", "diff", "desk", "other"]) == 0

    lines = capsys.readouterr().out.splitlines()
    assert lines[2:] == ["@@ -1 +1 @@", "-Bye.", "+Goodbye."]
    assert (lines[0].startswith("--- desk@"), lines[1].startswith("+++ other@")) == (True, True)
    assert lines[0].endswith("/b.md")


def test_a_version_is_shown_as_text_and_as_openai_takes_it(folder: Path, capsys: pytest.CaptureFixture[str]):
    assert call(["prompts", "show", "desk"]) == 0
    text = capsys.readouterr().out
    assert call(["prompts", "show", "desk", "--format", "openai"]) == 0
    (told,) = json.loads(capsys.readouterr().out)

    assert "## a (entry)\ntools: add\nhands over to b: later\n\nHello.\n" in text
    assert told["agents"]["a"]["messages"] == [{"role": "system", "content": "Hello."}]
    assert [tool["function"]["name"] for tool in told["agents"]["a"]["tools"]] == ["add", "hand_off"]
    assert told["agents"]["b"]["tools"] == []


@pytest.mark.parametrize(
    ("which", "said"),
    [
        ("pizeria", "did you mean 'pizzeria'?"),
        ("agenda:x", "there are no prompts called 'agenda:x'"),
        ("python:a:b", "a"),
    ],
)
def test_unknown_prompts_are_one_sentence_and_a_hint(which: str, said: str, capsys: pytest.CaptureFixture[str]):
    assert call(["prompts", "show", which]) == 2
    assert said in capsys.readouterr().err


@pytest.mark.slow
def test_an_old_batch_s_prompts_can_be_shown_when_the_files_have_changed(
    folder: Path, capsys: pytest.CaptureFixture[str]
):
    cases = [{"name": "one", "variables": {"ORDER_GOAL": ["milk"]}}]
    (folder.parent / "cases.json").write_text(json.dumps(cases))
    (folder / "grammar.yaml").write_text(GRAMMAR)
    (folder / "a.md").write_text("Hello, buyer of {{ORDER_GOAL}}.\n")
    (folder / "spec.yaml").write_text(f"variables: {{ORDER_GOAL: {{required: true}}}}\n{SPEC}")
    run = ["run", "cases.json", "--chatbot", "prompted:desk", "--model", "offline", "--json"]
    call(run)
    told = json.loads(capsys.readouterr().out)
    short = told["who"]["prompts"]
    (folder / "a.md").write_text("Go away.\n")

    assert call(["prompts", "show", short]) == 0
    assert "Hello, buyer of {{ORDER_GOAL}}." in capsys.readouterr().out
    assert call(["prompts", "diff", short, "desk"]) == 0
    assert capsys.readouterr().out.splitlines()[2:] == ["@@ -1 +1 @@", "-Hello, buyer of {{ORDER_GOAL}}.", "+Go away."]
    call(["prompts", "list"])
    assert f"{short}  desk" in capsys.readouterr().out
    assert call(["show", told["batch"], "--json"]) in (0, 1, 3)
    assert json.loads(capsys.readouterr().out)["players"]["prompts"] == short


def test_a_case_without_a_value_for_a_placeholder_is_refused_before_the_run(
    folder: Path, capsys: pytest.CaptureFixture[str]
):
    (folder.parent / "cases.json").write_text(json.dumps([{"name": "one", "variables": {"ORDER_GOAL": ["milk"]}}]))
    (folder / "spec.yaml").write_text(f"variables: {{day: {{required: true}}, hour: {{required: true}}}}\n{SPEC}")
    (folder / "grammar.yaml").write_text(GRAMMAR)

    for command in ("run", "plan"):
        assert call([command, "cases.json", "--chatbot", "prompted:desk", "--model", "offline"]) == 2
        said = capsys.readouterr().err
        assert ("need the variable 'day'" in said, "need the variable 'hour'" in said) == (True, True)


def test_what_a_webhook_may_say_is_not_missed_before_it_is_asked():
    class Needing(ScriptedChatbot):
        capabilities = Capabilities(requires=frozenset({"day"}))

        def __init__(self) -> None:
            pass

    check_refusals([Case(id="a")], Needing(), informed=True)
    check_refusals([Case(id="a", variables={"day": 1})], Needing())
    with pytest.raises(InputError, match="a: the chatbot needs the variable 'day', which the case does not have"):
        check_refusals([Case(id="a")], Needing())


def test_a_plan_shows_the_prompts_of_every_agent_the_user_and_the_judge(
    folder: Path, capsys: pytest.CaptureFixture[str]
):
    cases = [{"name": name, "variables": {"ORDER_GOAL": [name]}} for name in ("milk", "salt")]
    (folder.parent / "cases.json").write_text(json.dumps(cases))
    (folder / "spec.yaml").write_text(f"variables: {{ORDER_GOAL: {{required: true}}}}\n{SPEC}")
    (folder / "a.md").write_text("Sell {{ORDER_GOAL}}.\n")
    plan = ["plan", "cases.json", "--chatbot", "prompted:desk", "--model", "openai:gpt-4o-mini", "--prompts"]

    assert call([*plan, "--judge", "openai:gpt-4o-mini", "--case", "cases/salt", "--json"]) == 0
    (case,) = json.loads(capsys.readouterr().out)["cases"]
    assert call([*plan, "--case", "cases/sal"]) == 2
    said = capsys.readouterr().err

    prompts = case["prompts"]
    assert list(prompts) == ["user", "chatbot/a", "chatbot/b", "judge/order"]
    assert (prompts["chatbot/a"], prompts["chatbot/b"]) == ('Sell {"name":"salt"}.', "Bye.")
    assert "there is no case 'cases/sal'" in said
    assert "did you mean 'cases/salt'?" in said
