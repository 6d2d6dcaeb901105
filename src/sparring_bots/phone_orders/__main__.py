"""Serve the tools of the phone-order agent: `python -m sparring_bots.phone_orders --port 5006`."""

import argparse
import asyncio
import sys
from collections.abc import Sequence

from sparring_bots.phone_orders.tool_server import serve


def main(arguments: Sequence[str] | None = None) -> int:
    """Serve until Ctrl-C."""
    parser = argparse.ArgumentParser(prog="python -m sparring_bots.phone_orders", description=__doc__)
    parser.add_argument("--port", type=int, default=5006, help="where to listen; 0 takes any port that is free")
    parser.add_argument("--host", default="127.0.0.1", help="who may connect; only this machine if not given")
    chosen = parser.parse_args(arguments)
    try:
        asyncio.run(serve(chosen.host, chosen.port, lambda text: print(text, flush=True)))
    except KeyboardInterrupt:
        print("closed", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
