"""A PostgreSQL server in a temporary folder, for tests: its own user where the tests run as root."""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote


def programs() -> Path | None:
    """Return the folder with the newest server's programs, or None without one."""
    found = [path.parent for path in Path("/usr/lib/postgresql").glob("*/bin/initdb")]
    if not found and (initdb := shutil.which("initdb")) is not None:
        return Path(initdb).resolve().parent
    return max(found, key=lambda path: int(path.parent.name), default=None)


class PostgresServer:
    """A server that listens on a socket in its own folder."""

    def __init__(self, folder: Path, bin: Path) -> None:
        self.folder, self._bin = folder, bin
        self._data = folder / "data"

    def url(self, schema: str = "") -> str:
        """Return the address of the database, or of a schema in it that is made if it is not there."""
        url = f"postgresql://sparring@/postgres?host={quote(str(self.folder), safe='')}"
        if not schema:
            return url
        self.sql(f'CREATE SCHEMA IF NOT EXISTS "{schema}"')
        return f"{url}&options=-csearch_path%3D{schema}"

    def sql(self, statement: str) -> list[tuple[Any, ...]]:
        """Run a statement, and return its rows."""
        import psycopg

        with psycopg.connect(self.url(), autocommit=True) as connection:
            done = connection.execute(statement)
            return done.fetchall() if done.description else []

    def make(self) -> None:
        arguments = ["--username=sparring", "--auth=trust", "--no-sync", "--encoding=UTF8", "--locale=C"]
        self._run("initdb", *arguments, "--pgdata", str(self._data))
        self.start()

    def start(self) -> None:
        options = f"-k {self.folder} -c listen_addresses= -c fsync=off -c max_connections=200"
        self._run("pg_ctl", "start", "-w", "-D", str(self._data), "-l", str(self.folder / "log"), "-o", options)

    def stop(self, mode: str = "immediate") -> None:
        self._run("pg_ctl", "stop", "-w", "-m", mode, "-D", str(self._data))

    def _run(self, program: str, *arguments: str) -> None:
        user = {"user": "postgres"} if os.getuid() == 0 else {}
        done = subprocess.run(
            [self._bin / program, *arguments],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            cwd="/",
            check=False,
            **user,
        )
        assert done.returncode == 0, done.stderr.decode()


@contextmanager
def postgres_server() -> Iterator[PostgresServer]:
    """Run a server inside this block. PostgreSQL refuses to run as root: then it runs as `postgres`."""
    bin = programs()
    assert bin is not None
    folder = Path(tempfile.mkdtemp(prefix="sparring-pg-", dir="/tmp"))  # short: a socket's path has a limit
    if os.getuid() == 0:
        shutil.chown(folder, "postgres")
    server = PostgresServer(folder, bin)
    try:
        server.make()
        yield server
    finally:
        try:
            server.stop()
        finally:
            shutil.rmtree(folder, ignore_errors=True)
