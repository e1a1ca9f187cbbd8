"""What the model sees: the prompt, and the history as messages."""
