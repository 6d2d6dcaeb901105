"""`sparring shrink`: the smallest scenario that still fails, written so that `sparring run` fails, too."""

import json
import sys
from datetime import date
from pathlib import Path

import pytest
import yaml

import sparring
from command_line import called
from json_schema import errors
from sparring.core.case import Case
from sparring.reports.documents import json_schema
from sparring.scenarios.written_case import elements, loaded, scenario, text_of, without

BOT = """\
def reply(messages, variables):
    said = " ".join(each.text for each in messages if each.role == "user").lower()
    if "red" in said and "large" in said:
        return "Your balloon costs 99 dollars."
    if "attic" in said:
        raise KeyError("attic")
    return "It costs 10 dollars. We are open from 9 to 17."
"""
SHOP = """\
user: {role: you are Ann Lee, traits: [you like toys, you are in a hurry], styles: [long phrases]}
goals: ["a {{size}} balloon", "paint it {{color}}", the opening hours, "delivery to {{town}}", the price]
variables: {size: large, color: red, town: TOWN, unused: 7}
facts: {name: Ann Lee, phone: 555-0134}
outputs: {price: money}
tags: [toys, all]
expect: ["not chatbot_says('99')", "turns() < 100"]
"""
ORDERS = """\
def reply(messages, variables):
    said = " ".join(each.text for each in messages if each.role == "user").lower()
    hat = "A large hat is fine." if "large" in said else "A small hat costs 5 dollars."
    return (hat if "hat" in said else "Good.") + " Open from 9 to 17, delivery to Springfield."
"""
ORDER = """\
goals: ["a {{size}} hat", the opening hours, "delivery to Springfield"]
variables: {size: [small, large]}
outputs: {price: money}
expect: ["price is not None"]
"""
CHECK = "not chatbot_says('99')"


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """A folder with a chatbot that fails if it hears two words, and with a batch in which it does."""
    (tmp_path / "bot.py").write_text(BOT)
    (tmp_path / "shop.yml").write_text(SHOP.replace("TOWN", "Springfield"))
    return tmp_path


def run(folder: Path, file: str) -> int:
    done = called("run", file, "--chatbot", "python:bot.py:reply", "--model", "offline", folder=folder, env={})
    return done.returncode


@pytest.mark.slow
def test_the_smallest_scenario_is_written_and_fails_again(shop: Path):
    run(shop, "shop.yml")
    arguments = ("shrink", "latest", "shop/1", "--check", CHECK, "--write", "small.yml")
    done = called(*arguments, "--json", folder=shop, env={})
    told = json.loads(done.stdout)

    assert done.returncode == 0
    assert not errors({each["title"]: each for each in json_schema()["oneOf"]}["shrunk"], told, json_schema())
    small = yaml.safe_load((shop / "small.yml").read_text())
    assert small["goals"] == ["a {{size}} balloon", "paint it {{color}}"]
    assert small["variables"] == {"size": "large", "color": "red"}
    assert not {"facts", "tags", "outputs", "user"} & {*small}
    assert told["minimal"]
    assert told["runs"] <= 60
    assert told["to"]["elements"] < 0.3 * told["from"]["elements"]

    assert run(shop, "small.yml") == 1
    shown = json.loads(called("show", "latest", "small/1", "--json", folder=shop, env={}).stdout)
    assert CHECK in [each["check"] for each in shown["verdicts"] if each["outcome"] == "fail"]
    again = called(*arguments, folder=shop, env={})
    assert (again.returncode, "already exists" in again.stderr) == (2, True)


@pytest.mark.slow
def test_a_chatbot_that_fails_only_sometimes_is_asked_more_often(shop: Path):
    flaky = "calls = 0\n" + BOT.replace("    said =", "    global calls\n    calls += len(messages) == 1\n    said =")
    (shop / "bot.py").write_text(flaky.replace('"large" in said', '"large" in said and calls % 3'))
    run(shop, "shop.yml")
    told = json.loads(called("shrink", "latest", "shop/1", "--check", CHECK, "--json", folder=shop, env={}).stdout)

    assert yaml.safe_load(told["scenario"])["goals"] == ["a {{size}} balloon", "paint it {{color}}"]
    assert (told["minimal"], 0.5 < told["p"] < 0.8) == (True, True)


