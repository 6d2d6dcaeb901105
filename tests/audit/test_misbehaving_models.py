"""Models that misbehave as users: no chatbot is to blame for them."""

import pytest

from misbehaving import hold, ways
from sparring.core.audit import Blame
from sparring.core.conversation import Ending
from sparring.core.outcome import Outcome
from tables import table

WAYS = ways()


def test_there_are_23_ways_to_misbehave():
    assert len(WAYS) == 23


@pytest.mark.slow
@table("name", WAYS)
async def test_the_user_is_to_blame_for_what_the_model_says(name: str):
    way = WAYS[name]
    conversation, decision = await hold(way)

    (lines,) = way["says"]
    said = [each.text for each in conversation.messages if each.role == "user"]
    stopped = conversation.ending is Ending.USER_STUCK
    assert stopped or set(lines) <= set(said)
    assert (decision.outcome, decision.blame) == (Outcome.VOID, Blame.USER)
