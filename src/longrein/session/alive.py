"""Which process owns a thread, and whether it is surely gone, so that nobody waits for it."""

import os

from longrein.storage.base import Store


def process_tag() -> str:
    """What tells this process from every other that ever ran here; empty where nothing does.

    It names the boot, the process namespace (a container has its own), the process and when it
    began, because process numbers are used again.
    """
    try:
        boot = _read("/proc/sys/kernel/random/boot_id").strip()
        space = os.readlink("/proc/self/ns/pid")
        pid = os.getpid()
        return f"{boot}/{space}/{pid}/{_began(pid)}"
    except OSError:
        return ""


def surely_dead(tag: str) -> bool:
    """Whether the process with this tag is gone for certain. False where that cannot be known."""
    here = process_tag().split("/")
    there = tag.split("/")
    if len(here) != 4 or len(there) != 4 or here[:2] != there[:2]:
        return False
    try:
        return _began(int(there[2])) != there[3]
    except (FileNotFoundError, ProcessLookupError):
        return True
    except (OSError, ValueError):
        return False


async def living_owner(store: Store, thread: str) -> str | None:
    """The owner of a thread; None where nobody has it, or whoever had it was killed."""
    owner = await store.owner(thread)
    return None if owner is None or surely_dead(owner.partition("@")[2]) else owner


def _began(pid: int) -> str:
    """When a process began, in clock ticks; a zombie, which does nothing any more, never did."""
    # The second field is the command in parentheses, which may itself hold any character.
    fields = _read(f"/proc/{pid}/stat").rpartition(")")[2].split()
    return "" if fields[0] in ("Z", "X") else fields[19]


def _read(path: str) -> str:
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.read()
