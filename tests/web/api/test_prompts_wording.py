"""Prompts are checked, saved as versions that never change, and played; what is sent is text and nothing else."""

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from command_line import Sparring, sparring
from web.conftest import Client, Open, finished, launched, scenario, scenarios, wait_for

pytestmark = pytest.mark.slow  # its tests play batches

__all__ = ["sparring"]  # a fixture

SPEC: dict[str, Any] = {
    "entry": "sales",
    "agents": {
        "sales": {"prompt": "You sell {{size}} pizzas.", "tools": ["show_menu"], "handoffs": {"cashier": "they pay"}},
        "cashier": {"prompt": "You take the money: {{handoffs}}"},
    },
    "variables": {"size": {"type": "string", "default": "large"}},
    "greeting": "Hello!",
}
BODY = {"name": "nicer", "spec": SPEC}


def saved(client: Client, **changed: Any) -> str:
    answer = client.post("/api/prompts", json={**BODY, **changed})
    assert answer.status_code == 201, answer.text
    hash: str = answer.json()["hash"]
    return hash


def system_prompts(client: Client, id: str) -> set[str]:
    """The hashes of what the players of a batch were told."""
    store = client.app_state.service.store  # type: ignore[attr-defined]
    batch = client.portal.call(store.head, id)  # type: ignore[union-attr]
    return set(batch.prompts.values())


@pytest.mark.slow
def test_a_used_version_is_edited_saved_and_run(client: Client):
    finished(client, [scenario()])
    before = client.get("/api/prompts").json()["prompts"][0]
    version = client.get(f"/api/prompts/{before['hash']}").json()
    spec = version["spec"]
    spec["agents"]["chatbot"]["prompt"] += "\n\nBe brief.\n"

    saving = client.post("/api/prompts", json={"name": "brief", "chatbot": "pizzeria", "spec": spec})
    after = saving.json()["hash"]
    id = finished(client, {"scenarios": [scenario()], "prompts": "brief"})
    other = finished(client, {"scenarios": [scenario()], "prompt_spec_name": "brief"})
    unknown = finished(client, {"scenarios": [scenario()], "prompt_spec_name": "default"})

    assert saving.status_code == 201
    assert "+Be brief." in client.get(f"/api/prompts/{before['hash']}/diff?after={after}").json()["files"]["chatbot.md"]
    assert (system_prompts(client, id), system_prompts(client, other), system_prompts(client, unknown)) == (
        {after},
        {after},
        {before["hash"]},
    )
    assert [each["name"] for each in client.get("/api/prompts").json()["saved"]] == ["brief"]


def test_everything_that_is_wrong_is_said_at_once_and_nothing_is_saved(client: Client):
    wrong = json.loads(json.dumps(SPEC))
    wrong["agents"]["sales"] |= {"tools": ["menus"], "handoffs": {"cashir": "they pay"}}
    wrong["agents"]["cashier"]["prompt"] = "a\nYou take {{money}}"
    wrong["greeting"] = "Hello {{#size}}"

    checked = client.post("/api/prompts/validate", json={**BODY, "spec": wrong})
    refused = client.post("/api/prompts", json={**BODY, "spec": wrong})

    problems = [(each["path"], each["line"], each["message"]) for each in checked.json()["problems"]]
    assert (checked.status_code, checked.json()["valid"], refused.status_code) == (200, False, 400)
    assert ("agents.sales.tools[0]", None, "unknown tool 'menus'") in problems
    assert ("agents.sales.handoffs.cashir", None, "unknown agent 'cashir'") in problems
    assert ("agents.cashier.prompt", 2, "unknown variable 'money'") in problems
    assert [path for path, _, message in problems if path == "greeting"] == ["greeting"]
    assert [each["message"] for each in refused.json()["problems"]] == [message for _, _, message in problems]
    assert (client.get("/api/prompts").json()["total_count"], client.get("/api/prompts").json()["saved"]) == (3, [])


