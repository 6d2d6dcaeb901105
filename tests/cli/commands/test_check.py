import json
import math
from pathlib import Path
from typing import Any

import orjson
import pytest

from command_line import Sparring

TALK = "ask_about:\n- size: [{size}]\ndata_output:\n- price: {price}\ninteraction:\n- User: hi\n- Assistant: {price}\n"


@pytest.fixture
def talks(tmp_path: Path) -> Path:
    folder = tmp_path / "talks"
    folder.mkdir()
    for number, (size, price) in enumerate([("small", "$10"), ("big", "$20"), ("big", "$9")]):
        (folder / f"{number}.yml").write_text(TALK.format(size=size, price=price))
    return folder


def test_a_first_rule_is_one_line(inside: Sparring, talks: Path):
    done = inside("check", "--rule", "turns() < 12", "--conversations", "talks")

    assert (done.returncode, done.stdout, done.stderr) == (
        0,
        "holds  turns() < 12: 3 satisfied, 0 violated of 3 conversations\n\n1 hold, over 3 conversations\n",
        "",
    )


def test_a_violation_is_shown_with_its_reason(inside: Sparring, talks: Path):
    done = inside("check", "--rule", "extract_float(price) >= 10", "--conversations", "talks")

    assert done.returncode == 1
    assert "VIOLATED  extract_float(price) >= 10: 2 satisfied, 1 violated of 3 conversations" in done.stdout
    assert "2.yml: price: expected at least 10, got 9.0" in done.stdout


@pytest.mark.parametrize(
    ("rule", "code", "said"),
    [
        ("pirce > 1", 2, "did you mean 'price'?"),
        ("price >", 2, "this is not an expression"),
        ("tone(price) == ['POSITIVE']", 3, "needs a model"),
        ("called('refund')", 3, "chatbot reports no tools"),
        ("conv[0].price != conv[1].price", 0, "6 satisfied, 0 violated of 6 pairs"),
        ("is_unique(size)", 1, "expected is_unique(size)"),
    ],
)
def test_every_way_to_end_has_its_code(inside: Sparring, talks: Path, rule: str, code: int, said: str):
    done = inside("check", "--rule", rule, "--conversations", "talks")

    assert done.returncode == code, done.stdout + done.stderr
    assert said in done.stdout


@pytest.mark.slow
def test_a_wrong_key_is_reported_once_and_not_tried_for_every_question(inside: Sparring, tmp_path: Path, bot: Any):
    lines = [json.dumps({"messages": [{"role": "assistant", "content": f"We have {n} teas."}]}) for n in range(30)]
    (tmp_path / "logs.jsonl").write_text("\n".join(lines))
    bot.status = 401

    done = inside(
        *("check", "--rule", "tone(last_reply()) == 'POSITIVE'", "--conversations", "logs.jsonl"),
        *("--model", f"{bot.url}#m"),
    )

    assert (done.returncode, 0 < len(bot.asked) <= 8) == (3, True), done.stdout + done.stderr
    assert done.stderr.startswith("warning: the rest is not asked, since no further call will be answered: "), (
        done.stderr
    )
    assert "HTTP 401" in done.stderr.splitlines()[0]


def test_a_rule_that_nothing_exercised_is_not_passed(inside: Sparring, talks: Path, tmp_path: Path):
    (tmp_path / "r.yaml").write_text("name: huge\nwhen: size == ['huge']\nthen: price\n")

    done = inside("check", "--rules", "r.yaml", "--conversations", "talks")

    assert done.returncode == 3
    assert "NOT EXERCISED  huge: it applied to nothing; nothing got past when: size == ['huge']" in done.stdout


def test_json_has_the_documented_shape(inside: Sparring, talks: Path):
    (talks / "report.yml").write_text("Global report: 1\n")

    done = inside("check", "--rule", "price == '$10'", "--conversations", "talks", "--json")
    told = orjson.loads(done.stdout)

    assert (told["conversations"], told["skipped"]) == (3, 1)
    wanted = "name file conversations total filtered applicable satisfied violated not_applicable errors needs_model"
    assert {*wanted.split(), "invalid", "examples", "culprits"} <= told["rules"][0].keys()
    assert "report.yml: is not a conversation" in done.stderr


def test_reports_are_written_beside(inside: Sparring, talks: Path, tmp_path: Path):
    rules = ("--rule", "price == '$10'", "--conversations", "talks")

    inside("check", *rules, "--csv", "a.csv", "--junit", "a.xml", "--markdown", "a.md")

    assert (tmp_path / "a.csv").read_text().splitlines()[1] == "price == '$10',3,1,2,0,66.67%,0,fail"
    assert '<testsuites tests="1" failures="1"' in (tmp_path / "a.xml").read_text()
    assert "| VIOLATED |" in (tmp_path / "a.md").read_text()


def test_an_inactive_rule_is_checked_only_if_asked_for(inside: Sparring, talks: Path, tmp_path: Path):
    (tmp_path / "r.yaml").write_text("name: off\nactive: false\nthen: price\n")
    (tmp_path / "s.yaml").write_text("name: on\nthen: True\n")
    rules = ("--rules", "r.yaml", "--rules", "s.yaml", "--conversations", "talks")

    assert "off" not in inside("check", *rules).stdout
    assert "VIOLATED  off" in inside("check", *rules, "--inactive").stdout


