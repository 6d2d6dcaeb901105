import pytest

from sparring.web.api.dependencies import ListenerLimit
from sparring.web.api.errors import RequestError


def test_nobody_takes_more_than_half_of_the_room_and_all_of_it_can_be_taken():
    limit = ListenerLimit(5)

    with limit.acquire("anna"), limit.acquire("anna"), limit.acquire("ben"):
        with pytest.raises(RequestError, match="you have 2 event streams open"):
            limit.check("anna")
        limit.check("ben")
        with limit.acquire("ben"), limit.acquire("carl"), pytest.raises(RequestError, match="5 event streams are open"):
            limit.check("dora")

    assert limit.count == 0
    limit.check("anna")


def test_where_there_is_one_seat_anybody_may_take_it():
    limit = ListenerLimit(1)

    limit.check("anna")
    with limit.acquire("anna"), pytest.raises(RequestError):
        limit.check("ben")
