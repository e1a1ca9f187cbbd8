"""Tools to look at files and to change them, over any file system."""
