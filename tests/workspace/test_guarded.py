"""A file system behind a policy shows and does only what is allowed."""

from collections.abc import Coroutine, Sequence
from pathlib import Path
from typing import Any

import pytest

from longrein.testing.filesystem_cases.setting import all_of, counts, filled, lines
from longrein.workspace.base import FileSystem, Grep
from longrein.workspace.disk import DiskFiles
from longrein.workspace.guarded import Guarded, ways
from longrein.workspace.memory import MemoryFiles
from longrein.workspace.mounts import Mounts
from longrein.workspace.problems import Denied, NeedsApproval
from longrein.workspace.rules import FileRule, Operation, Verdict, policy
from tests.support import run

RULES = policy(
    [
        FileRule("deny", ("**/.env", "/keys/**")),
        FileRule("ask", ("/plans/**",)),
        FileRule("deny", ("/docs/**",), ("write",)),
    ]
)
TREE = ("/.env", "/a", "/docs/a", "/keys/one", "/plans/p", "/src/.env", "/src/b")


def guarded(inner: FileSystem | None = None) -> Guarded:
    files = inner or MemoryFiles()
    run(filled(files, *TREE))
    return Guarded(files, RULES)


def denied(call: Coroutine[Any, Any, object], kind: type[Exception] = Denied) -> str:
    with pytest.raises(kind) as problem:
        run(call)
    return str(problem.value)


def test_what_is_denied_is_neither_listed_nor_found(tmp_path: Path) -> None:
    for inner in (MemoryFiles(), DiskFiles(tmp_path)):
        files = guarded(inner)
        assert [one.name for one in run(files.entries("/")).entries] == ["a", "docs", "src"]
        assert run(all_of(files.glob("**"))) == ["/a", "/docs/a", "/src/b"]
        found = run(counts(files, Grep("text", show="counts")))
        assert list(found) == ["/a", "/docs/a", "/src/b"]


def test_a_bounded_listing_does_not_tell_of_what_is_hidden() -> None:
    listing = run(guarded().entries("/", 3))
    assert len(listing.entries) == 3
    assert not listing.more


def test_every_way_to_read_is_denied_and_names_the_rule() -> None:
    files = guarded()
    for call in (
        files.read("/.env"),
        files.stat("/.env"),
        files.entries("/keys"),
        all_of(files.chunks("/keys/one")),
        all_of(files.grep(Grep("x", "/keys"))),
        all_of(files.glob("*", "/keys/one")),
        files.real("/keys/one"),
        files.move("/.env", "/b"),
    ):
        assert "the rule: deny read+write" in denied(call)


def test_what_is_denied_is_denied_whether_it_is_there_or_not() -> None:
    files = guarded()
    assert denied(files.stat("/keys/none")).startswith("'/keys/none'")


def test_every_way_to_write_is_denied() -> None:
    files = guarded()
    for call in (
        files.write("/docs/a", b""),
        files.write("/new/.env", b""),
        files.remove("/docs/a"),
        files.move("/docs/a", "/b"),
        files.move("/a", "/docs/b"),
        files.move("/a", "/x/.env"),
    ):
        denied(call)
    assert run(files.read("/docs/a")).data == b"text\n"


def test_a_folder_does_not_go_with_what_may_not_be_changed() -> None:
    files = guarded()
    denied(files.remove("/src", recursive=True))
    denied(files.move("/src", "/other"))
    assert run(files.read("/src/b")).data == b"text\n"


def test_a_folder_does_not_move_to_where_its_files_may_not_be() -> None:
    files = Guarded(MemoryFiles(), policy([FileRule("deny", ("/x/a",), ("write",))]))
    run(filled(files, "/d/a"))
    denied(files.move("/d", "/x"))


def test_what_is_asked_about_needs_a_yes_for_this_path_and_operation() -> None:
    files = guarded()
    assert "a person must agree" in denied(files.read("/plans/p"), NeedsApproval)
    approved = files.approving([("read", "/plans/p")])
    assert run(approved.read("/plans/p")).data == b"text\n"
    denied(approved.write("/plans/p", b""), NeedsApproval)
    denied(approved.read("/plans/q"), NeedsApproval)
    assert "/plans/p" in run(all_of(approved.glob("**")))


def test_a_yes_does_not_lift_a_deny() -> None:
    denied(guarded().approving([("read", "/.env")]).read("/.env"))


def test_a_second_guard_narrows_and_never_widens() -> None:
    child = Guarded(
        guarded(), policy([FileRule("allow", ("/a", "/.env")), FileRule("deny", ("/**",))])
    )
    assert run(child.read("/a")).data == b"text\n"
    denied(child.read("/.env"))
    denied(child.read("/src/b"))