def test_what_could_be_saved_is_known_by_the_hash_that_it_gets(client: Client):
    checked = client.post("/api/prompts/validate", json=BODY).json()

    assert checked == {"valid": True, "hash": saved(client), "problems": []}


@pytest.mark.slow
def test_a_version_never_changes_and_the_newest_of_a_name_is_meant_by_it(client: Client):
    first = saved(client)
    again = saved(client)
    second = saved(client, spec={**SPEC, "greeting": "Good evening!"})
    ids = [finished(client, {"scenarios": [scenario()], "prompts": which}) for which in ("nicer", first[:12], second)]
    for id in ids:
        client.delete(f"/api/batches/{id}")

    listed = client.get("/api/prompts").json()
    assert first == again != second
    assert [(each["name"], each["hash"]) for each in listed["saved"]] == [("nicer", second), ("nicer", first)]
    assert client.get(f"/api/prompts/{first}").json()["spec"]["greeting"] == "Hello!"
    assert {first, second} < {each["hash"] for each in listed["prompts"]}, "no batch names them any more"


@pytest.mark.slow
def test_a_batch_keeps_the_version_that_a_name_had_at_launch(client: Client):
    first = saved(client)
    ids = [finished(client, {"scenarios": [scenario()], "prompts": "nicer"})]
    second = saved(client, spec={**SPEC, "greeting": "Good evening!"})
    ids.append(finished(client, {"scenarios": [scenario()], "prompts": "nicer"}))
    said = [
        client.get(f"/api/batches/{id}/conversations/scenarios/Calm-reorder").json()["conversation"]["messages"][0]
        for id in ids
    ]

    assert [system_prompts(client, id) for id in ids] == [{first}, {second}]
    assert [each["parts"][0]["text"] for each in said] == ["Hello!", "Good evening!"]


def test_a_version_gets_another_name_and_stays_the_same(client: Client):
    first = saved(client)

    copied = client.post(f"/api/prompts/{first[:12]}/duplicate", json={"name": "mine"})
    unknown = client.post(f"/api/prompts/{'0' * 64}/duplicate", json={"name": "mine"})
    id = finished(client, {"scenarios": [scenario()], "prompts": "mine"})

    assert (copied.status_code, copied.json()["hash"], unknown.status_code) == (201, first, 404)
    assert system_prompts(client, id) == {first}
    assert [each["name"] for each in client.get("/api/prompts").json()["saved"]] == ["mine", "nicer"]


@pytest.mark.slow
@pytest.mark.parametrize(
    "changed",
    [
        {"name": "../../etc"},
        {"name": ""},
        {"name": "a" * 101},
        {"chatbot": "python:os:system"},
        {"chatbot": "prompted:/etc"},
        {"files": {"tools.py": "import os"}},
        {"spec": {**SPEC, "tools": [{"name": "x"}]}},
        {"spec": {**SPEC, "python": "import os"}},
        {"spec": {**SPEC, "agents": {}}},
        {"spec": {**SPEC, "agents": {"../x": {"prompt": "Hi"}}, "entry": "../x"}},
        {"spec": {**SPEC, "agents": {"a": {"prompt": "Hi", "command": "rm"}}, "entry": "a"}},
        {"spec": {**SPEC, "agents": {"a": {"prompt": ["sales.md"]}}, "entry": "a"}},
        {"spec": {**SPEC, "agents": {"a": {"prompt": "x" * 1_000_001}}, "entry": "a"}},
        {"spec": {**SPEC, "agents": {**SPEC["agents"], "cashier": {"prompt": "x" * 500_001}}}},
        {"spec": {**SPEC, "variables": {**SPEC["variables"], **{f"v{n}": {} for n in range(1_000)}}}},
        {"spec": "spec.yaml"},
    ],
)
def test_nothing_but_texts_and_names_is_taken(client: Client, changed: dict[str, Any]):
    answer = client.post("/api/prompts", json={**BODY, **changed})

    assert (answer.status_code, client.get("/api/prompts").json()["total_count"]) == (400, 3), answer.text


