"""Amounts as texts for people and models have them: a number with its noun, bytes, money."""

from longrein.core.usage import BILLIONTHS


def counted(number: int, one: str, many: str = "") -> str:
    """How many of something; `many` where that is not `one` with an s.

    >>> counted(1, "line"), counted(1_200, "file"), counted(2, "reply", "replies")
    ('1 line', '1,200 files', '2 replies')
    """
    return f"{number:,} {one if number == 1 else many or f'{one}s'}"


def size(number: int) -> str:
    """How many bytes, in a unit that fits.

    >>> size(1), size(1_536), size(3_000_000)
    ('1 byte', '1.5 KB', '2.9 MB')
    """
    if number < 1_024:
        return counted(number, "byte")
    power = min((number.bit_length() - 1) // 10, 3)
    return f"{number / 1_024**power:.1f} {'KMG'[power - 1]}B"


def dollars(billionths: int, form: str = ".4f") -> str:
    """Money, with its digits in a form of Python.

    >>> dollars(1_500_000_000), dollars(1_500_000_000, ".2f"), dollars(75_000_000, ".6g")
    ('$1.5000', '$1.50', '$0.075')
    """
    return f"${billionths / BILLIONTHS:,{form}}"
