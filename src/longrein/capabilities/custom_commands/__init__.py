"""Custom commands: what people say again and again, kept in Markdown files."""
