"""A project's file that nobody trusted stops no command, whatever it is."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from longrein.settings.project import MOST_BYTES
from longrein.settings.trusted import TrustBook
from longrein.testing import say
from tests.cli.terminal import Terminal
from tests.cli.world import World, provider


def holding(data: bytes) -> Callable[[Path], object]:
    return lambda path: path.write_bytes(data)


BAD: list[tuple[Callable[[Path], object], str]] = [
    (holding(b"x = ["), "this is not TOML"),
    (holding(b"\xff"), "this is not TOML"),
    (holding(b'trust = "yolo"'), "counts only from yourself"),
    (holding(b'"a\\nb" = 1'), "a b is not a setting"),
    (holding(b"x = " + b"[" * 900 + b"\n[" * 900), "nested too deeply"),
    (holding(b"a." * 30_000 + b"a = 1"), "a line has more than 1,000 bytes"),
    (holding(b"#\n" * MOST_BYTES), "more than 65,536 bytes"),
    (Path.mkdir, "not a regular file"),
    (lambda path: path.symlink_to(path.name), "Too many levels of symbolic links"),
    (lambda path: path.symlink_to("/dev/zero"), "not a regular file"),
    (os.mkfifo, "not a regular file"),
]


@pytest.mark.parametrize(("make", "why"), BAD)
def test_what_cannot_count_is_reported_in_one_line_and_ignored(
    world: World, make: Callable[[Path], object], why: str
) -> None:
    make(world.project_file)
    with provider(world, [say("Hello.")]):
        done = world.run("run", "Hi")
    (line,) = done.stderr.splitlines()
    assert (done.returncode, done.stdout) == (0, "Hello.\n")
    assert line.startswith(f"Ignored: {world.project_file}: ")
    assert why in line


@pytest.mark.parametrize(("make", "why"), BAD)
def test_to_trust_what_cannot_count_is_refused(
    world: World, make: Callable[[Path], object], why: str
) -> None:
    make(world.project_file)
    done = world.run("trust")
    assert done.returncode == 2
    assert why in " ".join(done.stderr.split())


def test_what_was_typed_before_the_question_does_not_answer_it(world: World) -> None:
    world.project_file.write_text('[[hooks.SessionStart]]\ncommand = "touch ran"\n')
    with provider(world, [say("Hello.")]), Terminal(world, "run", "Hi") as person:
        person.types("y\ny\n")
        person.sees("Use them? You are asked once. [y/N]")
        person.types("n\n")
        person.sees("Hello.")
        assert person.ends() == 0
    assert not (world.project / "ran").exists()


def test_a_folder_that_cannot_be_looked_at_stops_nothing(world: World) -> None:
    world.project_file.parent.rmdir()
    world.project_file.parent.symlink_to("x" * 300)
    done = world.run("threads")
    assert done.returncode == 0
    assert "settings.toml: File name too long" in done.stderr


def test_nobody_is_asked_about_what_cannot_count(world: World) -> None:
    world.project_file.write_text("x = [")
    with provider(world, [say("Hello.")]), Terminal(world, "run", "Hey") as person:
        person.sees("Ignored: ")
        person.sees("Hello.")
        assert person.ends() == 0
    assert "[y/N]" not in person.screen


def test_a_trusted_file_that_makes_no_sense_is_refused_until_it_is_revoked(world: World) -> None:
    world.project_file.write_text("x = [")
    book = TrustBook(world.root / "state" / "longrein")
    book.write(world.project_file, world.project_file.read_bytes(), True)
    refused = world.run("threads")
    assert refused.returncode == 2
    assert f"{world.project_file}: this is not TOML" in refused.stderr
    assert world.run("trust", "--revoke").returncode == 0
    assert world.run("threads").returncode == 0
