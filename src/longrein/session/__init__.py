"""The live controller of a thread: commands in, events out, one writer."""
