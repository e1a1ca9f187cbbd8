"""What every file system checks before a change, and the words for it."""

from longrein.workspace.paths import form, is_below
from longrein.workspace.problems import Changed, Exists, Refused

NOT_EMPTY = "This folder is not empty. Say that all in it may go (recursive), or name its files."
ALREADY = "There is something here already. Choose another path, or say that it may be replaced."
CHANGED = "The file was changed since it was read. Read it again, then change it."
LOOKS_SAME = "There is {!r} here already, which looks the same. Use exactly that name, or another."


def check_expected(path: str, expected: str | None, revision: str | None) -> None:
    """That a file is as its writer believes; its revision is None where there is no file."""
    if expected is None or expected == (revision or ""):
        return
    if expected == "":
        raise Exists(path, "There is a file here already. Read it before you change it.")
    if revision is None:
        raise Changed(path, "The file was removed since it was read. Look what is there now.")
    raise Changed(path, CHANGED)


def check_move(source: str, target: str) -> None:
    """That a move makes sense, whatever is there."""
    if "/" in (source, target):
        raise Refused("/", "The root cannot be moved or replaced. Name what is in it.")
    if source != target and is_below(target, source):
        raise Refused(target, f"{source!r} cannot be moved into itself. Choose another folder.")


def twin(name: str, names: set[str], *, ignores_case: bool = False) -> str:
    """Another name that is taken for this one; "" for none."""
    wanted = form(name, ignores_case=ignores_case)
    if name in names:
        return ""
    return next((n for n in names if form(n, ignores_case=ignores_case) == wanted), "")


def no_such(path: str, what: str, names: set[str]) -> str:
    """That there is nothing, with the name that may have been meant."""
    near = twin(path.rpartition("/")[2], names, ignores_case=True)
    hint = f"Did you mean {near!r}?" if near else "List its folder to see what there is."
    return f"There is no such {what}. {hint}"
