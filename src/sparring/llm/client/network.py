"""The network as the environment describes it: proxies, trusted certificates and a client certificate.

`HTTP_PROXY`, `HTTPS_PROXY`, `ALL_PROXY` and `NO_PROXY` mean what they mean to curl, in either case; lower case wins.
The computer's own addresses are always reached directly. `SSL_CERT_FILE` replaces the certificates of the system.
`SPARRING_CLIENT_CERT` is a PEM file that is shown to servers that ask for a certificate; its key is in the same file or
in the one that `SPARRING_CLIENT_KEY` names.
"""

import re
import ssl
from collections.abc import Mapping
from functools import cached_property
from ipaddress import ip_address
from pathlib import Path

from yarl import URL

from sparring.core.errors import InputError
from sparring.llm.client.transport import NoConnection

CA, CERTIFICATE, KEY = "SSL_CERT_FILE", "SPARRING_CLIENT_CERT", "SPARRING_CLIENT_KEY"

_SUFFIX = "_proxy"
_ADDRESS = re.compile(r"https?://([^/@\s]*@)?[\w.:\[\]-]+/?$")


class Network:
    """Proxies and TLS settings of an environment.

    `ca` replaces `SSL_CERT_FILE`. Raises InputError if a file is unreadable.
    """

    def __init__(self, environment: Mapping[str, str], *, ca: Path | None = None) -> None:
        self._proxies = _proxies(environment)
        self._ca = environment.get(CA, "") if ca is None else str(ca)
        self._certificate = environment.get(CERTIFICATE, "")
        self._key = environment.get(KEY, "")
        if self._ca or self._certificate:
            _ = self.tls  # files that are missing are named before the first call

    def proxy(self, url: str) -> str | None:
        """Return the URL of the proxy for requests to `url`, or None.

        Raise NoConnection if the environment names one that is no proxy for HTTP.
        """
        return self._proxy(URL(url)) if self._proxies else None

    def _proxy(self, url: URL) -> str | None:
        from urllib.request import (  # type: ignore[attr-defined]  # imports an HTTP client
            proxy_bypass_environment,
        )

        host = url.host or ""
        scheme = {"ws": "http", "wss": "https"}.get(url.scheme, url.scheme)
        proxy = self._proxies.get(scheme) or self._proxies.get("all")
        if not proxy or _is_own(host) or proxy_bypass_environment(host, dict(self._proxies)):
            return None
        proxy = proxy if "://" in proxy else f"http://{proxy}"
        if not _ADDRESS.match(proxy):
            raise NoConnection(f"the proxy for {host} cannot be used: its address should begin with http://")
        return proxy

    @cached_property
    def tls(self) -> ssl.SSLContext:
        """The settings of connections with TLS."""
        try:
            context = ssl.create_default_context(cafile=self._ca or None)
        except OSError as error:
            raise InputError(f"{self._ca}: contains no readable certificates") from error
        context.set_alpn_protocols(["http/1.1"])
        if self._certificate:
            try:
                context.load_cert_chain(self._certificate, self._key or None, password=_no_password)
            except OSError as error:
                raise InputError(
                    f"{self._certificate}: contains no readable certificate with its key",
                    hint=f"{KEY} names the file of the key, if it is another one; the key must not be encrypted",
                ) from error
        return context


def _proxies(environment: Mapping[str, str]) -> Mapping[str, str]:
    """Return the proxies by scheme, with `no` for the names that need none."""
    named = {name: value for name, value in environment.items() if name.lower().endswith(_SUFFIX) and value.strip()}
    found = {name.lower(): value for name, value in named.items()}
    found |= {name: value for name, value in named.items() if name.islower()}
    return {name.removesuffix(_SUFFIX): value.strip() for name, value in found.items()}


def _is_own(host: str) -> bool:
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def _no_password() -> str:
    """Return an empty password: OpenSSL would ask for one at the terminal."""
    return ""
