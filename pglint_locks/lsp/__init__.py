"""The language server: what `check` finds, told to an editor while somebody types.

`server` speaks the protocol; the other modules turn what the engine says into its terms.
"""
