"""Readers of files: each gives the SQL units that a kind of file holds."""
