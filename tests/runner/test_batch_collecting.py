import gc

import pytest

from sparring.runner.batch import reduced_gc


def test_garbage_is_collected_rarely_inside_and_as_before_outside():
    before = gc.get_threshold()

    def play() -> None:
        with reduced_gc(100):
            assert gc.get_threshold()[0] > before[0]
            raise ValueError("a batch that failed")

    with pytest.raises(ValueError, match="a batch"):
        play()

    assert (gc.get_threshold(), gc.get_freeze_count()) == (before, 0)


def test_the_more_are_under_way_the_later_python_collects():
    thresholds = []
    for under_way in (8, 2000):
        with reduced_gc(under_way):
            thresholds.append(gc.get_threshold()[0])

    few, many = thresholds
    assert many - few == (2000 - 8) * 400
