import asyncio
import html
import re
from concurrent.futures import ThreadPoolExecutor

import pytest

from sparring.core.batch import BatchExecution
from sparring.core.conversation import Ending
from sparring.core.prompts import Agent, Prompts
from sparring.core.verdict import HUMAN, CheckOutcome, Verdict
from sparring.parsing import document
from sparring.store.sqlite.store import SqliteStore
from sparring.testing.factories import a_batch, a_conversation
from web.conftest import Client, Open, finished, scenario, scenarios, wait_for

HTML = {"accept": "text/html"}
SCENARIO = "name: pizza\ngoals:\n  - a large custom pizza with ham\n"
RULE = "name: is_wanted\ndescription: Nobody gets an anchovy.\nthen: not chatbot_says('anchovy')\n"
PAIRS = "name: same_for_all\nconversations: 2\nthen: conv[0].case == conv[1].case\n"
PLAYBOOK = "name: hello\nsteps:\n  - user: Hi there\n"
PROMPT = "You are {{role}}, and want {{goals}}. {{language}}"
TOKEN = "a-token-of-our-own-0123456789"
BATCH = "01J0000000000000000000000A"


def plan(client: Client, *uploads: tuple[str, str], path: str = "/launch/plan", **fields: str):
    data = {"file_name": [name for name, _ in uploads], "file_text": [text for _, text in uploads], **fields}
    return client.post(path, data=data, headers={**HTML, "hx-request": "true"})


def started(client: Client, *uploads: tuple[str, str], **fields: str) -> str:
    answer = plan(client, *uploads, path="/launch", **fields)
    assert answer.status_code == 204, answer.text
    id: str = answer.headers["hx-redirect"].rpartition("/")[2]
    return id


def words(answer) -> str:
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", answer.text)).split())


@pytest.mark.slow
def test_the_demonstration_is_one_click_away(client: Client):
    assert "Run demo batch" in client.get("/batches", headers=HTML).text

    answer = client.post("/demo", follow_redirects=False)

    id = answer.headers["location"].rpartition("/")[2]
    assert wait_for(client, id)["completed_scenarios"] == 7
    looks = (words(client.get(f"/batches/{id}", headers=HTML)) for _ in range(60))
    assert any("PASSED: all 7 passed" in each for each in looks)


def test_a_prompt_that_the_offline_model_does_not_read_is_named_in_the_plan(client: Client):
    spec = {"entry": "chatbot", "agents": {"chatbot": {"prompt": "You sell pizzas."}}}
    assert client.post("/api/prompts", json={"name": "brief", "spec": spec}).status_code == 201

    assert "the offline model reads no prompt: of 'brief', only" in words(
        plan(client, ("hello.yml", PLAYBOOK), prompts="brief")
    )
    assert "reads no prompt" not in words(plan(client, ("hello.yml", PLAYBOOK)))


def test_prompts_that_no_player_reads_are_refused_with_a_hint(opened: Open):
    client = opened(models=("offline", "openai:m"))
    client.post(
        "/api/prompts", json={"name": "cook", "spec": {"entry": "user", "agents": {"user": {"prompt": PROMPT}}}}
    )

    told = words(plan(client, ("pizza.yml", SCENARIO), user_prompts="cook"))
    missing = client.post("/api/plan", json={"scenarios": [scenario()], "judge_prompts": "cooks"}).json()

    assert "the user agenda reads no prompt (choose a model for the user: --user openai:gpt-4o-mini)" in told
    assert missing["problems"][0]["hint"] == "no prompt for the judge is saved"


def test_prompts_for_models_are_offered_where_there_is_one(opened: Open):
    offline = opened()
    spec = {"entry": "user", "agents": {"user": {"prompt": PROMPT}}}
    assert offline.post("/api/prompts", json={"name": "cook", "spec": spec}).status_code == 201

    pages = [each.get("/launch", headers=HTML).text for each in (offline, opened(models=("offline", "openai:m")))]

    assert ['name="user_prompts"' in page for page in pages] == [False, True]
    assert ["need a model" in page for page in pages] == [True, False]


