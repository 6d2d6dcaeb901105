"""Use cases that a command and a route share: both do the same with the same store, and say the same."""

import json
import os
import re
import sqlite3
import time
from collections.abc import Callable
from contextlib import closing
from html import unescape
from importlib.resources import files
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

import pytest

from cli.conftest import Bot, bot
from command_line import called
from sparring.judges.model import prompts
from sparring.reports.formats import formats
from web.conftest import Client, Open, finished, launched, scenarios, wait_for
from web.judging import judging

__all__ = ["bot"]

LABELS = [
    {"conversation": f"scenarios/Order-{n}", "outcome": "passed", "who": "Ann", "when": "2026-03-02T09:00:00Z"}
    for n in range(3)
]
FIRST = LABELS[0]["conversation"]
PROMPT = prompts().hash
LOG = "call,role,text\n1,user,Hello\n1,assistant,Hi\n2,user,Bye\n,user,lost\n"


MOODY = """
from pathlib import Path

def reply(messages, variables):
    if not Path(__file__).with_name("well").exists():
        raise RuntimeError("not today")
    return "One coke, that is $2. Goodbye."
"""


def _whole(told: dict[str, Any]) -> Any:
    return told


class UseCase(NamedTuple):
    """A command, the request that does the same, and what is compared where the two documents differ in form.

    A and B stand for batches.
    """

    command: str
    ask: Callable[[Client, str, str], Any]
    of_command: Callable[[dict[str, Any]], Any] = _whole
    of_route: Callable[[dict[str, Any]], Any] = _whole


def get(path: str) -> Callable[[Client, str, str], Any]:
    return lambda client, a, b: client.get(path.format(A=a, B=b))


def post(path: str, **body: Any) -> Callable[[Client, str, str], Any]:
    return lambda client, a, b: client.post(path.format(A=a, B=b), json=body)


def _labels(told: dict[str, Any]) -> Any:
    return told["labels"], told["agreement"]


def _prompts(told: dict[str, Any]) -> Any:
    """A command lists those of all bundled chatbots, a server those of the chatbots that it offers."""
    return {(each["name"], each["hash"]) for each in told["prompts"] if each["name"] in ("judge", "pizzeria", "user")}


