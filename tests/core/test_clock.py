from sparring.core.clock import in_seconds


def test_a_time_is_written_without_powers_of_ten():
    assert list(map(in_seconds, (0.61543, 12, 999, 999.6, 12_600))) == [
        "0.615 s",
        "12 s",
        "999 s",
        "1,000 s",
        "12,600 s",
    ]
