"""What an agent knows beforehand, and what it keeps for later."""