@pytest.mark.slow
@pytest.mark.parametrize("mistake", ["{{unknown}} ", "`add_pizza` show_pizza ", "show_pizza add_pizza "])
def test_only_the_first_of_many_mistakes_are_reported(client: Client, mistake: str):
    spec = {"entry": "a", "agents": {"a": {"prompt": mistake * 20_000}}}

    system_prompts = client.post("/api/prompts/validate", json={"name": "many", "spec": spec}).json()

    assert (system_prompts["valid"], len(system_prompts["problems"])) == (False, 100)


def test_very_long_versions_are_compared_as_a_whole(client: Client):
    lines = [f"Rule {n % 150}." for n in range(3_000)]
    texts = "\n".join(lines), "\n".join(reversed(lines))
    before, after = (saved(client, spec={"entry": "a", "agents": {"a": {"prompt": text}}}) for text in texts)

    diff = client.get(f"/api/prompts/{before}/diff?after={after}").json()["files"]["a.md"].splitlines()
    page = client.get(f"/prompts/{after}?with={before}")

    assert diff[:4] == ["--- a.md", "+++ a.md", "@@ -1,3000 +1,3000 @@", "-Rule 0."]
    assert (len(diff), page.status_code) == (6_003, 200)


def test_what_looks_like_a_file_or_code_is_a_text_and_stays_one(client: Client, tmp_path: Path):
    (tmp_path / "secret.md").write_text("the elephant is purple")
    prompt = f"file:{tmp_path}/secret.md !!python/object:os.system [x](../secret.md) '; DROP TABLE prompts"
    hash = saved(client, spec={"entry": "a", "agents": {"a": {"prompt": prompt}}})

    shown = client.get(f"/api/prompts/{hash}")

    assert shown.json()["files"]["a.md"] == prompt + "\n"
    assert "elephant" not in shown.text


def test_a_chatbot_that_is_not_made_of_prompts_takes_none(opened: Open, tmp_path: Path):
    (tmp_path / "bot.py").write_text("def reply(messages, variables):\n    return 'Hi'\n")
    client = opened(chatbots=("pizzeria", f"python:{tmp_path / 'bot.py'}:reply"))
    saved(client)

    python = client.app_state.service.allowed.chatbots[1]  # type: ignore[attr-defined]
    checked = client.post("/api/prompts/validate", json={**BODY, "chatbot": python}).json()
    launch = client.post("/api/batches", json={"scenarios": [scenario()], "chatbot": python, "prompts": "nicer"})
    unknown = client.post("/api/batches", json={"scenarios": [scenario()], "prompts": "nicr"})

    assert (checked["valid"], "takes none but its own" in checked["problems"][0]["message"]) == (False, True)
    assert (launch.status_code, "takes none but its own" in launch.json()["error"]) == (400, True)
    assert (unknown.status_code, unknown.json()["problems"][0]) == (
        400,
        {"path": "prompts", "message": "there are no prompts called 'nicr'", "hint": "did you mean 'nicer'?"},
    )


def test_a_body_that_is_not_declared_as_json_is_refused(client: Client):
    system_prompts = [
        client.post(path, content=json.dumps(BODY), headers={"content-type": "text/plain"}).status_code
        for path in ("/api/prompts", "/api/prompts/validate", f"/api/prompts/{'0' * 64}/duplicate")
    ]

    assert system_prompts == [415] * 3


def test_a_resumed_batch_keeps_its_prompts(opened: Open, sparring: Sparring, tmp_path: Path):
    client = opened(concurrency=1)
    hash = saved(client)
    ids = [launched(client, {"scenarios": scenarios(60), "prompts": "nicer"}) for _ in range(2)]
    saved(client, spec={**SPEC, "greeting": "Good evening!"})
    client.post(f"/api/batches/{ids[0]}/cancel")
    client.stop()
    resumed = sparring("run", "--resume", ids[0], "--store", tmp_path / "sparring.db", "--json")

    client = opened(concurrency=8)
    done = wait_for(client, ids[1])

    assert resumed.returncode in (0, 1, 3), resumed.stderr
    assert (done["completed_scenarios"], system_prompts(client, ids[1]), system_prompts(client, ids[0])) == (
        60,
        {hash},
        {hash},
    )
    for id in ids:
        found = client.get(f"/api/batches/{id}/results?transcripts=1").json()["results"]
        assert {each["conversation_history"][0]["content"] for each in found} == {"Hello!"}
        assert len(found) == 60