def use_cases(model: str) -> dict[str, UseCase]:
    """Return the use cases by name; `model` is a judge."""
    return {
        "list": UseCase(
            "show",
            get("/api/batches"),
            lambda told: [(each["id"], each["name"]) for each in told["batches"]],
            lambda told: [(each["batch_id"], each["name"]) for each in told["batches"]],
        ),
        "status": UseCase(
            "status A",
            get("/api/batches/{A}"),
            lambda told: {name: told[name] for name in told.keys() - {"schema", "kind"}},
        ),
        "show": UseCase(
            f"show A {FIRST}",
            get(f"/api/batches/{{A}}/conversations/{FIRST}"),
            lambda told: (told["messages"], told["outcome"], told["ending"], told["goals"], _checks(told)),
            lambda told: (
                told["conversation"]["messages"],
                told["result"]["outcome"],
                told["conversation"]["ending"],
                told["conversation"]["goals"],
                _checks(told),
            ),
        ),
        "cost": UseCase(
            "cost A",
            get("/api/batches/{A}/cost"),
            lambda told: (told["total"]["calls"], told["total"]["cost"], *map(_usage, (told["roles"], told["models"]))),
            lambda told: (
                told["total_requests"],
                told["total_cost_usd"],
                *map(_usage, (told["by_role"], told["by_model"])),
            ),
        ),
        "summary": UseCase(
            "summarize results.json",
            get("/api/batches/{A}/summary"),
            lambda told: {name: told[name] for name in told.keys() - {"schema", "kind"}},
            lambda told: {name: told[name] for name in told.keys() - {"statistics", "score_intervals"}},
        ),
        "compare": UseCase("compare A B", get("/api/compare?before={A}&after={B}")),
        "gate": UseCase("gate A", get("/api/batches/{A}/gate")),
        "trend": UseCase("trend nightly", get("/api/trend?name=nightly")),
        "check": UseCase(
            "check --rule turns()<99 --conversations A", post("/api/batches/{A}/check", rule=["turns()<99"])
        ),
        "read": UseCase("read recorded.ndjson", get("/api/batches/{A}/read")),
        "promote": UseCase(
            f"promote A {FIRST} --user goals", post("/api/batches/{A}/promote", conversation=FIRST, user="goals")
        ),
        "import": UseCase(
            "import log.csv --map id=call,role=role,text=text --name calls",
            post(
                "/api/import",
                logs=[{"name": "log.csv", "text": LOG}],
                map="id=call,role=role,text=text",
                name="calls",
            ),
        ),
        "judge": UseCase("judge A --judge checklist", post("/api/batches/{A}/judge", judge="checklist")),
        "canaries": UseCase(
            f"judge --canaries --judge {model} --rubric general",
            post("/api/canaries", judge=model, rubric=["general"]),
        ),
        "label": UseCase("label A --file labels.csv", post("/api/batches/{A}/labels/import", labels=LABELS)),
        "label one": UseCase(
            f"label A --conversation {FIRST} --outcome failed --blame user --turn 1 --who Ben",
            lambda client, a, b: (
                client.post(
                    f"/api/batches/{a}/labels",
                    json={"conversation": FIRST, "outcome": "failed", "blame": "user", "turn": 1, "who": "Ben"},
                )
                and client.get(f"/api/batches/{a}/labels")
            ),
            _labels,
            _labels,
        ),
        "labels": UseCase("label A", get("/api/batches/{A}/labels"), _labels, _labels),
        "calibrate": UseCase("calibrate A --judge checklist", post("/api/batches/{A}/calibrate", judge=["checklist"])),
        "judge by a model": UseCase(
            f"judge A --judge {model} --rubric general --repeat 2 --decides median",
            post("/api/batches/{A}/judge", judge=model, rubric=["general"], repeat=2, decides="median"),
        ),
        "probe": UseCase(
            f"calibrate A --judge {model} --probe 2", post("/api/batches/{A}/calibrate", judge=[model], probe=2)
        ),
        "plan": UseCase(
            "plan scenarios.json --chatbot pizzeria --model offline --judge checklist",
            post("/api/plan", scenarios=scenarios(2), judge="checklist", null_bots=False),
        ),
        "judge by hand": UseCase(
            f"judge A --human fail --conversation {FIRST} --score 2 --comment No.",
            post("/api/batches/{A}/verdicts", conversation=FIRST, outcome="fail", score=2, comment="No."),
        ),
        "audit": UseCase("audit A", get("/api/batches/{A}/audit")),
        "audit of one": UseCase(
            f"audit A --conversation {FIRST}", get(f"/api/batches/{{A}}/audit?conversation={FIRST}")
        ),
        "coverage": UseCase("coverage A --ways 1", get("/api/batches/{A}/coverage?ways=1")),
        "suggest": UseCase("suggest A --max 3", get("/api/batches/{A}/suggest?max=3")),
        "accept": UseCase("accept A", post("/api/batches/{A}/accept")),
        "prompts": UseCase("prompts list", get("/api/prompts"), _prompts, _prompts),
        "prompt": UseCase(
            f"prompts show {PROMPT}",
            get(f"/api/prompts/{PROMPT}"),
            lambda told: [(each["hash"], each["agents"]["judge"]["prompt"]) for each in told["prompts"]],
            lambda told: [(told["hash"], told["spec"]["agents"]["judge"]["prompt"])],
        ),
    }