def test_a_link_to_what_is_denied_is_denied(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("keys/one")
    files = guarded(DiskFiles(tmp_path))
    denied(files.real("/link"))


def linked(folder: Path) -> DiskFiles:
    """`/latest` leads to `/v/now`, that to `/v/3`, and `/v/3/deep` to `/w`."""
    for name in ("v/3", "w"):
        (folder / name).mkdir(parents=True)
    (folder / "w/file").write_bytes(b"text")
    (folder / "latest").symlink_to("v/now")
    (folder / "v/now").symlink_to(folder.resolve() / "v/3")
    (folder / "v/3/deep").symlink_to("../../w")
    return DiskFiles(folder)


@pytest.mark.parametrize("mounted", [False, True], ids=["itself", "mounted"])
def test_a_path_leads_through_all_its_links(mounted: bool, tmp_path: Path) -> None:
    disk = linked(tmp_path)
    files, at = (Mounts({"/m": disk}), "/m") if mounted else (disk, "")
    # What an absolute link says is a path of the disk: how it goes on from there is known.
    through = ("/latest/deep/file", "/v/now/deep/file", "/v/3/deep/file", "/w/file")
    assert run(ways(files, f"{at}/latest/deep/file")) == tuple(at + one for one in through)
    assert run(ways(files, f"{at}/v/now", last=False)) == (f"{at}/v/now",)
    assert run(ways(files, f"{at}/w/new")) == (f"{at}/w/new",)


@pytest.mark.parametrize("name", ["/latest", "/v/now/**", "/v/3/deep", "/w/*"])
@pytest.mark.parametrize("operation", ["read", "write"])
def test_what_may_not_be_is_not_to_be_had_through_a_link_of_that_name(
    name: str, operation: Operation, tmp_path: Path
) -> None:
    rules = [FileRule("deny", (name,), (operation,))]
    files = Guarded(linked(tmp_path), policy(rules))

    async def write() -> None:
        await files.write(await files.real("/latest/deep/file"), b"")

    assert f"the rule: {rules[0]}" in denied(write())


def test_what_is_asked_about_by_the_name_of_a_link_needs_a_yes(tmp_path: Path) -> None:
    files = Guarded(linked(tmp_path), policy([FileRule("ask", ("/v/now/**",), ("read",))]))
    denied(files.real("/latest/deep/file"), NeedsApproval)
    approved = files.approving([("read", "/v/now/deep/file")])
    assert run(approved.real("/latest/deep/file")) == "/w/file"


def test_where_nothing_may_be_written_links_are_followed_to_read(tmp_path: Path) -> None:
    files = Guarded(linked(tmp_path), policy([FileRule("deny", ("/**",), ("write",))]))
    assert run(files.real("/latest/deep/file")) == "/w/file"


def test_any_function_can_be_the_policy() -> None:
    def only_reading(path: str, operation: Operation) -> Verdict:
        return Verdict("allow" if operation == "read" else "deny")

    files = Guarded(MemoryFiles(), only_reading)
    assert "You may not write this." in denied(files.write("/a", b""))
    assert run(files.entries("/")).entries == ()


class Sifted:
    """A policy that says at once which paths are worth asking about, and notes who was asked."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def __call__(self, path: str, operation: Operation) -> Verdict:
        self.asked.append(path)
        return Verdict("deny" if path.startswith("/keys/") else "allow")

    def doubtful(self, paths: Sequence[str], operation: Operation) -> list[str]:
        return [path for path in paths if "keys" in path or path == "/src/b"]


def test_a_policy_that_can_sift_is_asked_only_about_what_is_doubtful() -> None:
    inner, sifted = MemoryFiles(), Sifted()
    run(filled(inner, *TREE))
    files = Guarded(inner, sifted)
    assert "/keys/one" not in run(all_of(files.glob("**")))
    assert set(sifted.asked) == {"/", "/keys/one", "/src/b"}


@pytest.mark.parametrize("mounted", [False, True], ids=["itself", "mounted"])
def test_searches_ask_about_paths_as_the_policy_knows_them(mounted: bool, tmp_path: Path) -> None:
    inner = guarded(DiskFiles(tmp_path))
    files = Mounts({"/m": inner}) if mounted else inner
    at = "/m" if mounted else ""
    shown = [f"{at}/a", f"{at}/docs/a", f"{at}/src/b"]
    assert run(all_of(files.glob("**", at or "/"))) == shown
    assert list(run(counts(files, Grep("text", at or "/", show="counts")))) == shown
    assert [path for path, _, _ in run(lines(files, Grep("text", at or "/")))] == shown
