"""Rules that name a link, as the shell meets them: what it leads to is meant."""

from pathlib import Path

import pytest

from longrein.testing.sandbox_cases.setting import ran
from longrein.workspace.rules import FileRule
from longrein.workspace.sandbox.base import Sandbox
from longrein.workspace.sandbox.bubblewrap import Bubblewrap
from longrein.workspace.sandbox.landlock import Landlock
from tests.workspace.sandbox.support import said, within

KINDS = pytest.mark.parametrize("kind", [Bubblewrap, Landlock])
NO_ENV = [FileRule("deny", ("**/.env",))]


def filled(root: Path, *paths: str) -> None:
    for path in paths:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(f"<{path}>")


@KINDS
def test_what_a_link_that_may_not_be_read_leads_to_is_hidden(
    kind: type[Bubblewrap] | type[Landlock], tmp_path: Path
) -> None:
    filled(tmp_path, "config/dev.env", "config/b")
    (tmp_path / "second").symlink_to("config/dev.env")
    (tmp_path / ".env").symlink_to("second")
    line = "cat .env second config/dev.env config/b 2>/dev/null"
    assert said(lambda: kind(tmp_path, rules=NO_ENV), tmp_path, line) == ["<config/b>"]


@KINDS
def test_what_a_link_that_may_not_be_written_leads_to_is_read_only(
    kind: type[Bubblewrap] | type[Landlock], tmp_path: Path
) -> None:
    filled(tmp_path, "cfg-v1/a")
    (tmp_path / "cfg").symlink_to("cfg-v1")
    rules = [FileRule("deny", (f"{tmp_path}/cfg/**",), ("write",))]
    line = "exec 2>/dev/null; cat cfg/a; echo x > cfg/a; echo x > cfg-v1/a; touch cfg-v1/b"
    assert said(lambda: kind(tmp_path, rules=rules), tmp_path, line) == ["<cfg-v1/a>"]
    assert (tmp_path / "cfg-v1/a").read_text() == "<cfg-v1/a>"
    assert not (tmp_path / "cfg-v1/b").exists()


def test_nothing_inside_of_what_a_link_leads_to_is_allowed_again(tmp_path: Path) -> None:
    filled(tmp_path, "real/open/a", "real/b")
    (tmp_path / ".env").symlink_to("real")
    rules = [FileRule("allow", (f"{tmp_path}/real/open/**",)), *NO_ENV]
    line = "cat real/open/a real/b 2>/dev/null"
    assert said(lambda: Bubblewrap(tmp_path, rules=rules), tmp_path, line) == [""]


def test_a_rule_that_goes_through_a_link_is_about_what_is_there(tmp_path: Path) -> None:
    filled(tmp_path, "cfg-v1/key", "cfg-v1/b")
    (tmp_path / "cfg").symlink_to("cfg-v1")
    rules = [FileRule("deny", (f"{tmp_path}/cfg/key",))]
    line = "cat cfg/key cfg-v1/key cfg/b 2>/dev/null"
    assert said(lambda: Bubblewrap(tmp_path, rules=rules), tmp_path, line) == ["<cfg-v1/b>"]


def test_a_link_that_leads_elsewhere_now_is_followed_anew(tmp_path: Path) -> None:
    filled(tmp_path, "one/key", "two/key")
    (tmp_path / "there").symlink_to("one")
    (tmp_path / ".env").symlink_to("there/key")

    async def use(sandbox: Sandbox) -> list[str]:
        line = "cat one/key two/key 2>/dev/null"
        before = (await ran(sandbox, str(tmp_path), line))[0].decode()
        (tmp_path / "there").unlink()
        (tmp_path / "there").symlink_to("two")
        return [before, (await ran(sandbox, str(tmp_path), line))[0].decode()]

    shown = within(lambda: Bubblewrap(tmp_path, rules=NO_ENV), use)
    assert shown == ["<two/key>", "<one/key>"]


def test_a_link_to_a_folder_around_it_hides_nothing(tmp_path: Path) -> None:
    filled(tmp_path, "a/b")
    (tmp_path / "a/.env").symlink_to("..")
    assert said(lambda: Bubblewrap(tmp_path, rules=NO_ENV), tmp_path, "cat a/b") == ["<a/b>"]


def test_links_in_a_folder_that_is_forbidden_hide_nothing_outside_of_it(tmp_path: Path) -> None:
    filled(tmp_path, "src/a", "vault/b")
    (tmp_path / "vault/link").symlink_to("../src")
    rules = [FileRule("deny", (f"{tmp_path}/vault/**",))]
    line = "cat src/a vault/link/a 2>/dev/null"
    assert said(lambda: Bubblewrap(tmp_path, rules=rules), tmp_path, line) == ["<src/a>"]
