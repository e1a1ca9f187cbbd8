"""What is next? A pure decision over the state of a thread, and the events that start it."""
