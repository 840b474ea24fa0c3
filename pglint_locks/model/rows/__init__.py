"""What becomes of rows, locked or not, in their statement and their transaction."""
