"""File rules: the first match decides, and what restricts is read widely."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longrein.core.errors import UsageError
from longrein.workspace.guarded import Sifting
from longrein.workspace.rules import Effect, FileRule, Operation, decide, policy, resolved
from longrein.workspace.rules import FileRule as R

DOCS = [
    R("allow", ("/docs/**",), ("read",)),
    R("ask", ("/docs/**",), ("write",)),
    R("deny", ("**/.env", "/keys/*")),
]


@pytest.mark.parametrize(
    ("rules", "path", "operation", "effect"),
    [
        ([], "/a", "write", "allow"),
        (DOCS, "/docs/a", "read", "allow"),
        (DOCS, "/docs/a", "write", "ask"),
        (DOCS, "/docs/.env", "read", "allow"),
        (DOCS, "/docs", "write", "ask"),
        (DOCS, "/x/.env", "read", "deny"),
        (DOCS, "/.env", "write", "deny"),
        (DOCS, "/keys", "read", "allow"),
        (DOCS, "/keys/a", "read", "deny"),
        (DOCS, "/keys/a/b", "read", "deny"),
        (DOCS, "/x/env", "read", "allow"),
        ([R("deny", ("/.*",))], "/.hidden/x", "read", "deny"),
        ([R("deny", ("**",))], "/.hidden/.x", "read", "deny"),
        ([R("deny", ("/secret",))], "/secret/deep/key", "read", "deny"),
        ([R("deny", ("/secret",))], "/secrets", "read", "allow"),
        ([R("allow", ("/secret",)), R("deny", ("/**",))], "/secret/key", "read", "deny"),
        ([R("deny", ("/a/b",)), R("allow", ("/a/**",))], "/a/b", "read", "deny"),
        ([R("allow", ("/a/**",)), R("deny", ("/a/b",))], "/a/b", "read", "allow"),
    ],
)
def test_the_first_rule_about_a_path_decides(
    rules: list[FileRule], path: str, operation: Operation, effect: Effect
) -> None:
    assert decide(rules, path, operation).effect == effect


@pytest.mark.parametrize(
    "path",
    [
        "/SECRET/key",
        "/Secret/Key",
        "/secret./key",
        "/secret /key",
        "/secret/key. .",
        "/\uff53ecret/key",
        "/\u017fecret/key",
        "/secret/\u212aey",
        "/sec\u200cret/key",
        "/secret\ufe0f/key",
    ],
)
def test_a_deny_sees_through_other_ways_to_write_a_name(path: str) -> None:
    assert decide([FileRule("deny", ("/secret/key",))], path, "read").effect == "deny"
    assert decide([FileRule("ask", ("/Secret/KEY",))], path, "read").effect == "ask"
    rules = [FileRule("allow", ("/secret/key",)), FileRule("deny", ("/**",))]
    assert decide(rules, path, "read").effect == "deny"


@pytest.mark.parametrize(
    ("one", "other"), [("caf\u00e9", "cafe\u0301"), ("\uac00", "\u1100\u1161")]
)
def test_a_deny_holds_for_every_unicode_form(one: str, other: str) -> None:
    for rule, path in ((one, other), (other, one)):
        assert decide([FileRule("deny", (f"/{rule}",))], f"/{path}", "read").effect == "deny"


def test_a_verdict_names_its_rule() -> None:
    verdict = decide(DOCS, "/x/.env", "read")
    assert verdict.rule is DOCS[2]
    assert str(verdict.rule) == "deny read+write **/.env, /keys/*"


def test_an_ask_that_always_asks_says_so_in_its_name() -> None:
    assert str(FileRule("ask", ("/a",), ("write",), always=True)) == "always ask write /a"


@pytest.mark.parametrize(
    ("pattern", "also"),
    [
        ("/ws/.env", "/real/.env"),
        ("/ws/*.key", "/real/*.key"),
        ("/ws/**", "/real/**"),
        ("/ws", "/real"),
        ("/ws/new/[*]/a?", "/real/new/[*]/a?"),
        ("/ws/link/**", "/real/inner/**"),
        ("/odd/a", "/[[]x]/a"),
        ("/real/.env", ""),
        ("/w*/.env", ""),
        ("/none/.env", ""),
    ],
)
def test_a_rule_that_names_a_link_is_also_about_what_it_leads_to(
    pattern: str, also: str, tmp_path: Path
) -> None:
    top = links(tmp_path)
    [rule] = resolved([FileRule("deny", (top + pattern,))], f"{top}/real")
    assert rule.paths == (top + pattern, *([top + also] if also else []))


def test_a_pattern_that_begins_with_a_wildcard_stays_as_it_is() -> None:
    rules = (FileRule("deny", ("**/.env", "**")), FileRule("ask", ("/**",), ("write",)))
    assert resolved(rules, "/project") == rules


def test_an_allow_follows_no_link_of_the_folder_that_is_worked_in(tmp_path: Path) -> None:
    top = links(tmp_path)
    [rule] = resolved([FileRule("allow", (f"{top}/ws/link/**",))], f"{top}/real")
    assert rule.paths == (f"{top}/ws/link/**", f"{top}/real/link/**")


def links(folder: Path) -> str:
    for name in ("real/inner", "[x]"):
        (folder / name).mkdir(parents=True)
    (folder / "ws").symlink_to("real")
    (folder / "odd").symlink_to("[x]")
    (folder / "real/link").symlink_to("inner")
    return str(folder.resolve())


@pytest.mark.parametrize(
    ("effect", "paths", "operations"),
    [
        ("forbid", ("/a",), ("read",)),
        ("deny", ("/a",), ("execute",)),
        ("deny", (), ("read",)),
        ("deny", ("",), ("read",)),
        ("deny", ("/a",), ()),
        ("deny", ("a/b",), ("read",)),
        ("deny", ("/a/../b",), ("read",)),
        ("deny", ("/a/",), ("read",)),
        ("deny", ("/[a-z]",), ("read",)),
    ],
)
def test_a_rule_that_nothing_can_fit_is_refused(
    effect: Effect, paths: tuple[str, ...], operations: tuple[Operation, ...]
) -> None:
    with pytest.raises(UsageError):
        FileRule(effect, paths, operations)


PATHS = st.lists(
    st.text("abE. e\u0301\u00e9\u212ak\x01/", min_size=1, max_size=8).map(lambda text: f"/{text}"),
    min_size=1,
    max_size=5,
)
PARTS = st.sampled_from(["a", "b", "A", "*", "**", "a.", "e*", "k", "\u00e9", "a*b", "?a", ".a"])
PATTERNS = st.lists(PARTS, min_size=1, max_size=3).map(lambda parts: "/" + "/".join(parts))


@given(PATHS, st.lists(st.tuples(st.sampled_from(["deny", "ask", "allow"]), PATTERNS), max_size=3))
def test_what_is_restricted_is_among_what_is_doubtful(
    paths: list[str], given_rules: list[tuple[Effect, str]]
) -> None:
    rules = policy([FileRule(effect, (pattern,)) for effect, pattern in given_rules])
    restricted = {path for path in paths if rules(path, "read").effect != "allow"}
    assert isinstance(rules, Sifting)
    assert restricted <= set(rules.doubtful(paths, "read"))
