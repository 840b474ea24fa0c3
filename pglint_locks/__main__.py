"""Lets `python -m pglint_locks` run the command line."""

from pglint_locks.cli import main

if __name__ == "__main__":
    main()
