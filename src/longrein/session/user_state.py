"""The application's own state: its model, held against what a thread keeps of it.

A thread keeps only what was changed, as plain JSON values. What is read is the start with that on
top, so a new field of the model needs no migration as long as the start has a value for it.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeAlias, cast, get_origin, is_typeddict

import msgspec

from longrein.core.errors import UsageError
from longrein.core.events import Event, StateChanged, StateInvalid
from longrein.core.state import State
from longrein.loop.checks import meant
from longrein.tools.reach import Change
from longrein.tools.shapes import Flaw, Misfit, Shape, name_of, plain, shape_of

Migrate: TypeAlias = Callable[[dict[str, Any]], Mapping[str, Any]]
"""From what a thread kept for an older model to what it should keep for this one."""

_UNCHANGED = "The state was not changed"


class UserState:
    """The model of the application's state, and the value that it starts with.

    `model` is a type whose fields all have defaults, an instance, which is then the start, or None
    for any JSON object. Raises `UsageError` for what cannot be kept as a JSON object.

    >>> from dataclasses import dataclass
    >>> from longrein.core.state import State
    >>> from longrein.session.user_state import UserState
    >>> @dataclass
    ... class Progress:
    ...     done: int = 0
    ...     of: int = 10
    >>> kept = UserState(Progress)
    >>> kept.read(State(data={"done": 3}))
    Progress(done=3, of=10)
    >>> kept.update(State(), {"done": 3, "of": 10})[0].changes
    {'done': 3}
    """

    def __init__(self, model: Any = None, migrate: Migrate | None = None) -> None:
        self._shape, self._start = _begin(model)
        self._migrate = migrate

    def read(self, state: State) -> Any:
        """The state of a thread, made anew each time: it may be changed without harm to others.

        What an older model left is migrated here too, also before that is written. Raises
        `UsageError`, naming the fields, while what is kept does not fit the model.
        """
        found = self._fitting(state.data)
        if isinstance(found, StateInvalid):
            raise UsageError(
                "What this thread keeps of the application's state does not fit its model: "
                f"{found.message}. Give the harness migrate=, or update these fields."
            )
        return self._shape.read({**self._start, **found})

    def problem(self, state: State) -> str:
        """What is wrong with the state that a thread keeps; nothing if it fits."""
        found = self._fitting(state.data)
        return found.message if isinstance(found, StateInvalid) else ""

    def apply(self, state: State, change: Change) -> list[Event]:
        """What a change comes to: keys with new values, or a function of the state as it is.

        The function gets a state of its own, and either returns a new one or changes it and returns
        None. Raises `UsageError` as `read` and `update` do; what the function raises is not caught.
        """
        if not callable(change):
            return self.update(state, change)
        given = self.read(state)
        old = _values(self._shape, given)
        returned = change(given)
        new = self._new_values(given if returned is None else returned)
        return self.update(state, new, removed=[key for key in old if key not in new])

    def update(
        self, state: State, changes: Mapping[str, Any], removed: Iterable[str] = ()
    ) -> list[Event]:
        """The event that changes these keys, with what really changes; no event if nothing does.

        Values are kept as the model makes them. A removed key has the value of the start again, if
        that has one. Raises `UsageError`, naming the fields, for what does not fit.
        """
        gone = {self._shape.names.get(key, key) for key in removed}
        found = self._fitting(state.data)
        kept = state.data if isinstance(found, StateInvalid) else found
        try:
            given = self._keyed(changes)
            left = {key: value for key, value in kept.items() if key not in gone}
            wanted = self._mended(left, {k: v for k, v in given.items() if k not in gone})
            return self._changed(state, wanted)
        except Misfit as misfit:
            raise UsageError(f"{_UNCHANGED}: {misfit.message}") from misfit

    def opening(self, state: State) -> list[Event]:
        """What to write when a thread is opened: its state fits, was migrated, or is invalid.

        `migrate` is also asked about keys that the model merely ignores: a field that was renamed
        is one. The same complaint is not written twice.
        """
        found = self._fitting(state.data)
        if isinstance(found, StateInvalid):
            return [] if state.invalid == found.message else [found]
        if found is state.data:
            return [StateChanged({})] if state.invalid else []
        return self._changed(state, found)

    def _fitting(self, data: Mapping[str, Any]) -> Mapping[str, Any] | StateInvalid:
        """What a thread keeps, if it fits; else what `migrate` makes of it, if that does."""
        try:
            whole = self._whole(data)
        except Misfit as misfit:
            return self._migrated(data, misfit)
        ignored = [Flaw((key,), "no such field") for key in data if key not in whole]
        return self._migrated(data, Misfit(ignored)) if ignored and self._migrate else data

    def _migrated(
        self, data: Mapping[str, Any], misfit: Misfit
    ) -> Mapping[str, Any] | StateInvalid:
        if self._migrate is None:
            return StateInvalid(misfit.fields, misfit.message)
        try:
            wanted = self._keyed(self._migrate(plain(data)))
            whole = self._whole(wanted)
        except Misfit as still:
            return StateInvalid(still.fields, f"What migrate= gives does not fit: {still}")
        except Exception as error:  # the user's code must not keep a thread from being opened
            why = f"{type(error).__name__}: {error}"
            return StateInvalid(misfit.fields, f"{misfit}; migrate= raised {why}")
        # What the model ignores is not kept, or it would be migrated again and again.
        return {key: value for key, value in wanted.items() if key in whole}

    def _mended(self, kept: dict[str, Any], given: dict[str, Any]) -> dict[str, Any]:
        """What is kept with what is given on top, and every key given has a place in the model.

        Keys that an older model left are let go where they are all that is in the way. Raises
        `Misfit`.
        """
        wanted = {**kept, **given}
        try:
            whole = self._whole(wanted)
        except Misfit:
            wanted = {key: wanted[key] for key in wanted if key in self._start or key in given}
            if len(wanted) == len(kept | given):
                raise
            whole = self._whole(wanted)
        if unknown := [key for key in given if key not in whole]:
            raise Misfit([Flaw((key,), f"no such field.{meant(key, whole)}") for key in unknown])
        return wanted

    def _changed(self, state: State, wanted: Mapping[str, Any]) -> list[Event]:
        """From what is kept to what is wanted, as it comes out of the model. Raises `Misfit`."""
        after = self._whole(wanted)
        try:
            before = self._whole(state.data)
        except Misfit:
            before = {**self._start, **state.data}
        removed = tuple(
            key
            for key in state.data
            if key not in wanted and _same(after.get(key), self._start.get(key))
        )
        changes = {
            key: value
            for key, value in after.items()
            if key not in removed and not (key in before and _same(value, before[key]))
        }
        return [StateChanged(changes, removed)] if changes or removed or state.invalid else []

    def _whole(self, data: Mapping[str, Any]) -> dict[str, Any]:
        """All of the state in plain values, as they come out of the model. Raises `Misfit`."""
        return _values(self._shape, self._shape.read({**self._start, **data}))

    def _keyed(self, changes: Mapping[str, Any]) -> dict[str, Any]:
        """Plain values by the keys that JSON has; attributes may be called otherwise."""
        values = plain(changes)
        if not isinstance(values, dict):
            raise Misfit([Flaw((), f"keys with values are needed, not {changes!r}")])
        given = cast("dict[str, Any]", values)
        return {self._shape.names.get(key, key): value for key, value in given.items()}

    def _new_values(self, value: Any) -> dict[str, Any]:
        kind = self._shape.kind
        if not isinstance(value, dict if is_typeddict(kind) else get_origin(kind) or kind):
            raise UsageError(
                f"{_UNCHANGED}: the function returned {name_of(type(value))}; return "
                f"{name_of(kind)}, or change the one that it is given and return None."
            )
        try:
            return _values(self._shape, value)
        except Misfit as misfit:
            raise UsageError(f"{_UNCHANGED}: {misfit.message}") from misfit


def plain_keys(changes: Mapping[str, Any]) -> dict[str, Any]:
    """Changes as plain JSON values. Raises `UsageError` for what JSON cannot hold."""
    if not isinstance(changes, Mapping):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise UsageError(
            f"{_UNCHANGED}: give keys with their new values, or a function, not {changes!r}."
        )
    try:
        return dict(plain(changes))
    except Misfit as misfit:
        raise UsageError(f"{_UNCHANGED}: {misfit.message}") from misfit


def _begin(model: Any) -> tuple[Shape[Any], dict[str, Any]]:
    """The shape of the state, and what it starts with."""
    if isinstance(model, type) or get_origin(model) is not None:
        return _started(shape_of(cast("type[Any]", model)), {})
    if model is None or isinstance(model, dict):
        return _started(shape_of(dict[str, Any]), model or {})
    return _started(shape_of(cast("type[Any]", type(model))), model)


def _started(shape: Shape[Any], given: Any) -> tuple[Shape[Any], dict[str, Any]]:
    try:
        # Twice round: a model does not look at its own defaults.
        return shape, _values(shape, shape.read(_values(shape, shape.read(plain(given)))))
    except Misfit as misfit:
        raise UsageError(
            f"{name_of(shape.kind)} is not a state to start with ({misfit.message}): give all of "
            "its fields defaults that fit, or give the harness an instance to start with."
        ) from misfit


def _values(shape: Shape[Any], value: Any) -> dict[str, Any]:
    values = shape.values(value)
    if not isinstance(values, dict):
        raise UsageError(
            f"{name_of(shape.kind)} cannot be the application's state, which is a JSON object: "
            "give a type with fields."
        )
    return cast("dict[str, Any]", values)


def _same(one: Any, other: Any) -> bool:
    # As JSON, where 1 is not True.
    return msgspec.json.encode(one) == msgspec.json.encode(other)
