"""Settings: what the user, the project, the environment and the flags say, as one value."""
