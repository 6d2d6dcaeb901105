import gc

import pytest

from sparring.runner.collecting import rarely_collected


def test_python_collects_rarely_inside_and_as_before_outside_whatever_happens():
    before = gc.get_threshold()

    def play() -> None:
        with rarely_collected():
            assert gc.get_threshold()[0] > before[0]
            raise ValueError("a batch that failed")

    with pytest.raises(ValueError, match="a batch"):
        play()

    assert (gc.get_threshold(), gc.get_freeze_count()) == (before, 0)
