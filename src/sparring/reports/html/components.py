"""Page components as inline SVG without style: meter, share, cells, interval, difference and trend."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from sparring.reports.rate_text import bounds_text, percent
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
