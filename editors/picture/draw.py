"""Draws `editors/neovim.svg`: what Neovim shows of `claim.sql`, read from its screen.

    pip install pyte
    python editors/picture/draw.py

Neovim runs in a terminal of its own, in which `session.lua` opens the file; `NVIM` names
another Neovim than the one on the PATH (0.10 and later show what each clause locks).
"""

from __future__ import annotations

import fcntl
import json
import os
import pty
import re
import select
import shutil
import struct
import subprocess
import sys
import tempfile
import termios
import time
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from xml.sax.saxutils import escape

import pyte

HERE = Path(__file__).parent
COLUMNS, ROWS = 84, 24
WIDTH, HEIGHT, SIZE = 8.4, 18, 14
FOREGROUND, BACKGROUND = "c9d1d9", "0d1117"
FONTS = "ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace"
QUIET_SECONDS, MOST_SECONDS = 2.5, 60


def screen_of(command: list[str], folder: Path) -> pyte.Screen:
    """The screen of a program in a terminal, once it has written nothing for a while."""
    main, side = pty.openpty()
    fcntl.ioctl(side, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
    environment = {
        **os.environ,
        "TERM": "xterm-256color",
        "COMMAND": json.dumps(
            [os.environ.get("PYTHON", sys.executable), "-m", "pglint_locks", "lsp"]
        ),
    }
    process = subprocess.Popen(
        command, cwd=folder, env=environment, stdin=side, stdout=side, stderr=side
    )
    screen = pyte.Screen(COLUMNS, ROWS)
    stream = pyte.ByteStream(screen)
    until = time.monotonic() + MOST_SECONDS
    try:
        while time.monotonic() < until and select.select([main], [], [], QUIET_SECONDS)[0]:
            stream.feed(os.read(main, 1 << 16))
    finally:
        process.kill()
        process.wait()
        os.close(main)
        os.close(side)
    return screen


def lines(screen: pyte.Screen) -> Iterator[str]:
    """The screen as elements of SVG."""
    for row in range(ROWS):
        cells = [screen.buffer[row][column] for column in range(COLUMNS)]
        column = 0
        for look, run in groupby(cells, key=lambda cell: cell._replace(data="")):
            text = "".join(cell.data for cell in run)
            yield from run_of(text, look, row, column)
            column += len(text)


def run_of(text: str, look: pyte.screens.Char, row: int, column: int) -> Iterator[str]:
    """Characters that look alike, with what is behind them."""
    left, top, long = column * WIDTH, row * HEIGHT, len(text) * WIDTH
    ink = FOREGROUND if look.fg == "default" else look.fg
    paper = BACKGROUND if look.bg == "default" else look.bg
    if look.reverse:
        ink, paper = paper, ink
    if paper != BACKGROUND:
        size = f'width="{long:.1f}" height="{HEIGHT}"'
        yield f'<rect x="{left:.1f}" y="{top}" {size} fill="#{paper}"/>'
    if not text.strip():
        return
    style = ' font-style="italic"' if look.italics else ""
    style += ' font-weight="bold"' if look.bold else ""
    # Each word has its own place and width: what font there is does not matter.
    for word in re.finditer(r"\S+", text):
        x, wide = left + word.start() * WIDTH, len(word[0]) * WIDTH
        size = f'textLength="{wide:.1f}" lengthAdjust="spacingAndGlyphs"'
        place = f'x="{x:.1f}" y="{top + SIZE}" {size}'
        yield f'<text {place} fill="#{ink}"{style}>{escape(word[0])}</text>'
    if look.underscore:
        below = top + HEIGHT - 1.5
        yield f'<path d="M{left:.1f} {below}h{long:.1f}" stroke="#{ink}" stroke-width="1.5"/>'


def main() -> None:
    """Write the picture."""
    neovim = os.environ.get("NVIM", "nvim")
    with tempfile.TemporaryDirectory() as folder:
        shutil.copy(HERE / "claim.sql", folder)
        command = [neovim, "--clean", "--cmd", f"set runtimepath^={HERE.parent / 'neovim'}"]
        screen = screen_of([*command, "-S", str(HERE / "session.lua")], Path(folder))
    assert any("PGL101" in line or "does not bound" in line for line in screen.display), (
        screen.display
    )
    wide, high, edge = COLUMNS * WIDTH, ROWS * HEIGHT, 12
    box = f"{-edge} {-edge} {wide + 2 * edge:.0f} {high + 2 * edge:.0f}"
    svg = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{box}" font-size="{SIZE}" '
        f'font-family="{FONTS}">',
        "<title>Neovim: an error at IN of an UPDATE, and what each clause locks</title>",
        f'<rect x="{-edge}" y="{-edge}" width="100%" height="100%" rx="8" fill="#{BACKGROUND}"/>',
        *lines(screen),
        "</svg>",
    ]
    (HERE.parent / "neovim.svg").write_text("\n".join(svg) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