async def test_the_rubric_and_the_callback_of_a_batch_are_those_of_the_form(opened: Open):
    client = opened(models=("offline", "openai:m"), callbacks=("http://127.0.0.1:9/hook",))
    assert all(each in client.get("/launch", headers=HTML).text for each in ('name="rubric"', "127.0.0.1:9/hook"))
    wrong = words(plan(client, ("hello.yml", PLAYBOOK), rubric="x", callback_url="http://evil.example"))
    unread = words(plan(client, ("hello.yml", PLAYBOOK), rubric="general"))
    id = started(client, ("hello.yml", PLAYBOOK), callback_url="http://127.0.0.1:9/hook")

    job = await client.app_state.service.store.job(id)  # type: ignore[attr-defined]
    assert "'x' is not allowed" in wrong
    assert "'http://evil.example' is not allowed" in wrong
    assert "the judge 'checklist' reads no rubrics" in unread
    assert job.callback_url == "http://127.0.0.1:9/hook"


def test_limits_of_a_batch_are_those_of_the_form(client: Client):
    id = started(client, ("hello.yml", PLAYBOOK), repeat="5", max_conversations="2")

    assert wait_for(client, id)["completed_scenarios"] == 2
    wrong = plan(client, ("hello.yml", PLAYBOOK), max_cost="much", max_seconds="-1")
    assert wrong.status_code == 422
    assert "max_cost : should be a valid number" in words(wrong)
    assert "max_seconds : should be greater than 0" in words(wrong)


def test_no_demonstration_is_offered_where_it_could_not_be_played(opened: Open):
    client = opened(models=("openai:gpt-4o-mini",))

    assert "Run demo batch" not in client.get("/batches", headers=HTML).text
    assert client.post("/demo").status_code == 409


@pytest.mark.slow
@pytest.mark.process
def test_of_what_is_long_and_wrong_in_a_file_little_is_given_back(client: Client):
    files = [
        ("alias.yml", "goals: *" + "a" * 500_000),
        ("tag.yml", "then: " + "!" * 500_000),
        ("key.yml", "goals: [x]\n'" + "k" * 500_000 + "': 1"),
        ("said.yml", "goals: [x]\nstarts: " + "s" * 500_000),
        ("key.json", '[{"' + "k" * 500_000 + '": 1}]'),
    ]

    answer = plan(client, *files)

    assert (answer.status_code, len(answer.text) < 20_000) == (422, True)
    assert all(name in answer.text for name, _ in files)


