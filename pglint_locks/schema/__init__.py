"""What is known of tables: which columns are keys, and what that makes of a write's lock."""
