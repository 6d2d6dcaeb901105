import json
from pathlib import Path

import pytest

from command_line import PROFILE, Sparring
from sparring.statistics import detectable

pytestmark = pytest.mark.slow  # its tests play batches

ON = {"SPARRING_NULL_BOTS": "true"}
PAID = ("--chatbot", "pizzeria", "--model", "openai:gpt-4o-mini")


def test_a_plan_names_every_combination_and_who_would_play_and_sends_nothing(inside: Sparring, profile: Path):
    arguments = ("plan", profile.name, "--chatbot", "pizzeria", "--model", "offline", "--repeat", "2")
    done = inside(*arguments, env=ON)

    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines() == [
        "user: agenda (no model) · chatbot: pizzeria (grammar, no model) · judge: checklist",
        "3 cases, each 2 times: 6 conversations",
        "",
        "  order/1  size=small",
        "  order/2  size=medium",
        "  order/3  size=big",
        "",
        "Models: none called",
        "Note: 1 of 1 sentence about the user used",
    ]


def test_the_same_cases_are_planned_as_are_run(inside: Sparring, profile: Path, tmp_path: Path):
    plan = json.loads(inside("plan", profile.name, "--seed", "3", "--json").stdout)
    inside("run", profile, "--chatbot", "pizzeria", "--model", "offline", "--seed", "3", "--output-dir", "out")

    ran = [json.loads(line) for line in (tmp_path / "out" / "conversations.ndjson").read_text().splitlines()]
    assert [(case["id"], case["variables"]) for case in plan["cases"]] == [
        (each["case"]["id"], each["case"]["variables"]) for each in ran
    ]


def test_calls_tokens_and_dollars_are_ranges_and_no_key_is_needed(inside: Sparring, profile: Path):
    done = inside("plan", profile.name, *PAID, "--json", env=ON)

    told = json.loads(done.stdout)
    user, chatbot, reader, judge = told["models"]
    assert (done.returncode, told["conversations"]) == (0, 3)
    assert told["players"]["reader"] == reader["model"]
    assert (user["calls"], chatbot["calls"], reader["calls"]) == ([3, 30], [3, 90], [3, 30])
    assert (judge["model"], judge["calls"], told["calls"]) == ("openai:gpt-4o-mini", [3, 3], [12, 153])
    for role in (user, chatbot, reader, judge):
        assert all(0 < role[name][0] < role[name][1] for name in ("input_tokens", "output_tokens", "cost"))
    assert told["cost"] == pytest.approx(
        [sum(role["cost"][end] for role in (user, chatbot, reader, judge)) for end in (0, 1)], abs=1e-5
    )
    assert told["notes"] == ["openai:gpt-4o-mini needs a key, and OPENAI_API_KEY is not set"]


def test_an_unknown_price_makes_an_unknown_sum(inside: Sparring, profile: Path):
    done = inside("plan", profile.name, *PAID, "--user", "ollama:llama3.2")

    assert "Model of the user: ollama:llama3.2, 3 to 30 calls, " in done.stdout
    assert "\nCost: unknown\n" in done.stdout


def test_the_prompts_of_a_plan_are_those_the_model_of_the_user_would_get(inside: Sparring, profile: Path):
    told = json.loads(inside("plan", profile.name, "--prompts", "--json").stdout)
    shown = inside("plan", profile.name, "--prompts").stdout

    prompts = [case["prompt"] for case in told["cases"]]
    assert ["a small custom pizza" in prompts[0], "a big custom pizza" in prompts[2]] == [True, True]
    assert all(line.strip() in shown for line in prompts[1].splitlines())


def test_a_missing_choice_is_noted_and_no_error(inside: Sparring, profile: Path):
    done = inside("plan", profile.name)

    assert done.returncode == 0
    assert done.stdout.startswith("user: not chosen · chatbot: not chosen")
    assert "Note: no chatbot is chosen" in done.stdout
    assert "Note: no simulated user is configured" in done.stdout


def test_an_expectation_that_is_no_expression_is_refused(inside: Sparring, tmp_path: Path):
    (tmp_path / "s.yml").write_text("goals: [a]\nexpect: ['len(']\n")

    done = inside("plan", "s.yml")

    assert (done.returncode, done.stdout) == (2, "")
    assert "s.yml:2:10: expect: this is not an expression" in done.stderr


def test_values_to_be_made_up_are_not_made_up_for_a_plan(inside: Sparring, tmp_path: Path):
    (tmp_path / "any.yml").write_text(PROFILE.replace("[small, medium, big]", "[small, any(two more sizes)]"))

    done = inside("plan", "any.yml", *PAID)

    assert done.returncode == 0, done.stderr
    assert "Note: a model is to make up the values of 1 any(...)" in done.stdout
    assert "31 calls" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("nowhere.yml",), "nowhere.yml"),
        (("order.yml", "--chatbot", "pizzaria"), "did you mean 'pizzeria'"),
        (("order.yml", "--chatbot", "http:nowhere.yaml"), "nowhere.yaml"),
        (("order.yml", "--model", "gpt-4o"), "openai:gpt-4o"),
        (("order.yml", "--repeat", "0"), "--repeat"),
        (("order.yml", "--chatbot", "pizzeria", "--user", "opnai:x"), "'openai'"),
    ],
)
def test_plan_refuses_what_run_would_refuse(inside: Sparring, profile: Path, arguments: tuple[str, ...], message: str):
    done = inside("plan", *arguments)

    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("error: ")
    assert message in done.stderr


