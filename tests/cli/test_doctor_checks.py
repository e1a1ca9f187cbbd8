"""What `longrein doctor` says about the store, the terminal, the models and their keys."""

import json
import sqlite3
from pathlib import Path

import pytest

from longrein.cli.doctor.store import store_checks
from longrein.cli.doctor.terminal import colours, terminal_checks
from longrein.storage.tables.database import open_database
from longrein.storage.tables.schema import MIGRATIONS
from tests.cli.terminal import Terminal
from tests.cli.world import KEY, World
from tests.models.keyed import Keyed


def made(path: Path) -> Path:
    open_database(str(path), "FULL", 5).close()
    return path


def test_a_store_is_looked_at_and_not_made(tmp_path: Path) -> None:
    states = [one.state for one in store_checks(f"sqlite:{tmp_path}/new/folder/x.db")]
    assert states == ["ok", "ok"]
    assert list(tmp_path.iterdir()) == []
    assert [one.state for one in store_checks("memory")] == ["note"]


def test_a_store_that_is_whole_tells_its_version_and_size(tmp_path: Path) -> None:
    store, room = store_checks(f"sqlite:{made(tmp_path / 'x.db')}")
    assert store.state == "ok"
    assert f"version {len(MIGRATIONS)} of {len(MIGRATIONS)}" in store.found
    assert store.found.endswith("whole")
    assert "free" in room.found


def test_a_damaged_store_is_found_and_left_as_it_is(tmp_path: Path) -> None:
    path = made(tmp_path / "x.db")
    data = bytearray(path.read_bytes())
    data[2048:6144] = b"\xff" * 4096
    path.write_bytes(data)
    store, _ = store_checks(f"sqlite:{path}")
    assert store.state == "missing"
    assert ".recover" in store.fix
    assert path.read_bytes() == data


@pytest.mark.parametrize("content", [b"not a database, but long enough " * 40, None])
def test_what_is_no_store_is_told(tmp_path: Path, content: bytes | None) -> None:
    path = tmp_path / "x.db"
    path.mkdir() if content is None else path.write_bytes(content)
    assert store_checks(f"sqlite:{path}")[0].state == "missing"


def test_a_store_of_a_newer_version_asks_for_an_update(tmp_path: Path) -> None:
    path = made(tmp_path / "x.db")
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA user_version=9999")
    connection.close()
    assert "Update Longrein" in store_checks(f"sqlite:{path}")[0].fix


@pytest.mark.parametrize(
    ("environ", "said"),
    [
        ({"TERM": "xterm-256color", "COLORTERM": "truecolor", "NO_COLOR": "1"}, "none: NO_COLOR"),
        ({"TERM": "xterm-256color", "COLORTERM": "24bit"}, "all"),
        ({"TERM": "screen-256color"}, "256"),
        ({"TERM": "linux"}, "16"),
        ({"TERM": "dumb"}, "none"),
    ],
)
def test_colours_are_as_the_environment_says(environ: dict[str, str], said: str) -> None:
    assert colours(environ).startswith(said)


def test_without_a_terminal_that_is_what_is_said() -> None:
    first, *_ = terminal_checks({})
    assert (first.name, first.found[:4]) == ("terminal", "none")


def test_at_a_terminal_its_kind_size_and_surroundings_are_told(world: World) -> None:
    around = {"TERM": "screen", "TMUX": "/tmp/x,1,0", "SSH_CONNECTION": "1.2.3.4 5 6.7.8.9 22"}
    with Terminal(world, "doctor", size=(70, 20), **around) as terminal:
        terminal.sees("screen, in tmux, over ssh")
        terminal.sees("70 by 20")
        assert terminal.ends() == 0


def found(world: World, *arguments: str, **environ: str) -> dict[str, list[tuple[str, str]]]:
    report = json.loads(world.run("doctor", "--json", *arguments, **environ).stdout)
    by_name: dict[str, list[tuple[str, str]]] = {}
    for one in report["checks"]:
        by_name.setdefault(one["name"], []).append((one["state"], one["found"]))
    return by_name


def test_a_model_without_a_key_is_missing_and_one_with_a_key_says_from_where(world: World) -> None:
    world.user_file.write_text('model = "groq:fast"\nfallback = ["mistral:big"]\n')
    checks = found(world, MISTRAL_API_KEY=KEY)
    assert checks["model"] == [
        ("missing", "groq:fast"),
        ("ok", "mistral:big: key from environment MISTRAL_API_KEY"),
    ]


def test_without_a_model_it_says_how_to_choose_one(world: World) -> None:
    assert "longrein config model PROVIDER:NAME" in world.run("doctor").stdout


def test_online_the_provider_is_asked_about_the_key(world: World) -> None:
    with Keyed(KEY) as provider:
        world.use(provider.url)
        assert found(world, "--online")["online"] == [("ok", "local answers, and takes the key")]
        ((state, said),) = found(world, "--online", LOCAL_KEY="sk-something-else")["online"]
        assert (state, said.startswith("local refuses the key")) == ("missing", True)
        assert "sk-something-else" not in said
    ((state, _),) = found(world, "--online")["online"]
    assert state == "note"


def test_a_keys_file_that_others_can_read_is_told_with_the_command_that_mends_it(
    world: World,
) -> None:
    keys = world.user_file.with_name("keys.toml")
    keys.write_text('anthropic = "sk-1234567890"\n')
    keys.chmod(0o644)
    told = world.run("doctor").stdout
    assert "NO keys             kept keys do not count\n" in told
    assert f"- keys: {keys} can be read by others: chmod 600 {keys}\n" in told
