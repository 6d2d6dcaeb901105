"""Each name of `sparring.statistics` is imported when it is first used."""

from sparring import statistics


def test_every_name_is_imported_when_it_is_used():
    assert [name for name in statistics.__all__ if getattr(statistics, name, None) is None] == []
