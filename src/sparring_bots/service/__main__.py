"""Serve the order API by itself: `python -m sparring_bots.service serve --port 8000`."""

import argparse
import socket
import sys
from collections.abc import Sequence
from contextlib import closing, suppress
from datetime import UTC, datetime
from pathlib import Path

from pydantic import ValidationError

from sparring.core.errors import InputError
from sparring_bots.service.api import listen, serve
from sparring_bots.service.policy import Policy
from sparring_bots.service.shop import Shop, sample_shop


def main(arguments: Sequence[str] | None = None) -> int:
    """Serve until Ctrl-C. What the caller can put right is one sentence and a hint on stderr, and exit code 2."""
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
    command.add_argument("--port", type=_port, default=8000, help="where to listen; 0 takes any port that is free")
    command.add_argument("--host", default="127.0.0.1", help="who may connect; only this machine if not given")
    command.add_argument("--database", type=Path, metavar="FILE", help="keep the orders in an SQLite file")
    command.add_argument("--window-days", type=int, default=10, help="for how many days an order can be cancelled")
    command.add_argument("--boundary", default="whole_days", help="what a day is: whole_days, exact or calendar")
    command.add_argument("--zone", default="UTC", help="the time zone of the calendar")
    return parser


def _port(text: str) -> int:
    if not text.isdecimal() or int(text) > 65535:
        raise argparse.ArgumentTypeError(f"{text!r} is not a port, which is a number from 0 to 65535")
    return int(text)


def _shop(chosen: argparse.Namespace) -> Shop:
    """The shop with what was chosen; an InputError says what cannot be."""
    given = {"window_days": chosen.window_days, "boundary": chosen.boundary, "zone": chosen.zone}
    try:
        policy = Policy.model_validate(given)
    except ValidationError as error:
        wrong = [f"--{str(each['loc'][0]).replace('_', '-')}: {each['msg']}" for each in error.errors()]
        raise InputError("; ".join(wrong)) from error
    return sample_shop(lambda: datetime.now(UTC), path=chosen.database, policy=policy)


def _address(line: socket.socket) -> str:
    host, port = line.getsockname()[:2]
    return f"http://{f'[{host}]' if ':' in host else host}:{port}"


if __name__ == "__main__":
    sys.exit(main())
