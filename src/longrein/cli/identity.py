"""Who commits: the name and the address of the user, for the git of a sandbox that has no home."""

import os
import re
from collections.abc import Mapping
from pathlib import Path

LARGEST = 65_536
_SECTION = re.compile(r"\s*\[\s*([\w.-]+)\s*\]", re.ASCII)
_VALUE = re.compile(r"\s*(name|email)\s*=\s*(.*?)\s*\Z", re.IGNORECASE)


def git_identity(environ: Mapping[str, str]) -> dict[str, str]:
    """The variables that tell git who the user is, as far as their own git configuration does.

    Only these two are read: the rest of that file may run programs and hold passwords.
    """
    home = environ.get("HOME") or "/"
    config = environ.get("XDG_CONFIG_HOME") or os.path.join(home, ".config")
    found: dict[str, str] = {}
    for path in (Path(config, "git/config"), Path(home, ".gitconfig")):
        try:
            with path.open(encoding="utf-8", errors="replace") as file:
                found |= read_identity(file.read(LARGEST))
        except OSError:
            continue
    return {
        f"GIT_{role}_{what.upper()}": value
        for what, value in found.items()
        for role in ("AUTHOR", "COMMITTER")
    }


def read_identity(text: str) -> dict[str, str]:
    """The name and the address in a git configuration.

    >>> read_identity('[core]\\nname = x\\n[user]\\n\\tname = "Ann Lee"\\n')
    {'name': 'Ann Lee'}
    """
    section, found = "", dict[str, str]()
    for line in text.splitlines():
        if line.lstrip().startswith("["):
            named = _SECTION.match(line)
            section = named[1].lower() if named else ""
        elif section == "user" and (value := _VALUE.match(line)):
            quoted = value[2].startswith('"')
            found[value[1].lower()] = value[2].split('"')[1] if quoted else _bare(value[2])
    return found


def _bare(value: str) -> str:
    return re.split(r"\s[#;]", value, maxsplit=1)[0].rstrip()
