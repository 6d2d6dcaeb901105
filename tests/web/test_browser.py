"""The pages in a real browser, as people use them."""

import asyncio
import hashlib
import json
import re
from collections.abc import Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from sparring.app.computed import complete
from sparring.core.batch import Batch
from sparring.core.case import Case, Goal, Persona
from sparring.core.checks import Rule
from sparring.core.conversation import Conversation, Ending, Evidence, GoalProgress, Output, goal_progress
from sparring.core.message import Button, Image, Link, Message, Text, ToolCall
from sparring.core.prompts import Agent, Prompts, ToolSchema
from sparring.core.verdict import CheckOutcome, Verdict
from sparring.reports.html.formatting import shown
from sparring.store.sqlite.store import SqliteStore
from sparring.store.tokens import TokenRole, Tokens
from sparring.testing.factories import CREATED, a_batch, a_conversation
from web.browser import AXE, WIDTHS, page_of, picture, pictures, press, serious
from web.payloads import PAYLOADS
from web.serving import Server

pytestmark = [pytest.mark.process, pytest.mark.timeout(300)]

SCENARIO = "name: pizza\ngoals:\n  - a large custom pizza with ham\n"
RULE = "name: is_wanted\nthen: not chatbot_says('anchovy')\n"
MANY = [(f"pizza{n}.yml", SCENARIO.replace("name: pizza", f"name: pizza{n}")) for n in range(6)]
"""With 1,000 repeats, a batch that does not end while its page is open, however slow the browser is."""
WRONG = "name: pizza\ngoals: [a large custom pizza with ham]\nlimts: {}\n"
TOKEN = "a-token-of-our-own-0123456789"
EVIL = "01J0000000000000000000000E"

DROP = """(files) => {
    const transfer = new DataTransfer();
    for (const [name, text] of files) transfer.items.add(new File([text], name));
    const target = document.querySelector("[data-drop]");
    target.dispatchEvent(new DragEvent("drop", { dataTransfer: transfer, bubbles: true, cancelable: true }));
}"""


TYPED = """(field, text) => {
    field.value = text;
    field.dispatchEvent(new Event("input", { bubbles: true }));
    return document.querySelector("#plan").innerText;
}"""
"""Type into a field, and read the plan before a new one can come."""

UNTOUCHED = """() => [window.pwned, document.querySelectorAll(
        "main :is(img, iframe, object, embed, video, script, style, link, base, meta, math, animate)"
    ).length, [...document.querySelectorAll("*")].filter(each => [...each.attributes].some(
        one => one.name.startsWith("on") || (one.name === "href" && /^(javascript|data):/i.test(one.value))
        )).length, document.body.offsetHeight > 50]"""
