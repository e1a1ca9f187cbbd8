"""Finds the lines that fit a regular expression, in a process that can be killed.

Python's engine may take for ever over a pattern, and lets nothing else of its process run
meanwhile. Run by path, with nothing of the package imported. In: a line of JSON, [pattern, ignore
case], then blocks of lines, each after its length in four bytes. Out: for the pattern "" or what
is wrong with it, for each block the numbers of its lines that fit, as lines of JSON.
"""

import json
import re
import sys


def main() -> None:
    """Answer until the input ends."""
    source, ignore_case = json.loads(sys.stdin.buffer.readline())
    try:
        pattern = re.compile(source, re.IGNORECASE if ignore_case else 0)
    except (re.error, OverflowError, RecursionError) as error:
        _answer(str(error) or type(error).__name__)
        return
    _answer("")
    while length := sys.stdin.buffer.read(4):
        block = sys.stdin.buffer.read(int.from_bytes(length, "big"))
        lines = block.decode("utf-8", "surrogateescape").split("\n")
        _answer([n for n, line in enumerate(lines) if pattern.search(line.removesuffix("\r"))])


def _answer(value: object) -> None:
    sys.stdout.write(json.dumps(value) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