class Model(ThreadingHTTPServer):
    asked: list[Any]


class _Handler(BaseHTTPRequestHandler):
    server: Model

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
        self.server.asked.append(asked)
        is_user = "Your code: [note" in asked["messages"][0]["content"]
        text = "I want a large custom pizza with ham." if is_user else "Goodbye."
        said = {"message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
        body = json.dumps({"choices": [said]}).encode()
        self.send_response(200)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def model() -> Iterator[Model]:
    with Model(("127.0.0.1", 0), _Handler) as server:
        server.asked = []
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def test_a_saved_version_is_sent_to_the_model(opened: Open, model: Model, sparring: Sparring, tmp_path: Path):
    client = opened(models=(f"http://127.0.0.1:{model.server_port}/v1#m",), user="agenda")
    saved(client)
    id = finished(client, {"scenarios": [scenario()], "prompts": "nicer"})
    first = len(model.asked)
    change = ("--at", "1", "--say", "Hi", "--runs", "1", "--allow-side-effects", "--store", tmp_path / "sparring.db")
    forked = sparring("fork", id, "scenarios/Calm-reorder", *change)

    assert forked.returncode in (0, 3), forked.stderr
    again = {each["messages"][0]["content"] for each in model.asked[first:] if each.get("tools")}
    assert again == {"You sell large pizzas."}
    asked = [each for each in model.asked if each["messages"][0]["content"] == "You sell large pizzas."]
    assert asked, model.asked
    assert [tool["function"]["name"] for tool in asked[0]["tools"]] == ["show_menu", "hand_off"]


def test_saved_versions_are_sent_to_the_user_and_the_judge(opened: Open, model: Model):
    client = opened(models=(f"http://127.0.0.1:{model.server_port}/v1#m",), reader="patterns")
    versions = {each["role"]: each["hash"] for each in client.get("/api/prompts").json()["prompts"]}
    hashes = {}
    for role in ("user", "judge"):
        spec = client.get(f"/api/prompts/{versions[role]}").json()["spec"]
        spec["agents"][role]["prompt"] = f"Be a strict {role}.\n\n{spec['agents'][role]['prompt']}"
        answer = client.post("/api/prompts", json={"name": f"strict {role}", "spec": spec})
        hashes[role] = answer.json()["hash"]
    named = {"user_prompts": "strict user", "judge_prompts": hashes["judge"][:12]}

    id = finished(client, {"scenarios": [scenario()], **named})
    bundled = {"user_prompts": versions["user"], "judge_prompts": versions["judge"]}
    own = finished(client, {"scenarios": [scenario()], **bundled})

    first = [each["messages"][0]["content"].partition("\n")[0] for each in model.asked]
    assert {"Be a strict user.", "Be a strict judge."} < set(first)
    assert (system_prompts(client, id) > set(hashes.values()), system_prompts(client, own) > set(bundled.values())) == (
        True,
        True,
    )
    assert client.get(f"/api/batches/{id}").json()["prompts"]["judge"] == hashes["judge"]


def test_prompts_of_user_and_judge_are_checked_as_those_of_a_chatbot(client: Client):
    def problems(role: str, prompt: str, **more: Any) -> list[tuple[Any, ...]]:
        spec = {"entry": role, "agents": {role: {"prompt": prompt}}, **more}
        system_prompts = client.post("/api/prompts/validate", json={"name": "x", "spec": spec}).json()["problems"]
        return [(each["path"], each.get("line"), each["message"]) for each in system_prompts]

    user = "You are {{role}}.\nYou want {{goals}}. {{language}}"
    assert problems("user", user) == problems("judge", "{{rubric}} {{delimiter}}") == []
    assert problems("user", user.replace("{{goals}}", "{{gaols}}")) == [
        ("agents.user.prompt", None, "{{goals}} is missing"),
        ("agents.user.prompt", 2, "nothing is called {{gaols}}"),
    ]
    assert problems("judge", "{{rubric}}") == [("agents.judge.prompt", None, "{{delimiter}} is missing")]
    assert problems("user", user, greeting="Hi") == [
        ("agents.user.prompt", None, "the user has one prompt, and nothing else")
    ]
    other = {"role": "user", "entry": "a", "agents": {"a": {"prompt": user}}}
    system_prompts = client.post("/api/prompts/validate", json={"name": "x", "spec": other}).json()["problems"]
    assert [each["path"] for each in system_prompts] == ["agents"]
    client.post("/api/prompts", json={"name": "mine", "spec": {"entry": "user", "agents": {"user": {"prompt": user}}}})
    wrong = client.post("/api/batches", json={"scenarios": [scenario()], "prompts": "mine", "judge_prompts": "mine"})
    agenda = client.post("/api/batches", json={"scenarios": [scenario()], "user_prompts": "mine"})
    assert [each["path"] for each in wrong.json()["problems"]] == ["prompts", "judge_prompts"]
    assert (agenda.status_code, agenda.json()["error"]) == (400, "the user agenda reads no prompt")
    judge = {"entry": "judge", "agents": {"judge": {"prompt": "{{rubric}} {{delimiter}}"}}}
    client.post("/api/prompts", json={"name": "strict", "spec": judge})
    unread = client.post("/api/batches", json={"scenarios": [scenario()], "judge_prompts": "strict"})
    assert unread.json()["problems"][0]["message"] == "the judge checklist reads no prompt"


def test_a_version_that_replaces_several_is_named_once(opened: Open):
    client = opened(chatbots=("phone_orders",), models=("http://127.0.0.1:9/v1#m",))
    version = next(each for each in client.get("/api/prompts").json()["prompts"] if each["role"] == "chatbot")
    body = {"name": "brief", "spec": client.get(f"/api/prompts/{version['hash']}").json()["spec"]}
    hash = client.post("/api/prompts", json=body).json()["hash"]

    plan = client.post("/api/plan", json={"scenarios": scenarios(1), "prompts": "brief", "judge": "order"}).json()

    assert plan["players"]["prompts"] == hash[:12]


def test_prompts_are_edited_saved_and_chosen_on_pages(client: Client):
    version = next(each for each in client.get("/api/prompts").json()["prompts"] if each["role"] == "chatbot")
    edit = f"/prompts/{version['hash'][:12]}/edit"
    text = client.get(f"/api/prompts/{version['hash']}").json()["spec"]["agents"]["chatbot"]["prompt"]
    form = {"name": "brief", "chatbot": "pizzeria", "prompt chatbot": f"{text}\r\nBe brief."}

    wrong = client.post(edit, data={**form, "name": "?", "prompt chatbot": "{{nothing"})
    unsaved = client.get("/launch").text
    saving = client.post(edit, data=form, follow_redirects=False)
    shown = client.get(saving.headers["location"]).text

    assert text.splitlines()[0] in client.get(edit).text
    assert (wrong.status_code, "begin with a letter" in wrong.text, "{{nothing" in wrong.text) == (422, True, True)
    assert (saving.status_code, "+ Be brief." in shown, "/launch?prompts=brief" in shown) == (303, True, True)
    assert "Prompt for the" not in unsaved
    assert "<option selected>brief</option>" in client.get("/launch?prompts=brief").text
    started = client.post(
        "/launch",
        data={"file_name": "a.yml", "file_text": "goals: [a pizza]", "prompts": "brief"},
        follow_redirects=False,
    )
    id = started.headers["location"].rpartition("/")[2]
    assert client.get(f"/prompts/{next(iter(system_prompts(client, id)))[:12]}").text.count("Be brief.") >= 1
