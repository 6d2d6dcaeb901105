import json
from pathlib import Path
from typing import Any

import pytest

from command_line import Sparring
from sparring.judges.rubric_files import find_rubric

pytestmark = pytest.mark.slow  # its tests play batches

RUBRIC = "---\nscale: 1-3\npass: 2\nlanguage: Russian\n---\nIs it polite?\n"
SCENARIO = "goals: [a small custom pizza with ham and corn, the following drink: coke]\n"
OFFLINE = ("--chatbot", "pizzeria", "--model", "offline")


def says(score: int, words: str = "would you like") -> dict[str, Any]:
    """What a server answers that plays the judge."""
    content = json.dumps({"quotes": [{"n": 1, "words": words}], "comment": f"Оценка {score}", "score": score})
    return {
        "model": "m",
        "choices": [{"message": {"role": "assistant", "content": content}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 700, "completion_tokens": 40},
    }


@pytest.fixture
def played(inside: Sparring, tmp_path: Path) -> Path:
    """A batch called `night` of two conversations, and a rubric called `polite.md`."""
    (tmp_path / "pizza.yml").write_text(
        "scenarios:\n"
        '  - goals: [a small custom pizza with ham and corn, "the following drink: coke"]\n'
        '  - goals: [a big custom pizza with olives, "the following drink: sprite"]\n',
        encoding="utf-8",
    )
    (tmp_path / "polite.md").write_text(RUBRIC, encoding="utf-8")
    done = inside("run", "pizza.yml", *OFFLINE, "--name", "night", "--json")
    assert done.returncode == 0, done.stderr
    return tmp_path


def test_a_batch_is_judged_while_it_runs_and_show_calls_no_model(inside: Sparring, played: Path, bot: Any):
    bot.answer = says(3)

    done = inside(
        *("run", "pizza.yml", *OFFLINE, "--reader", "patterns"),
        *("--judge", f"{bot.url}#m", "--rubric", "polite.md", "--json"),
    )
    asked = len(bot.asked)
    shown = inside("show", "latest", "--all")

    told = json.loads(done.stdout)
    assert (done.returncode, asked, len(bot.asked)) == (0, 2, 2)
    assert told["who"]["judge"] == f"{bot.url}#m"
    assert [(each["check"], each["n"], each["mean"]) for each in told["scores"]] == [("polite", 2, 3)]
    assert told["tokens"] == {"input": 1400, "output": 80, "unknown": 0}
    assert f"judge: {bot.url}#m" in shown.stdout
    assert "Scores: polite" in shown.stdout


def test_a_bad_score_fails_and_the_transcript_says_why(inside: Sparring, played: Path, bot: Any):
    bot.answer = says(1)

    done = inside("run", "pizza.yml", *OFFLINE, "--judge", f"{bot.url}#m", "--rubric", "polite.md", "--single", "0")
    shown = inside("show", "latest", "pizza/1")

    assert done.returncode == 1
    assert "polite: Оценка 1" in done.stdout
    assert f"  - polite, by {bot.url}#m: fail, score 1: Оценка 1\n      [1] would you like\n" in shown.stdout


def test_a_conversation_shown_as_json_says_what_its_judges_said_and_can_be_checked_again(
    inside: Sparring, played: Path, bot: Any
):
    bot.answer = says(1)
    inside("judge", "night", "--judge", f"{bot.url}#m", "--rubric", "polite.md")

    told = inside("show", "night", "pizza/1", "--json").stdout
    (played / "one.ndjson").write_text(told, encoding="utf-8")
    checked = inside("check", "--rule", "turns() > 0", "--conversations", "one.ndjson")
    summarized = inside("summarize", "one.ndjson")

    said = [(each["judge"], each["outcome"], each["reason"]) for each in json.loads(told)["verdicts"]]
    assert said == [("checklist", "pass", ""), (f"{bot.url}#m", "fail", "Оценка 1")]
    assert (checked.returncode, summarized.returncode) == (0, 0), checked.stderr + summarized.stderr


def test_a_recorded_batch_is_judged_by_another_and_only_once(inside: Sparring, played: Path, bot: Any):
    bot.answer = says(1)
    command = ("judge", "night", "--judge", f"{bot.url}#m", "--rubric", "polite.md")

    first, second = inside(*command), inside(*command)
    asked = len(bot.asked)
    again = inside(*command, "--again", "--json")
    shown = inside("show", "night", "--all")

    assert (first.returncode, second.returncode, again.returncode) == (1, 1, 1)
    assert (asked, len(bot.asked)) == (2, 4)
    assert "FAILED: 2 of 2 failed" in second.stdout
    assert json.loads(again.stdout)["scores"][0]["distribution"] == {"1": 2, "2": 0, "3": 0}
    assert "PASSED: all 2 passed" in shown.stdout, "the judge of the batch is the checklist"
    assert "Scores: polite" in shown.stdout


def test_every_judgement_is_kept_and_what_decides_is_named(inside: Sparring, played: Path, bot: Any):
    command = ("judge", "night", "--judge", f"{bot.url}#m", "--rubric", "polite.md")
    bot.answer = says(3)
    twice = inside(*command, "--repeat", "2", "--json")
    again = inside(*command, "--repeat", "2")
    asked = len(bot.asked)
    bot.answer = says(1)

    latest = inside(*command, "--again", "--json")
    median = inside(*command, "--decides", "median")
    shown = inside("show", "night", "--json")
    transcript = inside("show", "night", "pizza/1")

    seeds = {json.loads(body)["seed"] for _, _, _, body in bot.asked[:4]}
    assert (asked, len(bot.asked), len(seeds)) == (4, 6, 4), "a repeat is another question, and asked once"
    assert (twice.returncode, again.returncode, latest.returncode, median.returncode) == (0, 0, 1, 0)
    assert json.loads(twice.stdout)["consistency"][0]["equal"] == 1
    (found,) = json.loads(latest.stdout)["consistency"]
    assert (found["judgements"], found["flipped"], round(found["equal"], 2)) == (6, 2, 0.33)
    assert "2 of 2 conversations both passed and failed" in median.stdout
    who = json.loads(shown.stdout)["who"]
    assert (who["judge"], who["decides"]) == (f"{bot.url}#m", "median")
    assert "median of 3 judgements (pass 3, pass 3, fail 1)" in transcript.stdout


def test_a_panel_decides_only_where_its_judges_agree(inside: Sparring, played: Path, bot: Any):
    bot.answer = says(3)
    one, other = f"{bot.url}#m", f"{bot.url}#n"
    inside("judge", "night", "--judge", one, "--rubric", "polite.md")
    bot.answer = says(1)
    command = ("judge", "night", "--judge", one, "--judge", other, "--rubric", "polite.md")

    panel = inside(*command)
    majority = inside(*command, "--decides", "median")
    cost = inside("cost", "night", "--json")

    assert (panel.returncode, majority.returncode) == (3, 1)
    assert f"the judges disagree: {one}: pass 3, {other}: fail 1" in panel.stdout
    assert f"judge: {one} + {other} (decides: median)" in majority.stdout
    assert {one, other} <= json.loads(cost.stdout)["models"].keys()


def by_model(body: bytes) -> dict[str, Any]:
    """The model n fails everything, others pass it."""
    return says(1 if json.loads(body)["model"] == "n" else 3)


def test_a_run_has_a_panel_that_decides_as_the_settings_say(inside: Sparring, played: Path, bot: Any):
    bot.answer = by_model
    one, other, third = (f"{bot.url}#{name}" for name in "mno")
    base = ("run", "pizza.yml", *OFFLINE, "--rubric", "polite.md", "--reader", "patterns")
    run = (*base, "--judge", one, "--judge", other)

    plan = inside("plan", *run[1:-6], *run[-4:], "--json")
    split = inside(*run, "--name", "split", "--max-conversations", "1")
    resumed = inside("run", "--resume", "split")
    asked = len(bot.asked)
    again = inside("judge", "split")
    (played / "sparring.yaml").write_text(f"judge: ['{one}', '{other}', '{third}']\ndecides: majority\n")
    most = inside(*base, "--name", "most", "--json")
    refused = inside("run", "pizza.yml", *OFFLINE, "--judge", one, "--judge", "checklist")

    judges = [each["model"] for each in json.loads(plan.stdout)["models"] if each["role"] == "judge"]
    assert judges == [one, other]
    assert (split.returncode, resumed.returncode, again.returncode) == (3, 3, 3), split.stderr + resumed.stderr
    assert asked == len(bot.asked) - 6 == 4, "each judge is asked once about each conversation"
    assert f"the judges disagree: {one}: pass 3, {other}: fail 1" in resumed.stdout
    assert most.returncode == 0, most.stderr
    assert json.loads(most.stdout)["players"]["decides"] == "majority"
    assert (refused.returncode, "checklist: only judges that are models" in refused.stderr) == (2, True)


def test_a_batch_that_people_decide_is_undecided_until_they_do(inside: Sparring, played: Path):
    waiting = inside("judge", "night", "--decides", "human")
    for conversation, outcome in (("pizza/1", "passed"), ("pizza/2", "failed")):
        inside("label", "night", "--conversation", conversation, "--outcome", outcome)
    decided = inside("show", "night", "--all")

    assert "a person decides, and no label or verdict of one is there" in waiting.stdout
    assert waiting.returncode == 3
    assert "FAILED: 1 of 2 failed" in decided.stdout


def test_a_judge_that_cannot_decide_is_undecided_and_asked_again_later(inside: Sparring, played: Path, bot: Any):
    bot.answer = says(3, words="what nobody said")
    command = ("judge", "night", "--judge", f"{bot.url}#m")

    failed = inside(*command)
    bot.answer = says(3)
    mended = inside(*command, "--json")

    assert failed.returncode == 3
    assert "the judge's answer does not hold" in failed.stdout
    assert (mended.returncode, json.loads(mended.stdout)["scores"][0]["errors"]) == (0, 0)


def test_rubrics_of_a_scenario_are_asked_with_the_default_model(inside: Sparring, tmp_path: Path, bot: Any):
    (tmp_path / "a.yml").write_text("script: [a pizza please]\njudge: [rubrics/polite.md]\n", encoding="utf-8")
    (tmp_path / "rubrics").mkdir()
    (tmp_path / "rubrics" / "polite.md").write_text(RUBRIC, encoding="utf-8")
    bot.answer = says(2)

    offline = inside("run", "a.yml", *OFFLINE)
    model = inside("run", "a.yml", *OFFLINE[:2], "--chatbot-model", "offline", "--model", f"{bot.url}#m", "--json")

    assert offline.returncode == 3
    assert "polite: a rubric is read by a model: --judge MODEL" in offline.stdout
    assert model.returncode == 0, model.stderr
    assert [each["check"] for each in json.loads(model.stdout)["scores"]] == ["polite"]


def test_a_custom_prompt_is_sent_to_the_judge(inside: Sparring, played: Path, bot: Any):
    (played / "own.md").write_text("Sei streng.\n{{rubric}}\n{{delimiter}}\n", encoding="utf-8")
    bot.answer = says(3)

    inside("judge", "night", "--judge", f"{bot.url}#m", "--judge-prompt", "own.md")

    body = json.loads(bot.asked[0][3])
    assert body["messages"][0]["content"].startswith(f"Sei streng.\n{find_rubric('general').text}\n=== record ")


def test_a_person_judges_one_conversation_and_decides(inside: Sparring, played: Path):
    human = ("judge", "night", "--human", "fail", "--conversation", "pizza/2", "--score", "1", "--comment", "Too slow")

    kept = inside(*human)
    shown = inside("show", "night", "--all")
    transcript = inside("show", "night", "pizza/2")
    corrected = inside("judge", "night", "--human", "pass", "--conversation", "pizza/2", "--json")

    assert (kept.returncode, kept.stdout) == (
        0,
        "kept: pizza/2: fail, by a human\n"
        "Agreement of checklist with a human: 0 of 1 (0 %); equal scores 0 of 1, within 1 0 of 1\n",
    )
    assert "FAILED: 1 of 2 failed" in shown.stdout
    assert "pizza/2: human: Too slow" in shown.stdout
    assert "  - human: fail, score 1: Too slow" in transcript.stdout
    assert json.loads(corrected.stdout)["agreements"] == [
        {"judge": "checklist", "n": 1, "agreed": 1, "kappa": None, "scores": None}
    ]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (("--human", "pass"), "--conversation ID"),
        (("--human", "pass", "--conversation", "pizza/1", "--score", "99"), "--score 99: is not on the scale"),
        (("--human", "pass", "--conversation", "pizza/1", "--judge", "checklist"), "--judge is not"),
        (("--conversation", "pizza/1"), "only with --human"),
        (("--human", "pass", "--conversation", "pizza/9"), "has no case 'pizza/9'"),
        (("--rubric", "polite.md"), "'checklist' reads no rubrics"),
        (("--judge", "chekclist"), "did you mean 'checklist'"),
        (("--repeat", "2"), "only judges that are models are asked several times"),
        (("--judge", "checklist", "--judge", "order"), "only judges that are models are asked several times or in"),
        (("--rubric", "polite.mdd"), "there is no such rubric"),
        (("--canaries",), "canaries test judges that read rubrics: checklist reads none"),
    ],
)
def test_contradictory_options_are_refused(inside: Sparring, played: Path, arguments: tuple[str, ...], problem: str):
    done = inside("judge", "night", *arguments)

    assert (done.returncode, done.stdout) == (2, "")
    assert problem in done.stderr


