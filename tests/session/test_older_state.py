"""The application's state where an older model left something behind."""

from pathlib import Path
from typing import Any

import pydantic
import pytest

from longrein.core.errors import UsageError
from longrein.session.session import Session
from longrein.testing import say
from tests.session.kit import harness, with_session


class Old(pydantic.BaseModel):
    done: int = 0
    note: str = ""


class New(pydantic.BaseModel):
    model_config = pydantic.ConfigDict(extra="forbid")

    done: int = 0


def left_by_the_old(folder: Path) -> str:
    """A store with a thread that keeps both fields of the old model."""
    store = f"sqlite:{folder / 'threads.db'}"

    async def body(session: Session[Any]) -> None:
        await session.update({"done": 3, "note": "x"})

    with_session(harness([say("ok")], store=store, state=Old), body)
    return store


def test_state_is_migrated_when_it_is_read_before_anything_is_written(tmp_path: Path) -> None:
    def migrate(old: dict[str, Any]) -> dict[str, Any]:
        return {"done": old["done"]}

    async def body(session: Session[Any]) -> None:
        before = session.folded.seq
        assert session.state == New(done=3)
        assert session.display.warnings == ()
        assert session.folded.seq == before
        await session.update(lambda state: New(done=state.done + 1))
        assert session.state == New(done=4)
        assert session.folded.data == {"done": 4}

    store = left_by_the_old(tmp_path)
    with_session(harness([], store=store, state=New, migrate=migrate), body)


def test_state_that_does_not_fit_is_shown_before_anything_is_written_and_after(
    tmp_path: Path,
) -> None:
    async def body(session: Session[Any]) -> None:
        for _ in range(2):
            (warning,) = session.display.warnings
            assert warning.kind == "state"
            assert "`note`" in warning.message
            with pytest.raises(UsageError, match="`note`"):
                _ = session.state
            await session.rename("Opened")

    store = left_by_the_old(tmp_path)
    with_session(harness([], store=store, state=New), body)


def test_a_valid_update_lets_go_of_a_key_that_is_forbidden_now(tmp_path: Path) -> None:
    async def body(session: Session[Any]) -> None:
        await session.update({"done": 4})
        assert session.state == New(done=4)
        assert session.display.warnings == ()

    store = left_by_the_old(tmp_path)
    with_session(harness([], store=store, state=New), body)
