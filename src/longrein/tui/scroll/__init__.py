"""A column of entries of which only what is seen is drawn."""
