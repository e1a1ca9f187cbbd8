"""How long a provider asks to be left alone."""

import re
from collections.abc import Mapping
from datetime import datetime
from email.utils import parsedate_to_datetime

_SPAN = re.compile(r"(\d+(?:\.\d+)?)\s*(ms|[smhd])", re.IGNORECASE)
_SAID = re.compile(
    r"(?:try again|retry|wait)\D{0,24}?((?:\d+(?:\.\d+)?\s*(?:ms|[smhd])[a-z]*\s*)+)", re.IGNORECASE
)
_SECONDS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}

_LIMITS = (
    "x-ratelimit-{}-requests",
    "x-ratelimit-{}-tokens",
    "anthropic-ratelimit-requests-{}",
    "anthropic-ratelimit-tokens-{}",
    "anthropic-ratelimit-input-tokens-{}",
    "anthropic-ratelimit-output-tokens-{}",
    "x-ratelimit-{}",
    "ratelimit-{}",
)
"""Names of the headers that tell what remains of a limit and when it is whole again."""


def retry_after(headers: Mapping[str, str], message: str, now: float) -> float | None:
    """Seconds until it is worth asking again, from headers or words; None without a hint.

    `headers` are looked up in lower case. `now` is the time in seconds since 1970.
    """
    milliseconds = _number(headers.get("retry-after-ms", ""))
    if milliseconds is not None:
        return milliseconds / 1000
    seconds = _moment(headers.get("retry-after", ""), now)
    if seconds is not None:
        return seconds
    spent = [
        wait
        for name in _LIMITS
        if _number(headers.get(name.format("remaining"), "")) == 0
        and (wait := _moment(headers.get(name.format("reset"), ""), now)) is not None
    ]
    if spent:
        return max(spent)
    said = _SAID.search(message)
    return _span(said.group(1)) if said else None


def _moment(value: str, now: float) -> float | None:
    """Seconds from `now` to what a header says: seconds, `6m0s`, a date or a point in time."""
    value = value.strip()
    number = _number(value)
    if number is None:
        return _span(value) if _SPAN.match(value) and "T" not in value else _date(value, now)
    if number > 1e11:  # milliseconds since 1970
        return max(0.0, number / 1000 - now)
    if number > 1e8:  # seconds since 1970
        return max(0.0, number - now)
    return max(0.0, number)


def _number(value: str) -> float | None:
    try:
        return float(value) if value.strip()[:1].isdigit() else None
    except ValueError:
        return None


def _span(value: str) -> float | None:
    parts = _SPAN.findall(value)
    return sum(float(count) * _SECONDS[unit.lower()] for count, unit in parts) if parts else None


def _date(value: str, now: float) -> float | None:
    try:
        moment = datetime.fromisoformat(value) if "T" in value else parsedate_to_datetime(value)
        return max(0.0, moment.timestamp() - now)
    except ValueError:
        # `Thu, ...` holds a T as well.
        try:
            return max(0.0, parsedate_to_datetime(value).timestamp() - now)
        except ValueError:
            return None
