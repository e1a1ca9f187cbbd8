"""Profiles: what goes with a provider or a model, whichever agent uses it."""
