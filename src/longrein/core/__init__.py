"""Values, events and pure rules that every other part stands on. No I/O, no asyncio."""
