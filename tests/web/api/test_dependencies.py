import pytest

from sparring.web.api.dependencies import ListenerLimit
from sparring.web.api.errors import Refusal


def test_nobody_takes_more_than_half_of_the_room_and_all_of_it_can_be_taken():
    seats = ListenerLimit(5)

    with seats.sitting("anna"), seats.sitting("anna"), seats.sitting("ben"):
        with pytest.raises(Refusal, match="you are listening 2 times"):
            seats.check("anna")
        seats.check("ben")
        with seats.sitting("ben"), seats.sitting("carl"), pytest.raises(Refusal, match="5 are listening"):
            seats.check("dora")

    assert seats.taken == 0
    seats.check("anna")


def test_where_there_is_one_seat_anybody_may_take_it():
    seats = ListenerLimit(1)

    seats.check("anna")
    with seats.sitting("anna"), pytest.raises(Refusal):
        seats.check("ben")
