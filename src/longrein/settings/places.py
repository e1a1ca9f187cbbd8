"""Where things are: the project, the settings files, the user's data and state."""

from collections.abc import Mapping
from pathlib import Path

from msgspec import Struct

_MARKS = (".longrein", ".git")


class Places(Struct, frozen=True):
    """The folders and files of one user in one project. Nothing of it need exist."""

    project: Path
    user_file: Path
    project_file: Path
    data: Path
    state: Path

    @property
    def resource(self) -> str:
        """The owner of the project's threads: its path."""
        return str(self.project)

    @property
    def keys_file(self) -> Path:
        """Where keys of providers are kept."""
        return self.user_file.with_name("keys.toml")

    @property
    def store(self) -> str:
        """The store that is used where none is named."""
        return f"sqlite:{self.data / 'longrein.db'}"


def find_places(folder: Path, environ: Mapping[str, str]) -> Places:
    """The places as seen from a folder."""
    project = find_project(folder)
    return Places(
        project=project,
        user_file=_base("XDG_CONFIG_HOME", ".config", environ) / "settings.toml",
        project_file=project / ".longrein" / "settings.toml",
        data=_base("XDG_DATA_HOME", ".local/share", environ),
        state=_base("XDG_STATE_HOME", ".local/state", environ),
    )


def find_project(folder: Path) -> Path:
    """The nearest parent with `.longrein` or `.git`, or the folder itself."""
    folder = folder.resolve()
    for parent in (folder, *folder.parents):
        if any(_is_there(parent / mark) for mark in _MARKS):
            return parent
    return folder


def _is_there(path: Path) -> bool:
    try:
        return path.exists()
    except OSError:  # a link to where one may not look
        return False


def make_private(folder: Path) -> Path:
    """The folder, made for its owner's eyes only where it was not there."""
    for missing in reversed([folder, *folder.parents]):
        missing.mkdir(mode=0o700, exist_ok=True)
    return folder


def _base(variable: str, otherwise: str, environ: Mapping[str, str]) -> Path:
    named = Path(environ.get(variable, ""))
    # The XDG rules: a path that is not absolute counts as not set.
    base = named if named.is_absolute() else Path.home() / otherwise
    return base / "longrein"
