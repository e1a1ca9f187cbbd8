"""Tools: plain functions that a model may call, from their definition to their bounded result."""
