import json

import pytest

from web.conftest import Client, Open, finished, launched, scenario, scenarios


def problems(client: Client, body: object) -> list[tuple[str, str]]:
    """What a launch is refused for: paths and messages."""
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    answer = client.post("/api/batches", content=content, headers={"content-type": "application/json"})
    told = answer.json()
    assert answer.status_code == 400, answer.text
    assert told["error"]
    return [(each.get("path", ""), each["message"]) for each in told["problems"]]


def test_all_problems_are_reported_at_once(client: Client):
    body = {
        "scenarios": [{"nope": 1}, scenario(AMB_LEVEL=9, PATIENCE="much"), {"name": "Third", "variables": []}],
        "chatbot": "pizzerja",
        "model": "openai:gpt-4o-mini",
        "surprise": 1,
    }

    told = problems(client, body)

    assert {path for path, _ in told} >= {
        "scenarios[0].nope",
        "scenarios[0].name",
        "scenarios[0].variables",
        "scenarios[1].variables.AMB_LEVEL",
        "scenarios[1].variables.PATIENCE",
        "chatbot",
        "model",
        "surprise",
    }
    assert client.get("/api/batches").json()["total_count"] == 0


@pytest.mark.slow
@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"null",
        b"7",
        b'"text"',
        b"[]",
        b"{}",
        b'{"scenarios": {}}',
        b'{"scenarios": []}',
        b"[NaN]",
        b"[Infinity]",
        b"[1e999]",
        b"[" * 100_000,
        b'[{"name": "a", "variables": {"ORDER_GOAL": "[]", "x": ' + b"[" * 60 + b"]" * 60 + b"}}]",
        b'[{"name": "a", "variables": {"ORDER_GOAL": "tea", "x": ' + b"9" * 400 + b"}}]",
        b'[{"name": "a", "variables": {"ORDER_GOAL": "tea", "x": ' + b"9" * 5000 + b"}}]",
        b'[{"name": "a", "name": "b", "variables": {"ORDER_GOAL": "tea"}}]',
        b'[{"name": "\\ud800", "variables": {"ORDER_GOAL": "tea"}}]',
        b"\xff\xfe",
    ],
    ids=lambda body: body[:30].decode(errors="replace"),
)
def test_an_invalid_batch_is_refused(client: Client, body: bytes):
    assert problems(client, body) != []


@pytest.mark.parametrize(
    "chatbot",
    [
        "python:os:system",
        "command:rm -rf /",
        "http:/etc/passwd",
        "prompted:/etc",
        "rasa:http://169.254.169.254",
        "http://169.254.169.254/",
        "pizzeria:fault=free",
        "",
    ],
)
def test_only_chatbots_that_the_operator_listed_can_be_chosen(client: Client, chatbot: str):
    told = problems(client, {"scenarios": scenarios(1), "chatbot": chatbot})

    assert told[0][0] == "chatbot"


@pytest.mark.parametrize(
    "option", ["user", "reader", "chatbot_model", "url", "webhook", "sources", "store", "concurrency"]
)
def test_what_the_operator_decides_cannot_be_sent(client: Client, option: str):
    assert problems(client, {"scenarios": scenarios(1), option: "x"}) == [(option, "unknown key")]


def test_files_of_any_kind_launch_a_batch(client: Client):
    files = [
        {"name": "hello.yml", "text": "name: hello\nsteps:\n  - user: Hi there\n"},
        {"name": "short.yml", "text": "name: short\nthen: turns() < 12\n"},
    ]

    id = finished(client, {"files": files, "repeat": 2})

    status = client.get(f"/api/batches/{id}").json()
    assert (status["completed_scenarios"], status["who"]["user"]) == (2, "scripted (no model)")
    told = client.get(f"/api/batches/{id}/conversations/hello").json()
    assert "short" in {each["check"] for each in told["verdicts"]}


