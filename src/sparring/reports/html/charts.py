"""Charts and page components as inline SVG, without scripts."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import chain
from statistics import median

from markupsafe import Markup, escape

from sparring.reports.comparison import Night
from sparring.reports.html.formatting import plain, seconds
from sparring.reports.measures import Latency, Measures
from sparring.reports.rate_text import bounds_text, claim_text, percent, points_text, signed
from sparring.statistics.estimates import Difference, Interval

_GAP = 0.25
_CELL, _CELLS_PER_LINE = 12, 28
_COLUMN = 40

MOST_CELLS = 200
"""Most squares of one row. A row with more conversations is a stacked bar."""

MOST_RATES = 12
"""Most runs in a trend."""


@dataclass(frozen=True, slots=True)
class Cell:
    """One conversation of a row of squares, with the address of its page and its accessible name."""

    outcome: str
    url: str = ""
    name: str = ""


def meter(counts: Mapping[str, int]) -> Markup:
    """Draw counts as parts of one bar, in their order, with an accessible name."""
    total, counted, drawn = sum(counts.values()) or 1, 0, Markup()
    for kind, count in counts.items():
        at, counted = 100 * counted / total, counted + count
        width = 100 * count / total - (_GAP if counted < total else 0)
        if count:
            drawn += Markup('<rect class="f-{}" x="{:.2f}%" width="{:.2f}%" height="100%"/>').format(
                kind, at, max(width, 0.3)
            )
    return Markup('<svg role="img" aria-label="{}">{}</svg>').format(counts_text(counts), drawn)


def counts_text(counts: Mapping[str, int]) -> str:
    """Return counts in words: `12 passed, 3 failed`."""
    return ", ".join(f"{count:,} {kind.replace('_', ' ')}" for kind, count in counts.items() if count) or "none"


def share(value: float, kind: str = "failed") -> Markup:
    """Draw a share from 0 to 1. It is hidden from screen readers, because the number stands beside it."""
    width = 100 * min(max(value, 0), 1)
    return Markup(
        '<svg class="share" aria-hidden="true"><rect class="f-rest" width="100%" height="100%"/>'
        '<rect class="f-{}" width="{:.1f}%" height="100%"/></svg>'
    ).format(kind, width)


def cells(found: Sequence[Cell], counts: Mapping[str, int]) -> Markup:
    """Draw a square for each conversation, or one stacked bar if there are more than `MOST_CELLS`."""
    if sum(counts.values()) > MOST_CELLS:
        return Markup('<div class="meter">{}</div>').format(meter(counts))
    columns, lines = min(len(found), _CELLS_PER_LINE), -(-len(found) // _CELLS_PER_LINE)
    drawn = Markup().join(_cell(number, each) for number, each in enumerate(found))
    size = Markup('width="{0}" height="{1}" viewBox="0 0 {0} {1}"').format(columns * _CELL + 2, lines * _CELL + 2)
    return Markup('<svg class="cells" role="group" aria-label="{}" {}>{}</svg>').format(
        counts_text(counts), size, drawn
    )


def _cell(number: int, each: Cell) -> Markup:
    x, y = 1 + number % _CELLS_PER_LINE * _CELL, 1 + number // _CELLS_PER_LINE * _CELL
    drawn = Markup('<rect class="c-{}" x="{}" y="{}" width="10" height="10" rx="2"/>').format(each.outcome, x, y)
    if each.outcome == "failed":
        drawn += Markup('<path class="c-stroke" d="M{} {}l4-4"/>').format(x + 3, y + 7)
    if not each.url:
        return drawn
    return Markup('<a href="{}" tabindex="-1" aria-label="{}">{}</a>').format(each.url, each.name, drawn)


def interval(found: Interval | None) -> Markup:
    """Draw a rate with its bounds on a line from 0 to 100 %."""
    if found is None or found.value is None:
        return Markup('<span class="hint">nothing decided</span>')
    name = f"{percent(found.value)} %, {bounds_text(found)}"
    low, value, high = (4 + 124 * min(max(each, 0), 1) for each in (found.low, found.value, found.high))
    kind = "passed" if found.value == 1 else "failed" if found.value < 0.5 else "plain"
    return Markup(
        '<svg class="interval" role="img" aria-label="{}" viewBox="0 0 132 16"><path class="s-rule" d="M4 8H128"/>'
        '<path class="s-ink" d="M{low:.1f} 8H{high:.1f}M{low:.1f} 5v6M{high:.1f} 5v6"/>'
        '<circle class="f-{kind}" cx="{value:.1f}" cy="8" r="3.5"/></svg>'
    ).format(name, low=low, high=high, value=value, kind=kind)


def difference(found: Difference, scale: float) -> Markup:
    """Draw a difference with its bounds on a line from -`scale` to `scale`, with 0 in the middle."""
    inside = (min(max((each or 0) / scale, -1), 1) for each in (found.low, found.value, found.high))
    low, value, high = (120 + 116 * each for each in inside)
    kind = {"better": "passed", "worse": "failed"}.get(found.direction, "plain")
    return Markup(
        '<svg class="difference" aria-hidden="true" viewBox="0 0 240 20"><path class="s-rule" d="M4 10H236"/>'
        '<path class="s-edge" d="M120 0v20"/><path class="s-ink" d="M{low:.1f} 10H{high:.1f}M{low:.1f} 6v8M{high:.1f} '
        '6v8"/><circle class="f-{kind}" cx="{value:.1f}" cy="10" r="3.5"/></svg>'
    ).format(low=low, value=value, high=high, kind=kind)


def trend(rates: Sequence[float | None]) -> Markup:
    """Draw the rates of the last runs as a line, oldest first, on a scale from 0 to 100 %."""
    known = [each for each in rates[-MOST_RATES:] if each is not None]
    if not known:
        return Markup()
    step = 104 / max(len(known) - 1, 1)
    points = [(4 + step * number if len(known) > 1 else 56, 20 - 16 * each) for number, each in enumerate(known)]
    line = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    name = f"pass rate of {len(known)} runs: {', '.join(f'{percent(each)} %' for each in known)}"
    return Markup(
        '<svg class="trend" role="img" aria-label="{}" viewBox="0 0 112 24"><path class="s-rule" d="M0 20.5H112"/>'
        '<polyline class="s-trend" points="{}"/><circle class="f-plain" cx="{:.1f}" cy="{:.1f}" r="3"/></svg>'
    ).format(name, line, *points[-1])


def columns(counts: Mapping[int, tuple[int, int]]) -> Markup:
    """Draw a column for each number, with its count, of which the second part failed."""
    most, width = max((all_ for all_, _ in counts.values()), default=0), min(280 / max(len(counts), 1), _COLUMN)
    drawn = Markup()
    for at, (number, (count, failed)) in enumerate(sorted(counts.items())):
        height, bad = 88 * count / most, 88 * failed / most
        place = {"x": 20 + at * width, "w": max(width - 4, 1), "mid": 20 + at * width + width / 2 - 2}
        drawn += Markup(
            '<rect class="f-plain" x="{x:.1f}" y="{y:.1f}" width="{w:.1f}" height="{h:.1f}"/>'
            '<rect class="f-failed" x="{x:.1f}" y="{z:.1f}" width="{w:.1f}" height="{b:.1f}"/>'
            '<text x="{mid:.1f}" y="{above:.1f}" text-anchor="middle">{count:,}</text>'
            '<text x="{mid:.1f}" y="126" text-anchor="middle">{number}</text>'
        ).format(**place, y=110 - height, h=height, z=110 - bad, b=bad, above=104 - height, count=count, number=number)
    said = ", ".join(f"{count:,} had {number}" for number, (count, _) in sorted(counts.items()))
    return Markup('<svg class="lines" role="img" aria-label="{}" viewBox="0 0 320 132">{}</svg>').format(said, drawn)


def columns_caption(counts: Mapping[int, tuple[int, int]]) -> str:
    """Return the figures of columns in a sentence."""
    middle = median(chain.from_iterable([number] * count for number, (count, _) in counts.items())) if counts else 0
    failed = sum(bad for _, bad in counts.values())
    spread = f" ({min(counts)} to {max(counts)})" if len(counts) > 1 else ""
    return f"Median {middle:g}{spread}; {failed:,} failed, in red"


_WIDTH, _HEIGHT, _BOTTOM, _LETTER = 420, 150, 24, 6.6


def lines(
    series: Mapping[str, Sequence[tuple[float, float]]], *, title: str, across: str, up: Callable[[float], str]
) -> Markup:
    """Draw named lines on a common scale. `across` labels the x axis; `up` formats values of the y axis."""
    points = [point for line in series.values() for point in line]
    if not points:
        return Markup()
    left, right = min(x for x, _ in points), max(x for x, _ in points)
    top = max(y for _, y in points) or 1.0
    edge = 12 + _LETTER * max(len(up(top)), len(up(top / 2)), len(up(0)))

    def place(x: float, y: float) -> tuple[float, float]:
        along = (x - left) / (right - left) if right > left else 0.5
        return edge + along * (_WIDTH - edge - 8), (1 - y / top) * (_HEIGHT - _BOTTOM - 22) + 16

    drawn = _axes(edge, left, right, top, across, up)
    for number, (name, line) in enumerate(series.items(), 1):
        placed = [place(x, y) for x, y in line]
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in placed)
        drawn += Markup('<polyline class="line line{}" points="{}"><title>{}</title></polyline>').format(
            number, path, name
        )
        for (x, y), (_, value) in zip(placed, line, strict=True):
            if len(placed) <= 40:
                drawn += Markup('<circle class="dot line{}" cx="{}" cy="{}" r="2.5"><title>{}</title></circle>').format(
                    number, f"{x:.1f}", f"{y:.1f}", f"{name}: {up(value)}"
                )
    return Markup('<svg class="lines" role="img" aria-label="{}" viewBox="0 0 {} {}">{}</svg>').format(
        title, _WIDTH, _HEIGHT, drawn
    )


def nights_chart(series: Sequence[Night]) -> Markup:
    """Draw the change of each night from the baseline, the line at 0, with its interval."""
    points = [
        DatedInterval(
            night.created, f"{claim_text('these')}: {points_text(night.change)}" if night.change else "", night.change
        )
        for night in series
    ]
    label = "change of each night from the baseline in points, with its 95 % interval for these cases"
    return intervals_chart(points, label=label, up=signed)


@dataclass(frozen=True)
class DatedInterval:
    """A figure at a moment, with words about it; `marked` where it has changed."""

    created: datetime
    label: str
    figure: Interval | None
    marked: bool = False


def intervals_chart(
    series: Sequence[DatedInterval], *, label: str, up: Callable[[float], str], base: float = 0.0, top: float = 0.0
) -> Markup:
    """Draw figures with their intervals over time. The scale has a line at `base`, and reaches `top`."""
    known = [each.figure for each in series if each.figure is not None]
    least = min([base, *(each.low for each in known)])
    most = max([base, top, *(each.high for each in known)])
    if most == least:
        return Markup()
    floor, ceiling, edge = _HEIGHT - _BOTTOM - 6, 16, 12 + _LETTER * max(4, *(len(up(each)) for each in (most, base)))

    def height(value: float) -> float:
        return ceiling + (most - value) / (most - least) * (floor - ceiling)

    drawn = Markup('<path class="axis" d="M{:.1f} {:.1f}H{}"></path>').format(edge, height(base), _WIDTH - 8)
    for value in dict.fromkeys((most, base, least)):
        text = '<text x="{:.1f}" y="{:.1f}" text-anchor="end">{}</text>'
        drawn += Markup(text).format(edge - 6, height(value) + 4, up(value))
    for place, each in enumerate(series):
        x = edge + (place + 0.5) / len(series) * (_WIDTH - edge - 8)
        if place in (0, len(series) - 1):
            text = '<text x="{:.1f}" y="{}" text-anchor="middle">{:%d %b}</text>'
            drawn += Markup(text).format(min(x, _WIDTH - 24), floor + 17, each.created)
        if each.figure is None or each.figure.value is None:
            continue
        title = f"{each.created:%Y-%m-%d}, {each.label}"
        mark = (
            '<g><title>{}</title><path class="line line1" d="M{:.1f} {:.1f}V{:.1f}"></path>'
            '<circle class="dot line1" cx="{:.1f}" cy="{:.1f}" r="{}"></circle></g>'
        )
        low, high = height(each.figure.low), height(each.figure.high)
        drawn += Markup(mark).format(title, x, low, high, x, height(each.figure.value), 5 if each.marked else 2.5)
    picture = '<svg class="lines" role="img" aria-label="{}" viewBox="0 0 {} {}">{}</svg>'
    return Markup(picture).format(label, _WIDTH, _HEIGHT, drawn)


def _axes(edge: float, left: float, right: float, top: float, across: str, up: Callable[[float], str]) -> Markup:
    floor, ceiling = _HEIGHT - _BOTTOM - 6, 16
    middle, centre = (floor + ceiling) / 2, edge + (_WIDTH - edge - 8) / 2
    drawn = Markup()
    for height in (ceiling, middle, floor):
        drawn += Markup('<path class="axis" d="M{:.1f} {:.1f}H{}"></path>').format(edge, height, _WIDTH - 8)
    for text, x, y, anchor in (
        (up(top), edge - 6, ceiling + 4, "end"),
        (up(top / 2), edge - 6, middle + 4, "end"),
        (up(0), edge - 6, floor + 4, "end"),
        (_scale(left), edge if right > left else centre - 30, floor + 17, "middle"),
        (_scale(right) if right > left else "", _WIDTH - 8, floor + 17, "end"),
        (across, centre, floor + 17, "middle"),
    ):
        drawn += Markup('<text x="{:.1f}" y="{:.1f}" text-anchor="{}">{}</text>').format(x, y, anchor, escape(text))
    return drawn


def _scale(value: float) -> str:
    return f"{round(value, 1 if abs(value) < 100 else 0):,g}"


Bars = list[tuple[str, int, float, str]]
Lines = dict[str, list[tuple[float, float]]]


@dataclass(frozen=True)
class BatchCharts:
    """Data of the charts of a batch. Bars are (name, count, length, kind)."""

    endings: Bars
    scores: Bars
    mean_score: float
    latencies: Lines
    latency_caption: str = ""


def batch_charts(endings: Mapping[str, int], scores: Mapping[float, int], measures: Measures) -> BatchCharts:
    """Return the chart data for these counts and measures."""
    percentiles = (50, 95, 99) if len(measures.latencies) > 1 else ()
    by_count = sorted(endings.items(), key=lambda each: -each[1])
    return BatchCharts(
        endings=bars({plain(name): count for name, count in by_count if count}),
        scores=bars({f"{score:g}": scores[score] for score in sorted(scores)}),
        mean_score=sum(score * count for score, count in scores.items()) / max(sum(scores.values()), 1),
        latencies={f"p{p}": [(each.turn, getattr(each, f"p{p}")) for each in measures.latencies] for p in percentiles},
        latency_caption=_latency_caption(measures.latencies),
    )


def _latency_caption(found: Sequence[Latency]) -> str:
    if not found:
        return ""
    medians, slow = sorted(each.p50 for each in found), max(each.p95 for each in found)
    middle = " to ".join(dict.fromkeys(map(seconds, (medians[0], medians[-1]))))
    return f"Median {middle}, p95 up to {seconds(slow)}, of {sum(each.n for each in found):,} replies"


def bars(counts: Mapping[str, int], kind: str = "plain") -> Bars:
    """Return a bar for each count; the largest has full length."""
    most = max(counts.values(), default=0) or 1
    return [(name, count, count / most, kind) for name, count in counts.items()]
