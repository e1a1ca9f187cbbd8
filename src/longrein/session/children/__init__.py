"""Children of a session: threads that work on its behalf, each with a session of its own."""
