import re

from sparring.reports.html.charts import (
    MOST_CELLS,
    Cell,
    cells,
    columns,
    counts_text,
    difference,
    interval,
    meter,
    trend,
)
from sparring.statistics.estimates import Difference, Interval

RATE = Interval(value=0.5, low=0.25, high=0.75, confidence=0.95, claim="these", cases=2, conversations=4, effective=4)


def test_a_meter_has_a_part_for_each_count_and_says_them():
    drawn = meter({"passed": 3, "failed": 1, "void": 0})

    assert re.findall('class="([^"]+)" x="([^"]+)"', drawn) == [("f-passed", "0.00%"), ("f-failed", "75.00%")]
    assert re.findall('width="([^"]+%)"', drawn) == ["74.75%", "25.00%"], "the last part reaches the edge"
    assert 'aria-label="3 passed, 1 failed"' in drawn


def test_a_single_number_of_turns_is_a_column_and_not_a_slab():
    assert re.findall(' width="([^"]+)"', columns({5: (3, 3)})) == ["36.0", "36.0"]


def test_a_square_leads_to_its_conversation_and_a_long_row_is_one_bar():
    one = Cell("failed", "conversation?id=a&in=", "a <b>, failed")

    assert '<a href="conversation?id=a&amp;in=" tabindex="-1" aria-label="a &lt;b&gt;, failed">' in cells(
        [one], {"failed": 1}
    )
    assert "<a" not in cells([], {"failed": MOST_CELLS + 1})


def test_drawings_have_no_style_attribute_and_say_what_they_show():
    drawn = [
        meter({"passed": 1}),
        cells([Cell("passed")], {"passed": 1}),
        interval(RATE),
        interval(None),
        trend([0.5, None, 1.0]),
    ]

    assert [each for each in drawn if "style=" in each] == []
    assert 'aria-label="50 %, 25–75 %"' in drawn[2]
    assert "pass rate of 2 runs: 50 %, 100 %" in drawn[4]
    assert (counts_text({"not_run": 2}), counts_text({})) == ("2 not run", "none")


def test_a_difference_stays_on_its_scale_and_has_the_color_of_its_direction():
    about = {"confidence": 0.95, "claim": "these", "cases": 9, "conversations": 9, "effective": 9}
    drawn = difference(Difference(value=-0.1, low=-0.4, high=-0.05, p=0.001, **about), 0.2)
    untold = difference(Difference(value=0.0, low=-0.1, high=0.1, **about), 0.2)

    assert "M4.0 10H91.0" in drawn
    assert 'class="f-failed" cx="62.0"' in drawn
    assert 'class="f-plain" cx="120.0"' in untold
