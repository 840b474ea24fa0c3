"""A linter for PostgreSQL's row-locking clauses."""

__version__ = "0.1.0"
