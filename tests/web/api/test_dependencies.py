import pytest

from sparring.web.api.dependencies import ListenerLimit
from sparring.web.api.errors import RequestError


def test_a_caller_gets_at_most_half_of_the_slots_and_all_slots_can_be_used():
    limit = ListenerLimit(5)

    with limit.acquire("anna"), limit.acquire("anna"), limit.acquire("ben"):
        with pytest.raises(RequestError, match="you have 2 event streams open"):
            limit.check("anna")
        limit.check("ben")
        with limit.acquire("ben"), limit.acquire("carl"), pytest.raises(RequestError, match="5 event streams are open"):
            limit.check("dora")

    assert limit.count == 0
    limit.check("anna")


def test_a_single_slot_is_open_to_every_caller():
    limit = ListenerLimit(1)

    limit.check("anna")
    with limit.acquire("anna"), pytest.raises(RequestError):
        limit.check("ben")
