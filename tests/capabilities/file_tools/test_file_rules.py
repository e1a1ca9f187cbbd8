"""File rules and file tools: deny, ask and allow, by what a call really touches."""

from pathlib import Path

import pytest

from longrein.core.policy import Rule
from longrein.permissions.evaluate import Allow, Ask, Deny
from longrein.workspace.disk import DiskFiles
from longrein.workspace.rules import Effect, FileRule, Operation
from tests.capabilities.file_tools.kit import Bench, text_of
from tests.support import run

RULES = [
    FileRule("deny", ("**/.env",)),
    FileRule("ask", ("/deploy/**",)),
    FileRule("allow", ("/docs/**",), ("write",)),
]
EDIT = {"edits": [{"old_string": "x", "new_string": "y"}]}


def ruled() -> Bench:
    bench = Bench(rules=RULES, trust="ask")
    bench.put(_env=b"KEY=1", deploy__a=b"x", docs__a=b"x", src__a=b"x", src___env=b"x")
    return bench


def test_what_is_denied_is_refused_by_its_rule() -> None:
    told = ruled().fail("read_file", path=".env")
    assert "file rule: deny read+write **/.env" in told


@pytest.mark.parametrize(
    ("name", "arguments", "effect"),
    [
        ("read_file", {"path": ".env"}, Deny),
        ("write_file", {"path": "new/.ENV", "content": ""}, Deny),
        ("edit_file", {"path": "/src/../.env", **EDIT}, Deny),
        ("read_file", {"path": "deploy/a"}, Ask),
        ("ls", {"path": "deploy"}, Ask),
        ("grep", {"pattern": "x", "path": "deploy"}, Ask),
        ("edit_file", {"path": "docs/a", **EDIT}, Allow),
        ("write_file", {"path": "docs/new/b", "content": ""}, Allow),
        ("edit_file", {"path": "src/a", **EDIT}, Ask),
        ("delete", {"path": "docs", "recursive": True}, Allow),
        ("delete", {"path": "src", "recursive": True}, Deny),
        ("move", {"source": "src", "target": "lib"}, Deny),
        ("move", {"source": "docs/a", "target": "docs/b"}, Allow),
        ("move", {"source": "docs/a", "target": "src/b"}, Ask),
        ("move", {"source": "docs/a", "target": "src/.env"}, Deny),
        ("move", {"source": "docs", "target": "deploy/docs"}, Ask),
    ],
)
def test_rules_decide_by_all_that_a_call_touches(
    name: str, arguments: dict[str, object], effect: type
) -> None:
    verdict = run(ruled().verdict(name, **arguments))
    assert type(verdict) is effect, verdict


def test_an_ask_names_its_rule_and_what_is_touched() -> None:
    touches = run(ruled().touches("edit_file", path="deploy/../deploy/a", **EDIT))
    name = "file rule: ask read+write /deploy/**"
    assert touches.paths == ("/deploy/a",)
    assert touches.judged == (Rule("ask", tool="edit_file", id=name),)


def test_a_call_that_was_let_through_works_on_what_rules_ask_about() -> None:
    bench = ruled()
    bench.use("edit_file", path="deploy/a", **EDIT)
    assert bench.get("/deploy/a") == b"y"
    assert bench.use("grep", pattern="y", path="deploy") == "deploy/a\n1:y"
    assert bench.use("ls", path="deploy") == "a (1 byte)"


def test_a_call_that_nobody_looked_at_does_not() -> None:
    bench = ruled()
    ended = run(bench.run(bench.context("edit_file"), "edit_file", path="deploy/a", **EDIT))
    assert ended.status == "error"
    assert "a person must agree first" in text_of(ended)


def test_listings_and_searches_leave_out_what_is_denied_or_asked_about() -> None:
    bench = ruled()
    assert bench.use("ls") == "docs/\nsrc/"
    assert bench.use("ls", path="src") == "a (1 byte)"
    assert bench.use("glob", pattern="**") == "docs/a\nsrc/a"
    assert bench.use("grep", pattern="x", show="files") == "docs/a\nsrc/a"


