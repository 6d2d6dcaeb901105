"""What holds for all tests."""

import asyncio
import functools
import gc
import itertools
import os
import shutil
import signal
import ssl
import subprocess
import sys
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import settings

from marked_modules import is_excluded

if TYPE_CHECKING:
    from playwright.sync_api import Browser

    from postgres_server import PostgresServer

# A busy machine is slow, and that is no failure. CI tries the same examples each time; what a developer tries varies.
settings.register_profile("sparring", deadline=None, max_examples=50, derandomize="CI" in os.environ)
settings.load_profile("sparring")
os.environ.setdefault("SPARRING_NULL_BOTS", "false")  # most tests need no case that can fail

# A script that runs the tests beside itself, and nohup, have them ignore this; whatever they start would do so too.
for each in {"SIGINT", "SIGHUP"} & {*dir(signal)}:
    if signal.getsignal(signal.Signals[each]) is signal.SIG_IGN:
        signal.signal(signal.Signals[each], lambda number, frame: None)


CHROMIUM = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser") or ""

_started: list[str] = []  # programs that the test under way has started


def _noted(start: Callable[..., Any]) -> Callable[..., Any]:
    """Note each call of what starts a process; an audit hook would be called for all else that happens, too."""

    @functools.wraps(start)
    def noted(*arguments: Any, **named: Any) -> Any:
        if "uname" not in str(arguments[1:2]):  # Python's platform
            _started.append(f"{start.__qualname__}{arguments[1:2]}")
        return start(*arguments, **named)

    return noted


subprocess.Popen.__init__ = _noted(subprocess.Popen.__init__)  # type: ignore[method-assign]
os.fork, os.posix_spawn = _noted(os.fork), _noted(os.posix_spawn)


@pytest.fixture(scope="session")
def process() -> None:
    """Mark every test that uses this fixture, directly or through another one, with `process`."""


def pytest_configure(config: pytest.Config) -> None:
    """Trust the system's certificates, which are read when one is met; those of a file are read for each client."""
    if "not live" in config.getoption("markexpr"):
        os.environ.pop("SSL_CERT_FILE", None)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Do not import modules of which `-m` selects nothing, unless they are named."""
    if collection_path.suffix != ".py" or any(collection_path.name in each for each in config.args):
        return None
    return is_excluded(collection_path.read_text(encoding="utf-8"), config.getoption("markexpr")) or None


@pytest.hookimpl(tryfirst=True)  # before `-m` selects
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        fixtures = getattr(item, "fixturenames", ())
        if "process" in fixtures:
            item.add_marker("process")
        if "browser" in fixtures:
            item.add_marker("extended")


@pytest.fixture(scope="session")
def postgres(process: None) -> Iterator["PostgresServer"]:
    """A PostgreSQL server of this process, made when the first test asks for it."""
    from postgres_server import postgres_server, programs

    pytest.importorskip("psycopg", reason="the extra `cluster` is not installed")
    if programs() is None:
        pytest.skip("there is no PostgreSQL on this machine: `apt-get install postgresql`")
    with postgres_server() as server:
        yield server


_schemas = itertools.count()


@pytest.fixture
def postgres_url(postgres: "PostgresServer") -> str:
    """The address of an empty place for a store."""
    return postgres.url(f"test_{next(_schemas)}")


gc.disable()  # a quarter of the time of collection went into looking for garbage that is not there


def pytest_collection_finish() -> None:
    """Spare the garbage collector what thousands of collected tests hold until the end."""
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)  # what tests make is most often gone by itself
    gc.enable()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Forget programs that a fixture of an earlier test started before it failed, or when it ended."""
    _started.clear()
    return (yield)


@pytest.fixture(autouse=True)
def alone(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Fail a test that starts a process without the marker `process`: `make test-fast` would run it.

    Forget the modules that a test imported from files of its own: the next one with a `bots.py` means another.
    """
    last = next(reversed(sys.modules))
    yield
    started = [*_started]
    _started.clear()
    own = str(tmp_path_factory.getbasetemp())
    sys.path[:] = [folder for folder in sys.path if not folder.startswith(own)]
    for name in [*itertools.takewhile(lambda name: name != last, reversed(sys.modules))]:
        if str(getattr(sys.modules[name], "__file__", None)).startswith(own):
            del sys.modules[name]
    if started and not request.node.get_closest_marker("process"):
        pytest.fail(f"this test starts a process, so mark it with pytest.mark.process: {started[0]}")


@pytest.fixture
async def virtual_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the event loop's clock jump to the next deadline once nothing else is left to do.

    What a test waits for takes no time then, and takes exactly as long as it says, however busy the machine is. It is
    for tests without sockets, threads and processes: the clock does not wait for them.
    """
    loop: Any = asyncio.get_running_loop()
    now, select = loop.time(), loop._selector.select

    def jump(timeout: float | None) -> object:
        nonlocal now
        ready = select(0 if timeout else timeout)
        if timeout and not ready:
            now += timeout
        return ready

    monkeypatch.setattr(loop, "time", lambda: now)
    monkeypatch.setattr(loop._selector, "select", jump)


@pytest.fixture
def tls(tmp_path: Path, process: None) -> ssl.SSLContext:
    """A certificate for this machine and for shop.test that no system trusts: `cert.pem` and `key.pem`."""
    command = "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout key.pem -out cert.pem -days 2"
    name = "-subj /CN=127.0.0.1 -addext subjectAltName=IP:127.0.0.1,DNS:shop.test"
    try:
        subprocess.run(["openssl", *command.split(), *name.split()], cwd=tmp_path, capture_output=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("openssl makes no certificate here")
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(tmp_path / "cert.pem", tmp_path / "key.pem")
    return context


@pytest.fixture(scope="module")  # and no longer: until it is closed, no other loop runs in this thread
def browser(process: None) -> "Iterator[Browser]":
    """Debian's Chromium without a window."""
    if not CHROMIUM:
        pytest.skip("there is no Chromium: apt-get install chromium")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield opened
        opened.close()