def test_a_chatbot_that_fails_only_sometimes_is_not_taken_for_one_that_always_does(shop: Path):
    flaky = "calls = 0\n" + BOT.replace("    said =", "    global calls\n    calls += len(messages) == 1\n    said =")
    (shop / "bot.py").write_text(flaky.replace('"large" in said', '"large" in said and (calls < 8 or calls % 3)'))
    run(shop, "shop.yml")
    told = json.loads(called("shrink", "latest", "shop/1", "--check", CHECK, "--json", folder=shop, env={}).stdout)

    assert yaml.safe_load(told["scenario"])["goals"] == ["a {{size}} balloon", "paint it {{color}}"]
    assert (told["minimal"], told["p"] < 1) == (True, True)


@pytest.mark.slow
def test_what_a_passing_case_of_the_scenario_needs_is_kept(shop: Path):
    """Without the order there is no price in any case, which is no failure of the large one."""
    (shop / "bot.py").write_text(ORDERS)
    (shop / "shop.yml").write_text(ORDER)
    run(shop, "shop.yml")
    arguments = ("shrink", "latest", "shop/2", "--check", "price is not None")
    told = json.loads(called(*arguments, "--json", folder=shop, env={}).stdout)

    assert yaml.safe_load(told["scenario"])["goals"] == ["a {{size}} hat"]


@pytest.mark.slow
def test_values_become_simple_where_the_user_says_them(shop: Path):
    (shop / "shop.yml").write_text(SHOP.replace("TOWN", "Springfield").replace("color: red", "color: [blue, red]"))
    run(shop, "shop.yml")
    arguments = ("shrink", "latest", "shop/2", "--check", CHECK)
    told = json.loads(called(*arguments, "--json", folder=shop, env={}).stdout)

    assert yaml.safe_load(told["scenario"])["variables"] == {"size": "large", "color": "red"}


def test_a_crash_stays_the_same_crash(shop: Path):
    (shop / "shop.yml").write_text(SHOP.replace("TOWN", "the attic").replace("color: red", "color: blue"))
    run(shop, "shop.yml")
    told = json.loads(called("shrink", "latest", "shop/1", "--json", folder=shop, env={}).stdout)

    assert told["check"] == "crash"
    assert yaml.safe_load(told["scenario"])["goals"] == ["delivery to {{town}}"]


@pytest.mark.slow
def test_a_failure_that_does_not_come_back_writes_nothing(shop: Path):
    run(shop, "shop.yml")
    (shop / "bot.py").write_text(BOT.replace("99", "10"))
    done = called("shrink", "latest", "shop/1", "--check", CHECK, "--write", "small.yml", folder=shop, env={})

    assert done.returncode == 3
    assert "not reproduced (0 of 5)" in done.stdout
    assert not (shop / "small.yml").exists()


def test_a_check_that_did_not_fail_is_refused(shop: Path):
    run(shop, "shop.yml")
    done = called("shrink", "latest", "shop/1", "--check", "turns() < 100", folder=shop, env={})

    assert done.returncode == 2
    assert "did not fail" in done.stderr


def test_lines_are_left_out_of_a_script(shop: Path):
    lines = "".join(f"  - {line}\n" for line in ("hello", "a red one", "thanks", "large please", "bye"))
    (shop / "script.yml").write_text(f'script:\n{lines}expect: ["{CHECK}"]\n')
    run(shop, "script.yml")
    told = json.loads(called("shrink", "latest", "script/1", "--check", CHECK, "--json", folder=shop, env={}).stdout)

    assert yaml.safe_load(told["scenario"])["script"] == ["a red one", "large please"]


def test_a_chatbot_elsewhere_is_not_asked(shop: Path):
    call = "import sys\nfor line in sys.stdin: print('no', flush=True)\n"
    (shop / "echo.py").write_text(call)
    called(
        "run", "shop.yml", "--chatbot", f"command:{sys.executable} echo.py", "--model", "offline", folder=shop, env={}
    )
    done = called("shrink", "latest", "shop/1", folder=shop, env={})

    assert done.returncode == 2
    assert "--allow-side-effects" in done.stderr