TESTED_APART = {
    ("post", "/api/batches"),
    ("post", "/api/batches/{id}/cancel"),
    ("post", "/api/batches/{id}/resume"),
    ("post", "/api/batches/{id}/retry"),
    ("post", "/api/batches/{id}/rerun"),
    ("get", "/api/batches/{id}/report"),
    ("get", "/api/batches/{id}/results"),
    ("get", "/api/batches/{id}/label-queue"),
    ("post", "/api/validate"),
}
"""Routes of commands whose answers differ in form: what they do is compared by tests below."""
WITHOUT_COMMAND = {
    *(("get", path) for path in ("/", "/docs", "/metrics", "/openapi.json", "/api/health", "/api/options")),
    ("get", "/api/batches/{id}/events"),
    ("get", "/api/batches/{id}/conversations"),
    ("delete", "/api/batches/{id}"),
    ("post", "/api/prompts"),
    ("get", "/api/prompts/{hash}/diff"),
    ("post", "/api/prompts/{hash}/duplicate"),
    ("post", "/api/prompts/validate"),
}
"""Routes about the server itself, in pages, and of prompts, which are edited as folders by those who have commands."""
COMMANDS_TESTED_APART = {"run", "rerun", "cancel", "report", "fetch", "validate"}
WITHOUT_ROUTE = {
    *("chat", "completion", "demo", "doctor", "experiment", "fork", "init", "mcp", "mutate", "personas", "prune"),
    *("schema", "serve", "shrink", "store", "tokens", "try", "worker"),
}
"""Commands without a route; docs/reference/rest.md says why."""
NEW_EACH_TIME = {"created", "generated_at", "when", "given", "summary_generated_at"}
BARE = {name: os.environ[name] for name in ("PATH", "HOME", "SPARRING_NULL_BOTS") if name in os.environ}


class Surfaces(NamedTuple):
    """A service and a command line with a copy of its store, in one folder."""

    client: Client
    before: str
    after: str
    folder: Path
    store: Path

    def command(self, *arguments: str, stdin: str = "") -> str:
        """Return what a command prints."""
        done = called(*arguments, folder=self.folder, env=BARE | {"SPARRING_STORE": str(self.store)}, stdin=stdin)
        assert done.stdout, done.stderr
        return done.stdout


@pytest.fixture
def served(opened: Open, tmp_path: Path, bot: Bot) -> Surfaces:
    """A service with two batches, and a command line."""
    bot.answer = judging
    client = opened(models=("offline", f"{bot.url}#m"))
    before, after = (finished(client, {"scenarios": scenarios(3), "seed": seed, "name": "nightly"}) for seed in (1, 2))
    (tmp_path / "scenarios.json").write_text(json.dumps(scenarios(2)), encoding="utf-8")
    rows = [",".join(LABELS[0]), *(",".join(each.values()) for each in LABELS)]
    (tmp_path / "log.csv").write_text(LOG, encoding="utf-8")
    (tmp_path / "labels.csv").write_text("\n".join(rows), encoding="utf-8")
    with (
        closing(sqlite3.connect(tmp_path / "sparring.db")) as original,
        closing(sqlite3.connect(tmp_path / "copy.db")) as copy,
    ):
        original.backup(copy)
    both = Surfaces(client, before, after, tmp_path, tmp_path / "copy.db")
    (tmp_path / "recorded.ndjson").write_text(both.command("fetch", before, "--format", "conversations"))
    (tmp_path / "results.json").write_text(both.command("fetch", before))
    return both


@pytest.mark.slow
def test_a_route_does_and_answers_what_its_command_does(served: Surfaces, bot: Bot):
    for name, use_case in use_cases(f"{bot.url}#m").items():
        words = [{"A": served.before, "B": served.after}.get(each, each) for each in use_case.command.split()]
        printed = json.loads(served.command(*words, "--json"))
        answer = use_case.ask(served.client, served.before, served.after)

        assert (name, answer.is_success) == (name, True), answer.text
        assert use_case.of_route(_undated(answer.json())) == use_case.of_command(_undated(printed)), name
    assert _state(served, "sparring.db") == _state(served, "copy.db")


def test_every_route_is_compared_with_a_command_or_has_none(client: Client):
    asked = set[tuple[str, str]]()

    class Recorder:
        def get(self, url: str) -> bool:
            return self._note("get", url)

        def post(self, url: str, json: object) -> bool:
            return self._note("post", url)

        def _note(self, method: str, url: str) -> bool:
            path = url.partition("?")[0].replace("BATCH", "{id}")
            path = path.replace(FIRST, "{conversation}").replace(PROMPT, "{hash}")
            asked.add((method, path))
            return True

    for use_case in use_cases("m").values():
        use_case.ask(Recorder(), "BATCH", "BATCH")  # type: ignore[arg-type]
    described = client.get("/openapi.json").json()["paths"]
    routes = {(method, path) for path, methods in described.items() for method in methods}

    assert routes - asked == TESTED_APART | WITHOUT_COMMAND


