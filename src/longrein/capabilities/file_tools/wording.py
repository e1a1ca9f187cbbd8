"""Numbers in words."""


def count(number: int, what: str) -> str:
    """How many of something.

    >>> count(1, "line"), count(1200, "file")
    ('1 line', '1,200 files')
    """
    return f"{number:,} {what}" if number == 1 else f"{number:,} {what}s"


def size(number: int) -> str:
    """How many bytes, in a unit that fits.

    >>> size(1), size(1_536), size(3_000_000)
    ('1 byte', '1.5 KB', '2.9 MB')
    """
    if number < 1_024:
        return count(number, "byte")
    power = min((number.bit_length() - 1) // 10, 3)
    return f"{number / 1_024**power:.1f} {'KMG'[power - 1]}B"
