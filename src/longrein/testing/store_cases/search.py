"""Searching the threads of a resource."""

from longrein.storage.base import Append, Facts, Hit, Store, ThreadRow
from longrein.testing.store_cases.setting import lease_on, new_thread, written


def text_of(data: bytes) -> str:
    """The events of these cases are texts; what begins with "-" is nothing to search in."""
    return "" if data.startswith(b"-") else data.decode()


async def _found(store: Store, query: str, limit: int = 20, offset: int = 0) -> list[Hit]:
    return await store.search("res", query, text_of, limit=limit, offset=offset)


async def _places(store: Store, query: str) -> list[tuple[str, int]]:
    return [(hit.row.id, hit.seq) for hit in await _found(store, query)]


async def words_are_found_by_their_beginnings(store: Store, other: Store) -> None:
    await written(store, "thr_1", b"Deploy the database", b"-hidden database", b"done")
    assert await _places(other, "data") == [("thr_1", 1)]
    assert await _places(other, "the DATABASE dep") == [("thr_1", 1)]
    assert await _places(other, "base") == []
    assert await _places(other, "databases") == []
    assert await _places(other, "hidden") == []
    (hit,) = await _found(store, "dat")
    assert hit == Hit(ThreadRow("thr_1", "res"), 1, "Deploy the database")


async def all_words_must_be_in_one_event(store: Store, _: Store) -> None:
    await written(store, "thr_1", b"red apple", b"green pear")
    await written(store, "thr_2", b"green apple")
    assert await _places(store, "green apple") == [("thr_2", 1)]
    assert await _places(store, "apple apple app") == [("thr_2", 1), ("thr_1", 1)]


async def case_and_diacritics_are_ignored(store: Store, _: Store) -> None:
    await written(store, "thr_1", "Le Café brûlé, Straße, naïve_idea, \u5317\u4eac".encode())
    await written(store, "thr_2", "cafe\u0301 COO\u0308PERATION ångström".encode())
    for query in ("cafe", "CAFÉ", "cafe\u0301"):
        assert await _places(store, query) == [("thr_2", 1), ("thr_1", 1)]
    for query in ("brule", "STRASSE", "idea", "\u5317"):
        assert await _places(store, query) == [("thr_1", 1)]
    for query in ("coop", "Cöop", "angstrom", "\u212bng"):
        assert await _places(store, query) == [("thr_2", 1)]


async def nothing_that_is_typed_is_syntax(store: Store, _: Store) -> None:
    await written(store, "thr_1", b"one two NEAR three 3.14 c++ -x")
    for query in ("", "  ", "*", '"', "\x00", "-", "()", "\ud800", "\U0001f600", "_"):
        assert await _places(store, query) == []
    for query in ('"one', "one*", "(two)", "NEAR", "one AND", "words:one", "^one", "-two", "3.1"):
        found = await _places(store, query)
        assert found == ([] if "AND" in query or "words" in query else [("thr_1", 1)])
    for query in ("one NOT two", "one OR two", "{a b}: one", "one" * 50_000, "a b c d " * 2_000):
        assert await _places(store, query) == []


async def a_title_is_found_before_an_event(store: Store, other: Store) -> None:
    await written(store, "in_event", b"-", b"a plan")
    await store.create(ThreadRow("in_title", "res", "The Plan of today"))
    await store.create(ThreadRow("begun", "res", "Planning", updated=9))
    hits = await _found(other, "plan")
    assert [(hit.row.id, hit.seq) for hit in hits] == [
        ("in_title", 0),
        ("begun", 0),
        ("in_event", 2),
    ]
    assert hits[0].snippet == "The Plan of today"
    assert await _places(other, "a plan") == [("in_event", 2)]


async def a_title_is_found_as_it_is_now(store: Store, other: Store) -> None:
    await store.create(ThreadRow("thr_1", "res", "Old name"))
    assert await _places(other, "old") == [("thr_1", 0)]
    lease = await lease_on(store, "thr_1")
    await store.append(Append(lease, 0, [b"-"], Facts("New name", "idle", 1)))
    assert await _places(other, "old") == []
    assert await _places(other, "new") == [("thr_1", 0)]


async def whole_words_and_newer_threads_come_first(store: Store, _: Store) -> None:
    for number, text in enumerate((b"cats", b"cat", b"cat dog", b"category")):
        await new_thread(store, f"t{number}", updated=number)
        lease = await lease_on(store, f"t{number}")
        await store.append(Append(lease, 0, [b"-", text, b"catalogue"]))
    assert await _places(store, "cat") == [("t2", 2), ("t1", 2), ("t3", 3), ("t0", 3)]