def test_a_model_that_judges_is_part_of_the_plan(inside: Sparring, tmp_path: Path):
    (tmp_path / "a.yml").write_text("goals: [tea]\nnumber: 1\njudge: [general, order]\n", encoding="utf-8")

    done = inside(
        "plan",
        "a.yml",
        "--chatbot",
        "pizzeria",
        "--model",
        "offline",
        "--judge",
        "openai:gpt-4o-mini",
        "--repeat",
        "3",
        "--json",
    )
    exact = inside("plan", "a.yml", "--chatbot", "pizzeria", "--model", "offline", "--judge", "order", "--json")
    refused = inside(
        "plan", "a.yml", "--chatbot", "pizzeria", "--model", "offline", "--judge", "order", "--rubric", "general"
    )

    reader, role = json.loads(done.stdout)["models"]
    assert (reader["role"], reader["model"], reader["calls"][0]) == ("reader", "openai:gpt-4o-mini", 3)
    assert (role["role"], role["model"], role["calls"]) == ("judge", "openai:gpt-4o-mini", [6, 6])
    assert role["cost"][1] > role["cost"][0] > 0
    assert json.loads(exact.stdout)["models"] == []
    assert (refused.returncode, "reads no rubrics" in refused.stderr) == (2, True)


def test_a_plan_counts_guards_and_names_weak_cases(inside: Sparring, tmp_path: Path):
    tools = "[{id: guard, steps: [user: hi, expect_tool: {name: place_order, not: true}]}, ORDER, WEAK]"
    order = "{id: order, steps: [user: a big pizza, expect_tool: place_order]}"
    weak = "{id: weak, steps: [user: hi, expect_bot_regex: .]}"
    book = f"cases: {tools}\n".replace("ORDER", order).replace("WEAK", weak)
    (tmp_path / "book.yml").write_text(book, encoding="utf-8")

    told = json.loads(inside("plan", "book.yml", "--json", env=ON).stdout)
    off = json.loads(inside("plan", "book.yml", "--json", "--no-null-bots").stdout)

    assert told["notes"][-2:] == [
        "1 of 3 cases is a guard, which doing nothing passes",
        "a bot that refuses everything passes 2 of 3 cases",
    ]
    assert [warning["path"] for warning in told["warnings"]] == ["book/weak"]
    assert (off["notes"][-1], off["warnings"]) == (
        "null bots are off, so cases that any chatbot passes are not found",
        [],
    )


def test_rules_of_a_plan_make_cases_discriminate(inside: Sparring, profile: Path, tmp_path: Path):
    (tmp_path / "placed.yml").write_text("name: placed\nthen: called('place_order')\n", encoding="utf-8")

    assert "weak" not in inside("plan", profile.name, "--rules", "placed.yml", env=ON).stdout


def test_cases_and_repeats_that_detect_a_fall_are_shown_with_their_price(inside: Sparring, tmp_path: Path):
    (tmp_path / "order.yml").write_text("user: a hungry customer\ngoals: [a pizza]\nvariables: {n: [1, 2, 3, 4, 5]}\n")
    arguments = ("plan", "order.yml", "--chatbot", "pizzeria", "--model", "openai:gpt-4o-mini")
    plain = json.loads(inside(*arguments, "--json").stdout)

    done = inside(*arguments, "--detect", "5%", "--json")

    sizes = json.loads(done.stdout)["detect"]
    assert sizes[0]["cases"] == plain["conversations"]
    assert [each["repeats"] for each in sizes[1:]] == [1, 5, 20]
    for each in sizes:
        assert each["conversations"] == each["cases"] * each["repeats"]
        assert detectable(each["cases"], each["repeats"]) <= 0.05
        assert each["cost"][0] == pytest.approx(
            plain["cost"][0] * each["conversations"] / plain["conversations"], rel=0.01
        )
    assert detectable(sizes[0]["cases"], sizes[0]["repeats"] - 1) > 0.05
    assert "A fall of 5 points is told in about 4 of 5 comparisons" in inside(*arguments, "--detect", "0.05").stdout


def test_a_fall_to_detect_is_a_share(inside: Sparring, tmp_path: Path):
    (tmp_path / "order.yml").write_text("user: a hungry customer\ngoals: [a pizza]\n")

    for wrong in ("five", "5", "0%", "5%x"):
        assert inside("plan", "order.yml", "--detect", wrong).returncode == 2


def test_the_users_own_prompt_is_what_is_shown_and_counted(inside: Sparring, profile: Path):
    (profile.parent / "user.md").write_text("Be terse. {{role}}{{goals}}{{language}}", encoding="utf-8")
    user = ("--user", "ollama:llama3.2", "--user-prompt", "user.md")

    told = json.loads(inside("plan", profile.name, *PAID, *user, "--prompts", "--json").stdout)
    bundled = json.loads(inside("plan", profile.name, *PAID, *user[:2], "--json").stdout)
    agenda = inside("plan", profile.name, "--user", "agenda", *user[2:])

    assert told["cases"][0]["prompt"].startswith("Be terse.")
    tokens = [next(each for each in one["models"] if each["role"] == "user")["input_tokens"] for one in (told, bundled)]
    assert tokens[0][0] < tokens[1][0]
    assert (agenda.returncode, "the user agenda reads no prompt" in agenda.stderr) == (2, True)
