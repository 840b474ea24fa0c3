"""Times the language server: its start, and from an edit to its diagnostics.

    python benchmarks/lsp.py [EDITS]

The file has about 117 kB and 100 locking statements, of which every fourth has a finding; in
a second one all have.  The edits put one character into statements, here and there, and each
waits for the diagnostics of the one before.  Where `squawk` is installed, its server makes
the same edits.  The aims: ready under 350 ms; under 10 ms in the middle, 25 ms in 95 of 100.

Ready is when `initialize` is answered; `first` is when the diagnostics of the file are there,
for which all is loaded and the whole file read.  How much of that is the libraries' and the
machine's is in the time of a reference: loading the parser and the protocol.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

GOOD = """SELECT id, payload FROM jobs{n}
 WHERE state = 'ready' AND run_at <= now() AND queue = 'mail {n}'
 ORDER BY priority DESC, id LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED;
"""
BAD = """UPDATE jobs{n} SET state = 'running', attempts = attempts + 1
 WHERE id IN (SELECT id FROM jobs{n} WHERE state = 'ready' AND run_at <= now()
               ORDER BY priority DESC, id LIMIT 10 FOR UPDATE SKIP LOCKED)
RETURNING id, payload;
"""
OTHERS = """
-- What jobs{n} needs: "made" by hand, it's all here.
CREATE TABLE jobs{n} (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    state text NOT NULL DEFAULT 'ready' CHECK (state IN ('ready', 'running', 'done')),
    queue text NOT NULL, priority int NOT NULL DEFAULT 0, attempts int NOT NULL DEFAULT 0,
    run_at timestamptz NOT NULL DEFAULT now(), payload jsonb NOT NULL DEFAULT '{{}}'
);
CREATE INDEX jobs{n}_ready ON jobs{n} (priority DESC, id) WHERE state = 'ready';
COMMENT ON TABLE jobs{n} IS 'what is to be done; taken by the workers of queue {n}';
INSERT INTO jobs{n} (queue, payload) VALUES ('mail {n}', '{{"to": "a;b"}}'), ('it''s', '{{}}');
GRANT SELECT, INSERT, UPDATE ON jobs{n} TO worker;
CREATE INDEX jobs{n}_done ON jobs{n} (run_at) WHERE state = 'done' AND attempts < 5;
UPDATE jobs{n} SET payload = payload || '{{"tried": true}}' WHERE state = 'done' AND attempts > 1;
DELETE FROM jobs{n} WHERE state = 'done' AND run_at < now() - interval '30 days';

