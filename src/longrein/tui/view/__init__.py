"""What is drawn, as pure functions of `Display`."""
