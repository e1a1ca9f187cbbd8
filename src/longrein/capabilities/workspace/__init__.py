"""A place to work in, put together from files, a shell and checkpoints."""
