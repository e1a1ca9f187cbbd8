"""Lines that fit a terminal."""


def wrapped(text: str, width: int, hang: int = 2) -> str:
    """The text with its long lines broken behind spaces; what follows stands `hang` deeper.

    Nothing is taken away, and a word that is longer than a line stays whole.

    >>> wrapped("  - a word, and another", 16).split("\\n")
    ['  - a word, and ', '    another']
    """
    return "\n".join(_wrapped(line, width, hang) for line in text.split("\n"))


def rows(text: str, width: int) -> int:
    """How many rows of a terminal the text takes.

    >>> rows("12345\\n1", 4)
    3
    """
    return sum(max(-(-len(line) // width), 1) for line in text.split("\n"))


def _wrapped(line: str, width: int, hang: int) -> str:
    indent = len(line) - len(line.lstrip(" ")) + hang
    if len(line) <= width or width <= 2 * indent:
        return line
    lines: list[str] = []
    least = indent
    while len(line) > width:
        # The space may stand in the last column: it is not seen.
        end = line.rfind(" ", least, width + 1)
        end = end if end >= 0 else line.find(" ", width)
        if end < 0:
            break
        lines.append(line[: end + 1])
        line = " " * indent + line[end + 1 :]
    return "\n".join((*lines, line))
