"""The Jinja environment. Values are escaped as text; only charts and `as_json` produce `Markup`."""

from functools import cache

from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined

from sparring.reports.causes import found_by
from sparring.reports.html import charts, formatting
from sparring.reports.rate_text import both_claims, bounded, bounds, rate_text

_OURS = "sparring.reports.html"


@cache  # with the templates, which are compiled once
def environment(*packages: str) -> Environment:
    """Return an environment with the templates of these packages and the shared ones, and all filters."""
    loaders = [PackageLoader(package) for package in (*packages, _OURS)]
    made = Environment(
        loader=ChoiceLoader(loaders), autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    made.filters.update(
        shown=formatting.shown,
        counted=formatting.counted,
        number=formatting.number,
        money=formatting.money,
        seconds=formatting.seconds,
        percent=formatting.percent,
        moment=formatting.moment,
        as_json=formatting.as_json,
        plain=formatting.plain,
        portable=formatting.portable,
        both_claims=both_claims,
        whole_percent=rate_text,
        points=bounded,
    )
    made.globals.update(bounds=bounds, drawn=charts, lines=charts.lines, chip_kind=formatting.chip_kind)
    made.globals.update(found_by=found_by, nights_chart=charts.nights_chart)
    made.globals.update(as_seconds=formatting.seconds, as_money=formatting.money)
    return made
