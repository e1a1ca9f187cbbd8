"""The promises that a file system must keep, by topic."""
