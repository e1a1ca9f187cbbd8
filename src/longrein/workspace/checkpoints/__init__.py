"""Checkpoints: what files were before they were changed, and what puts them back."""
