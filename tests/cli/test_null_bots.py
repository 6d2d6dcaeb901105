"""Weak cases and guards in a run, its summary and its exit code."""

import json
from pathlib import Path

import pytest

from command_line import Sparring

ON = {"SPARRING_NULL_BOTS": "true"}
RUN = ("run", "book.yml", "--chatbot", "pizzeria", "--model", "offline")
BOOK = """
cases:
  - {id: guard, steps: [user: Hello, expect_tool: {name: place_order, not: true}]}
  - {id: weak, steps: [user: Hello, expect_bot_regex: .]}
  - {id: strong, steps: [user: Which drinks do you have?, expect_bot_regex: sprite.*water]}
"""


@pytest.fixture(autouse=True)
def book(tmp_path: Path) -> None:
    (tmp_path / "book.yml").write_text(BOOK, encoding="utf-8")


def test_a_weak_case_is_undecided_and_its_author_is_to_blame(inside: Sparring):
    done = inside(*RUN, env=ON)
    shown = json.loads(inside("show", "latest", "book/weak", "--json").stdout)

    assert done.returncode == 3
    assert "1 of 3 not in the rate: 1 undecided" in done.stdout
    assert "book/weak: null bots: a bot that refuses everything would have passed" in done.stdout
    assert "Guards: 1 of 3" in done.stdout
    assert "A bot that refuses everything passes 2 of 3" in done.stdout
    assert (shown["outcome"], shown["blame"]) == ("undecided", "case")


def test_a_failed_check_fails_a_weak_case(inside: Sparring, tmp_path: Path):
    (tmp_path / "no.yml").write_text("name: no\nthen: turns() > 9\n", encoding="utf-8")

    told = json.loads(inside(*RUN, "--rules", "no.yml", "--json", env=ON).stdout)

    assert told["outcomes"]["failed"] == 3


def test_a_resumed_batch_keeps_what_null_bots_found(inside: Sparring):
    inside(*RUN, "--max-conversations", "1", env=ON)
    told = json.loads(inside("run", "--resume", "latest", "--json", env=ON).stdout)

    assert (told["guards"], told["weak"], told["refused"], told["untried"]) == (1, 1, 2, 0)


def test_the_summary_says_that_null_bots_are_off(inside: Sparring):
    done = inside(*RUN, "--no-null-bots", env=ON)

    assert done.returncode == 0
    assert "Null bots are off: weak cases are not found among 3 conversations" in done.stdout


def test_a_rule_over_pairs_that_null_bots_satisfy_is_weak_and_decides_nothing(inside: Sparring, tmp_path: Path):
    rule = "name: short\nconversations: 2\nthen: len(conv[0].chatbot_phrases) == len(conv[1].chatbot_phrases)\n"
    (tmp_path / "short.yml").write_text(rule, encoding="utf-8")

    done = inside(*RUN, "--rules", "short.yml", env=ON)

    assert "Weak rules, which bots that do nothing useful satisfy: short" in done.stdout
    assert done.returncode == 3
