"""The way out of a sandbox: a proxy that decides by host."""