@pytest.mark.parametrize("command", [("check", "--conversations", "talks"), ("run", "o.yml", "--chatbot", "pizzeria")])
def test_rules_that_are_all_inactive_are_no_rules_that_hold(
    inside: Sparring, talks: Path, tmp_path: Path, command: tuple[str, ...]
):
    (tmp_path / "r.yaml").write_text("name: off\nactive: false\nthen: price\n")
    (tmp_path / "o.yml").write_text("user: a hungry customer\ngoals: [a small custom pizza with ham]\n")

    done = inside(*command, "--rules", "r.yaml", "--model", "offline")

    assert (done.returncode, done.stdout) == (2, "")
    assert "all rules have 'active: false'" in done.stderr


def test_explain_checks_nothing(inside: Sparring, talks: Path):
    done = inside("check", "--rule", "conv[0].size != conv[1].size", "--conversations", "talks", "--explain")

    assert (done.returncode, done.stdout.splitlines()[-1]) == (0, "  counted without enumerating tuples")


def test_a_batch_that_was_run_is_checked_by_name(inside: Sparring, profile: Path):
    inside("run", "order.yml", "--chatbot", "pizzeria", "--model", "offline", "--name", "first")

    done = inside("check", "--rule", "ending == 'goals_answered' and called('place_order')", "--conversations", "first")

    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "there are no rules to check"),
        (("--rules", "nowhere"), "nowhere: there is no such file"),
        (("--rule", "True", "--conversations", "empty"), "empty holds no conversations"),
    ],
)
def test_input_that_cannot_be_checked_is_bad_input(
    inside: Sparring, tmp_path: Path, arguments: tuple[str, ...], said: str
):
    (tmp_path / "empty").mkdir()

    done = inside("check", *arguments)

    assert (done.returncode, "Traceback" in done.stderr) == (2, False)
    assert said in done.stderr


def test_conversations_that_broke_off_are_reported(inside: Sparring, tmp_path: Path):
    (tmp_path / "bot.py").write_text("def reply(messages, variables):\n    return 'Hi' if variables['n'] else 1 / 0\n")
    (tmp_path / "a.yml").write_text("script: [Hello]\nvariables: {n: [0, 1]}\n")
    rule = ("check", "--rule", "not chatbot_says('secret')")

    inside("run", "a.yml", "--chatbot", "python:bot:reply", "--name", "both")
    inside("run", "a.yml", "--chatbot", "python:bot:reply", "--name", "one", "--single", "1")
    both, one = inside(*rule, "--conversations", "both"), inside(*rule, "--conversations", "one")

    assert (both.returncode, one.returncode, one.stderr) == (0, 0, "")
    assert both.stderr.startswith(
        "warning: 1 of 2 conversations broke off (timeout, chatbot_failed, ...): a rule may hold"
    )


def test_imported_logs_are_a_batch_like_any(inside: Sparring, tmp_path: Path):
    (tmp_path / "logs.csv").write_text("session,who,said\na,user,hi\na,bot,hello\nb,user,yo\nb,ghost,boo\n")

    imported = inside("import", "logs.csv", "--map", "id=session,role=who,text=said", "--name", "live")
    checked = inside("check", "--rule", "turns() == 1", "--conversations", "live")
    shown = inside("show", "live", "a")
    batch = inside("show", "live")

    assert batch.stdout.rstrip().endswith("sparring promote live a")
    assert imported.stdout.splitlines()[0] == "imported: 2 conversations"
    assert "unknown role 'ghost'" in imported.stderr
    assert (checked.returncode, "2 satisfied" in checked.stdout) == (0, True)
    assert "hello" in shown.stdout


def test_a_log_without_conversations_is_bad_input(inside: Sparring, tmp_path: Path):
    (tmp_path / "logs.csv").write_text("a,b\n1,2\n")

    done = inside("import", "logs.csv")

    assert (done.returncode, "has no 'id'" in done.stderr) == (2, True)


@pytest.mark.slow
def test_counts_beyond_64_bits_are_json_too(inside: Sparring, tmp_path: Path):
    lines = [f'{{"id": {n}, "messages": []}}' for n in range(2000)]
    (tmp_path / "many.jsonl").write_text("\n".join(lines))
    every = " and ".join(f"conv[{at}].id >= 0" for at in range(6))

    told = json.loads(inside("check", "--rule", every, "--conversations", "many.jsonl", "--json").stdout)

    assert told["rules"][0]["satisfied"] == math.perm(2000, 6) > 2**64


def test_a_log_with_one_message_a_row_is_checked_by_its_columns(inside: Sparring, tmp_path: Path):
    (tmp_path / "log.csv").write_text("call,who,said\n1,user,Hi\n1,bot,Hello\n")
    begun = ("check", "--rule", "turns() == 1", "--conversations", "log.csv")

    done = inside(*begun, "--map", "id=call,role=who,text=said")

    assert (done.returncode, "1 satisfied" in done.stdout) == (0, True)
