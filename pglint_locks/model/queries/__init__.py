"""Statements taken apart the way parse analysis does: query levels, names, what the run defines."""
