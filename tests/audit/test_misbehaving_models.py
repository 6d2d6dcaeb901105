"""Models that misbehave as users: no chatbot is to blame for them."""

import pytest

from misbehaving import hold, ways
from sparring.core.conversation import Ending

WAYS = ways()


def test_there_are_23_ways_to_misbehave():
    assert len(WAYS) == 23


@pytest.mark.parametrize("name", WAYS)
async def test_the_model_says_what_no_user_would_say_or_is_stopped(name: str):
    way = WAYS[name]
    conversation, _ = await hold(way)

    (lines,) = way["says"]
    said = [each.text for each in conversation.messages if each.role == "user"]
    stopped = conversation.ending is Ending.USER_STUCK
    assert stopped or set(lines) <= set(said) or "{prompt}" in lines
