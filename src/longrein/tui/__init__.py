"""The terminal app: draws `Display`, gives commands to a client, and holds no logic of its own."""
