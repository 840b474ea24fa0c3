"""Calls of ORMs and query builders, read as the SQL that they send.

A chain of calls becomes a statement of the same shape as SQL text, each part of which
leads back to the call that it comes from; so every rule can speak of it.
"""
