"""Capabilities: units of extension, each with tools, context, rules and hooks of its own."""
