"""The cases of the conformance suite for stores, by topic; `longrein.testing.stores` runs them."""
