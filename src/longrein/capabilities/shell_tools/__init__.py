"""`execute` and background jobs: shell commands for a model, run in a sandbox."""