def test_a_folder_with_something_denied_in_it_stays_even_if_nobody_looked() -> None:
    bench = ruled()
    for name, arguments in (
        ("delete", {"path": "src", "recursive": True}),
        ("move", {"source": "src", "target": "lib"}),
    ):
        ended = run(bench.run(bench.context(name), name, **arguments))
        assert ended.status == "error"
    assert bench.get("/src/.env") == b"x"


def test_a_link_is_judged_by_where_it_leads(tmp_path: Path) -> None:
    (tmp_path / ".env").write_bytes(b"KEY=1")
    (tmp_path / "innocent").symlink_to(".env")
    bench = Bench(DiskFiles(tmp_path), rules=RULES)
    assert "deny" in bench.fail("read_file", path="innocent")
    assert "deny" in bench.fail("write_file", path="innocent", content="x")
    assert "KEY" not in run(bench.preview("write_file", path="innocent", content="x"))


READ = {"path": "cfg/in/a"}
WRITE = {"path": "cfg/in/a", "content": "PWNED"}
EDITED = {"path": "cfg/in/a", **EDIT}


@pytest.mark.parametrize(
    ("operation", "name", "arguments"),
    [
        ("read", "read_file", READ),
        ("read", "ls", {"path": "cfg/in"}),
        ("read", "glob", {"pattern": "*", "path": "cfg/in"}),
        ("read", "grep", {"pattern": "x", "path": "cfg"}),
        ("write", "write_file", WRITE),
        ("write", "edit_file", EDITED),
        ("write", "delete", READ),
        ("write", "delete", {"path": "cfg/in", "recursive": True}),
        ("write", "delete", {"path": "cfg"}),
        ("write", "move", {"source": "cfg/in", "target": "b"}),
        ("write", "move", {"source": "b", "target": "cfg/b"}),
    ],
)
@pytest.mark.parametrize("effect", ["deny", "ask"])
def test_a_rule_about_a_link_holds_for_who_comes_through_it(
    effect: Effect, operation: Operation, name: str, arguments: dict[str, object], tmp_path: Path
) -> None:
    rule = FileRule(effect, ("/cfg/**",), (operation,))
    bench = Bench(linked(tmp_path), rules=[rule], trust="ask")
    verdict = run(bench.verdict(name, **arguments))
    assert verdict.rule == f"file rule: {rule}"
    ended = run(bench.run(bench.context(name), name, **arguments))
    assert ended.status == "error", "nobody looked, and it was done"
    assert (tmp_path / "v1/in/a").read_bytes() == b"x"


def test_a_rule_about_a_link_holds_where_another_link_leads_through_it(tmp_path: Path) -> None:
    files = linked(tmp_path)
    (tmp_path / "short").symlink_to("cfg/in")
    bench = Bench(files, rules=[FileRule("deny", ("/cfg/**",), ("write",))])
    assert "deny write /cfg/**" in bench.fail("write_file", path="short/new", content="")


def test_a_folder_behind_a_link_goes_only_if_nothing_in_it_is_restricted(tmp_path: Path) -> None:
    bench = Bench(linked(tmp_path), rules=[FileRule("deny", ("/cfg/**/a",), ("write",))])
    for name, arguments in (
        ("delete", {"path": "cfg/in", "recursive": True}),
        ("move", {"source": "cfg/in", "target": "c"}),
        ("move", {"source": "b", "target": "cfg/new"}),
        ("move", {"source": "b", "target": "cfg/in"}),
    ):
        assert "deny write /cfg/**/a" in bench.fail(name, **arguments)


def test_who_was_let_through_a_link_works_on_what_it_leads_to(tmp_path: Path) -> None:
    bench = Bench(linked(tmp_path), rules=[FileRule("ask", ("/cfg/**",))])
    assert bench.use("read_file", path="cfg/in/a") == "v1/in/a: 1 line\n1\tx"
    bench.use("edit_file", **EDITED)
    assert (tmp_path / "v1/in/a").read_bytes() == b"y"


