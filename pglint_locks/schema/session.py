"""Sessions with a live server: only read, never for long, and no password is ever told."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NoReturn
from urllib.parse import quote, unquote

from pglint_locks.errors import UsageError, without_url_passwords

if TYPE_CHECKING:
    import psycopg

    Connection = psycopg.Connection[tuple[Any, ...]]

_SCHEME = re.compile(r"postgres(?:ql)?://", re.IGNORECASE)
_FORMS = "write postgresql://user@host:5432/database, or host=… dbname=… user=…"
_SECRETS = ("password", "sslpassword", "oauth_client_secret")
_CONNECT_TIMEOUT = 10
_SHORT = 4
# Nothing that we ask writes, waits for long, or reads a text otherwise than our parser does.
_BEGIN = """
BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY;
SET LOCAL lock_timeout = '2s';
SET LOCAL statement_timeout = '15s';
SET LOCAL idle_in_transaction_session_timeout = '60s';
SET LOCAL standard_conforming_strings = on;
"""


class Session:
    """A connection to the server that a URL names, made when it is first needed."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._secrets = secrets_of(url)
        self._connection: Connection | None = None
        self.name = server_name(url)

    @contextmanager
    def transaction(self) -> Iterator[Connection]:
        """A read-only transaction, rolled back in the end.

        Raises:
            UsageError: the server cannot be reached, or does not let us in.
        """
        connection = self._open()
        try:
            self._begin(connection)
            yield connection
        finally:
            if not connection.closed:
                connection.execute("ROLLBACK")

    def close(self) -> None:
        """Leave the server."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def words(self, error: Exception) -> str:
        """What the server or the driver says, in one line and without a password."""
        lines = [line.strip() for line in str(error).splitlines() if line.strip()]
        return without_secrets(": ".join(lines[:1]) or type(error).__name__, self._secrets)

    def fail(self, error: Exception) -> NoReturn:
        """Tell that the server could not be asked."""
        raise UsageError(
            f"--database-url: {self.name} cannot be read: {self.words(error)}"
        ) from None

    def _begin(self, connection: Connection) -> None:
        import psycopg

        try:
            connection.execute(_BEGIN)
        except psycopg.Error as error:
            self.fail(error)

    def _open(self) -> Connection:
        if self._connection is not None and not self._connection.closed:
            return self._connection
        import psycopg

        options: dict[str, Any] = {"fallback_application_name": "pglint-locks"}
        if "connect_timeout" not in _parts(self._url) and "PGCONNECT_TIMEOUT" not in os.environ:
            options["connect_timeout"] = _CONNECT_TIMEOUT
        try:
            self._connection = psycopg.connect(
                self._url,
                autocommit=True,
                prepare_threshold=None,
                client_encoding="utf8",
                **options,
            )
        except psycopg.Error as error:
            raise UsageError(
                f"--database-url: {self.name} cannot be reached: {self.words(error)}; check that "
                "it runs, and the URL's host, port, database, user and password (or PGPASSWORD)"
            ) from None
        return self._connection


def server_name(url: str) -> str:
    """What a server is called in messages: `database app on localhost:5432`.

    Raises:
        UsageError: the URL is not understood, or the driver is missing.
    """
    parts = _parts(url)

    def part(key: str, variable: str, default: str) -> str:
        return str(parts.get(key) or os.environ.get(variable) or default)

    database = part("dbname", "PGDATABASE", part("user", "PGUSER", "of the user"))
    host = part("host", "PGHOST", "") or part("hostaddr", "PGHOSTADDR", "the local socket")
    port = parts.get("port") or os.environ.get("PGPORT")
    name = f"database {database} on {host}" + (f":{port}" if port else "")
    return without_secrets(name, secrets_of(url))


def _parts(url: str) -> dict[str, Any]:
    """The parameters of a URL or of `key=value` pairs.

    Raises:
        UsageError: it is neither.  What it says is not repeated: a password may be in any
            part of what is not understood.
    """
    try:
        import psycopg
        from psycopg.conninfo import conninfo_to_dict
    except ImportError:
        raise UsageError("--database-url needs psycopg: pip install 'pglint-locks[db]'") from None
    scheme = _SCHEME.match(url)
    if scheme is not None:
        authority, rest = re.fullmatch(r"([^/?#]*)(.*)", url[scheme.end() :], re.DOTALL).groups()  # type: ignore[union-attr]
        if authority.count("@") > 1 or "@" in rest:
            raise UsageError(
                "--database-url: a user or password in a URL has its special characters written "
                "as %40 (@), %2F (/), %3A (:), %3F (?), %23 (#), %25 (%)"
            )
    try:
        return conninfo_to_dict(url)
    except (psycopg.Error, UnicodeError, ValueError):
        raise UsageError(f"--database-url is not understood; {_FORMS}") from None


def secrets_of(url: str) -> frozenset[str]:
    """The texts that no message may have: passwords, as they are and as URLs write them."""
    parts = _parts(url)
    plain = {str(parts[key]) for key in _SECRETS if parts.get(key)}
    if os.environ.get("PGPASSWORD"):
        plain.add(os.environ["PGPASSWORD"])
    return frozenset(
        form for each in plain for form in (each, quote(each, safe=""), quote(each), unquote(each))
    )


def without_secrets(text: str, secrets: Iterable[str] = ()) -> str:
    """A text with `***` in the place of each secret; short ones where they are whole words."""
    for secret in sorted(filter(None, secrets), key=len, reverse=True):
        pattern = re.escape(secret)
        if len(secret) < _SHORT:
            pattern = rf"(?<!\w){pattern}(?!\w)"
        text = re.sub(pattern, "***", text)
    return without_url_passwords(text)