def test_every_command_is_compared_with_a_route_or_has_none():
    groups = json.loads(files("sparring.cli").joinpath("commands.json").read_text(encoding="utf-8"))
    commands = {name for group in groups.values() for name in group}
    compared = {each.command.split()[0] for each in use_cases("m").values()}

    assert commands - compared == COMMANDS_TESTED_APART | WITHOUT_ROUTE


def test_the_docs_name_each_command_without_a_route():
    page = (Path(__file__).parents[3] / "docs/reference/rest.md").read_text(encoding="utf-8")
    section = page.partition("## Commands without a route")[2].partition("\n## ")[0]

    assert {*re.findall(r"`([a-z]+)`", section)} == WITHOUT_ROUTE


def _undated(told: Any) -> Any:
    """Leave out what is new each time, and the order in which a folder has its conversations."""
    if isinstance(told, list):
        return [_undated(each) for each in told]
    if not isinstance(told, dict):
        return told
    kept = {name: _undated(each) for name, each in told.items() if name not in NEW_EACH_TIME}
    if told.get("kind") == "imported":
        return kept | {"batch": ""}
    return kept | {"conversations": sorted(kept["conversations"], key=str)} if told.get("kind") == "reading" else kept


def _checks(told: dict[str, Any]) -> list[Any]:
    return [(each["check"], each["outcome"], each["score"], each["reason"]) for each in told["verdicts"]]


def _usage(told: dict[str, Any]) -> dict[str, Any]:
    return {name: (each["calls"], each["input_tokens"]) for name, each in told.items()}


def _state(both: Surfaces, store: str) -> Any:
    """Return what the store has of the batch at the end."""
    there = both._replace(store=both.folder / store)
    return [
        _undated(json.loads(there.command(*words, "--json")))
        for words in (("show", both.before), ("show", both.before, FIRST), ("label", both.before))
    ]


def test_a_report_and_an_export_are_the_files_that_commands_write(served: Surfaces):
    for command, path, names in (
        ("report", "report", [each.name for each in formats() if each.batch]),
        ("fetch", "results", [each.name for each in formats() if each.results]),
    ):
        for name in names:
            written = served.command(command, served.before, "--format", name)
            answer = served.client.get(f"/api/batches/{served.before}/{path}?format={name}")

            assert (name, _timeless(answer.text)) == (name, _timeless(written))


def _timeless(text: str) -> str:
    """Leave out the time at which a file was written."""
    return re.sub(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:[\d.]+)?", "", text).strip()


def test_a_sample_to_label_is_the_same_in_the_terminal_and_over_rest(served: Surfaces):
    queue = served.client.get(f"/api/batches/{served.before}/label-queue?sample=2&seed=4").json()["conversations"]

    served.command("label", served.before, "--sample", "2", "--seed", "4", "--who", "Ann", stdin="1\n1\n")

    told = json.loads(served.command("label", served.before, "--json"))["labels"]
    assert {each["conversation"] for each in told} == {*queue}


def _commands(folder: Path, cases: list[dict[str, Any]]) -> Callable[..., str]:
    """Return a function that runs a command in a folder with scenarios, and returns the id of its batch."""
    for name in ("scenarios.json", "calls.json"):
        (folder / name).write_text(json.dumps(cases), encoding="utf-8")

    def command(*words: str) -> str:
        told = called(*words, "--json", "--store", str(folder / "sparring.db"), folder=folder, env=BARE)
        id: str = json.loads(told.stdout)["batch"]
        return id

    return command