def test_a_request_has_files_or_scenarios(client: Client):
    files = [{"name": "hello.yml", "text": "name: hello\nsteps:\n  - user: Hi there\n"}]

    assert problems(client, {"files": files, "scenarios": scenarios(1)}) == [("scenarios", "unknown key")]
    assert problems(client, {"files": [{"name": 1}]}) == [
        ("files[0].name", "should be a valid string"),
        ("files[0].text", "is missing"),
    ]


def test_what_looks_like_code_or_a_file_is_only_text(client: Client):
    values = {
        "PERSONALITY": "file:/etc/passwd",
        "size": {"function": "forward()", "data": ["small"]},
        "list": {"file": "x.py", "function_name": "f", "args": []},
        "personality": "file:/etc/passwd",
        "webhook": "http://169.254.169.254/latest",
        "template": "{{7*7}} {% include 'x' %}",
    }
    id = finished(client, [scenario(**values)])

    told = client.get(f"/api/batches/{id}/conversations/scenarios/Calm-reorder").json()["conversation"]["case"]

    assert {name: told["variables"][name] for name in values if name != "personality"} == {
        name: value for name, value in values.items() if name != "personality"
    }
    assert "root:" not in json.dumps(told)


@pytest.mark.slow
def test_one_of_what_the_operator_listed_can_be_chosen(opened: Open):
    client = opened(chatbots=("pizzeria", "pizzeria:fault=wrong_price"))

    ids = [
        launched(client, {"scenarios": scenarios(1), "chatbot": name})
        for name in ("pizzeria", "pizzeria:fault=wrong_price")
    ]

    assert [client.get(f"/api/batches/{id}").json()["who"]["chatbot"] for id in ids] == [
        "pizzeria",
        "pizzeria:fault=wrong_price",
    ]


def test_a_batch_has_no_more_conversations_than_the_operator_allows(opened: Open):
    client = opened(max_conversations=5)

    assert problems(client, {"scenarios": scenarios(3), "repeat": 2}) == [
        ("", "a batch may have at most 5 conversations")
    ]


def test_options_are_kept_with_the_batch(client: Client):
    body = {"scenarios": scenarios(1), "seed": 5, "repeat": 3, "name": "nightly", "tags": ["smoke"], "judge": "none"}

    told = client.get(f"/api/batches/{launched(client, body)}").json()

    assert {name: told[name] for name in ("seed", "repeats", "name", "tags", "total_scenarios")} == {
        "seed": 5,
        "repeats": 3,
        "name": "nightly",
        "tags": ["smoke"],
        "total_scenarios": 3,
    }
    assert told["who"]["judge"] == "none"


@pytest.mark.parametrize(
    "options", [{"seed": -1}, {"repeat": 0}, {"repeat": 10**9}, {"tags": "smoke"}, {"name": "x" * 999}]
)
def test_options_out_of_bounds_are_refused(client: Client, options: dict[str, object]):
    told = problems(client, {"scenarios": scenarios(1), **options})

    assert [path for path, _ in told] == [*options]


def test_a_name_that_means_something_else_is_refused(client: Client):
    assert problems(client, {"scenarios": scenarios(1), "name": "latest"})[0][0] == "name"


def test_a_goal_that_is_too_long_is_refused(client: Client):
    long, words, many = ["x" * 200_000], [" ".join(["y" * 20_000] * 10)], [f"pizza {n}" for n in range(5_000)]
    orders = [{"name": f"Order {n}", "variables": {"ORDER_GOAL": goal}} for n, goal in enumerate((long, words))]

    told = problems(client, orders)
    number = problems(client, [{"name": "Many", "variables": {"ORDER_GOAL": many}}])

    assert told == [
        ("scenarios/Order-0: goal 1", "expected at most 4,000 characters, got 200,000"),
        ("scenarios/Order-1: goal 1", "expected at most 4,000 characters, got 200,009"),
    ]
    assert [message for _, message in number] == ["expected at most 200 things to order, got 5,000"]
