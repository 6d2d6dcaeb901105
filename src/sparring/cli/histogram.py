"""How often each score was given, as a picture."""

from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path

from sparring.cli.replacing import whole
from sparring.core.errors import InputError
from sparring.web.statistics import BatchSummary

_KINDS = (".png", ".svg", ".pdf")


def needed(picture: Path) -> None:
    """An InputError where no picture can be drawn into this file, before anything is read for it."""
    if picture.suffix.lower() not in _KINDS:
        raise InputError(f"--histogram {picture}: is no picture", hint=f"a name that ends in {', '.join(_KINDS)}")
    if find_spec("matplotlib") is None:
        raise InputError("--histogram needs matplotlib, which is not installed", hint='pip install "sparring[plots]"')


def histogram(summary: BatchSummary, scores: Mapping[float, int], picture: Path) -> None:
    """Draw a bar for 1, 2 and 3, and for any other score that was given. No word of it comes from the file."""
    from matplotlib.figure import Figure  # heavy, and an extra; without pyplot nothing needs a screen

    counts = {1.0: 0, 2.0: 0, 3.0: 0} | dict(scores)
    values = sorted(counts)
    figure = Figure(figsize=(6, 4), layout="constrained")
    axes = figure.add_subplot()
    bars = axes.bar([f"{value:g}" for value in values], [counts[value] for value in values], color="#4c72b0")
    axes.bar_label(bars)
    scored = sum(scores.values())
    axes.set(
        xlabel="score",
        ylabel="conversations",
        title=f"{scored:,} scores, {summary.total_scenarios - scored:,} conversations without",
    )
    with whole(picture) as file:
        figure.savefig(file, format=picture.suffix[1:].lower())
