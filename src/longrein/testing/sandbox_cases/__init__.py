"""The cases of the conformance suite for sandboxes, by topic."""
