"""Pages that lie over the conversation, one per file."""
