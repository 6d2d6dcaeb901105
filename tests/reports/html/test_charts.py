from datetime import UTC, datetime
from xml.etree import ElementTree

from hypothesis import given
from hypothesis import strategies as st

from sparring.reports.comparison import Night
from sparring.reports.html.charts import lines, nights_chart
from sparring.reports.html.formatting import seconds
from sparring.reports.rate_text import signed
from sparring.statistics import difference


def test_lines_have_names_and_an_end():
    drawn = lines({"p50": [(1, 0.5), (2, 1.0)], "p99": [(1, 2.0), (2, 4.0)]}, title="times", across="turn", up=seconds)

    assert ElementTree.fromstring(drawn).attrib["aria-label"] == "times"
    assert ">4 s<" in drawn
    assert lines({}, title="x", across="x", up=seconds) == ""


def test_each_night_has_its_change_from_the_baseline_with_its_claim():
    when = datetime(2026, 11, 3, tzinfo=UTC)
    rows = [[1, 1]] * 20, [[1, 0]] * 20
    told = [Night(batch="B", created=when, change=difference(rows[0], after)) for after in rows]

    drawn = nights_chart([*told, Night(batch="C", created=when, change=None)])

    titles = [each.text for each in ElementTree.fromstring(drawn).iter("title")]
    bounds = [f"[{signed(each.change.low)}, {signed(each.change.high)}]" for each in told if each.change]
    assert titles == [
        f"2026-11-03, these cases: 0 points {bounds[0]}",
        f"2026-11-03, these cases: −50 points {bounds[1]}",
    ]
    assert nights_chart([]) == ""


@given(st.text(), st.lists(st.tuples(st.floats(0, 1e9), st.floats(0, 1e9)), max_size=5))
def test_a_chart_escapes_all_text(words: str, points: list[tuple[float, float]]):
    drawn = lines({f"<script>{words}": points}, title=f'"><b>{words}', across="<i>", up=lambda value: "<u>")

    assert [tag for tag in ("<script", "<b>", "<i>", "<u>") if tag in drawn] == []
