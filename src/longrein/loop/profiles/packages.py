"""Profiles of packages beside all others, and whether there are any.

`importlib.metadata` is loaded only where there are: it costs a new process a sixth of its start.
"""

import os
import sys
import warnings
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, TypeAlias

from longrein.loop.profiles.profile import Profile
from longrein.loop.profiles.registry import Packaged, Profiles, standing

GROUP = "longrein.profiles"
INFO = (".dist-info", ".egg-info")


GivenProfiles: TypeAlias = Mapping[str, Profile] | Profiles | None


def known_profiles(given: GivenProfiles, load: Callable[[str], Any]) -> Profiles:
    """What a harness is given beside what stands anyway; `Profiles` are all that there is.

    What is wrong with an installed package is a warning. Raises `UsageError` for a bad key.
    """
    if isinstance(given, Profiles):
        return given
    found = packaged(load)
    for problem in found.problems:
        warnings.warn(problem, RuntimeWarning, stacklevel=3)
    return standing(found.entries).adding("given", given or {})


def packaged(load: Callable[[str], Any]) -> Packaged:
    """The profiles of installed packages, and what is wrong with them. Looked for once."""
    return load("packaged_profiles")() if _are_declared() else Packaged()


@cache
def _are_declared() -> bool:
    return any(_declares(folder or ".") for folder in sys.path)


def _declares(folder: str) -> bool:
    """Whether what is installed in a folder may have profiles."""
    try:
        names = os.listdir(folder)
    except OSError:
        return os.path.isfile(folder)  # a zip file: only loading tells
    return any(_names_us(os.path.join(folder, name)) for name in names if name.endswith(INFO))


def _names_us(info: str) -> bool:
    try:
        with open(os.path.join(info, "entry_points.txt"), "rb") as file:
            return GROUP.encode() in file.read()
    except OSError:
        return False
