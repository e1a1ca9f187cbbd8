"""The widgets of the app, one per file."""
