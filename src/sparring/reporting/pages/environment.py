"""The templates. Whatever is put into one is text, never markup: only what is made here is `Markup`."""

from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined

from sparring.reporting.pages import charts, wording

_OURS = "sparring.reporting.pages"


def environment(*packages: str) -> Environment:
    """Templates of these packages and the shared ones, with everything that they may use."""
    loaders = [PackageLoader(package) for package in (*packages, _OURS)]
    made = Environment(
        loader=ChoiceLoader(loaders), autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    made.filters.update(
        shown=wording.shown,
        counted=wording.counted,
        number=wording.number,
        money=wording.money,
        seconds=wording.seconds,
        percent=wording.percent,
        moment=wording.moment,
        as_json=wording.as_json,
        plain=wording.plain,
    )
    made.globals.update(bar=charts.bar, stack=charts.stack, lines=charts.lines)
    made.globals.update(as_seconds=wording.seconds, as_money=wording.money)
    return made
