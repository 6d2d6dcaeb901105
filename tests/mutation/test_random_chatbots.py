"""Mutants of chatbots that say something else when they are asked again: chance must not pass for a kill."""

from collections.abc import Sequence
from random import Random

import pytest

from sparring.chatbots.chatbot import BaseChatbot
from sparring.core.case import Case
from sparring.core.conversation import Conversation, Ending
from sparring.core.message import message
from sparring.core.mutation import Edit, MutantPlay
from sparring.core.verdict import CheckOutcome, Verdict
from sparring.mutation.asking import LiveChatbot
from sparring.mutation.mutant import Mutant
from sparring.mutation.operator import MutationOperator
from sparring.users.scripted import Scripted
from sparring.users.user import User

DEAF = MutationOperator("flow.deaf", "does not hear a message", deaf=True)
CHECKS = ("polite", "total", "order", "time")


def scripted(conversation: Conversation) -> User:
    return Scripted()


class Coins:
    """Holds conversations in which each check fails with a chance of its own, more often with a mutant."""

    def __init__(self, seed: int, chances: dict[str, dict[str, float]], mutated: dict[str, float] | None = None):
        self.random = Random(seed)
        self.chances, self.mutated = chances, mutated or {}
        self.held = 0

    async def __call__(self, mutant: Mutant, baseline: Conversation, chatbot: object, user: User):
        self.held += 1
        same = mutant.operator.kind == "control"
        chances = self.chances[baseline.case.id] | ({} if same else self.mutated)
        failed = [check for check, chance in chances.items() if self.random.random() < chance]
        said = message("chatbot", " ".join(["reply", str(self.random.random()), *failed]))
        edits = () if same else (Edit(at=1, before=said, after=said),)
        return MutantPlay(conversation=baseline.changed(messages=(*baseline.messages[:1], said)), changes=edits)

    async def verdicts(self, conversation: Conversation) -> dict[str, Verdict | None]:
        words = conversation.messages[-1].text.split()
        return {
            check: Verdict(
                check=check,
                outcome=CheckOutcome.FAIL if check in words else CheckOutcome.PASS,
                conversation=conversation.id,
                by="rule",
            )
            for check in CHECKS
        }


def baseline(number: int) -> Conversation:
    case = Case(id=f"case/{number}", script=[{"kind": "say", "text": "Hello"}])
    said = (message("user", "Hello"), message("chatbot", "reply"))
    return Conversation(case=case, messages=said, ending=Ending.USER_DONE)


async def kills(coins: Coins, conversations: Sequence[Conversation], mutants: int) -> int:
    """Return how many of some mutants, each in up to three conversations, a check notices."""
    live = LiveChatbot(BaseChatbot(), coins.verdicts, conversations)
    found = 0
    for number in range(mutants):
        picked = tuple(coins.random.sample(conversations, min(3, len(conversations))))
        mutant = Mutant(DEAF, number, picked)
        for each in picked:
            assert await live.is_random(each, scripted, coins)
            confirmed = await live.confirmed(mutant, each, scripted, coins)
            assert confirmed is not None
            if confirmed[2]:
                found += 1
                break
    return found


@pytest.mark.slow
@pytest.mark.parametrize("most", [0.1, 0.2, 0.6])
async def test_checks_that_fail_by_chance_notice_at_most_one_identity_mutant_in_200(most: float):
    """2,000 mutants that change nothing, of chatbots whose checks fail with a chance of up to `most`."""
    conversations = [baseline(number) for number in range(12)]
    false = 0
    for seed in range(20):
        random = Random(seed)
        chances = {each.case.id: {check: random.uniform(0, most) for check in CHECKS} for each in conversations}
        false += await kills(Coins(seed, chances), conversations, 100)

    assert false <= 10