def test_files_are_read_once_and_hold_no_more_than_so_much_together(client: Client, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(document, "MOST", 3000)
    many = "[" + "1," * 800 + "]"

    told = [words(plan(client, *[(f"{number}.yml", many) for number in range(files)])) for files in (2, 4)]

    assert [each.count("this is not a scenario of any known kind") for each in told] == [2, 3]
    assert ["all files together have too many keys and values" in each for each in told] == [False, True]


def test_a_plan_says_what_files_come_to_and_starts_nothing(client: Client):
    told = words(plan(client, ("pizza.yml", SCENARIO), ("hello.yaml", PLAYBOOK), repeat="3"))

    assert "Cases 2 Conversations 6 Rules 0 Model calls none Cost $0.00" in told
    assert "a large custom pizza with ham" in told
    assert client.get("/api/batches").json()["total_count"] == 0


@pytest.mark.slow
def test_rules_are_taken_beside_scenarios_planned_and_checked(client: Client):
    files = (("pizza.yml", SCENARIO), ("rule.yml", RULE), ("pairs.yaml", PAIRS))

    told = words(plan(client, *files))
    id = started(client, *files)
    wait_for(client, id)
    shown = words(client.get(f"/batches/{id}/rules", headers=HTML))

    assert "Conversations 1 Rules 2" in told
    assert "is_wanted : Nobody gets an anchovy." in told
    assert "same_for_all over groups of 2 conversations" in told
    assert "2 rules over 1 conversation" in shown
    assert "is_wanted holds" in shown
    (one,) = client.get(f"/api/batches/{id}/conversations").json()["conversations"]
    told_whole = client.get(f"/api/batches/{id}/conversations/{one['conversation_id']}").json()
    assert [each["check"] for each in told_whole["verdicts"]] == ["checklist", "is_wanted"]


def test_mistakes_of_rules_and_scenarios_are_reported_together_with_their_places(client: Client):
    answer = plan(
        client,
        ("rule.yml", "name: r\nthen: foo(\n"),
        ("broken.yml", "name: r\nthen: ]\n"),
        ("wrong.yml", "name: pizza\ngoals: [a]\nlimts: {}\n"),
        ("code.py", "import os"),
    )

    assert answer.status_code == 422
    for place in ("rule.yml", 2, 7), ("broken.yml", 2, 7), ("wrong.yml", 3, 1):
        assert 'data-file="{}" data-line="{}" data-column="{}"'.format(*place) in answer.text
    assert "code.py : unsupported file type" in words(answer)
    assert client.get("/api/batches").json()["total_count"] == 0


def test_a_rule_on_names_of_no_scenario_is_reported_before_the_start(client: Client):
    answer = plan(client, ("pizza.yml", SCENARIO), ("rule.yml", "name: r\nthen: coupon == 'X1'\n"))

    assert (answer.status_code, 'data-file="rule.yml" data-line="2" data-column="7"' in answer.text) == (422, True)
    assert "no scenario has a variable or output 'coupon'" in words(answer)


def test_rules_alone_are_no_batch(client: Client):
    told = words(plan(client, ("rule.yml", RULE)))

    assert "no scenario among the files (to check rules on stored conversations" in told


@pytest.mark.parametrize("then", ["__import__('os').system('true')", "open('/etc/passwd')", "().__class__", "9**9**9"])
def test_rules_are_never_code(client: Client, then: str):
    answer = plan(client, ("pizza.yml", SCENARIO), ("rule.yml", f"name: r\nthen: {then}\n"), path="/launch")

    if answer.status_code == 204:  # what is bounded, and no name, is an error of that conversation alone
        id = answer.headers["hx-redirect"].rpartition("/")[2]
        wait_for(client, id)
        assert "r undecided" in words(client.get(f"/batches/{id}/rules", headers=HTML))
    else:
        assert answer.status_code == 422


def test_files_are_played_as_they_were_chosen(client: Client):
    id = started(client, ("pizza.yml", SCENARIO), repeat="2", name="mine", tags="a b", seed="5", judge="none")

    told = wait_for(client, id)

    assert (told["completed_scenarios"], told["name"], told["tags"], told["seed"]) == (2, "mine", ["a", "b"], 5)
    assert told["who"]["judge"] in ("", "none")


@pytest.mark.slow
def test_a_name_in_use_is_reported_before_and_after_the_start(client: Client):
    files, name = (("pizza.yml", SCENARIO),), "nightly & <b>"

    free = words(plan(client, *files, name=name))
    first = started(client, *files, name=name)
    alone = words(client.get(f"/batches/{first}", headers=HTML))
    taken = plan(client, *files, name=name)
    second = started(client, *files, name=name)
    newest, older = (words(client.get(f"/batches/{each}", headers=HTML)) for each in (second, first))
    later = "A later run has this name."

    told = "1 other batch with the name nightly & <b>. Commands use the newest, which is"
    assert ("by it, commands find" in free, "by it, commands find" in alone) == (False, False)
    assert f"{told} this new batch." in words(taken)
    assert (later in newest, later in older) == (False, True)
    assert 'href="/batches?q=nightly%20%26%20%3Cb%3E"' in taken.text


def test_the_example_of_the_page_can_be_played(client: Client):
    shown = client.get("/launch", headers=HTML).text
    example = re.findall(r'<template id="example">(.*?)</template>', shown, re.DOTALL)[0]

    id = started(client, ("pizza.yml", html.unescape(example)))

    assert wait_for(client, id)["completed_scenarios"] == 1


def test_files_may_come_as_files(client: Client):
    answer = client.post(
        "/launch/plan",
        files=[
            (
                "files",
                ("calls.json", b'[{"name": "A", "variables": {"ORDER_GOAL": ["a large custom pizza with ham"]}}]'),
            )
        ],
    )

    assert "Conversations 1" in words(answer)


def test_all_problems_are_reported_with_line_and_column(client: Client):
    answer = plan(client, ("one.yml", "name: pizza\ngoals: [a]\nlimts: {}\n"), ("two.yml", "name: x\n  - y\n"))

    assert answer.status_code == 422
    assert 'data-file="one.yml" data-line="3" data-column="1"' in answer.text
    assert "two.yml line" in words(answer)
    assert "sparring-" not in answer.text


@pytest.mark.slow
@pytest.mark.parametrize(
    "uploads, fields, said",
    [
        ([], {}, "no files"),
        ([("notes.txt", "hello")], {}, "unsupported file type"),
        ([("a.yml", SCENARIO), ("../a.yml", SCENARIO)], {}, "duplicate file name"),
        ([("a.md", "# words")], {}, "no scenario among the files"),
        ([("a.yml", SCENARIO)], {"chatbot": "command:ls"}, "'command:ls' is not allowed on this server"),
        ([("a.yml", SCENARIO)], {"model": "openai:gpt-4o"}, "'openai:gpt-4o' is not allowed on this server"),
        ([("a.yml", SCENARIO)], {"judge": "openai:gpt-4o"}, "'openai:gpt-4o' is not allowed on this server"),
        ([("a.yml", SCENARIO)], {"repeat": "0"}, "expected a whole number from 1 to 1,000"),
        ([("a.yml", SCENARIO)], {"repeat": "٣"}, "expected a whole number"),
        ([("a.yml", SCENARIO)], {"seed": "-1"}, "expected a whole number"),
    ],
)
@pytest.mark.parametrize("path", ["/launch", "/launch/plan"])
def test_an_invalid_batch_is_refused_and_nothing_starts(client: Client, uploads, fields, said, path):
    answer = plan(client, *uploads, path=path, **fields)

    assert (answer.status_code, said in words(answer)) == (422, True), words(answer)
    assert client.get("/api/batches").json()["total_count"] == 0


@pytest.mark.parametrize("named", ["/etc/passwd", "../../../../secret.yml", "secret", "secret.yml", "../secret"])
def test_files_name_nothing_of_this_machine(client: Client, tmp_path, monkeypatch, named):
    (tmp_path / "secret.yml").write_text("name: secret\ncontext: [hidden words]\n")
    monkeypatch.chdir(tmp_path)

    text = f"name: pizza\nuser:\n  personality: {named}\ngoals: [a large custom pizza with ham]\n"

    answer = plan(client, ("pizza.yml", text))

    assert answer.status_code == 422
    assert "hidden words" not in answer.text


def test_no_more_conversations_than_the_operator_allows(opened: Open):
    client = opened(max_conversations=2)

    answer = plan(client, ("a.yml", SCENARIO), repeat="3")

    assert "a batch may have at most 2 conversations" in words(answer)


@pytest.mark.slow
def test_a_case_is_played_again(client: Client):
    first = started(client, ("pizza.yml", SCENARIO))
    wait_for(client, first)

    name = client.get(f"/api/batches/{first}/results").json()["results"][0]["conversation_id"]
    answer = client.post(f"/batches/{first}/rerun", data={"conversation": name}, follow_redirects=False)

    again = answer.headers["location"].rpartition("/")[2]
    wait_for(client, again)
    told = [client.get(f"/api/batches/{id}/results?transcripts=true").json()["results"][0] for id in (first, again)]
    said = [[{**turn, "timestamp": ""} for turn in each["conversation_history"]] for each in told]
    assert said[0] == said[1]


@pytest.mark.slow
def test_a_batch_is_played_again_with_all_rules_and_repeats(client: Client):
    files = (("pizza.yml", SCENARIO), ("never.yml", "name: never\nconversations: 2\nthen: False\n"))
    first = started(client, *files, repeat="2", name="nightly")
    wait_for(client, first)

    assert "Run again" in words(client.get(f"/batches/{first}", headers=HTML))
    answer = client.post(f"/batches/{first}/rerun", data={"selection": ""}, follow_redirects=False)

    again = answer.headers["location"].rpartition("/")[2]
    assert wait_for(client, again)["completed_scenarios"] == 2
    told = client.get(f"/api/batches/{again}/report", params={"format": "json"}).text
    assert '"never"' in told
    assert (
        client.get("/batches/nightly@2?by=rule", follow_redirects=False)
        .headers["location"]
        .endswith(f"{again}?by=rule")
    )


@pytest.mark.slow
def test_a_human_verdict_is_stored_and_shown(client: Client):
    id = started(client, ("pizza.yml", SCENARIO))
    wait_for(client, id)
    name = client.get(f"/api/batches/{id}/results").json()["results"][0]["conversation_id"]
    opinion = {"conversation": name, "check": "checklist", "outcome": "fail", "reason": "too <b>slow</b>"}

    answer = client.post(f"/batches/{id}/verdicts", data=opinion, headers=HTML)

    assert "too &lt;b&gt;slow&lt;/b&gt;" in answer.text
    assert "by human" in words(answer)
    client.post(f"/batches/{id}/verdicts", data={**opinion, "outcome": "pass", "reason": "changed my mind"})
    shown = client.get(f"/batches/{id}/conversation", params={"id": name}, headers=HTML).text
    assert ("changed my mind" in shown, "too &lt;b&gt;slow" in shown) == (True, False)


@pytest.mark.slow
def test_the_live_page_updates_until_the_end(client: Client):
    id = started(client, ("pizza.yml", SCENARIO), repeat="20")

    told = client.get(f"/batches/{id}/live").text

    assert "RUNNING:" in told
    assert told.endswith("event: done\ndata: done\n\n")


@pytest.mark.slow
def test_a_batch_is_cancelled_and_goes_on(opened: Open):
    client = opened(concurrency=1)
    id = started(client, ("pizza.yml", SCENARIO), repeat="300")

    stopped = client.post(f"/batches/{id}/cancel", headers=HTML).text

    assert "Resume (" in stopped
    assert 'data-status="cancelled"' in stopped
    client.post(f"/batches/{id}/resume", headers=HTML)
    assert wait_for(client, id)["completed_scenarios"] == 300


def test_a_pause_that_a_provider_wishes_is_seen(opened: Open):
    client = opened(concurrency=1)
    client.app_state.service.background.limits.of("openai:gpt-4o-mini").pause(30)  # type: ignore[attr-defined]
    id = started(client, ("pizza.yml", SCENARIO), repeat="500")

    shown = words(client.get(f"/batches/{id}", headers=HTML))
    client.post(f"/batches/{id}/cancel")

    assert re.search(r"openai:gpt-4o-mini is rate limited for another \d+ s\.", shown)


@pytest.mark.slow
def test_rules_show_counts_and_examples(client: Client):
    id = client.post("/demo", follow_redirects=False).headers["location"].rpartition("/")[2]
    wait_for(client, id)

    shown = words(client.get(f"/batches/{id}/rules", headers=HTML))

    assert "2 rules over 7 conversations" in shown
    assert "size_decides_price" in shown
    assert "size_decides_price holds" in shown
    assert "violated 0" in shown


async def test_two_batches_are_compared_side_by_side(client: Client):
    batches = [a_batch("a", "b", id=BATCH[:-1] + last, name=f"batch {last}") for last in "AB"]
    async with SqliteStore(client.app_state.service.config.store) as store:  # type: ignore[attr-defined]
        for batch, said in zip(batches, ("A large pizza, please.", "A small pizza, please."), strict=True):
            await store.create(batch)
            for case in batch.cases:
                await store.add(batch.id, a_conversation(case, said=said, ending=Ending.GAVE_UP))
    ids = f"before={batches[0].id}&after={batches[1].id}"

    shown = words(client.get(f"/compare?{ids}", headers=HTML))
    side = client.get(f"/compare/conversation?{ids}&id=a", headers=HTML).text

    assert "NO SIGNIFICANT CHANGE on these 2 cases: 0 points" in shown
    assert "pass rate 0 % → 0 %: these cases 0 points" in shown
    assert "2 still fail" in shown
    assert re.search(r'<mark class="removed"[^>]*>large</mark>', side)
    assert re.search(r'<mark class="added"[^>]*>small</mark>', side)


@pytest.mark.slow
def test_runs_of_a_name_are_numbered_where_batches_are_chosen(client: Client):
    for _ in range(2):
        finished(client, {"scenarios": [scenario()], "name": "nightly"})
    unnamed = finished(client, {"scenarios": [scenario()]})

    shown = client.get("/compare", headers=HTML).text

    assert [number for number in "12" if f"nightly @{number} ·" in shown] == ["1", "2"]
    assert f"{unnamed} ·" in shown


async def test_batches_without_a_common_case_differ_and_are_labelled_by_run(client: Client):
    batches = [a_batch(case, id=BATCH[:-1] + case.upper(), name="nightly") for case in "ab"]
    async with SqliteStore(client.app_state.service.config.store) as store:  # type: ignore[attr-defined]
        for batch in batches:
            await store.create(batch)
            await store.add(batch.id, a_conversation(batch.cases[0], ending=Ending.GAVE_UP))

    address = f"/compare?before={batches[0].id}&after={batches[1].id}"
    looks = (words(client.get(address, headers=HTML)) for _ in range(60))
    shown = next(each for each in looks if "NOTHING TO COMPARE" in each)

    assert "2 of 2 cases are not decided in both batches" in shown
    assert "Nothing else differs" not in shown
    assert "Conversations 1 only before, 1 only after" in shown
    assert "Batch nightly @1 nightly @2" in shown
    assert "Choose two batches" in words(client.get("/compare", headers=HTML))
    assert "Choose two batches" not in shown


async def test_a_batch_that_was_cancelled_at_once_says_so(client: Client):
    batch = a_batch("a", "b", id=BATCH)
    async with SqliteStore(client.app_state.service.config.store) as store:  # type: ignore[attr-defined]
        await store.create(batch)
        await store.keep_job(BatchExecution(batch=batch.id, started=batch.created, cancelled=True))

    shown = words(client.get(f"/batches/{batch.id}", headers=HTML))

    assert "Cancelled before the first conversation ended 2 conversations planned, none stored." in shown


@pytest.mark.slow
async def test_a_trend_does_not_deny_the_fall_that_it_draws(client: Client):
    async with SqliteStore(client.app_state.service.config.store) as store:  # type: ignore[attr-defined]
        for last, outcome in (("A", CheckOutcome.PASS), ("B", CheckOutcome.FAIL)):
            batch = a_batch("a", id=BATCH[:-1] + last, name="nightly")
            await store.create(batch)
            await store.add(batch.id, a_conversation(batch.cases[0]))
            said = Verdict(check=HUMAN, outcome=outcome, conversation=batch.cases[0].id, by=HUMAN, judge=HUMAN)
            await store.judge(batch.id, said, rejudge=True)

    looks = (words(client.get("/trend?name=nightly", headers=HTML)) for _ in range(60))

    assert any("the fall of the pass rate from 100 % to 0 % can be chance" in each for each in looks)


async def test_prompts_are_listed_shown_and_compared(client: Client):
    batches, told = [], []
    async with SqliteStore(client.app_state.service.config.store) as store:  # type: ignore[attr-defined]
        for last, words_said in (("A", "Sell <b>one</b> pizza."), ("B", "Sell two pizzas.")):
            told.append(Prompts(name="seller", entry="seller", agents={"seller": Agent(prompt=words_said)}))
            batch = a_batch("a", id=BATCH[:-1] + last, name=f"batch {last}")
            batch = batch.model_copy(update={"prompts": {"seller": told[-1].hash}})
            await store.create(batch, prompts=(told[-1],))
            batches.append(batch.id)
    one, two = (f"/prompts/{each.short}" for each in told)

    listed = words(client.get("/prompts", headers=HTML))
    of_one = client.get(f"/prompts?batch={batches[0]}", headers=HTML).text
    shown = client.get(one, headers=HTML).text
    changed = client.get(f"{two}?with={told[0].short}", headers=HTML).text
    compared = client.get(f"/compare?before={batches[0]}&after={batches[1]}", headers=HTML).text

    assert listed.index("batch B") < listed.index("batch A"), "the newest is not the first"
    assert (one in of_one, two in of_one) == (True, False)
    assert "Sell &lt;b&gt;one&lt;/b&gt; pizza." in shown
    assert '<span class="line removed">- Sell &lt;b&gt;one&lt;/b&gt; pizza.' in changed
    assert '<span class="line added">+ Sell two pizzas.' in changed
    assert f'href="{two}?with={told[0].short}"' in compared
    assert client.get(f"/prompts/{'0' * 12}", headers=HTML).status_code == 404


def test_prompts_that_players_bring_along_are_listed_before_any_batch(client: Client):
    listed = words(client.get("/prompts", headers=HTML))

    assert [name for name in ("pizzeria chatbot", "user user", "judge judge") if name not in listed] == []


@pytest.mark.slow
def test_a_batch_is_downloaded_as_a_report(client: Client):
    id = client.post("/demo", follow_redirects=False).headers["location"].rpartition("/")[2]
    wait_for(client, id)
    page = client.get(f"/batches/{id}", headers=HTML).text
    begins = {
        "Report (GitLab code quality)": ("gitlab", "json", "["),
        "Report (HTML)": ("html", "html", "<!doctype html>"),
        "Report (JSON)": ("json", "json", '{\n  "batch":'),
        "Report (JUnit XML)": ("junit", "xml", "<?xml"),
        "Report (Markdown)": ("markdown", "md", "#"),
    }

    linked = {label: href for href, label in re.findall(r'href="([^"]+)"[^>]*>\s*(Report \([^<]+\))', page)}
    answers = {label: client.get(href) for label, href in linked.items()}

    assert linked == {label: f"/api/batches/{id}/report?format={name}" for label, (name, _, _) in begins.items()}
    for label, (_, suffix, beginning) in begins.items():
        assert answers[label].text.startswith(beginning), label
        assert answers[label].headers["content-disposition"] == f'attachment; filename="sparring-{id}.{suffix}"'
    assert client.get(f"/api/batches/{id}/report?format=exe").status_code == 400


def test_a_token_is_asked_for_once(opened: Open):
    client = opened(token=TOKEN)
    client.headers.pop("authorization")

    asked = client.get("/batches?q=x", headers=HTML, follow_redirects=False)
    wrong = client.post("/login", data={"token": "wrong"}, headers=HTML)
    right = client.post("/login", data={"token": TOKEN, "next": "/batches?q=x"}, follow_redirects=False)

    assert asked.headers["location"] == "/login?next=%2Fbatches%3Fq%3Dx"
    assert (wrong.status_code, right.headers["location"]) == (401, "/batches?q=x")
    assert "Invalid token" in wrong.text
    cookie = right.headers["set-cookie"]
    assert ("HttpOnly" in cookie, "samesite=strict" in cookie.lower(), TOKEN in cookie) == (True, True, False)
    assert client.get("/batches", headers=HTML).status_code == 200
    client.post("/logout")
    assert client.get("/batches", headers=HTML, follow_redirects=False).status_code == 303


@pytest.mark.parametrize("said, secure", [({}, False), ({"x-forwarded-proto": "https"}, True)])
def test_a_login_behind_tls_is_never_sent_without_it(opened: Open, said: dict[str, str], secure: bool):
    client = opened(token=TOKEN)
    client.headers.pop("authorization")

    answer = client.post("/login", data={"token": TOKEN}, headers=said, follow_redirects=False)

    assert ("Secure" in answer.headers["set-cookie"]) == secure


@pytest.mark.parametrize("cookie", ["", "9999999999.0", "x", "9999999999." + "0" * 64, "1.2.3", "'"])
def test_a_forged_cookie_opens_nothing(opened: Open, cookie: str):
    client = opened(token=TOKEN)
    client.headers.pop("authorization")

    answer = client.get("/batches", headers={"cookie": f"sparring_login={cookie}"})

    assert answer.status_code == 401


@pytest.mark.parametrize(
    "where", ["//evil.example.com", "https://evil.example.com", "/\\evil.example.com", "javascript:x"]
)
def test_a_login_leads_to_no_other_site(opened: Open, where: str):
    client = opened(token=TOKEN)

    answer = client.post("/login", data={"token": TOKEN, "next": where}, follow_redirects=False)

    assert answer.headers["location"] == "/batches"


def test_pages_of_other_sites_press_no_button(client: Client):
    id = finished(client, scenarios(1))
    elsewhere = {"origin": "http://evil.example.com"}

    answers = [
        client.post(path, headers=elsewhere).status_code
        for path in ("/demo", "/launch", "/launch/plan", f"/batches/{id}/cancel", f"/batches/{id}/verdicts", "/login")
    ]

    assert set(answers) == {403}


async def test_a_batch_that_another_process_plays_is_followed_to_its_end_without_reloading(client: Client):
    path = client.app_state.service.config.store  # type: ignore[attr-defined]
    batch = a_batch("a", "b", id=BATCH)
    job = BatchExecution(batch=batch.id, started=batch.created)
    async with SqliteStore(path) as another:
        await another.create(batch)
        await another.keep_job(job)
        with another.playing(batch.id), ThreadPoolExecutor(1) as pool:
            page = client.get(f"/batches/{batch.id}", headers={"accept": "text/html"}).text
            following = pool.submit(client.get, f"/batches/{batch.id}/live")
            for each in batch.cases:
                await another.add(batch.id, a_conversation(each))
            await another.keep_job(job.changed(ended=batch.created))
            told = await asyncio.to_thread(following.result)
            refused = [client.post(f"{path}/batches/{batch.id}/resume", headers=HTML) for path in ("", "/api")]

    assert ("data-live" in page, "data-reload" in page, "RUNNING" in page) == (True, False, True)
    assert ("Resume" in page, "Messages appear here" in page) == (False, False)
    assert "A command plays this batch" in page
    assert [each.status_code for each in refused] == [409, 409]
    assert "the batch: stop it there" in refused[0].text
    assert told.text.endswith("event: done\ndata: done\n\n")
