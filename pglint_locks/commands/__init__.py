"""What the commands do: one module each."""
