import pytest

from web.conftest import Client, finished

pytestmark = pytest.mark.slow  # its tests play batches

SCENARIO = [{"name": "one", "variables": {"ORDER_GOAL": ["a small pizza"]}}]


def test_prompts_are_listed_shown_and_compared(client: Client):
    finished(client, SCENARIO)

    listed = client.get("/api/prompts").json()
    pizzeria, *others = listed["prompts"]
    shown = client.get(f"/api/prompts/{pizzeria['hash'][:12]}").json()
    changed = client.get(f"/api/prompts/{pizzeria['hash']}/diff", params={"after": pizzeria["hash"][:12]}).json()

    assert (listed["total_count"], pizzeria["name"], pizzeria["agents"]) == (3, "pizzeria", ["chatbot"])
    assert [(each["name"], each["role"]) for each in others] == [("user", "user"), ("judge", "judge")]
    assert "You are the assistant of a small pizzeria." in shown["files"]["chatbot.md"]
    assert changed == {"before": pizzeria["hash"], "after": pizzeria["hash"], "files": {}}


def test_prompts_that_are_not_there_are_not_found(client: Client):
    assert client.get(f"/api/prompts/{'0' * 64}").status_code == 404
    assert client.get(f"/api/prompts/{'0' * 64}/diff", params={"after": "0" * 12}).status_code == 404
    assert client.get("/api/prompts/nothing").status_code == 404
    assert client.put(f"/api/prompts/{'0' * 64}").status_code == 405
