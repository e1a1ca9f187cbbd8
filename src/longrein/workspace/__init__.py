"""What the agent works on: file systems, search, and the rules that bind them."""
