"""`sparring run --otlp URL`: conversations go to a collector as they end."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from cli.conftest import Bot
from command_line import Sparring

PLAY = "run cases.yaml --chatbot pizzeria --model offline --user scripted --repeat 2 --store a.db --otlp".split()
CASES = 'script: [Hello, Bye]\nexpect: ["turns() < 9"]\n'


def sent(collector: Bot) -> Iterator[dict[str, Any]]:
    """Yield the root span of each trace, by its attributes."""
    for _, path, named, body in collector.asked:
        headers = {name.lower(): value for name, value in named.items()}
        assert (path, headers["content-type"]) == ("/v1/traces", "application/json")
        spans = json.loads(body)["resourceSpans"][0]["scopeSpans"][0]["spans"]
        (root,) = (span for span in spans if "parentSpanId" not in span)
        yield root


def names(root: dict[str, Any]) -> list[str]:
    """Return the checks whose verdicts are events of a span."""
    return [
        value["value"]["stringValue"]
        for event in root["events"]
        for value in event["attributes"]
        if value["key"] == "gen_ai.evaluation.name"
    ]


def test_each_conversation_is_sent_once_with_its_verdicts(inside: Sparring, bot: Bot, tmp_path: Path):
    (tmp_path / "cases.yaml").write_text(CASES)

    run = inside(*PLAY, bot.url, env={"OTEL_EXPORTER_OTLP_HEADERS": "authorization=Bearer token-of-a-test"})

    assert run.returncode == 0, run.stderr
    roots = list(sent(bot))
    assert len({root["traceId"] for root in roots}) == len(roots) == 2
    assert all("turns() < 9" in " ".join(names(root)) for root in roots)
    assert all("Bearer token-of-a-test" in headers.values() for _, _, headers, _ in bot.asked)
    fetched = inside("fetch", "latest", "--format", "otlp", "--store", "a.db").stdout.splitlines()
    assert sorted(body.decode().strip() for *_, body in bot.asked) == sorted(fetched)


@pytest.mark.parametrize("address", ["http://127.0.0.1:9", "localhost:4318"])
def test_a_collector_that_cannot_be_reached_changes_nothing_but_a_warning(
    address: str, inside: Sparring, tmp_path: Path
):
    (tmp_path / "cases.yaml").write_text(CASES)

    run = inside(*PLAY, address)

    if address.startswith("http"):
        assert run.returncode == 0
        assert f"2 conversations were not sent to {address}" in run.stderr
    else:
        assert "--otlp localhost:4318: is no address" in run.stderr