WRITTEN = """\
user:
  role: you are Ann
  traits: [you are shy]
  language: Spanish
  styles: [change language: [French], change your mind: detour]
goals:
  - {asks: "a {{size}} box of {{fruit}}", answer: [12.5 ± 0.5, "/twelve/"], never: "/free/", done: "called('order')"}
  - the price
variables: {size: 3, fruit: {function: default(), data: [figs, plums]}, code: A-1}
answers: {"which code": code, "your name": I am Ann}
facts: {phone: 555-0134}
hidden: [code]
history: [{user: Hello}, {chatbot: Hi}]
starts: user
fallbacks: [What?]
outputs: {price: {type: money, ask: true}}
limits: {turns: 7, steps: 3}
seed: 4
"""


def test_a_case_is_written_as_it_was_read(tmp_path: Path):
    (tmp_path / "a.yml").write_text(WRITTEN)
    (case,) = sparring.load(tmp_path / "a.yml")
    again = loaded(text_of(scenario(case, None)), "a.yml", date(2026, 1, 1))

    assert again is not None
    assert again.changed(expectations=()) == case.changed(expectations=(), persona=again.persona)
    assert again.persona.styles == case.persona.styles
    assert [each.rule.then for each in again.expectations] == [each.rule.then for each in case.expectations]


def test_a_variable_stays_as_long_as_a_goal_needs_it():
    goal = {"goals": ["a {{size}} box"], "variables": {"size": 3, "code": 1}, "tags": ["a"]}
    paths = elements(goal)

    assert paths == [("goals", 0), ("tags", 0), ("variables", "size"), ("variables", "code")]
    assert without(goal, {*paths[1:]}) == {"goals": ["a {{size}} box"], "variables": {"size": 3}}
    assert without(goal, {*paths}) == {}
    assert loaded(text_of({}), "a.yml", date(2026, 1, 1)) is None


def test_a_case_without_a_check_is_a_case():
    assert isinstance(loaded("goals: [a]", "a.yml", date(2026, 1, 1)), Case)


SAME_PRICE = """\
name: the same price
conversations: 2
if: conv[0].size == conv[1].size and conv[0].color != conv[1].color
then: conv[0].chatbot_phrases[-1] == conv[1].chatbot_phrases[-1]
"""


@pytest.mark.slow
@pytest.mark.parametrize("scenarios", ["", "scenarios: [shop]\n"])
def test_cases_that_violate_a_rule_over_pairs_shrink_together(shop: Path, scenarios: str):
    varied = SHOP.replace("TOWN", "Springfield").replace("color: red", "color: [blue, red]")
    (shop / "shop.yml").write_text(varied[: varied.index("expect:")])
    (shop / "rule.yaml").write_text(SAME_PRICE + scenarios)
    begun = ("run", "shop.yml", "--chatbot", "python:bot.py:reply", "--model", "offline", "--rules", "rule.yaml")
    called(*begun, folder=shop, env={})
    arguments = ("shrink", "latest", "shop/1", "--check", "the same price", "--write", "small.yml", "--json")
    told = json.loads(called(*arguments, folder=shop, env={}).stdout)
    small = yaml.safe_load((shop / "small.yml").read_text())["scenarios"]

    assert [each["variables"] for each in small] == [{"size": "large", "color": each} for each in ("blue", "red")]
    assert (told["minimal"], told["runs"] <= 60) == (True, True)
    assert told["to"]["elements"] < 0.5 * told["from"]["elements"]
    again = called("run", "small.yml", *begun[2:], folder=shop, env={})
    assert (again.returncode, "the same price" in again.stdout) == (1, True)


def test_one_value_stays_of_a_list_that_a_goal_needs():
    things = {"function": "default()", "data": ["lamp", "chair", "bed"]}
    whole = {"goals": ["order {{things}}"], "variables": {"things": things}}

    found = without(whole, {("variables", "things", "data", at) for at in range(3)})

    assert found["variables"] == {"things": things | {"data": ["lamp"]}}
