"""Rules over stored batches."""

from collections.abc import AsyncIterator

from sparring.app.check import check_stored
from sparring.core.checks import InvalidRule, Rule
from sparring.core.errors import Problem
from sparring.core.verdict import Findings
from sparring.rules.limits import EvaluationLimits
from sparring.settings import Settings
from sparring.testing.factories import a_batch, a_conversation
from sparring.testing.memory_store import MemoryStore

SHORT, PAIRS = Rule(name="short", then="turns() < 9"), Rule(name="pairs", conversations=2, then="turns(conv[0]) < 9")
UNKNOWN = Rule(name="unknown", then="pirce < 9")
INVALID = InvalidRule(name="invalid", problems=(Problem(message="no"),))
BATCH = a_batch("a", "b", "c")


class CountingStore(MemoryStore):
    passes = 0

    def documents(self, batch: str) -> AsyncIterator[list[bytes]]:
        self.passes += 1
        return super().documents(batch)


async def test_findings_are_kept_until_the_conversations_change() -> None:
    store = await store_with(2)
    rules = (PAIRS, INVALID, SHORT, UNKNOWN)

    first = await checked(store, *rules)
    again = await checked(store, *reversed(rules))
    await store.add(BATCH.id, a_conversation(BATCH.cases[2]))
    changed = await checked(store, *rules)

    assert [each.rule for each in first.findings] == ["pairs", "invalid", "short", "unknown"]
    assert [(each.applicable, bool(each.invalid)) for each in first.findings] == [
        (2, False),
        (0, True),
        (2, False),
        (0, True),
    ]
    assert again == first.model_copy(update={"findings": tuple(reversed(first.findings))})
    assert (changed.conversations, changed.findings[0].applicable, store.passes) == (3, 6, 2)


async def test_only_rules_without_a_kept_finding_are_computed() -> None:
    store = await store_with(2)
    await checked(store, SHORT)

    found = await checked(store, SHORT, PAIRS)
    other = await checked(store, SHORT, limits=EvaluationLimits(examples=1))

    assert ([each.satisfied for each in found.findings], found.conversations) == ([2, 2], 2)
    assert (other.findings, store.passes) == (found.findings[:1], 3)


async def test_a_rule_that_asks_a_model_is_asked_again() -> None:
    store = await store_with(1)
    asking = Rule(name="tone", then="tone(chatbot_phrases[0]) == ['POSITIVE']")

    for _ in range(2):
        (found,) = (await checked(store, asking)).findings

    assert (found.needs_model, store.passes) == (1, 2)


async def store_with(conversations: int) -> CountingStore:
    store = CountingStore()
    await store.create(BATCH)
    for case in BATCH.cases[:conversations]:
        await store.add(BATCH.id, a_conversation(case))
    return store


async def checked(store: CountingStore, *rules: Rule | InvalidRule, limits: EvaluationLimits | None = None) -> Findings:
    limits = limits or EvaluationLimits()
    found, _ = await check_stored(rules, BATCH, store, Settings().app_config(), limits=limits, given_up=print)
    return found
