"""File rules beside those of the user: before them what a session needs, after them the guards."""

import os
from collections.abc import Iterable, Iterator, Sequence

from longrein.capabilities.opening import Opening
from longrein.capabilities.workspace.sources import Disk, Mounted, Source
from longrein.core.policy import Rule
from longrein.permissions.patterns import literal
from longrein.storage.base import Store
from longrein.storage.drafts import NAME as DRAFTS
from longrein.workspace.paths import canonical, is_below
from longrein.workspace.protected import REPOSITORY, protected_in
from longrein.workspace.rules import BUILT_IN, FileRule, Operation, narrowed, resolved

OUTPUTS = "outputs"

HARNESS = "harness"
"""The source of rules that the harness has already, about more than files."""

PROTECTED_PLACES = "protected places"
_PARTS = ("", "-wal", "-shm", "-files", "-files-wal", "-files-shm", f"-{OUTPUTS}", f"-{DRAFTS}")
_OPERATIONS: dict[str, tuple[Operation, ...]] = {
    "": ("read", "write"),
    "read": ("read",),
    "edit": ("write",),
}


def session_rules(
    opening: Opening, folder: str, rules: Sequence[FileRule] = ()
) -> tuple[FileRule, ...]:
    """The rules of a session: outputs can be read, the store cannot; what the harness says of paths
    holds everywhere, then come `rules`. A child has only what its own rules allow, too."""
    lists = [resolved(own, folder) if folder else own for own in opening.files]
    given = (*harness_rules(opening, folder), *rules)
    return (*own_rules(opening, folder), *narrowed(given, lists))


def harness_rules(opening: Opening, folder: str) -> tuple[FileRule, ...]:
    """The harness's rules about paths, to bind searches and commands too, which name no path."""
    about = _about_paths(opening.rules)
    return resolved(about, folder) if folder else tuple(about)


def own_rules(opening: Opening, folder: str) -> tuple[FileRule, ...]:
    """The long outputs of commands can be read and not written; the store is out of reach."""
    outputs = outputs_of(opening.store, opening.thread)
    own: list[FileRule] = []
    if outputs:
        own.append(FileRule("deny", (f"{outputs}/**",), ("write",), source=BUILT_IN))
        own.append(FileRule("allow", (f"{outputs}/**",), ("read",), source=BUILT_IN))
    if store := store_in(opening.store, folder):
        # Whoever writes there grants himself what he likes, and reads what was kept of any file.
        own.append(FileRule("deny", (store[0], f"{store[0]}-*"), source=BUILT_IN))
    return tuple(own)


def store_in(store: Store, folder: str) -> tuple[str, ...]:
    """The files of a store, if it lies in a folder."""
    beside = store.beside(OUTPUTS)
    # As links lead, like the folder.
    path = os.path.realpath(beside.removesuffix(f"-{OUTPUTS}")) if beside and folder else ""
    return tuple(path + part for part in _PARTS) if path and is_below(path, folder) else ()


def outputs_of(store: Store, thread: str) -> str:
    """The folder with the long outputs of a thread; "" where nothing of the store is on disk."""
    folder = store.beside(OUTPUTS)
    return f"{folder}/{thread}" if folder else ""


def _about_paths(rules: Iterable[Rule]) -> list[FileRule]:
    return [
        FileRule(rule.effect, (rule.path,), _OPERATIONS[rule.category], rule.always, source=HARNESS)
        for rule in rules
        if rule.path and rule.effect != "allow" and rule.category in _OPERATIONS
        if not (rule.tool or rule.arguments or rule.command or rule.host)
    ]


def guards(source: Source, at: str = "", *, mounted: bool = False) -> Iterator[FileRule]:
    """The rules that ask before anything changes that runs, or rules, outside of the workspace."""
    match source:
        case Disk(folder=folder):
            # A folder that is mounted has the path of its mount, and not its own below that.
            yield _guard(folder, at if mounted else at + folder)
        case Mounted(base=base, mounts=mounts):
            yield from guards(base, at)
            for path, one in mounts.items():
                yield from guards(one, at + canonical(path).rstrip("/"), mounted=True)
        case _:
            pass


def _guard(folder: str, at: str) -> FileRule:
    # Where `.git` is a link, its repository has a path of its own as well.
    repository = os.path.realpath(f"{folder}/{REPOSITORY}")
    linked = repository != f"{folder}/{REPOSITORY}" and is_below(repository, folder)
    there = (literal(at + repository[len(folder) :]),) if linked else ()
    places = (*protected_in(at), *there)
    return FileRule("ask", places, ("write",), always=True, source=PROTECTED_PLACES)
