"""A webhook is asked about a sample, as it is about a conversation of a run."""

import json
from pathlib import Path

import pytest

from command_line import Sparring
from sparring.core.case import Case
from sparring.core.errors import InputError
from sparring.core.webhook import WebhookConfig
from sparring.integrations.inspect_ai.start import check_chatbot
from sparring.settings import Settings
from webhook_server import webhook

pytestmark = [pytest.mark.extended, pytest.mark.timeout(600)]

SPEC = "entry: sales\nvariables: {CLIENT: {required: true}}\nagents: {sales: {prompt: sales.md}}\n"


def test_what_a_webhook_may_fill_is_not_refused_beforehand(tmp_path: Path):
    (tmp_path / "spec.yaml").write_text(SPEC)
    (tmp_path / "sales.md").write_text("You talk to {{CLIENT}}.\n")
    cases = [Case(id="a")]

    with pytest.raises(InputError, match="CLIENT"):
        check_chatbot(f"prompted:{tmp_path}", cases, model="mockllm/model", config=Settings().app_config())
    informed = Settings(webhook=WebhookConfig(url="http://127.0.0.1:1")).app_config()
    check_chatbot(f"prompted:{tmp_path}", cases, model="mockllm/model", config=informed)


@pytest.mark.process
def test_a_sample_is_played_with_what_the_webhook_knows(installed: Sparring, tmp_path: Path):
    (tmp_path / "bot.py").write_text(
        "def reply(messages, variables):\n    return f\"{variables.get('who', 'nobody')}: from 1 pm\"\n"
        "reply.reports_tools = True\n"
    )
    run = "experiment", "run", "orders", "--chatbot", "python:bot.py:reply", "--json"
    with webhook({"who": "Ann", "session_id": "crm-1"}) as hook, webhook(None) as failing:
        (tmp_path / "sparring.yaml").write_text(f"webhook: {{url: '{hook.url}'}}\n")
        played = installed(*run)
        (tmp_path / "sparring.yaml").write_text(f"webhook: {{url: '{failing.url}', required: true}}\n")
        failed = installed(*run)

    assert played.returncode in (0, 1), played.stderr
    told = json.loads(played.stdout)
    log = json.loads((tmp_path / told["logs"][0]["file"]).read_text())
    said = [each["content"] for sample in log["samples"] for each in sample["messages"] if each["role"] == "assistant"]
    assert set(said) == {"Ann: from 1 pm"}
    kept = log["samples"][0]["store"]["conversation"]
    assert (kept["provenance"], kept["case"]["session"]) == ({"who": "webhook", "session_id": "webhook"}, "crm-1")
    assert hook.asked == 2
    assert (
        failed.returncode,
        "infrastructure_failed: the webhook failed: HTTP 404" in failed.stdout + failed.stderr,
    ) == (
        3,
        True,
    )
