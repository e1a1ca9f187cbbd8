"""May this happen? Pure policy over actions, rules, grants and modes of trust."""