"""


def a_file(findings_every: int) -> str:
    """A script of 100 locking statements among others."""
    return "".join(
        OTHERS.format(n=n) + (GOOD if n % findings_every else BAD).format(n=n) for n in range(100)
    )


class Server:
    """A language server that is spoken to over its standard streams."""

    def __init__(self, command: list[str], folder: Path) -> None:
        self.folder = folder
        self.started = time.perf_counter()
        self.process = subprocess.Popen(
            command,
            cwd=folder,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        self.last_id = 0
        self.first = 0.0

    def send(self, method: str, params: object, **more: object) -> None:
        """Send a notification, or with an `id` a request."""
        assert self.process.stdin is not None
        message = {"jsonrpc": "2.0", "method": method, "params": params, **more}
        body = json.dumps(message).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        self.process.stdin.flush()

    def receive(self) -> dict[str, Any]:
        """The next message."""
        assert self.process.stdout is not None
        length = 0
        while line := self.process.stdout.readline().strip():
            if line.lower().startswith(b"content-length:"):
                length = int(line.split(b":")[1])
        found: dict[str, Any] = json.loads(self.process.stdout.read(length))
        return found

    def request(self, method: str, params: object) -> Any:
        """The answer to a request."""
        self.last_id += 1
        self.send(method, params, id=self.last_id)
        while (answer := self.receive()).get("id") != self.last_id or "method" in answer:
            pass
        return answer.get("result")

    def begin(self, pulls: bool) -> float:
        """Initialize it; the seconds since its start."""
        abilities = {"textDocument": {"diagnostic": {}}} if pulls else {}
        root = self.folder.as_uri()
        self.request(
            "initialize",
            {"processId": None, "rootUri": root, "capabilities": abilities},
        )
        ready = time.perf_counter() - self.started
        self.send("initialized", {})
        return ready

    def diagnostics(self, uri: str, version: int, pulls: bool) -> int:
        """Wait for those of a version; how many there are."""
        if pulls:
            asked = {"textDocument": {"uri": uri}}
            return len(self.request("textDocument/diagnostic", asked)["items"])
        while True:
            message = self.receive()
            params = message.get("params", {})
            published = message.get("method") == "textDocument/publishDiagnostics"
            if published and (params["uri"], params.get("version", version)) == (uri, version):
                return len(params["diagnostics"])

    def edits(self, text: str, count: int, pulls: bool) -> Iterator[tuple[float, int]]:
        """Open a text and edit it; the seconds and number of diagnostics of each edit."""
        uri = (self.folder / "big.sql").as_uri()
        document = {"uri": uri, "languageId": "sql", "version": 1, "text": text}
        self.send("textDocument/didOpen", {"textDocument": document})
        self.diagnostics(uri, 1, pulls)
        self.first = time.perf_counter() - self.started
        chosen = random.Random(1)
        lines = text.split("\n")
        places = [(row, line.index("run_at")) for row, line in enumerate(lines) if "run_at" in line]
        for version in range(2, count + 2):
            row, column = chosen.choice(places)
            at = {"line": row, "character": column}
            change = {"range": {"start": at, "end": at}, "text": chosen.choice("abcxyz")}
            document = {"uri": uri, "version": version}
            began = time.perf_counter()
            params = {"textDocument": document, "contentChanges": [change]}
            self.send("textDocument/didChange", params)
            found = self.diagnostics(uri, version, pulls)
            yield time.perf_counter() - began, found

    def end(self) -> None:
        """End it."""
        self.request("shutdown", None)
        self.send("exit", None)
        self.process.wait(30)


def measure(name: str, command: list[str], text: str, count: int, pulls: bool) -> None:
    """Print a line of one server's times."""
    folder = Path(tempfile.mkdtemp())
    try:
        server = Server(command, folder)
        ready = server.begin(pulls)
        times = sorted(server.edits(text, count, pulls))
        server.end()
    finally:
        shutil.rmtree(folder)
    seconds = [each for each, _ in times]
    middle, most = statistics.median(seconds), seconds[int(len(seconds) * 0.95)]
    print(
        f"{name:32} ready {ready * 1e3:5.0f} ms, first {server.first * 1e3:5.0f} ms   "
        f"edit: median {middle * 1e3:6.1f} ms, 95 % {most * 1e3:6.1f} ms   "
        f"({times[0][1]} diagnostics, {len(text)} characters)"
    )


def reference() -> float:
    """The seconds that a process takes to load the parser and the protocol."""
    command = [sys.executable, "-c", "import pglast, pglast.parser, pygls.lsp.server"]
    times = []
    for _ in range(3):
        began = time.perf_counter()
        subprocess.run(command, check=True)
        times.append(time.perf_counter() - began)
    return statistics.median(times)


def main(count: int) -> None:
    """Measure all servers that there are."""
    print(f"reference: {reference() * 1e3:.0f} ms to load pglast and pygls")
    print(f"load average {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors")
    ours = [sys.executable, "-m", "pglint_locks", "lsp"]
    for every, name in ((4, "every 4th has a finding"), (1, "all have findings")):
        text = a_file(every)
        for pulls in (False, True):
            kind = "pulled" if pulls else "pushed"
            measure(f"{kind}, {name}", ours, text, count, pulls)
    squawk = shutil.which("squawk")
    if squawk:
        measure("squawk, pulled", [squawk, "server"], a_file(4), count, True)
    else:
        print("squawk is not installed: pip install squawk-cli")


if __name__ == "__main__":
    main(int(sys.argv[1]) if sys.argv[1:] else 200)