@pytest.mark.slow
def test_batches_of_commands_and_of_routes_are_equal(opened: Open, tmp_path: Path):
    client, cases = opened(), scenarios(3)
    command = _commands(tmp_path, cases)
    players = ("--chatbot", "pizzeria", "--model", "offline", "--judge", "checklist", "--seed", "5")
    launch = {"scenarios": cases, "seed": 5, "judge": "checklist", "max_conversations": 2}

    by_command = command("run", "scenarios.json", *players, "--max-conversations", "2")
    by_route = finished(client, launch)
    assert len(_played(client, by_command)) == 2
    assert _played(client, by_command) == _played(client, by_route)

    command("run", "--resume", by_command)
    client.post(f"/api/batches/{by_route}/resume").raise_for_status()
    wait_for(client, by_route)
    assert len(_played(client, by_command)) == 3
    assert _played(client, by_command) == _played(client, by_route)

    again = command("rerun", by_command, "--case", "scenarios/Order-1")
    rerun = client.post(f"/api/batches/{by_route}/rerun", json={"case": ["scenarios/Order-1"]}).json()["batch_id"]
    wait_for(client, rerun)
    assert (
        _played(client, again)
        == _played(client, rerun)
        == {id: told for id, told in _played(client, by_route).items() if id == "scenarios/Order-1"}
    )


@pytest.mark.slow
def test_a_file_and_a_request_with_the_same_scenarios_are_compared(opened: Open, tmp_path: Path):
    (tmp_path / "bot.py").write_text("def reply(messages, variables):\n    return 'Goodbye.'\n", encoding="utf-8")
    client, cases = opened(chatbots=("pizzeria", f"python:{tmp_path / 'bot.py'}:reply")), scenarios(3)
    players = ("--chatbot", "pizzeria", "--model", "offline", "--judge", "checklist")

    before = _commands(tmp_path, cases)("run", "calls.json", *players)
    body = {"scenarios": cases, "judge": "checklist", "chatbot": f"python:{tmp_path / 'bot.py'}:reply"}
    found = client.get(f"/api/compare?before={before}&after={finished(client, body)}").json()
    page = client.get(f"/compare?before={found['before']['batch']}&after={found['after']['batch']}").text
    (link, *_) = re.findall(r'href="(/compare/conversation[^"]*)"', page)

    assert (found["pairs"]["worse"], found["only_before"], found["only_after"]) == (3, 0, 0)
    assert client.get(unescape(link)).status_code == 200


@pytest.mark.slow
def test_a_command_and_a_route_retry_the_same_conversations(opened: Open, tmp_path: Path):
    (tmp_path / "moody.py").write_text(MOODY, encoding="utf-8")
    moody, cases = f"python:{tmp_path / 'moody.py'}:reply", scenarios(3)
    client, command = opened(chatbots=(moody,)), _commands(tmp_path, cases)

    by_command = command("run", "scenarios.json", "--chatbot", moody, "--model", "offline", "--seed", "5")
    by_route = finished(client, {"scenarios": cases, "seed": 5})
    before = _played(client, by_command)
    assert before == _played(client, by_route)
    (tmp_path / "well").touch()
    command("run", "--resume", by_command, "--retry-failed")
    client.post(f"/api/batches/{by_route}/retry").raise_for_status()
    wait_for(client, by_route)

    after = _played(client, by_command)
    assert after == _played(client, by_route)
    assert (len(after), before.keys() & after.keys(), before != after) == (3, before.keys(), True)


@pytest.mark.slow
def test_a_command_and_a_route_cancel_alike(opened: Open, tmp_path: Path):
    client = opened(concurrency=1)
    command = _commands(tmp_path, [])

    by_route = launched(client, scenarios(60))
    client.post(f"/api/batches/{by_route}/cancel").raise_for_status()
    by_command = launched(client, scenarios(60))
    client.stop()  # type: ignore[attr-defined]
    command("cancel", by_command)
    again = opened(concurrency=1)

    told = [again.get(f"/api/batches/{id}").json() for id in (by_route, by_command)]
    assert [(each["status"], each["error_message"]) for each in told] == [("cancelled", None)] * 2
    for id in (by_route, by_command):
        again.post(f"/api/batches/{id}/resume").raise_for_status()
        assert wait_for(again, id)["completed_scenarios"] == 60


def _played(client: Client, batch: str) -> dict[str, Any]:
    """Return the messages and the outcome of each conversation of a batch."""
    rows = client.get(f"/api/batches/{batch}/conversations").json()["conversations"]
    found = {}
    for id in [each["conversation_id"] for each in rows]:
        told = client.get(f"/api/batches/{batch}/conversations/{id}").json()
        verdicts = [(each["check"], each["outcome"], each["score"]) for each in told["verdicts"]]
        messages = [(each["role"], each["parts"]) for each in told["conversation"]["messages"]]
        found[id] = (messages, told["result"]["outcome"], verdicts)
    return found


