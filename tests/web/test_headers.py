import socket
from contextlib import suppress
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from web.serving import Server

pytestmark = pytest.mark.process


def test_headers_without_an_end_are_not_listened_to(tmp_path: Path):
    with Server(tmp_path) as server:
        where = urlsplit(server.address)
        with socket.create_connection((where.hostname or "", where.port or 0), timeout=240) as line:
            sent, answered = 0, b""
            with suppress(ConnectionError):
                line.sendall(b"GET / HTTP/1.1\r\nhost: 127.0.0.1\r\nx: ")
                while sent < 2**26:
                    line.sendall(b"y" * 2**16)
                    sent += 2**16
            with suppress(ConnectionError):
                answered = line.recv(100)

    assert (sent < 2**26, answered[:12]) in ((True, b"HTTP/1.1 400"), (True, b""))