"""What ran, what was made of words, and whether the page is still there."""


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server over the batches `nightly A` and `nightly B`; tests may add others."""
    folder = tmp_path_factory.mktemp("served")
    filled(fill_with_two(folder / ".sparring" / "sparring.db"))
    with Server(folder) as server:
        yield server


def at_end(page: Any) -> None:
    page.wait_for_selector("text=Scenarios, worst first")


def drop(page: Any, *files: tuple[str, str]) -> None:
    """Drop files, and wait until all of them are in the form: a browser reads them one after the other."""
    before = page.locator("fieldset.file").count()
    page.evaluate(DROP, [list(file) for file in files])
    page.locator("fieldset.file").nth(before + len(files) - 1).wait_for()


def test_three_clicks_from_an_empty_store_to_a_finished_batch(browser: Any, tmp_path: Path):
    with Server(tmp_path) as served, page_of(browser) as page:
        for path, command in (
            ("/batches", "sparring demo"),
            ("/compare", "sparring run PROFILE.yml"),
        ):
            page.goto(served.address + path)
            assert command in page.inner_text("main .command pre >> nth=0"), "an empty page does not say what to do"
        page.goto(served.address)
        pictures(page, "empty")
        assert serious(page) == []

        page.click("text=Run demo batch")

        at_end(page)
        assert "all 7 passed" in page.inner_text(".banner")


def test_the_plan_follows_what_is_typed_and_leaves_the_cursor(browser: Any, served: Server):
    with page_of(browser) as page:
        page.goto(f"{served.address}/launch")
        page.click("text=Add scenario")
        page.fill("textarea", "goals: [order a pizza]\nlimts: {}\n")
        page.wait_for_selector("#plan [data-problems]")
        assert page.is_disabled("[data-start]")

        page.fill("textarea", "goals: [order a pizza]\n")
        page.wait_for_selector("#plan [data-plan]")

        assert page.is_enabled("[data-start]")
        assert page.evaluate("document.activeElement.tagName") == "TEXTAREA"


def test_a_file_is_dropped_mended_planned_played_and_read(browser: Any, served: Server):
    with page_of(browser) as page:
        page.goto(f"{served.address}/launch")
        drop(page, ("pizza.yml", WRONG), ("rule.yml", RULE))
        page.click("text=Preview plan")
        page.wait_for_selector("fieldset .code button")
        pictures(page, "problems")
        assert serious(page) == []
        explained = page.inner_text("fieldset .code").splitlines()
        assert explained[:4] == ["2", "goals: [a large custom pizza with ham]", "3", "limts: {}"], explained
        assert "did you mean 'limits'" in explained[-1]
        assert page.is_disabled("[data-start]"), "a batch with problems can be started"
        page.click("fieldset .code button")
        assert page.evaluate("document.activeElement.selectionStart") == WRONG.index("limts")

        page.fill("textarea >> nth=0", SCENARIO)
        page.fill("[name=repeat]", "60")
        page.fill("[name=name]", "dropped")
        page.select_option("[name=judge]", "none")
        page.reload()
        assert page.input_value("textarea >> nth=0") == SCENARIO, "what was written is lost by a reload"
        kept = [page.input_value(f"[name={name}]") for name in ("repeat", "name", "judge")]
        assert kept == ["60", "dropped", "none"], "what was chosen is lost by a reload"
        page.select_option("[name=judge]", "checklist")
        page.click("text=Preview plan")
        page.wait_for_selector("#plan [data-plan]")
        assert re.search(r"Conversations\s+60\s+Rules\s+1", page.inner_text("#plan"))
        pictures(page, "plan")
        assert serious(page) == []
        left = page.eval_on_selector("[name=repeat]", TYPED, "61")
        assert left == "", "a plan of what was there before"
        page.fill("[name=repeat]", "62")
        page.wait_for_selector("#plan >> text=62")
        page.fill("[name=repeat]", "60")
        page.click("[data-start]")

        page.wait_for_url("**/batches/*")
        at_end(page)
        assert "All 60 planned conversations are counted" in page.inner_text("main")
        page.click("summary:has-text('Export')")
        with page.expect_download() as download:
            page.click("text=Report (HTML)")
        assert "<!doctype html>" in download.value.path().read_text()
        page.click("main .actions >> text=Rules")
        page.wait_for_selector("text=1 rule over 60 conversations")
        page.go_back()
        page.click("main .actions >> text=Conversations")
        page.wait_for_url("**/conversations?view=table")  # it waits until somebody listens to what is typed
        page.fill("[name=text]", "never said by anybody")
        page.wait_for_selector("text=No matching conversations")
        page.fill("[name=text]", "HAM")
        page.wait_for_selector("text=60 conversations, page 1 of 2")
        page.wait_for_url("**text=HAM**")
        page.reload()
        assert page.input_value("[name=text]") == "HAM"
        press(page, "j")
        press(page, "Enter")
        page.wait_for_selector("#m0")
        page.click("summary:has-text('tool') >> nth=0")
        assert "Arguments" in page.inner_text("details.tool >> nth=0")
        page.click("button:text-is('Disagree')")
        page.wait_for_selector("text=by human")


def test_a_batch_is_cancelled_while_it_runs_and_resumed(browser: Any, served: Server):
    with page_of(browser) as page:
        page.goto(f"{served.address}/launch")
        drop(page, *MANY)
        page.fill("[name=repeat]", "1000")
        page.click("[data-start]")
        page.wait_for_selector("#running .feed")
        pictures(page, "live")
        assert serious(page) == []

        page.click("text=Cancel")

        page.wait_for_selector("button:has-text('Resume')")
        assert page.get_attribute("[data-status]", "data-status") == "cancelled"
        page.click("button:has-text('Resume')")
        page.wait_for_selector("#running")
        page.click("text=Cancel")
        page.wait_for_selector("button:has-text('Resume')")


def test_two_batches_are_chosen_and_compared(browser: Any, served: Server):
    with page_of(browser) as page:
        page.goto(f"{served.address}/compare")
        page.select_option("[name=before]", f"{EVIL[:-1]}A")
        page.select_option("[name=after]", f"{EVIL[:-1]}B")
        page.click("main button:text-is('Compare')")
        page.wait_for_selector("text=Passed, of decided")


def test_the_keys_work_and_the_theme_stays(browser: Any, served: Server):
    with page_of(browser) as page:
        page.goto(f"{served.address}/batches")
        press(page, "/")
        assert page.evaluate("document.activeElement.name") == "q"
        press(page, "Tab")
        page.evaluate("document.activeElement.blur()")
        press(page, "?")
        page.wait_for_selector("dialog[open]")
        page.click("dialog button")
        before = page.evaluate("getComputedStyle(document.body).backgroundColor")
        page.click("[data-theme-switch]")
        page.reload()
        assert page.evaluate("getComputedStyle(document.body).backgroundColor") != before


def test_conversations_are_read_sent_and_kept_with_keys_links_and_buttons(browser: Any, served: Server):
    with page_of(browser, permissions=["clipboard-read", "clipboard-write"]) as page:
        page.goto(f"{served.address}/batches?q={EVIL[:-1]}A")
        for key in ("j", "Enter"):
            press(page, key)
        page.wait_for_selector("text=Scenarios, worst first")
        page.click("main .actions >> text=Conversations")
        page.wait_for_url("**/conversations?view=table")
        for key in ("j", "j", "k", "Enter"):
            press(page, key)
        page.wait_for_url("**/conversation?id=order%2F1")
        press(page, "j")
        page.wait_for_url("**/conversation?id=order%2F2**")
        page.click("#m1 .who a")
        page.wait_for_url("**#m1")
        assert page.evaluate("document.querySelector(':target').id") == "m1"

        page.click("text=Copy link")
        page.wait_for_selector("text=Copied")
        link = page.evaluate("navigator.clipboard.readText()")
        page.click("text=Copy as text")
        page.wait_for_selector("[data-copy='#as-text']:text-is('Copied')")
        words = page.evaluate("navigator.clipboard.readText()")
        page.click("summary:has-text('Export')")
        with page.expect_download() as download:
            page.click("text=Download text")
        assert download.value.path().read_text().strip() == words.strip()
        assert "Pizza A, please." in words
        with page.expect_download() as download:
            page.click("text=Download JSON")
        assert json.loads(download.value.path().read_text())["ending"] == "goals_answered"

        page.goto("about:blank")
        page.goto(link)
        assert page.evaluate("document.querySelector(':target').id") == "m1", "the link leads to another turn"
        press(page, "u")
        page.wait_for_url(re.compile("/batches/[^/]+$"))
        press(page, "b")
        page.wait_for_url("**/batches")


def test_a_reader_is_offered_no_actions(browser: Any, tmp_path: Path):
    filled(fill_with_two(tmp_path / ".sparring" / "sparring.db"))
    token = str(Tokens(tmp_path / ".sparring" / "sparring.db").add("reader", TokenRole.READ, now=CREATED))
    one = f"{EVIL[:-1]}A"
    with Server(tmp_path, SPARRING_SERVE_TOKEN=TOKEN) as server, page_of(browser) as page:
        page.goto(server.address)
        page.fill("[name=token]", token)
        page.click("button.main")
        page.wait_for_selector("text=Log out")
        for path in (
            "/batches",
            f"/batches/{one}",
            f"/batches/{one}/conversation?id=order%2F1",
            "/compare",
            "/nothing",
        ):
            page.goto(server.address + path)
            assert page.locator("main form[method=post], a[href='/launch']").count() == 0, path
        page.goto(f"{server.address}/launch")
        assert "Role run required" in page.inner_text("main")


def test_a_token_logs_in(browser: Any, tmp_path: Path):
    with Server(tmp_path, SPARRING_SERVE_TOKEN=TOKEN) as server, page_of(browser) as page:
        page.goto(f"{server.address}/launch")
        assert "/login" in page.url
        pictures(page, "login")
        assert serious(page) == []
        page.fill("[name=token]", "wrong")
        page.click("button.main")
        page.wait_for_selector("text=Invalid token")
        page.fill("[name=token]", TOKEN)
        page.click("button.main")
        page.wait_for_selector("text=Launch a batch")
        page.click("text=Log out")
        page.wait_for_url("**/login**")
        page.goto(f"{server.address}/batches")
        assert "/login" in page.url


def test_what_is_refused_is_said_in_words_and_nothing_written_is_lost(browser: Any, tmp_path: Path):
    (tmp_path / "sparring.yaml").write_text("serve:\n  max_body_bytes: 5000\n")
    with Server(tmp_path, SPARRING_SERVE_TOKEN=TOKEN) as server, page_of(browser) as page:

        def log_in() -> None:
            page.fill("[name=token]", TOKEN)
            page.click("button.main")
            page.wait_for_url("**/launch")

        page.goto(f"{server.address}/launch")
        log_in()
        drop(page, ("pizza.yml", f"{SCENARIO}# {'x' * 6000}"))
        page.click("text=Preview plan")
        page.wait_for_selector("#plan >> text=Request failed: request too large: the limit is 5,000 bytes.")
        page.fill("textarea", SCENARIO)
        page.context.clear_cookies()
        page.click("text=Preview plan")
        page.wait_for_url("**/login?next=%2Flaunch")
        log_in()
        assert page.input_value("textarea") == SCENARIO
        drop(page, *MANY)
        page.fill("[name=repeat]", "1000")
        page.click("[data-start]")
        page.wait_for_selector("#running .feed")
        page.wait_for_load_state()  # the scripts too: without them nothing notices the end of the server
        server.kill()
        page.wait_for_selector("#trouble")
        assert re.search("Connection to the server lost|The server does not respond", page.inner_text("#trouble"))
        page.goto("about:blank")


def test_nothing_that_was_said_runs_hides_or_forges(browser: Any, tmp_path: Path):
    filled(fill_with_payloads(tmp_path / ".sparring" / "sparring.db"))

    with Server(tmp_path) as server, page_of(browser, width=400) as page:
        assert visit_all(server, page) > len(PAYLOADS)
        launch_all(server, page)


def filled(work: Coroutine[Any, Any, None]) -> None:
    """Fill a store in a thread of its own: the browser has a loop in this one."""
    with ThreadPoolExecutor(1) as thread:
        thread.submit(asyncio.run, work).result()


async def fill_with_payloads(path: Path) -> None:
    async with SqliteStore(path) as store:
        for batch in (evil(EVIL), evil(f"{EVIL[:-1]}F")):
            told = evil_prompts(batch)
            await store.create(batch.model_copy(update={"prompts": {told.name: told.hash}}), prompts=(told,))
            for case, said in zip(batch.cases, PAYLOADS, strict=True):
                await store.add(batch.id, evil_conversation(case, said))
                words = {"check": said, "reason": said, "by": "human", "judge": "human"}
                await store.judge(batch.id, Verdict(outcome=CheckOutcome.FAIL, conversation=case.id, **words))
            await complete(await store.batch(batch.id), store)  # a page waits for that, but only a second


def visit_all(server: Server, page: Any) -> int:
    """Every page with payloads on it: each shows its payload as text, and nothing has run or been made of it."""
    two = f"before={EVIL}&after={EVIL[:-1]}F"
    one = f"/batches/{EVIL}"
    page.goto(f"{server.address}/prompts")
    told = page.eval_on_selector_all("tbody th a", "all => all.map(each => each.getAttribute('href'))")[:2]
    prompts = [
        "/prompts",
        f"/prompts?batch={EVIL}",
        *told,
        f"{told[0]}/edit",
        f"{told[0]}?with={told[1].rpartition('/')[2]}",
    ]
    page.goto(server.address + told[0])
    printed = re.sub(r"[\W_]+", "", page.text_content("main"))
    assert [payload for payload in PAYLOADS if re.sub(r"[\W_]+", "", shown(payload)) not in printed] == []
    paths = [
        *prompts,
        "/batches",
        "/launch",
        f"/compare?{two}",
        one,
        f"{one}/conversations",
        f"{one}/rules",
        "/login",
        "/docs",
    ]
    page.goto(f"{server.address}{one}/conversations?view=table")
    links = page.eval_on_selector_all("tbody th a", "all => all.map(each => each.getAttribute('href'))")
    assert len(links) == len(PAYLOADS)
    sides = [f"/compare/conversation?{two}&{links[n].partition('?')[2]}" for n in (0, 7)]
    for path in [*paths, *sides, *links, "/nothing/" + "%3Cscript%3Ewindow.pwned=1%3C/script%3E"]:
        page.goto(server.address + path)
        assert page.evaluate(UNTOUCHED) == [None, 0, 0, True], path
        assert page.evaluate("document.documentElement.scrollWidth") <= 400, path
        if path in links:
            wanted = re.sub(r"[\W_]+", "", shown(PAYLOADS[links.index(path)]))
            assert wanted in re.sub(r"[\W_]+", "", page.inner_text(".turn.chatbot .said >> nth=0"))
    return len(paths) + len(sides) + len(links)


def launch_all(server: Server, page: Any) -> None:
    """Files whose names and words are payloads: wrong ones are complained about, right ones are planned, as text."""
    page.goto(f"{server.address}/launch")
    said = [json.dumps(payload) for payload in PAYLOADS]
    wrong = [
        (f"{payload}.yml", f"name: {text}\nthen: {text}\n{text}: 1\n")
        for payload, text in zip(PAYLOADS, said, strict=True)
    ]
    drop(page, *wrong)
    page.click("text=Preview plan")
    page.wait_for_selector("#plan [data-problems]")
    assert page.evaluate(UNTOUCHED) == [None, 0, 0, True]
    page.evaluate("document.querySelectorAll('[data-remove-file]').forEach(each => each.click())")
    right = [
        (f"{number}.yml", f"name: {text}\ngoals: [{text}]\n") for number, text in enumerate(said) if "{{" not in text
    ]
    rules = [
        (f"r{number}.yml", f"name: {text}\ndescription: {text}\nthen: 'True'\n") for number, text in enumerate(said)
    ]
    drop(page, *right, *rules)
    page.click("text=Preview plan")
    page.wait_for_selector("#plan [data-plan]")
    assert page.evaluate(UNTOUCHED) == [None, 0, 0, True]
    assert re.sub(r"[\W_]+", "", shown(PAYLOADS[8])) in re.sub(r"[\W_]+", "", page.text_content("#plan"))


def evil(id: str) -> Batch:
    """A batch in which every name is a payload."""
    cases = tuple(evil_case(f"{number:02} {payload}", payload) for number, payload in enumerate(PAYLOADS))
    rules = tuple(
        Rule(name=payload, description=payload, then="False", yields="conversation_ending") for payload in PAYLOADS[:3]
    )
    made = a_batch(id=id, name=PAYLOADS[0] if id == EVIL else PAYLOADS[7])
    who = made.who.model_copy(update={"chatbot": PAYLOADS[9], "user": PAYLOADS[12], "judge": "none"})
    return made.model_copy(
        update={"cases": cases, "tags": PAYLOADS[:5], "rules": rules, "who": who, "created": CREATED}
    )


def evil_prompts(batch: Batch) -> Prompts:
    """What a chatbot was told, in which every name and text is a payload; another with every batch."""
    agents = {
        f"{number} {payload}": Agent(prompt=f"{payload} {batch.id}", description=payload)
        for number, payload in enumerate(PAYLOADS)
    }
    tool = ToolSchema(name=PAYLOADS[0], description=PAYLOADS[1], parameters={PAYLOADS[2]: PAYLOADS[3]})
    return Prompts(name=PAYLOADS[5], description=PAYLOADS[6], entry=next(iter(agents)), agents=agents, tools=(tool,))


def evil_case(id: str, payload: str) -> Case:
    return Case(
        id=id,
        goals=(Goal(text=payload), Goal(text=f"2 {payload}")),
        persona=Persona(name=payload, role=payload, traits=(payload,), language=payload),
        variables={payload: payload},
        tags=(payload,),
    )


def evil_conversation(case: Case, payload: str) -> Conversation:
    shown = Evidence(at=1, start=0, end=len(payload), text=payload)
    tool = ToolCall(name=payload, arguments={payload: [payload]}, result={payload: payload})
    parts = (
        Text(text=payload),
        Image(url=payload, alt=payload),
        Button(title=payload, payload=payload),
        Link(url=payload, title=payload),
    )
    return Conversation(
        case=case,
        messages=(
            Message(role="user", parts=(Text(text=payload),)),
            Message(role="chatbot", parts=parts, tool_calls=(tool, tool.model_copy(update={"error": payload}))),
        ),
        ending=Ending.CHATBOT_FAILED if payload.startswith("<s") else Ending.USER_DONE,
        error=payload,
        warnings=(payload,),
        goals=(goal_progress(payload, 0, shown), GoalProgress(text=payload)),
        outputs=(Output(name=payload, value=payload, evidence=shown),),
    )


def test_every_page_is_accessible_at_both_widths(browser: Any, tmp_path: Path):
    filled(fill_with_two(tmp_path / ".sparring" / "sparring.db"))

    with Server(tmp_path) as server:
        assert look_at_all(server, browser) == []


async def fill_with_two(path: Path) -> None:
    rules = (
        Rule(name="is small", then="size == 'small'", yields="size"),
        Rule(name="pairs", conversations=2, then="conv[0].size != conv[1].size"),
    )
    async with SqliteStore(path) as store:
        for last in "AB":
            batch = a_batch("order/1", "order/2", "вопрос/1", id=f"{EVIL[:-1]}{last}", name=f"nightly {last}")
            told = Prompts(
                name="pizzeria", entry="seller", agents={"seller": Agent(prompt=f"Sell pizza {last}.\nBe kind.")}
            )
            told_to = {"rules": rules, "prompts": {"pizzeria": told.hash}}
            await store.create(batch.model_copy(update=told_to), prompts=(told,))
            for number, case in enumerate(batch.cases):
                ending = Ending.GAVE_UP if number == 1 and last == "B" else Ending.GOALS_ANSWERED
                await store.add(batch.id, a_conversation(case, ending=ending, said=f"Pizza {last}, please."))
            await complete(await store.batch(batch.id), store)  # a page waits for that, but only a second


def look_at_all(server: Server, browser: Any) -> list[Any]:
    one, two = (f"{EVIL[:-1]}{last}" for last in "AB")
    pages = {
        "batches": "/batches",
        "launch": "/launch",
        "compare": f"/compare?before={one}&after={two}",
        "side-by-side": f"/compare/conversation?before={one}&after={two}&id=order%2F2",
        "batch": f"/batches/{two}",
        "conversations": f"/batches/{two}/conversations?view=table",
        "conversation": f"/batches/{two}/conversation?id=order%2F2",
        "rules": f"/batches/{two}/rules",
        "prompts": "/prompts",
        "prompts-of-a-batch": f"/prompts?batch={two}",
        "error": "/nothing",
        "rest": "/docs",
    }
    troubles = []
    for width, scheme in zip(WIDTHS, ("dark", "light"), strict=True):
        with page_of(browser, width=width, color_scheme=scheme) as page:
            page.goto(f"{server.address}/prompts")
            links = page.eval_on_selector_all("tbody th a", "all => all.map(each => each.getAttribute('href'))")
            older, newer = links[:2]
            versions = {
                "prompt": older,
                "prompt-edit": f"{older}/edit",
                "prompt-diff": f"{newer}?with={older.rpartition('/')[2]}",
            }
            for name, path in (pages | versions).items():
                page.goto(server.address + path)
                page.wait_for_selector("[data-reload]", state="detached")  # or going on would cross its own reload
                picture(page, name)
                troubles += [(name, width, *each) for each in serious(page)]
    return troubles


def test_what_tests_run_in_the_browser_is_what_was_published():
    sums, name = AXE.with_name("SHA256SUMS").read_text().split()

    assert (hashlib.sha256(AXE.read_bytes()).hexdigest(), name) == (sums, AXE.name)
