"""From conversations to a gate by a calibrated judge, in a browser and with keys alone."""

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from command_line import Sparring, sparring
from web.browser import page_of, picture, press, serious
from web.serving import Server

__all__ = ["sparring"]

pytestmark = [pytest.mark.process, pytest.mark.timeout(300)]

SCENARIOS = "scenarios:\n" + 12 * (
    '  - goals: ["the following drink: coke"]\n  - goals: [{asks: "the following drink: coke", answer: sprite}]\n'
)
PLAYERS = ("--chatbot", "pizzeria", "--model", "offline", "--judge", "checklist")


def test_conversations_are_labelled_blind_and_the_judge_calibrated_with_keys_alone(
    browser: Any, sparring: Sparring, tmp_path: Path
):
    (tmp_path / "pizza.yml").write_text(SCENARIOS, encoding="utf-8")
    (tmp_path / "sparring.yaml").write_text("gate: {pass_rate: 0.2, judge: calibrated}\n", encoding="utf-8")
    sparring("run", "pizza.yml", *PLAYERS, "--name", "night")
    with Server(tmp_path) as server, page_of(browser) as page:
        page.goto(f"{server.address}/batches/night")
        page.wait_for_selector("text=the gate asks for a calibrated judge")
        press(page, "v")
        page.wait_for_selector("text=Conversation 1 of 24")
        assert serious(page) == []
        press(page, "n")
        page.keyboard.type("Ann")
        press(page, "Escape")
        for labelled in range(1, 25):
            for key, typed in (("b", "judge"), ("t", "1"), ("s", "2"), ("r", "Cold.")) if labelled < 3 else ():
                press(page, key)
                page.keyboard.type(typed)
                press(page, "Escape")
            number = int(page.input_value("[name=conversation]").rpartition("/")[2])
            press(page, "1" if number % 2 else "2")
            page.wait_for_selector(f"text={labelled} labelled.")

        page.wait_for_selector("text=All 24 are labelled")
        given = [each for each in server.get("/api/batches/night/labels")["labels"] if each["reason"] == "Cold."]
        press(page, "c")
        page.wait_for_selector("text=checklist: not calibrated")
        press(page, "c")
        page.wait_for_selector("text=Pass rate: corrected 50 %")
        picture(page, "judge")
        assert serious(page) == []
        blames = {each["outcome"]: (each["blame"], each["turn"], each["score"]) for each in given}
        assert blames == {each: (None, 1, 2) if each == "passed" else ("judge", 1, 2) for each in blames}
        assert len(given) == 2
        press(page, "u")
        page.wait_for_selector(".banner >> text=PASSED: 12 of 24 passed")
        assert "5 of 5 criteria passed" in page.inner_text("section[aria-labelledby=gate]")


def test_a_key_labels_only_the_conversation_that_is_shown(browser: Any, sparring: Sparring, tmp_path: Path):
    (tmp_path / "pizza.yml").write_text(SCENARIOS, encoding="utf-8")
    sparring("run", "pizza.yml", *PLAYERS, "--name", "night")
    held: list[Any] = []
    with Server(tmp_path) as server, page_of(browser) as page:
        page.route("**/labels", lambda route: held.append(route))
        page.goto(f"{server.address}/batches/night/label?who=Ann")
        press(page, "1")
        page.wait_for_selector("button:disabled >> text=Passed")
        for _ in range(9):
            page.keyboard.press("2")
        told = page.is_visible("text=Saving; then comes the next one.")
        held.pop().continue_()
        page.wait_for_selector("text=1 labelled.")
        page.unroute("**/labels")
        for number in range(2, 11):
            page.keyboard.press("2")
            page.wait_for_selector(f"text={number} labelled.")
        labels = server.get("/api/batches/night/labels")["labels"]

    assert (told, held) == (True, [])
    assert Counter(each["outcome"] for each in labels) == {"passed": 1, "failed": 9}