async def hits_come_in_pages(store: Store, _: Store) -> None:
    for number in range(5):
        await written(store, f"t{number}", b"word", b"word")
    pages = [await _found(store, "word", limit=2, offset=offset) for offset in (0, 2, 4, 6)]
    ids = [[hit.row.id for hit in page] for page in pages]
    assert ids == [["t4", "t3"], ["t2", "t1"], ["t0"], []]
    assert await _found(store, "word", limit=0) == []


async def what_was_written_since_the_last_search_is_found(store: Store, other: Store) -> None:
    lease = await written(store, "thr_1", b"first")
    assert await _places(other, "second") == []
    await store.append(Append(lease, 1, [b"second", b"third"]))
    assert await _places(other, "second") == [("thr_1", 2)]
    await store.append(Append(lease, 3, [b"second again"]))
    assert await _places(other, "second") == [("thr_1", 4)]


async def all_of_a_long_thread_is_found(store: Store, other: Store) -> None:
    events = [b"word%d of many" % number for number in range(3_000)]
    events[1_500] = b"large " + b"filler " * 40_000 + b"needle"
    await written(store, "thr_1", *events)
    assert await _places(other, "word2999") == [("thr_1", 3_000)]
    assert await _places(store, "needle") == [("thr_1", 1_501)]
    assert await _places(store, "many word") == [("thr_1", 3_000)]


async def another_resource_is_not_searched(store: Store, _: Store) -> None:
    await store.create(ThreadRow("yours", "another", "secret"))
    lease = await lease_on(store, "yours")
    await store.append(Append(lease, 0, [b"secret"]))
    assert await store.search("another", "secret", text_of) != []
    assert await _places(store, "secret") == []


async def a_fork_has_what_it_shares(store: Store, other: Store) -> None:
    await written(store, "a", b"apple", b"banana", b"cherry")
    await written(store, "b", b"date", parent="a", fork_at=2)
    await written(store, "c", b"elder", parent="b", fork_at=3)
    await written(store, "d", b"fig", parent="b", fork_at=1)
    assert await _places(other, "apple") == [("d", 1), ("c", 1), ("b", 1), ("a", 1)]
    assert await _places(other, "banana") == [("c", 2), ("b", 2), ("a", 2)]
    assert await _places(other, "cherry") == [("a", 3)]
    assert await _places(other, "date") == [("c", 3), ("b", 3)]


async def a_deleted_thread_is_found_only_through_its_forks(store: Store, other: Store) -> None:
    await written(store, "old", b"apple", b"banana", b"cherry")
    await written(store, "new", b"date", parent="old", fork_at=2)
    assert await _places(other, "banana") == [("old", 2), ("new", 2)]
    await store.delete("old")
    assert await _places(other, "banana") == [("new", 2)]
    assert await _places(other, "cherry") == []
    await store.delete("new")
    assert await _places(other, "banana") == []
    await written(store, "old", b"elder")
    assert await _places(other, "banana") == []


async def what_a_deleted_parent_left_is_found_at_the_first_search(store: Store, _: Store) -> None:
    await written(store, "old", b"apple", b"banana", b"cherry")
    await written(store, "new", b"date", parent="old", fork_at=2)
    await store.delete("old")
    assert await _places(store, "apple") == [("new", 1)]
    assert await _places(store, "cherry") == []


async def a_snippet_is_what_stands_around_the_match(store: Store, _: Store) -> None:
    before = b"lorem ipsum " * 50
    await written(store, "thr_1", before + b"the\n\tn\xc3\xa4\xc3\xafve   needle, found " + before)
    await written(store, "thr_2", b"x" * 300 + b" haystack")
    await written(store, "thr_3", b"y" * 300)
    (hit,) = await _found(store, "needle naive")
    assert "the n\u00e4\u00efve needle, found" in hit.snippet
    assert 50 <= len(hit.snippet) <= 80
    assert set(hit.snippet.split()) <= {
        "lorem",
        "ipsum",
        "the",
        "n\u00e4\u00efve",
        "needle,",
        "found",
    }
    (hit,) = await _found(store, "haystack")
    assert hit.snippet.endswith("haystack")
    (hit,) = await _found(store, "yyy")
    assert hit.snippet == "y" * 80
