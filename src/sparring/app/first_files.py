"""The first scenario and rule of a project, derived from a conversation with its chatbot."""

import re
from collections.abc import Mapping
from itertools import pairwise

import yaml

from sparring.app.played_probes import Learned
from sparring.core.conversation import Conversation
from sparring.core.verdict import CheckOutcome
from sparring.extraction import typed_values
from sparring.extraction.tokens import mentions
from sparring.judges.builtin.attentive import attentive
from sparring.rules.check import SingleRules
from sparring.rules.recording import recording_of
from sparring.rules.rule_file import require_valid, rule_of

_CHECKS = {
    "all(len(phrase) > 0 for phrase in chatbot_phrases)": "len(chatbot_phrases) > 0",
    "responds_in_same_language()": "any(language(phrase) not in ['unknown', 'OTHER'] for phrase in chatbot_phrases)",
}
"""Checks that hold for any chatbot, in addition to the built-in ones, and the condition for testing each."""

SCENARIO, RULE = "scenarios/first.yml", "rules/generic.yml"


def first_files(learned: Learned) -> dict[str, str]:
    """Return the texts of a scenario and of a rule, by path."""
    return {SCENARIO: _scenario(learned), RULE: _rule(learned.walks[0])}


def _scenario(learned: Learned) -> str:
    """Return a playbook with the words of a walk, and an expectation for one reply."""
    walks = [_replies(each) for each in learned.walks]
    found = [(replies, *_expected(replies, learned.taken)) for replies in walks]
    replies, at, expected = next((each for each in found if each[2]), found[0])
    steps: list[Mapping[str, str]] = [{"user": line} for line, _ in replies[: at + 1]]
    steps += [{"expect_bot_regex": f"(?i){re.escape(each)}"} for each in expected]
    head = "# A conversation that the chatbot really had.\n"
    if not expected:
        head += "# It names no value to check: add `expect_bot_regex: ...` with what is right.\n"
    case = {"id": "first", "steps": steps}
    return head + yaml.safe_dump({"cases": [case]}, sort_keys=False, allow_unicode=True, width=10_000)


def _replies(walk: Conversation) -> list[tuple[str, str]]:
    """Return the messages of the user, each with the replies to it.

    Of guesses at which the chatbot asks the same again, for which it would be blamed, only the one that it takes stays.
    """
    found: list[tuple[str, str]] = []
    for message in walk.messages:
        if message.role == "user":
            found.append((message.text, ""))
        elif found:
            found[-1] = (found[-1][0], f"{found[-1][1]}\n{message.text}")
    answered = [each for each in found if each[1]]
    if attentive(walk).outcome is not CheckOutcome.FAIL:
        return answered
    return [each for before, each in pairwise([("", ""), *answered]) if each[1] != before[1]]


def _expected(replies: list[tuple[str, str]], taken: tuple[str, ...]) -> tuple[int, list[str]]:
    """Return the reply that repeats most of the options taken, and what it repeats.

    A chatbot that offers no options is expected to state the same amounts.
    """
    named = [[each for each in taken if mentions(reply, each)] for _, reply in replies]
    if not any(named):
        named = [[reply[each.start : each.end] for each in typed_values.find("money", reply)] for _, reply in replies]
    at = max(range(len(named)), key=lambda number: (len(named[number]), number), default=0)
    return (at, list(dict.fromkeys(named[at]))) if any(named) else (len(replies) - 1, [])


def _rule(walk: Conversation) -> str:
    """Return a rule of the checks that could be tried in the walk."""
    rules = require_valid(map(rule_of, _CHECKS.values()))
    verdicts = SingleRules({each.then: each for each in rules}).verdicts(recording_of(walk))
    tried = [each for each, when in _CHECKS.items() if verdicts[when].outcome is CheckOutcome.PASS]
    fields = {"name": "generic", "description": "Every reply has words in the language of the user."}
    if len(tried) < len(_CHECKS):
        fields["description"] = "Every reply has words."
    return yaml.safe_dump(fields | {"then": " and ".join(tried)}, sort_keys=False, width=10_000)