def test_canaries_measure_what_a_judge_falls_for(inside: Sparring, bot: Any):
    bot.answer = says(1, words="I cannot help you with that.")

    steadfast = inside("judge", "--canaries", "--judge", f"{bot.url}#m")
    bot.answer = says(3, words="I cannot help you with that.")
    useless = inside("judge", "--canaries", "--judge", f"{bot.url}#m", "--json")
    bot.answer = says(1, words="never said")
    blind = inside("judge", "--canaries", "--judge", f"{bot.url}#m")

    assert steadfast.returncode == 0
    assert f"general, by {bot.url}#m: fell for 0 of 17 canaries" in steadfast.stdout
    assert useless.returncode == 3
    assert json.loads(useless.stdout)["rubrics"]["general"]["flipped"] == []
    assert (blind.returncode, "fell for 0 of 17 canaries, and 17 could not be decided" in blind.stdout) == (3, True)


def test_canaries_are_not_flown_one_by_one_against_a_wrong_key(inside: Sparring, bot: Any):
    bot.status = 401

    done = inside("judge", "--canaries", "--judge", f"{bot.url}#m")

    assert (done.returncode, len(bot.asked)) == (3, 1)
    assert done.stderr.startswith("warning: the rest is not asked, since no further call will be answered: ")
    assert "fell for 0 of 17 canaries, and 17 could not be decided" in done.stdout
    assert done.stdout.count("error: not asked") == 17


