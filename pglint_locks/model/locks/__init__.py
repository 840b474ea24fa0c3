"""Locking clauses: their row marks, what refuses them, how often and in which order they lock."""
