"""Event stores: one port, `Store`, and the implementations that pass its conformance suite."""
