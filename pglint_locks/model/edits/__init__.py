"""Edits of a statement's words, for the repairs that rules offer."""