def test_a_rubric_is_validated_and_has_a_schema(inside: Sparring, played: Path):
    (played / "bad.md").write_text("---\nscale: 3-1\n---\nA\n", encoding="utf-8")
    (played / "README.md").write_text("# Not a rubric\n", encoding="utf-8")

    good, bad = inside("validate", "polite.md"), inside("validate", ".")

    assert good.returncode == 0
    assert bad.returncode == 2
    assert "bad.md:2:8: scale: should go up" in bad.stdout + bad.stderr
    assert "README" not in bad.stdout + bad.stderr


@pytest.mark.parametrize(
    "command",
    [("judge", "night"), ("judge", "--canaries"), ("run", "pizza.yml", *OFFLINE, "--rubric", "polite.md")],
    ids=" ".join,
)
def test_a_judge_without_a_key_gets_a_hint_about_other_judges(inside: Sparring, played: Path, command: tuple[str, ...]):
    done = inside(*command, "--judge", "openai:gpt-4o-mini")

    assert (done.returncode, done.stderr.splitlines()) == (
        2,
        [
            "error: openai:gpt-4o-mini needs a key, and OPENAI_API_KEY is not set",
            "hint: export OPENAI_API_KEY=..., or choose --judge ollama:MODEL "
            "(or checklist, which reads neither rubrics nor canaries), which needs none",
        ],
    )


