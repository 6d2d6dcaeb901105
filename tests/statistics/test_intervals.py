import pytest

from sparring.statistics.intervals import interval, wilson


def test_intervals_are_wilsons():
    assert [round(end, 4) for end in interval(5, 10)] == [0.2366, 0.7634]
    assert interval(0, 10)[0] == pytest.approx(0)
    assert wilson(0.5, 10, 0.975) == interval(5, 10)