def test_a_file_and_a_request_with_the_same_scenarios_are_valid_alike(client: Client, tmp_path: Path):
    wrong = [*scenarios(1), {"name": "Second", "variables": 3}]
    for cases in (scenarios(2), wrong):
        (tmp_path / "scenarios.json").write_text(json.dumps(cases), encoding="utf-8")
        (file,) = json.loads(called("validate", "scenarios.json", "--json", folder=tmp_path, env=BARE).stdout)["files"]
        answer = client.post("/api/validate", json={"scenarios": cases})

        assert (answer.is_success, [each["message"] for each in answer.json().get("problems", ())]) == (
            file["ok"],
            [each["message"] for each in file["errors"]],
        )


def test_failed_cases_are_rerun_as_a_new_batch(served: Surfaces):
    client, before = served.client, served.before

    answer = client.post(f"/api/batches/{before}/rerun", json={"case": ["scenarios/Order-1"]})
    again = wait_for(client, answer.json()["batch_id"])
    none = client.post(f"/api/batches/{before}/rerun", json={"case": ["nope"]})

    assert (answer.status_code, again["completed_scenarios"], again["total_scenarios"]) == (201, 1, 1)
    assert again["tags"] == ["rerun of nightly"]
    assert (none.status_code, client.get("/api/batches").json()["total_count"]) == (400, 3)


def test_a_queue_for_labels_says_nothing_of_how_conversations_came_out(served: Surfaces):
    client, before = served.client, served.before

    drawn = client.get(f"/api/batches/{before}/label-queue?sample=2").json()

    assert (list(drawn), len(drawn["conversations"])) == (["conversations"], 2)


def test_a_launch_has_the_budgets_of_a_run(client: Client):
    id = finished(client, {"scenarios": scenarios(5), "max_conversations": 2, "null_bots": False})

    status = client.get(f"/api/batches/{id}").json()

    assert (status["completed_scenarios"], "2" in status["error_message"]) == (2, True), status


