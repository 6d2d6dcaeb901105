"""Charts of a batch as inline SVG, without scripts: lines, nights, and the data of bars."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from markupsafe import Markup, escape

from sparring.reports.comparison import Night
from sparring.reports.html.formatting import plain
from sparring.reports.measures import Measures
from sparring.reports.rate_text import claim_text, points_text, signed
from sparring.statistics.estimates import Interval

_WIDTH, _HEIGHT, _BOTTOM, _LETTER = 420, 170, 24, 6.6


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
    latencies: Lines


def batch_charts(endings: Mapping[str, int], scores: Mapping[float, int], measures: Measures) -> BatchCharts:
    """Return the chart data for these counts and measures."""
    percentiles = (50, 95, 99) if len(measures.latencies) > 1 else ()
    by_count = sorted(endings.items(), key=lambda each: -each[1])
    return BatchCharts(
        endings=bars({plain(name): count for name, count in by_count if count}),
        scores=bars({f"{score:g}": scores[score] for score in sorted(scores)}),
        latencies={f"p{p}": [(each.turn, getattr(each, f"p{p}")) for each in measures.latencies] for p in percentiles},
    )


def bars(counts: Mapping[str, int], kind: str = "plain") -> Bars:
    """Return a bar for each count; the largest has full length."""
    most = max(counts.values(), default=0) or 1
    return [(name, count, count / most, kind) for name, count in counts.items()]
