"""What callers give, held against what is meant: nothing is converted or split behind their backs.

What they give may be of any type, whatever the annotations say.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, cast

from longrein.core.errors import UsageError
from longrein.core.records import Approval, Question
from longrein.loop.checks import meant


def text_of(what: str, given: Any) -> str:
    """A text. Raises `UsageError` for anything else: bytes would be kept as base64."""
    if not isinstance(given, str):
        hint = "; give bytes as files=[...]" if isinstance(given, bytes) else ""
        raise UsageError(f"{what} is a text, not {given!r}{hint}.")
    return given


def texts_of(what: str, given: Any) -> tuple[str, ...]:
    """Several texts. Raises `UsageError` for anything else: one text would be split into letters.

    >>> texts_of("tags", ["kitchen"])
    ('kitchen',)
    >>> texts_of("tags", "kitchen")
    Traceback (most recent call last):
    longrein.core.errors.UsageError: tags is a list of texts, not 'kitchen'; write ['kitchen'].
    """
    if isinstance(given, str):
        raise UsageError(f"{what} is a list of texts, not {given!r}; write [{given!r}].")
    members: list[Any] = list(cast("Iterable[Any]", given)) if isinstance(given, Iterable) else []
    if not isinstance(given, Iterable) or not all(isinstance(one, str) for one in members):
        raise UsageError(f"{what} is a list of texts, not {given!r}.")
    return tuple(members)


def settings_of(given: Any) -> dict[str, Any]:
    """Settings by name. Raises `UsageError` for what JSON would make something else of."""
    if not isinstance(given, Mapping):
        raise UsageError(f"Settings are given by name, as a dict, not as {given!r}.")
    settings = dict(cast("Mapping[Any, Any]", given))
    for name, value in settings.items():
        if not isinstance(name, str):
            raise UsageError(f"The name of a setting is a text, not {name!r}.")
        if not _is_json(value):
            raise UsageError(f"The setting {name!r} is kept as JSON, which has no {value!r}.")
    return settings


def _is_json(value: Any) -> bool:
    match value:
        case None | bool() | int() | float() | str():
            return True
        case list() | tuple():
            return all(map(_is_json, cast("Sequence[Any]", value)))
        case dict():
            items = cast("dict[Any, Any]", value).items()
            return all(isinstance(key, str) and _is_json(one) for key, one in items)
        case _:
            return False


def id_of(what: str, given: Any) -> str:
    """The id of what waits for a person, given by it or as the thing itself."""
    if isinstance(given, Approval | Question):
        return given.id
    if not isinstance(given, str):
        raise UsageError(f"{what} is given by its id, not as {given!r}.")
    return given


def check_choice(what: str, given: Any, known: Sequence[str]) -> None:
    """Raises `UsageError` for what is not one of the choices."""
    if given not in known:
        named = [one for one in known if one]
        raise UsageError(f"There is no {what} {given!r}.{meant(str(given), named)}")


def check_page(limit: Any, offset: Any = 0) -> None:
    """Raises `UsageError` for a page that nobody can have."""
    if not isinstance(limit, int) or limit < 1:
        raise UsageError(f"limit is {limit!r}; give how many there may be, 1 or more.")
    if not isinstance(offset, int) or offset < 0:
        raise UsageError(f"offset is {offset!r}; give how many to leave out, 0 or more.")


def check_kinds(only: Any) -> None:
    """Raises `UsageError` for what is not a class of events, or several in a tuple."""
    kinds = cast("tuple[Any, ...]", only if isinstance(only, tuple) else (only,))
    if wrong := [one for one in kinds if not isinstance(one, type)]:
        raise UsageError(
            f"only={wrong[0]!r} is not a kind of event; give classes of longrein.events, such as "
            "only=(RunStarted, RunEnded)."
        )
