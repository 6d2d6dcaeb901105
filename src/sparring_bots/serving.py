"""Options, addresses and errors that the servers of the reference chatbots share."""

import argparse
import errno
import sys
from collections.abc import Callable

from sparring.core.errors import InputError


def add_address(parser: argparse.ArgumentParser, port: int) -> None:
    """Add `--port` and `--host`."""
    parser.add_argument("--port", type=_port, default=port, help="port to listen on; 0 picks a free one")
    parser.add_argument("--host", default="127.0.0.1", help="address to listen on [default: 127.0.0.1]")


def _port(text: str) -> int:
    if not text.isdecimal() or int(text) > 65535:
        raise argparse.ArgumentTypeError(f"expected a port from 0 to 65535, got {text!r}")
    return int(text)


def until_stopped(serve: Callable[[], None]) -> int:
    """Serve until Ctrl-C. Return 2 for invalid options, with an error and a hint on stderr."""
    try:
        serve()
    except KeyboardInterrupt:
        sys.stderr.write("closed\n")
    except InputError as error:
        hint = f"hint: {error.hint}" if error.hint else ""
        sys.stderr.write(f"error: {error}\n{hint}\n")
        return 2
    return 0


def address(host: str, port: int) -> str:
    """Return the URL of a server."""
    return f"http://{f'[{host}]' if ':' in host else host}:{port}"


def cannot_listen(host: str, port: int, error: OSError) -> InputError:
    """Return the error for an address that cannot be used."""
    if error.errno == errno.EADDRINUSE:
        return InputError(f"port {port} is already in use", hint=f"choose another one, such as --port {port + 1}")
    return InputError(f"cannot serve at {host}:{port}: {error.strerror}", hint="choose another --host or --port")