def test_a_fall_of_scores_from_3_to_2_is_reported_although_all_pass(inside: Sparring, tmp_path: Path, bot: Any):
    (tmp_path / "pizza.yml").write_text("scenarios:\n" + "  - script: [a pizza please]\n" * 40, encoding="utf-8")
    (tmp_path / "polite.md").write_text(RUBRIC, encoding="utf-8")
    (tmp_path / "sparring.yaml").write_text("gate: {pass_rate: 1, mean_score: 2.7, share_of: {3: 0.8}}\n")
    judge = ("--judge", f"{bot.url}#m", "--rubric", "polite.md")
    for name, score, code in (("before", 3, 0), ("after", 2, 1)):
        bot.answer = says(score)
        assert inside("run", "pizza.yml", *OFFLINE, *judge, "--name", name).returncode == code, "the gate of the run"

    compared = inside("compare", "before", "after")
    gates = [inside("gate", name) for name in ("before", "after")]

    assert compared.returncode == 1
    assert "WORSE" in compared.stdout
    assert [each.returncode for each in gates] == [0, 1]
    assert "FAILED: mean_score: as counted 2.00" in gates[1].stdout
    assert "FAILED: share_of 3: as counted 0 of 40" in gates[1].stdout
    assert "ok: pass_rate" in gates[1].stdout


def test_a_custom_prompt_is_sent_to_the_user(inside: Sparring, played: Path, bot: Any):
    (played / "user.md").write_text("Be terse. {{role}}{{goals}}{{language}}", encoding="utf-8")
    (played / "wrong.md").write_text("Be terse. {{role}}", encoding="utf-8")
    bot.answer = {"choices": [{"message": {"role": "assistant", "content": "a small pizza"}}], "usage": {}}
    user = ("--user", f"{bot.url}#m", "--reader", "patterns", "--user-prompt", "user.md", "--max-conversations", "1")

    inside("run", "pizza.yml", *OFFLINE, *user, "--judge", "none", "--name", "own")
    first = len(bot.asked)
    inside("run", "--resume", "own", "--max-conversations", "1")
    wrong = inside("run", "pizza.yml", *OFFLINE, *user[:4], "--user-prompt", "wrong.md")
    listed = json.loads(inside("prompts", "list", "--json").stdout)["prompts"]

    texts = [json.loads(each[3])["messages"][0]["content"] for each in bot.asked]
    assert 0 < first < len(texts)
    assert {each.partition(" ")[0] for each in texts} == {"Be"}
    assert "wrong.md: {{goals}} is missing" in wrong.stdout + wrong.stderr
    assert len({each["hash"] for each in listed if each["name"] == "user"}) == 2
