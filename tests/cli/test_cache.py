"""`--cache`: a question to a judge, or of a rule, is paid for once."""

import json
from pathlib import Path
from typing import Any

import pytest

from command_line import Sparring

pytestmark = pytest.mark.slow  # its tests play batches

RUBRIC = "---\nscale: 1-3\npass: 2\n---\nIs it polite?\n"
KEY = "sk-planted-0123456789abcdef"


def says(text: str) -> dict[str, Any]:
    return {
        "model": "m",
        "choices": [{"message": {"role": "assistant", "content": text}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 700, "completion_tokens": 40},
    }


def scores(score: int, words: str = "would you like") -> dict[str, Any]:
    return says(json.dumps({"quotes": [{"n": 1, "words": words}], "comment": "Polite.", "score": score}))


@pytest.fixture
def played(inside: Sparring, tmp_path: Path) -> Path:
    """A batch of two conversations, and a rubric called `polite.md`."""
    (tmp_path / "pizza.yml").write_text("scenarios: [{script: [a pizza]}, {script: [a big pizza]}]\n", encoding="utf-8")
    (tmp_path / "polite.md").write_text(RUBRIC, encoding="utf-8")
    done = inside("run", "pizza.yml", "--chatbot", "pizzeria", "--model", "offline", "--judge", "none")
    assert done.returncode == 3, done.stderr
    return tmp_path


def counts(done: Any) -> tuple[int, int, int]:
    """The exit code, and what a summary says of calls and of the cache."""
    summary = json.loads(done.stdout)
    return done.returncode, summary["calls"], summary["from_cache"]


def judged(inside: Sparring, url: str, *more: str) -> Any:
    """Judge the conversations as if they had no verdicts."""
    inside("run", "pizza.yml", "--chatbot", "pizzeria", "--model", "offline", "--judge", "none")
    command = ("judge", "latest", "--judge", url, "--rubric", "polite.md", "--cache", "answers.ndjson", "--json")
    return inside(*command, *more, env={"SPARRING_API_KEY": KEY})


def test_a_judge_is_paid_once_for_what_it_was_asked(inside: Sparring, played: Path, bot: Any):
    bot.answer = scores(3)

    first = judged(inside, f"{bot.url}#m")
    second = judged(inside, f"{bot.url}#m")
    shown = inside("show")

    assert (counts(first), counts(second)) == ((0, 2, 0), (0, 0, 2))
    assert len(bot.asked) == 2
    assert json.loads(second.stdout)["scores"] == json.loads(first.stdout)["scores"]
    assert (json.loads(second.stdout)["tokens"]["input"], json.loads(second.stdout)["cost"]) == (0, 0.0)
    assert "Models: none called; 2 answers from the cache" in inside("show", "latest", "--all").stdout, shown.stdout
    assert "2 answers from the cache" in inside("cost", "latest").stdout
    assert KEY not in (played / "answers.ndjson").read_text(encoding="utf-8")


def test_a_run_uses_the_cache_too_and_its_chatbot_and_user_do_not(inside: Sparring, played: Path, bot: Any):
    bot.answer = scores(3)
    command = ("run", "pizza.yml", "--chatbot", "pizzeria", "--model", "offline", "--judge", f"{bot.url}#m", "--json")
    (played / "sparring.yaml").write_text("cache: kept/answers.ndjson\n", encoding="utf-8")

    first, second = inside(*command), inside(*command)

    assert (counts(first), counts(second)) == ((0, 2, 0), (0, 0, 2))
    assert (played / "kept" / "answers.ndjson").exists()


@pytest.mark.slow
def test_another_rubric_prompt_model_or_conversation_is_asked(inside: Sparring, played: Path, bot: Any):
    bot.answer = scores(3)
    judged(inside, f"{bot.url}#m")

    other = judged(inside, f"{bot.url}#other")
    (played / "prompt.md").write_text(
        "Judge by {{rubric}} {{delimiter}}, from {{worst}} to {{best}}.\n", encoding="utf-8"
    )
    prompt = judged(inside, f"{bot.url}#m", "--judge-prompt", "prompt.md")
    (played / "polite.md").write_text(RUBRIC.replace("polite", "rude"), encoding="utf-8")
    rubric = judged(inside, f"{bot.url}#m")
    (played / "pizza.yml").write_text("scenarios: [{script: [a pizza]}, {script: [no pizza]}]\n", encoding="utf-8")
    conversation = judged(inside, f"{bot.url}#m")

    assert [counts(each)[1:] for each in (other, prompt, rubric, conversation)] == [(2, 0), (2, 0), (2, 0), (1, 1)]


@pytest.mark.slow
def test_again_asks_the_judge_and_keeps_the_new_answer(inside: Sparring, played: Path, bot: Any):
    bot.answer = scores(3)
    judged(inside, f"{bot.url}#m")
    bot.answer = scores(1)

    again = judged(inside, f"{bot.url}#m", "--again")
    later = judged(inside, f"{bot.url}#m")

    assert (counts(again), counts(later)) == ((1, 2, 0), (1, 0, 2))


def test_an_undecided_judgement_is_not_cached(inside: Sparring, played: Path, bot: Any):
    bot.answer = scores(3, words="what nobody said")
    first = judged(inside, f"{bot.url}#m")
    bot.answer = scores(3)

    assert (counts(first)[0], counts(judged(inside, f"{bot.url}#m"))) == (3, (0, 2, 0))


def test_rules_that_ask_a_model_are_paid_once(inside: Sparring, played: Path, bot: Any):
    bot.answer = says("yes")
    rule = "semantic_content(last_reply(), 'an offer')"
    command = ("check", "--rule", rule, "--model", f"{bot.url}#m", "--cache", "answers.ndjson")

    first, second = inside(*command, "--json"), inside(*command, "--json")
    text = inside(*command)
    other = inside(*command[:2], rule.replace("offer", "order"), *command[3:], "--json")

    used = [json.loads(each.stdout)["usage"] for each in (first, second, other)]
    asked = used[0]["calls"]
    assert asked > 0
    assert [(each["calls"], each["from_cache"]) for each in used] == [(asked, 0), (0, asked), (asked, 0)]
    assert f"Models: none called; {asked} answer" in text.stdout
    assert len(bot.asked) == 2 * asked


def test_an_invalid_answer_is_not_cached(inside: Sparring, played: Path, bot: Any):
    bot.answer = says("Well, it depends.")
    command = ("check", "--rule", "semantic_content(last_reply(), 'an offer')", "--model", f"{bot.url}#m")
    failed = inside(*command, "--cache", "answers.ndjson")
    bot.answer = says("yes")

    assert (failed.returncode, inside(*command, "--cache", "answers.ndjson").returncode) == (3, 0)


def test_an_invalid_cache_is_refused_before_the_first_call(inside: Sparring, played: Path, bot: Any):
    (played / "answers.ndjson").write_text("not a recording\n", encoding="utf-8")

    done = judged(inside, f"{bot.url}#m")

    assert (done.returncode, len(bot.asked)) == (2, 0)
    assert "answers.ndjson:1: is not a line of a recording" in done.stderr
