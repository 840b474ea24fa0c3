"""What the planner makes of FROM and WHERE: joins, push-down, what is left unread."""