def test_health_says_what_is_wrong(client: Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    fine = client.get("/api/health").json()
    monkeypatch.setattr("shutil.disk_usage", lambda folder: SimpleNamespace(free=1_000_000))
    monkeypatch.setattr("os.access", lambda path, mode: False)

    told = client.get("/api/health")

    assert (fine["status"], fine["problems"], told.status_code) == ("healthy", [], 503)
    assert [each.partition(":")[0] for each in told.json()["problems"]] == [
        *["the store cannot be written"] * 2,
        "the disk of the store is full",
    ]


def test_health_names_a_model_that_is_rate_limited_for_long(client: Client):
    limits = client.app_state.service.background.limits  # type: ignore[attr-defined]
    limits.of("openai:gpt-4o-mini").paused_until = time.monotonic() + 3600

    told = client.get("/api/health").json()

    assert (told["status"], len(told["problems"])) == ("healthy", 1)
    assert told["problems"][0].startswith("openai:gpt-4o-mini: rate limited for another ")


def test_options_are_what_requests_may_name(client: Client):
    told = client.get("/api/options").json()

    assert (told["chatbots"], told["models"], "checklist" in told["judges"]) == (["pizzeria"], ["offline"], True)
    assert "general" in told["rubrics"]
    assert {"json", "csv"} <= set(told["formats"])


@pytest.mark.parametrize("models", [("offline",), ("http://127.0.0.1:9/v1#m", "offline")])
def test_the_first_judge_of_the_options_is_the_default(opened: Open, models: tuple[str, ...]):
    client = opened(models=models)

    judges = client.get("/api/options").json()["judges"]
    plan = client.post("/api/plan", json={"scenarios": scenarios(1)}).json()

    assert plan["players"]["judge"] == judges[0] == ("checklist" if models == ("offline",) else models[0])


def test_a_request_is_validated_without_a_launch(client: Client):
    fine = client.post("/api/validate", json={"scenarios": scenarios(2), "repeat": 3}).json()
    wrong = client.post("/api/validate", json={"scenarios": scenarios(1), "rubric": ["generall"], "rule": ["turns( <"]})

    assert (len(fine["cases"]), fine["conversations"], wrong.status_code) == (2, 6, 400)
    told = " ".join(each["message"] for each in wrong.json()["problems"])
    assert ("generall" in told, len(wrong.json()["problems"]) > 1) == (True, True)
    assert client.get("/api/batches").json()["total_count"] == 0


def test_rules_and_a_limit_of_cost_are_those_of_the_launched_batch(client: Client):
    id = finished(client, {"scenarios": scenarios(1), "rule": ["turns() < 99"], "max_cost": 2.5, "null_bots": False})
    (first,) = client.get(f"/api/batches/{id}/conversations").json()["conversations"]

    verdicts = client.get(f"/api/batches/{id}/conversations/{first['conversation_id']}").json()["verdicts"]

    assert ("turns() < 99", "pass") in [(each["check"], each["outcome"]) for each in verdicts]


@pytest.mark.parametrize(
    ("path", "problem"),
    [
        ("/api/batches?nmae=x", "unknown query parameter 'nmae'; there are: before, limit, name, since, status, tag"),
        ("/api/health?x=1", "unknown query parameter 'x'"),
        ("/api/compare?before=nope&after=nope", "batch nope not found"),
    ],
)
def test_what_a_route_does_not_know_is_refused(client: Client, path: str, problem: str):
    assert client.get(path).json() == {"error": problem}


def test_batches_are_listed_by_name_tag_state_and_time(client: Client):
    first = finished(client, {"scenarios": scenarios(1), "name": "nightly", "tags": ["a"]})
    second = finished(client, {"scenarios": scenarios(1), "name": "other", "tags": ["a", "b"]})

    def listed(query: str) -> list[str]:
        return [each["batch_id"] for each in client.get(f"/api/batches?{query}").json()["batches"]]

    assert listed("") == [second, first]
    assert (listed("name=nightly"), listed("tag=b"), listed("status=running")) == ([first], [second], [])
    assert listed("since=2000-01-01T00:00:00Z&status=completed") == [second, first]
    assert listed("since=2999-01-01T00:00:00Z") == []


def test_metrics_count_requests_conversations_and_usage(client: Client):
    finished(client, scenarios(2))
    client.get("/nothing")

    lines = client.get("/metrics").text.splitlines()

    figures = dict(line.rsplit(" ", 1) for line in lines if not line.startswith("#"))
    assert figures['sparring_requests_total{method="GET",status="404"}'] == "1"
    assert sum(float(value) for name, value in figures.items() if name.startswith("sparring_conversations_total")) == 2
    assert sum(float(value) for name, value in figures.items() if name.startswith("sparring_outcomes")) == 2
    assert figures["sparring_batches_running"] == "0"
    assert float(figures["sparring_event_loop_lag_seconds"]) >= 0


def test_logs_that_cannot_be_imported_leave_nothing_behind(client: Client):
    def refused(*logs: tuple[str, str], **more: Any) -> tuple[int, str]:
        sent = [{"name": name, "text": text} for name, text in logs]
        answer = client.post("/api/import", json={"logs": sent, **more})
        return answer.status_code, answer.text

    told = refused(("log.json", "[1]"))
    assert (told[0], "/tmp" in told[1], "log.json" in told[1]) == (400, False, True)
    assert [refused((name, LOG))[0] for name in ("../log.csv", "a/b.csv", ".csv", "")] == [400] * 4
    assert "two logs have the same name" in refused(("a.csv", LOG), ("a.csv", LOG))[1]
    assert client.get("/api/batches").json()["total_count"] == 0


def test_what_was_read_comes_in_pages(served: Surfaces):
    client, before = served.client, served.before

    whole = client.get(f"/api/batches/{before}/read").json()
    first = client.get(f"/api/batches/{before}/read?limit=2").json()
    rest = client.get(f"/api/batches/{before}/read?limit=2&after={first['next']}").json()

    assert ("next" in whole, "next" in rest, len(first["conversations"])) == (False, False, 2)
    assert [*first["conversations"], *rest["conversations"]] == whole["conversations"]
