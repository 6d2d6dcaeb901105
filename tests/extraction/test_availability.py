"""Days and times at which a user is free."""

from datetime import date

from sparring.extraction.availability import available_days, nearest, proposed, suits
from sparring.extraction.extractor import ExtractionContext
from tables import table

FREE = ("Tuesday after 3 pm", "Thursday after 3 pm")


@table(
    ("text", "expected"),
    [
        ("You're free on Tuesday or Thursday after 3 pm, not on Fridays.", FREE),
        ("you can come between 9 and 12 on weekdays", ("weekdays between 9 and 12",)),
        ("You are available on Monday mornings and on Wednesday", ("Monday mornings", "Wednesday")),
        ("You are free after 17:00", ("after 17:00",)),
        ("You want it for free on Monday", ()),
        ("The shop opens on Monday", ()),
        ("Estás libre los lunes por la tarde y los jueves", ("lunes por la tarde", "jueves")),
        ("Вы свободны во вторник после 15:00", ("вторник после 15:00",)),
    ],
)
def test_a_sentence_says_when_the_user_is_free(text: str, expected: tuple[str, ...]) -> None:
    assert available_days(text) == expected


@table(
    ("question", "suitable"),
    [
        ("Does Monday at 10 suit you?", False),
        ("Would Tuesday at 4 pm work?", True),
        ("How about Tuesday at 10 am?", False),
        ("Thursday?", True),
        ("Is 2026-11-24 at 16:00 okay?", True),
        ("Would Tuesday between 2 and 4 be fine?", True),
        ("Friday afternoon?", False),
    ],
)
def test_a_proposal_is_held_against_the_days(question: str, suitable: bool) -> None:
    assert suits(FREE, proposed(question)) is suitable


def test_a_relative_date_counts_as_its_weekday() -> None:
    monday = ExtractionContext(today=date(2026, 11, 23))
    assert suits(FREE, proposed("Can you come tomorrow at 16:00?", monday))


def test_the_nearest_day_comes_soonest_after_the_proposed_one() -> None:
    assert nearest(FREE, proposed("Wednesday at 10?")) == "Thursday after 3 pm"
