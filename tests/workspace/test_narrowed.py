"""Rules that several have a say in: the strictest of all lists holds for every path."""

from itertools import combinations, product

from longrein.workspace.rules import FileRule, Operation, decide, narrowed

STRICT = ("allow", "ask", "deny")
PATHS = ("/a", "/a/b", "/a/key", "/c", "/c/key")
OPERATIONS: tuple[Operation, ...] = ("read", "write")
RULES = (
    FileRule("allow", ("/a/**",)),
    FileRule("allow", ("/c/**",), ("read",)),
    FileRule("ask", ("**/key",)),
    FileRule("deny", ("/a/b",), ("write",)),
    FileRule("deny", ("/**",)),
)


def test_a_path_is_held_to_the_strictest_of_all_lists() -> None:
    lists = [list(some) for size in range(3) for some in combinations(RULES, size)]
    for given, own, third in product(lists, lists, lists[::3]):
        found = narrowed(given, [own, third])
        for path, operation in product(PATHS, OPERATIONS):
            each = [decide(one, path, operation).effect for one in (given, own, third)]
            wanted = max(each, key=STRICT.index)
            got = decide(found, path, operation).effect
            assert got == wanted, (given, own, third, path, operation)


def test_rules_without_other_lists_stay_as_they_are() -> None:
    assert narrowed(RULES, []) == list(RULES)