@pytest.mark.slow
async def test_one_case_that_fails_most_of_the_time_makes_no_kill():
    """The share over all cases is small, so that only this case's own runs say that the check is flaky here."""
    conversations = [baseline(number) for number in range(12)]
    chances = {each.case.id: {"total": 0.6 if each is conversations[0] else 0.0} for each in conversations}

    false = sum([await kills(Coins(seed, chances), conversations, 20) for seed in range(50)])

    assert false <= 5


@pytest.mark.parametrize(("chance", "least"), [(1.0, 20), (0.8, 15), (0.6, 8)])
async def test_a_fault_that_checks_see_is_noticed_also_if_it_does_not_always_show(chance: float, least: int):
    conversations = [baseline(number) for number in range(12)]
    chances = {each.case.id: dict.fromkeys(CHECKS, 0.0) for each in conversations}

    found = await kills(Coins(1, chances, {"total": chance}), conversations, 20)

    assert found >= least


async def test_a_check_that_fails_too_often_is_named_and_notices_nothing():
    conversations = [baseline(number) for number in range(6)]
    chances = {each.case.id: {"time": 0.5} for each in conversations}
    coins = Coins(2, chances, {"time": 1.0})
    live = LiveChatbot(BaseChatbot(), coins.verdicts, conversations)

    confirmed = await live.confirmed(Mutant(DEAF, 1, (conversations[0],)), conversations[0], scripted, coins)

    assert confirmed is not None
    assert (confirmed[2], live.flaky) == ([], ["time"])


async def test_a_mutant_that_no_check_sees_takes_two_conversations():
    conversations = [baseline(number) for number in range(6)]
    coins = Coins(3, {each.case.id: {} for each in conversations})
    live = LiveChatbot(BaseChatbot(), coins.verdicts, conversations, runs=3)
    await live.confirmed(Mutant(DEAF, 1, (conversations[0],)), conversations[0], scripted, coins)
    before = coins.held

    await live.confirmed(Mutant(DEAF, 2, (conversations[0],)), conversations[0], scripted, coins)

    assert (before, coins.held - before) == (6 * 3 + 2, 2)


async def test_a_chatbot_that_repeats_itself_ten_times_is_deterministic():
    class Same(Coins):
        async def __call__(self, mutant: Mutant, baseline: Conversation, chatbot: object, user: User):
            self.held += 1
            return MutantPlay(conversation=baseline)

    (only,) = conversations = [baseline(1)]
    coins = Same(0, {})
    live = LiveChatbot(BaseChatbot(), coins.verdicts, conversations)

    assert not await live.is_random(only, scripted, coins)
    assert not await live.is_random(only, scripted, coins)
    assert (coins.held, live.asked) == (10, 10)


async def test_mutants_are_judged_alike_from_the_first_to_the_last():
    """Only the last conversation is random, which is known before the first mutant is judged."""

    class Last(Coins):
        async def __call__(self, mutant: Mutant, baseline: Conversation, chatbot: object, user: User):
            made = await super().__call__(mutant, baseline, chatbot, user)
            return made if baseline.id == "case/29" else MutantPlay(conversation=baseline)

    conversations = [baseline(number) for number in range(30)]
    coins = Last(1, {each.case.id: {} for each in conversations})
    live = LiveChatbot(BaseChatbot(), coins.verdicts, conversations)

    assert [await live.is_random(each, scripted, coins) for each in (conversations[0], conversations[-1])] == [True] * 2


async def test_each_conversation_has_its_own_user():
    heard: list[tuple[str, str]] = []

    async def hold(mutant: Mutant, baseline: Conversation, chatbot: object, user: User):
        heard.append((baseline.id, str(user)))
        return MutantPlay(conversation=baseline)

    class Named(Scripted):
        def __init__(self, name: str):
            self.name = name

        def __str__(self) -> str:
            return self.name

    conversations = [baseline(number) for number in range(12)]
    live = LiveChatbot(BaseChatbot(), Coins(1, {}).verdicts, conversations)
    await live.is_random(conversations[0], lambda each: Named(each.id), hold)

    assert heard == [(each.id, each.id) for each in conversations]
