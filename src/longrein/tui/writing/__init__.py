"""What goes on behind the editor: drafts, completion, what was said before."""
