"""The hostile paths of tests/corpora/paths.jsonl, and a disk on which they lead out."""

import json
import os
import socket
from pathlib import Path

from msgspec import Struct

SECRET = b"secret: 4711\n"
_FILE = Path(__file__).parents[1] / "corpora" / "paths.jsonl"


class Hostile(Struct, frozen=True):
    """A path, why it is there, and its canonical form (None: refused)."""

    path: str
    why: str
    becomes: str | None

    def __str__(self) -> str:
        return f"{self.why}: {ascii(self.path)[:40]}"


def hostile_paths() -> list[Hostile]:
    """Every path of the corpus."""
    # The module json, because only it reads lone surrogates.
    return [Hostile(**json.loads(line)) for line in _FILE.read_text("utf-8").splitlines()]


def trap(place: Path) -> Path:
    """The root of a file system full of ways out to secrets that lie beside it."""
    root, outside = place / "root", place / "outside"
    for folder in (root / "in", root / "folder", outside, place / "root-evil"):
        folder.mkdir(parents=True)
    for secret in (place / "secret.txt", outside / "secret.txt", place / "root-evil/secret.txt"):
        secret.write_bytes(SECRET)
    (root / "file.txt").write_bytes(b"mine")
    for name, target in {
        "link-out": "../outside",
        "link-abs": str(outside),
        "link-file": "../secret.txt",
        "link-etc": "/etc/passwd",
        "link-dangling": "../outside/new",
        "link-loop": "link-loop",
        "link-up": "..",
        "link-proc": "/proc/self/root",
        "link-chain": "link-out",
        "link-dot": ".",
        "in/link-deep": "../../outside",
    }.items():
        (root / name).symlink_to(target)
    os.mkfifo(root / "pipe")
    with socket.socket(socket.AF_UNIX) as listener:
        # By a descriptor: the path of a socket may have about a hundred bytes only.
        folder = os.open(root, os.O_RDONLY)
        listener.bind(f"/proc/self/fd/{folder}/socket")
        os.close(folder)
    return root


def outside(place: Path) -> dict[str, bytes]:
    """Everything that lies beside the root."""
    return {
        path.relative_to(place).as_posix(): path.read_bytes()
        for path in sorted(place.rglob("*"))
        if path.is_file() and not path.is_relative_to(place / "root")
    }
