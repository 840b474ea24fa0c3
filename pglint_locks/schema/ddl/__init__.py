"""Reading a catalogue from DDL: statements are replayed in order, as a server would run them."""

from pglint_locks.schema.ddl.replay import Replay as Replay
