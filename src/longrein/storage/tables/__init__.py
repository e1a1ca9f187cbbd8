"""What the SQLite store does to its tables, as plain functions on the writer's own thread."""
