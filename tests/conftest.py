"""What holds for all tests."""

import signal
import ssl
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

settings.register_profile("sparring", deadline=None)  # a busy machine is slow, and that is no failure
settings.load_profile("sparring")

# A script that runs the tests beside itself, and nohup, have them ignore this; whatever they start would do so too.
for each in {"SIGINT", "SIGHUP"} & {*dir(signal)}:
    if signal.getsignal(signal.Signals[each]) is signal.SIG_IGN:
        signal.signal(signal.Signals[each], lambda number, frame: None)


@pytest.fixture(autouse=True)
def forgotten(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Modules that a test imported from files of its own: the next one with a `bots.py` means another."""
    before = {*sys.modules}
    yield
    own = str(tmp_path_factory.getbasetemp())
    sys.path[:] = [folder for folder in sys.path if not folder.startswith(own)]
    for name in {*sys.modules} - before:
        if str(getattr(sys.modules[name], "__file__", None)).startswith(own):
            del sys.modules[name]


@pytest.fixture
def tls(tmp_path: Path) -> ssl.SSLContext:
    """A certificate for this machine that nobody else trusts, `cert.pem`."""
    command = "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout key.pem -out cert.pem -days 2"
    name = "-subj /CN=127.0.0.1 -addext subjectAltName=IP:127.0.0.1"
    try:
        subprocess.run(["openssl", *command.split(), *name.split()], cwd=tmp_path, capture_output=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("openssl makes no certificate here")
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(tmp_path / "cert.pem", tmp_path / "key.pem")
    return context
