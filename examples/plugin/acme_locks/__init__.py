"""Acme's own rules about row locks."""

from acme_locks import acm101_lock_that_waits

RULES = (acm101_lock_that_waits.RULE,)
