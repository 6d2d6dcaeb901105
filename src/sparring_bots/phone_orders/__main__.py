"""Serve the tools of the phone-order agent: `python -m sparring_bots.phone_orders --port 5006`."""

import argparse
import asyncio
import sys
from collections.abc import Sequence

from sparring_bots.phone_orders.tool_server import application
from sparring_bots.serving import add_address, serve, until_stopped


def main(arguments: Sequence[str] | None = None) -> int:
    """Serve until Ctrl-C."""
    parser = argparse.ArgumentParser(prog="python -m sparring_bots.phone_orders", description=__doc__)
    add_address(parser, 5006)
    chosen = parser.parse_args(arguments)
    serving = serve(application(), chosen.host, chosen.port, lambda url: print(f"The tools are at {url}", flush=True))
    return until_stopped(lambda: asyncio.run(serving))


if __name__ == "__main__":
    sys.exit(main())
