"""The day of a person who tunes a bot, in a browser: edit all prompts, launch calls, look, compare with yesterday."""

import json
import re
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from sparring_bots import phone_orders
from web.browser import page_of, picture, serious
from web.serving import Server

pytestmark = [pytest.mark.process, pytest.mark.timeout(300)]

CALLS = Path(phone_orders.__file__).parent / "scenarios" / "english.json"
WANTED = (
    "Four bags of wheat flour, two boxes of butter and five packets of dry yeast to 2 Low Road on Thursday, please."
)
SETTINGS = """\
serve:
  chatbots: ["phone_orders"]
  models: [MODEL]
gate: {mean_score: 2.7, baseline: nightly}
reader: patterns
null_bots: false
"""
BOT, CLIENT, EVALUATOR = "Never repeat the order.", "Speak like a busy cook.", "Be strict about the summary."


END = {
    "role": "assistant",
    "content": "No, thank you. Goodbye.",
    "tool_calls": [{"id": "1", "type": "function", "function": {"name": "end_conversation", "arguments": "{}"}}],
}


class Players(ThreadingHTTPServer):
    """A model that plays the chatbot, the user and the judge, which misses the summary of a chatbot told to skip it."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Playing)
        self.told: set[str] = set()

    def says(self, asked: dict[str, Any]) -> dict[str, Any]:
        system, last = asked["messages"][0]["content"], asked["messages"][-1]["content"]
        self.told |= {each for each in (BOT, CLIENT, EVALUATOR) if each in system}
        if "Your code: [note" in system:
            return END if len(asked["messages"]) > 4 else _said(WANTED)
        if '{"n"' in last:
            lines = [json.loads(line) for line in last.splitlines() if line.startswith('{"n"')]
            said = [each for each in lines if each.get("who") == "chatbot" and each["text"]][-1]
            score = 2 if said["text"].startswith("Noted") else 3
            quote = {"n": said["n"], "words": said["text"]}
            return _said(json.dumps({"quotes": [quote], "comment": "Read.", "score": score}))
        return _said("Noted, anything else?" if BOT in system else "Four bags on Thursday, noted. Anything else?")


def _said(text: str) -> dict[str, Any]:
    return {"role": "assistant", "content": text}


class _Playing(BaseHTTPRequestHandler):
    server: Players

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
        said = {"message": self.server.says(asked), "finish_reason": "stop"}
        body = json.dumps({"choices": [said], "usage": {"prompt_tokens": 9, "completion_tokens": 9}}).encode()
        self.send_response(200)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *told: object) -> None: ...


@pytest.fixture
def players() -> Iterator[Players]:
    with Players() as server:
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        yield server
        server.shutdown()


def edited(page: Any, address: str, player: str, name: str, line: str) -> None:
    """Add a line to the prompt of a player, and save it under a name."""
    page.goto(f"{address}/prompts")
    page.locator("tbody tr", has=page.locator(f"td:text-is('{player}')")).locator("th a").first.click()
    page.click("text=Edit prompt")
    prompt = page.locator("textarea").first
    prompt.fill(f"{prompt.input_value()}\n\n{line}\n")
    page.fill("[name=name]", name)
    page.click("text=Save version")
    page.wait_for_selector(f".added:has-text('{line}')")
    assert page.locator("details summary").all_inner_texts() == [f"{player}.md"], "the form changes nothing else"


def launched(page: Any, address: str, **prompts: str) -> str:
    """Launch a hundred calls called nightly, wait for their end, and return the address of their page."""
    page.goto(f"{address}/launch")
    page.wait_for_load_state()
    if not page.locator("fieldset.file").count():  # the page keeps what was launched last
        first = json.loads(CALLS.read_text(encoding="utf-8"))["scenarios"][:1]
        content = json.dumps({"scenarios": first}).encode()
        page.set_input_files("[data-files]", {"name": "calls.json", "mimeType": "text/plain", "buffer": content})
    page.locator("fieldset.file").wait_for()
    judge = page.locator("[name=judge] option", has_text="http").first.get_attribute("value")
    for field, chosen in {"judge": judge, **prompts}.items():
        page.select_option(f"[name={field}]", chosen)
    page.fill("[name=repeat]", "100")
    page.fill("[name=name]", "nightly")
    page.click("text=Preview plan")
    page.wait_for_selector("#plan [data-plan]")
    page.click("[data-start]")
    page.wait_for_url("**/batches/*")
    page.wait_for_selector("text=Scenarios, worst first")
    return str(page.url)


def test_prompts_are_edited_calls_launched_and_a_fall_is_seen(browser: Any, players: Players, tmp_path: Path):
    model = f"http://127.0.0.1:{players.server_port}/v1#m"
    (tmp_path / "sparring.yaml").write_text(SETTINGS.replace("MODEL", model), encoding="utf-8")
    with Server(tmp_path) as server, page_of(browser) as page:
        edited(page, server.address, "user", "cook", CLIENT)
        edited(page, server.address, "judge", "strict", EVALUATOR)
        told = {"user_prompts": "cook", "judge_prompts": "strict"}
        launched(page, server.address, **told)
        edited(page, server.address, "chatbot", "short", BOT)
        today = launched(page, server.address, **told, prompts="short")
        seen = page.inner_text("main")
        picture(page, "tuners-day")
        unreadable = serious(page)
        page.click("main .actions >> text=Compare")
        page.wait_for_selector("text=changes in short")
        compared = page.inner_text("main")
        picture(page, "tuners-day-compared")
        page.goto(today)
        page.click("main .actions >> text=Trend")
        page.wait_for_selector("text=1 batch is worse")

    assert players.told == {BOT, CLIENT, EVALUATOR}
    assert "The mean score fell from 3 to 2: worse in 1 of 1 cases." in seen
    assert re.search(r"Scores of the judge\s+mean 2\s+(?:score\s+share\s+count\s+)?2\s+100\s", seen), (
        "there is no histogram"
    )
    assert "WORSE on this case: mean score of order" in compared
    assert "1 case worse, 0 better, 0 the same" in compared
    assert "mean 3 → 2" in compared, "the scores that decide are folded"
    assert unreadable == []
