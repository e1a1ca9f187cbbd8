"""Skills: instructions for kinds of work, found in folders and loaded when they are needed."""
