"""Text that every provider and every store accepts."""


def clean(text: str) -> str:
    """The same text, with each lone surrogate, which no JSON can carry, as a question mark."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "replace").decode()
    return text
