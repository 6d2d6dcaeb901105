"""Trace contexts that a preset sends in every run."""

from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

import sparring


@pytest.mark.parametrize("sends", [True, False])
async def test_a_preset_sends_a_trace_in_every_turn_and_its_id_is_kept(sends: bool, serve: Any, tmp_path: Path):
    sent: list[str] = []

    async def answer(request: web.Request) -> web.Response:
        sent.append(request.headers.get("traceparent", "none").split("-")[1:2][-1] if sends else "")
        return web.json_response({"text": "Hi."})

    traces = "traces: true\n" if sends else ""
    (tmp_path / "bot.yaml").write_text(f'url: {await serve(answer)}\nbody: "{{{{message}}}}"\nreply: text\n{traces}')
    (tmp_path / "case.yml").write_text("script: [Hello, Goodbye]\n")

    results = await sparring.run_async(
        tmp_path / "case.yml", f"http:{tmp_path / 'bot.yaml'}", user="scripted", judge="none", store=":memory:"
    )

    [found] = [each async for each in results.filter()]
    assert found.conversation.timing is not None
    assert (len(set(sent)), found.conversation.timing.traces) == ((2, tuple(sent)) if sends else (1, ()))
