"""What a shell line runs, whether it is provably harmless, and what in it is dangerous. Pure."""
