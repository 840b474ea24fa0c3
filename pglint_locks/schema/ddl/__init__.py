"""Reads a catalogue from DDL: its statements are replayed, one after the other, over a draft."""

from pglint_locks.schema.ddl.scripts import Replay as Replay
