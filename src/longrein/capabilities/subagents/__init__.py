"""Subagents: who can be delegated to, the tools for it, and agents from files."""
