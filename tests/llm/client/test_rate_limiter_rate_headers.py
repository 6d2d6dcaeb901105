from datetime import UTC, datetime

import pytest

from sparring.llm.client.rate_headers import asked_in_words, reset_at
from tables import table

NOW = datetime(2026, 2, 3, tzinfo=UTC)


@table(
    ("words", "seconds"),
    [
        ("You exceeded your current quota. Please retry in 12.4s.", 12.4),
        ("Rate limit reached for gpt-4o on requests per min: Limit 3, Used 3. Please try again in 20s.", 20),
        ("on tokens per day (TPD): Limit 100000, Used 99990. Please try again in 52m11.3s. Upgrade?", 3131.3),
        ("Please try again in 340ms. Visit", 0.34),
        ("exceeded token rate limit of your tier. Please retry after 26 seconds.", 26),
        ("Please try again in 5 minutes.", 300),
        ("Please try again in 1 minute and 30 seconds.", 90),
        ("Please try again in 1 hour, 2 mins, and 3.5 secs.", 3723.5),
        ("Please try again in 1m12s. Visit", 72),
        ("Please try again in 1h. Visit", 3600),
        ("Please try again in 1d2h3m.", 93_780),
        ("Please try again in 20 ms.", 0.02),
        ("Please retry after 60 milliseconds.", 0.06),
        ("Rate limit of 15 per 60s exceeded. Please wait 12 seconds before retrying.", 12),
        ("PLEASE RETRY AFTER 1 SECOND", 1),
        ("Please try again in 0s.", None),
        ("retry in 12", None),
        ("wait 5 more days", None),
        ("Please try again later.", None),
        ("retry in 3 steps", None),
        ("", None),
    ],
)
def test_a_wait_stated_in_words_is_parsed(words: str, seconds: float | None):
    assert asked_in_words(words) == pytest.approx(seconds)


@pytest.mark.parametrize(("ahead", "unit"), [(12, 1), (12, 1000), (-3, 1)], ids=["s", "ms", "past"])
def test_a_moment_is_so_many_seconds_away(ahead: int, unit: int):
    moment = str(int(NOW.timestamp() + ahead) * unit)

    assert reset_at({"x-ratelimit-reset": moment}, NOW) == (ahead if ahead > 0 else None)


@pytest.mark.parametrize("header", [{}, {"x-ratelimit-reset": "30"}, {"x-ratelimit-reset": "soon"}])
def test_an_invalid_moment_is_ignored(header: dict[str, str]):
    assert reset_at(header, NOW) is None
