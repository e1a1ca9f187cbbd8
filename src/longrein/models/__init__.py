"""Model wires: one port, `Model`, and what speaks to providers through it."""
