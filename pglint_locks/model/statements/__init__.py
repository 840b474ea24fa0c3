"""Statements as units of text, and the transactions that they stand in."""
