"""Hashes under which the verdicts and findings of checks are recorded."""

from collections.abc import Iterable

from sparring.core.audit import AUDIT, AUDIT_VERSION
from sparring.core.batch import Batch
from sparring.core.checks import Rule, check_hash
from sparring.core.conversation import Conversation
from sparring.core.outcome import NULL_BOTS
from sparring.core.value import to_json
from sparring.judges.builtin import BY_HASH


def expectations_hash(conversation: Conversation) -> str:
    """Return the hash under which verdicts on the expectations of the conversation's case start."""
    return check_hash("expectations", b"".join(map(to_json, conversation.case.expectations)))


def judge_hash(name: str) -> str:
    """Return the hash under which the verdict of a deterministic judge is recorded."""
    return check_hash("judge", name.encode())


def rule_hashes(rules: Iterable[Rule]) -> dict[str, Rule]:
    """Return the active rules by the hash under which their verdicts and findings are recorded."""
    return {each.hash: each for rule in rules if rule.active for each in [_current(rule)]}


def _current(rule: Rule) -> Rule:
    """Return the rule with the functions of today, as far as this process has them."""
    if not rule.functions:
        return rule
    from sparring.rules.function_sources import with_functions  # rules without such functions need no language

    return with_functions(rule)


NULL_BOTS_HASH = check_hash(NULL_BOTS, b"")
"""Hash under which the verdict of null bots is recorded."""


AUDIT_HASH = check_hash(AUDIT, b"%d" % AUDIT_VERSION)
"""Hash under which the verdict of the audit is recorded, if it found anything."""


BUILT_IN_HASHES = (*BY_HASH, NULL_BOTS_HASH, AUDIT_HASH)
"""Hashes of the verdicts that every conversation may have."""


def complete_hash(batch: Batch) -> str:
    """Return the hash that says that the expectations and rules of a batch have all been evaluated."""
    return check_hash("batch", " ".join(rule_hashes(batch.rules)).encode())
