"""Serve the order API on its own: `python -m sparring_bots.service serve --port 8000`."""

import argparse
import sys
from collections.abc import Sequence
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

from sparring.core.errors import InputError
from sparring_bots.service.api import listen, serve
from sparring_bots.service.policy import read_policy
from sparring_bots.service.shop import Shop, sample_shop
from sparring_bots.serving import add_address, address, until_stopped


def main(arguments: Sequence[str] | None = None) -> int:
    """Serve until Ctrl-C. Return 2 for invalid options, with an error and a hint on stderr."""
    chosen = _parser().parse_args(arguments)
    return until_stopped(lambda: _serve(chosen))


def _serve(chosen: argparse.Namespace) -> None:
    shop = _shop(chosen)
    with closing(shop.book), listen(chosen.host, chosen.port) as line:
        url = address(*line.getsockname()[:2])
        serve(shop, line, lambda: print(f"The order API is open at {url}", flush=True))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m sparring_bots.service", description=__doc__)
    command = parser.add_subparsers(required=True, metavar="COMMAND").add_parser("serve", help="serve the order API")
    add_address(command, 8000)
    command.add_argument("--database", type=Path, metavar="FILE", help="SQLite file for the orders")
    command.add_argument("--window-days", type=int, default=10, help="days in which an order can be cancelled")
    command.add_argument("--boundary", default="whole_days", help="definition of a day: whole_days, exact or calendar")
    command.add_argument("--zone", default="UTC", help="time zone of the calendar")
    return parser


def _shop(chosen: argparse.Namespace) -> Shop:
    """Create the shop from the options. Raise `InputError` if they are invalid."""
    try:
        policy = read_policy({"window_days": chosen.window_days, "boundary": chosen.boundary, "zone": chosen.zone})
    except InputError as error:
        raise InputError("; ".join(f"--{problem.message}" for problem in error.problems)) from error
    return sample_shop(lambda: datetime.now(UTC), path=chosen.database, policy=policy)


if __name__ == "__main__":
    sys.exit(main())
