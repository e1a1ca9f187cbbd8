"""Observational memory: notes on a conversation, taken beside it."""
