"""Where commands run: sandboxes, and the host itself for whoever wants that."""