def test_what_a_link_leads_to_has_a_name_of_its_own(tmp_path: Path) -> None:
    bench = Bench(linked(tmp_path), rules=[FileRule("deny", ("/cfg/**",))])
    assert bench.use("ls") == "b/\nv1/"
    assert bench.use("grep", pattern="x", show="files") == "b/a\nv1/in/a"


def test_what_is_allowed_goes_by_where_a_link_leads(tmp_path: Path) -> None:
    for allowed, effect in (("/cfg/**", Ask), ("/v1/**", Allow)):
        folder = tmp_path / allowed[1:3]
        folder.mkdir()
        bench = Bench(linked(folder), rules=[FileRule("allow", (allowed,))], trust="ask")
        assert type(run(bench.verdict("edit_file", **EDITED))) is effect


def linked(folder: Path) -> DiskFiles:
    """`/cfg` leads to `/v1`."""
    for name in ("v1/in/a", "b/a"):
        (folder / name).parent.mkdir(parents=True)
        (folder / name).write_bytes(b"x")
    (folder / "cfg").symlink_to("v1")
    return DiskFiles(folder)


def test_an_ask_that_always_asks_is_not_answered_by_trust() -> None:
    rule = FileRule("ask", ("/hooks/**",), ("write",), always=True)
    bench = Bench(rules=[rule], trust="yolo")
    assert isinstance(run(bench.verdict("write_file", path="hooks/a", content="")), Ask)


def test_where_links_in_a_denied_folder_lead_is_not_told(tmp_path: Path) -> None:
    (tmp_path / "secret").mkdir()
    (tmp_path / "a").write_bytes(b"x")
    (tmp_path / "secret/link").symlink_to("../a")
    bench = Bench(DiskFiles(tmp_path), rules=[FileRule("deny", ("/secret",))])
    assert run(bench.touches("read_file", path="secret/link")).paths == ("/secret/link",)
    assert "deny" in bench.fail("read_file", path="secret/link")


def test_a_link_that_is_swapped_after_the_decision_does_not_matter(tmp_path: Path) -> None:
    (tmp_path / "harmless").write_bytes(b"fine")
    (tmp_path / ".env").write_bytes(b"KEY=1")
    (tmp_path / "link").symlink_to("harmless")
    bench = Bench(DiskFiles(tmp_path), rules=RULES)
    ctx = bench.context("read_file")

    async def swap() -> str:
        await bench.tools["read_file"].touched('{"path": "link"}', ctx)
        (tmp_path / "link").unlink()
        (tmp_path / "link").symlink_to(".env")
        return text_of(await bench.run(ctx, "read_file", path="link"))

    assert run(swap()) == "harmless: 1 line\n1\tfine"


def test_a_file_that_becomes_a_link_after_the_decision_is_a_problem(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"fine")
    (tmp_path / ".env").write_bytes(b"KEY=1")
    bench = Bench(DiskFiles(tmp_path), rules=RULES)
    ctx = bench.context("read_file")

    async def swap() -> str:
        await bench.tools["read_file"].touched('{"path": "file"}', ctx)
        (tmp_path / "file").unlink()
        (tmp_path / "file").symlink_to(".env")
        return text_of(await bench.run(ctx, "read_file", path="file"))

    assert "link" in run(swap())


def test_a_preview_shows_nothing_of_what_is_denied() -> None:
    bench = ruled()
    for name, arguments in (
        ("write_file", {"path": ".env", "content": "x"}),
        ("edit_file", {"path": ".env", "edits": [{"old_string": "zzz", "new_string": ""}]}),
    ):
        assert "KEY" not in run(bench.preview(name, **arguments))


def test_without_rules_nothing_is_judged_and_folders_are_not_looked_through() -> None:
    bench = Bench()
    bench.put(src__a=b"x")
    assert run(bench.touches("delete", path="src", recursive=True)).judged == ()
