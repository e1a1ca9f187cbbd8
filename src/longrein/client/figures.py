"""Amounts as people read them: money, tokens, times."""

from longrein.core.usage import BILLIONTHS, Spent
from longrein.core.words import dollars

SECOND = 1_000_000
_UNITS = ((604_800, "w"), (86_400, "d"), (3_600, "h"), (60, "min"))


def age(moment: int, now: int) -> str:
    """How long ago a moment was, roughly; empty: just now.

    >>> age(0, 7_260 * SECOND)
    '2 h'
    """
    seconds = (now - moment) // SECOND
    found = (f"{seconds // size} {unit}" for size, unit in _UNITS if seconds >= size)
    return next(found, "")


def ago(moment: int, now: int) -> str:
    """How long ago a moment was, in a sentence.

    >>> ago(0, 7_260 * SECOND), ago(0, SECOND)
    ('2 h ago', 'just now')
    """
    past = age(moment, now)
    return f"{past} ago" if past else "just now"


def lasted(amount: int) -> str:
    """How long something took, of microseconds, to the second.

    >>> lasted(65 * SECOND), lasted(3_725 * SECOND)
    ('1m 05s', '1h 02m')
    """
    seconds = max(amount, 0) // SECOND
    if seconds < 60:
        return f"{seconds}s"
    minutes, seconds = divmod(seconds, 60)
    if minutes < 60:
        return f"{minutes}m {seconds:02}s"
    return f"{minutes // 60}h {minutes % 60:02}m"


def short_tokens(tokens: int) -> str:
    """So many tokens in at most five letters.

    >>> short_tokens(950), short_tokens(12_345), short_tokens(1_250_000)
    ('950', '12k', '1.2M')
    """
    if tokens < 1_000:
        return str(tokens)
    if tokens < 999_500:
        return f"{tokens / 1_000:.0f}k"
    return f"{tokens / 1_000_000:.1f}".removesuffix(".0") + "M"


def money(spent: Spent) -> str:
    """What was spent, as far as anybody knows; with a plus where more was.

    >>> money(Spent(cost=420_000_000, unpriced=2)), money(Spent(unpriced=2))
    ('$0.4200+', 'not known')
    """
    if spent.unpriced and not spent.cost:
        return "not known"
    return f"{dollars(spent.cost)}{'+' if spent.unpriced else ''}"


def short_cost(spent: Spent) -> str:
    """What was spent; with a plus where more was that nobody knows the price of.

    >>> short_cost(Spent(cost=420_000_000)), short_cost(Spent(cost=420_000_000, unpriced=2))
    ('$0.42', '$0.42+')
    """
    if not spent.cost:
        return ""
    more = "+" if spent.unpriced else ""
    return (
        f"<$0.01{more}" if spent.cost < BILLIONTHS // 100 else f"{dollars(spent.cost, '.2f')}{more}"
    )
