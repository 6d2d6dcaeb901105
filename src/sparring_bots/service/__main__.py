"""Serve the order API on its own: `python -m sparring_bots.service serve --port 8000`."""

import argparse
import socket
import sys
from collections.abc import Sequence
from contextlib import closing, suppress
from datetime import UTC, datetime
from pathlib import Path

from sparring.core.errors import InputError
from sparring_bots.service.api import listen, serve
from sparring_bots.service.policy import read_policy
from sparring_bots.service.shop import Shop, sample_shop


def main(arguments: Sequence[str] | None = None) -> int:
    """Serve until Ctrl-C. Return 2 for invalid options, with an error and a hint on stderr."""
    chosen = _parser().parse_args(arguments)
    try:
        shop = _shop(chosen)
        with closing(shop.book), suppress(KeyboardInterrupt), listen(chosen.host, chosen.port) as line:
            serve(shop, line, lambda: print(f"The order API is open at {_address(line)}", flush=True))
    except InputError as error:
        print(f"error: {error}", f"hint: {error.hint}" if error.hint else "", sep="\n", file=sys.stderr)
        return 2
    print("closed", file=sys.stderr)
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m sparring_bots.service", description=__doc__)
    command = parser.add_subparsers(required=True, metavar="COMMAND").add_parser("serve", help="serve the order API")
    command.add_argument(
        "--port", type=_port, default=8000, help="port to listen on; 0 picks a free one [default: 8000]"
    )
    command.add_argument("--host", default="127.0.0.1", help="address to listen on [default: 127.0.0.1]")
    command.add_argument("--database", type=Path, metavar="FILE", help="SQLite file for the orders")
    command.add_argument("--window-days", type=int, default=10, help="days in which an order can be cancelled")
    command.add_argument("--boundary", default="whole_days", help="definition of a day: whole_days, exact or calendar")
    command.add_argument("--zone", default="UTC", help="time zone of the calendar")
    return parser


def _port(text: str) -> int:
    if not text.isdecimal() or int(text) > 65535:
        raise argparse.ArgumentTypeError(f"expected a port from 0 to 65535, got {text!r}")
    return int(text)


def _shop(chosen: argparse.Namespace) -> Shop:
    """Create the shop from the options. Raise `InputError` if they are invalid."""
    try:
        policy = read_policy({"window_days": chosen.window_days, "boundary": chosen.boundary, "zone": chosen.zone})
    except InputError as error:
        raise InputError("; ".join(f"--{problem.message}" for problem in error.problems)) from error
    return sample_shop(lambda: datetime.now(UTC), path=chosen.database, policy=policy)


def _address(line: socket.socket) -> str:
    host, port = line.getsockname()[:2]
    return f"http://{f'[{host}]' if ':' in host else host}:{port}"


if __name__ == "__main__":
    sys.exit(main())
