"""Words in the results of calls that front ends read again: each is written and read here."""

import re

from msgspec import Struct

_ENDED = re.compile(r"^\[((?:.*, )?exit code -?\d+)\]$\n?", re.MULTILINE)
_DECLINED = "The user declined this call."
_REASON = " The reason given: "


class CommandEnd(Struct, frozen=True):
    """How a command ended, in `words`, and what its result says before and after them."""

    words: str
    before: str
    after: str

    @property
    def good(self) -> bool:
        return self.words == exit_words(0)


def exit_words(code: int, why: str = "") -> str:
    """How a command ended: its exit code, and why it was ended, where it was."""
    return f"{why}, exit code {code}" if why else f"exit code {code}"


def exit_in(result: str) -> CommandEnd | None:
    """What the result of a command says of its end; None where it has not ended.

    >>> exit_in("done\\n[exit code 1]\\n[changed: a.txt]")
    CommandEnd(words='exit code 1', before='done\\n', after='[changed: a.txt]')
    """
    # The last one: a command can print a line that looks the same.
    found = next(reversed(list(_ENDED.finditer(result))), None)
    return CommandEnd(found[1], result[: found.start()], result[found.end() :]) if found else None


def declined(reason: str) -> str:
    """What the model hears of a call that a person said no to.

    >>> declined("Too risky.")
    'The user declined this call. The reason given: Too risky.'
    """
    return f"{_DECLINED}{_REASON}{reason}" if reason else _DECLINED


def reason_in(result: str) -> str:
    """The reason that a person gave for a no; empty: they gave none.

    >>> reason_in(declined("Too risky."))
    'Too risky.'
    """
    return result.partition(f"{_DECLINED}{_REASON}")[2]
