"""Migrations: in which order they run, and what those that are no SQL do."""
