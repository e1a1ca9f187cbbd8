"""In which folder the agent of the command line works, and what it never touches there."""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from longrein.core.errors import UsageError
from longrein.permissions.patterns import literal
from longrein.settings.layer import Shell
from longrein.settings.merge import Settings
from longrein.settings.places import Places
from longrein.workspace.rules import BUILT_IN, FileRule
from longrein.workspace.sandbox.places import places_of

SECRETS = (".ssh", ".aws", ".gnupg", ".netrc", ".config/gcloud")
"""What lies in a home folder and opens other doors."""

NO_FILES = "The agent has no files and no commands here: {why}"
HOME = (
    "{folder} is {what}. Work in the folder of a project, or name the folder that you mean: "
    "--workspace FOLDER"
)


@dataclass(frozen=True, slots=True)
class Ground:
    """The `folder` that the agent works in, with rules that come before all others, and folders
    beside it that commands may read, or write as well.

    It is None where there is none; then `why` says so, and what to do.
    """

    folder: Path | None
    rules: tuple[FileRule, ...] = ()
    readable: tuple[Path, ...] = ()
    writable: tuple[Path, ...] = ()
    why: str = ""


def find_ground(named: str, places: Places, settings: Settings) -> Ground:
    """The folder that was named, else that of the project, unless nobody can have meant that.

    Raises `UsageError` where the one that was named cannot be.
    """
    folder = Path(named).expanduser().resolve() if named else places.project
    if not folder.is_dir():
        raise UsageError(f"There is no folder {folder} to work in: make it first.")
    if problem := _problem(folder, settings.shell, named=bool(named)):
        if named:
            raise UsageError(problem)
        return Ground(None, why=NO_FILES.format(why=problem))
    readable, writable = _there(settings.readable), _there(settings.writable)
    rules = tuple(_own_rules((folder, *readable, *writable), places))
    return Ground(folder, rules, readable, writable)


def _there(paths: Sequence[str]) -> tuple[Path, ...]:
    """Those that are on this machine: the same settings serve several."""
    found = (Path(path).expanduser().resolve() for path in paths)
    return tuple(path for path in found if path.exists())


def _problem(folder: Path, shell: Shell, *, named: bool) -> str:
    home = _home()
    if folder == Path(folder.anchor):
        return HOME.format(folder=folder, what="the whole disk")
    if not named and home is not None and home.is_relative_to(folder):
        what = "your home folder" if home == folder else "above your home folder"
        return HOME.format(folder=folder, what=what)
    if shell == "sandbox":
        try:
            places_of(folder, (), ())
        except UsageError as error:
            return str(error)
    return ""


def _own_rules(folders: Sequence[Path], places: Places) -> Iterator[FileRule]:
    """No model reads keys, or changes what Longrein itself goes by."""
    home = _home()
    secrets = [places.keys_file, *(home / name for name in SECRETS if home)]
    own = [places.user_file.parent, places.state, places.data]
    if denied := _inside(folders, secrets):
        yield FileRule("deny", denied, source=BUILT_IN)
    if denied := _inside(folders, own):
        yield FileRule("deny", denied, ("write",), source=BUILT_IN)


def _inside(folders: Sequence[Path], paths: Sequence[Path]) -> tuple[str, ...]:
    """Patterns for those that lie in one of the folders, and for what is in them."""
    # By both names: a rule may be asked about a link, or about what it leads to.
    both = dict.fromkeys(name for path in paths for name in (path, path.resolve()))
    return tuple(
        literal(str(path)) for path in both if any(path.is_relative_to(one) for one in folders)
    )


def _home() -> Path | None:
    with suppress(RuntimeError):  # nobody knows where it is
        return Path.home().resolve()
    return None
