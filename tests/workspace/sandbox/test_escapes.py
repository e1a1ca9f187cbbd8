"""What commands try in order to get out of a sandbox of bubblewrap, or around a mask."""

import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from longrein.workspace.rules import FileRule
from longrein.workspace.sandbox.bubblewrap import Bubblewrap
from tests.workspace.sandbox.support import said

SECRET = "the-secret"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A project with a secret file and folder, a folder that is read-only, and a repository."""
    root = tmp_path / "project"
    for folder in ("deep/down", "vault", "vendor", ".git/hooks", ".agents", "src"):
        (root / folder).mkdir(parents=True)
    (root / "deep/down/.env").write_text(SECRET)
    (root / "vault/key").write_text(SECRET)
    (root / "vendor/lib.py").write_text("original")
    (root / ".git/config").write_text("original")
    (root / "link").symlink_to("deep/down/.env")
    (tmp_path / "outside").write_text(SECRET)
    return root


def guarded(root: Path) -> Bubblewrap:
    return Bubblewrap(
        root,
        rules=[
            FileRule("deny", ("**/.env", f"{root}/vault/**")),
            FileRule("deny", (f"{root}/vendor/**",), ("write",)),
        ],
    )


READS = {
    "by its path": "cat deep/down/.env vault/key",
    "through a link": "cat link",
    "through a new link": "ln -s ../deep/down/.env src/l; cat src/l",
    "by a hard link": "ln deep/down/.env src/l; ln vault/key src/k; cat src/l src/k",
    "by moving it": "mv deep/down/.env src/moved; cat src/moved",
    "by moving its folder": "mv deep/down src/moved; cat src/moved/.env",
    "by moving a folder above": "mv deep moved; cat moved/down/.env",
    "by copying the tree": "cp -a . /tmp/copy; cat /tmp/copy/deep/down/.env /tmp/copy/vault/key",
    "by an archive": "tar cf - . | tar xOf - | cat",
    "by removing what covers it": "rm -rf deep vault; cat deep/down/.env vault/key",
    "through /proc/self/root": "cat /proc/self/root$PWD/deep/down/.env",
    "through the working folder of another": "cd deep/down; cat /proc/$$/cwd/.env /proc/1/cwd/.env",
    "through the first process": "cat /proc/1/root$PWD/deep/down/.env; ls /proc/1/fd/*",
    "by unmounting": "umount deep/down/.env; umount vault; cat deep/down/.env vault/key",
    "in a new namespace": "unshare -rm sh -c 'umount vault; cat vault/key'",
    "by mounting the disk": "mkdir d; mount -t proc p d; mount --bind / d; cat d/*/outside",
    "outside": "cat ../outside; cat /proc/*/root/*/outside",
    "by changing modes": "chmod -R 777 vault deep; cat vault/key deep/down/.env",
}


@pytest.mark.parametrize("line", READS.values(), ids=READS)
def test_a_secret_is_not_read(line: str, root: Path) -> None:
    (output,) = said(lambda: guarded(root), root, f"exec 2>&1; {line}")
    assert SECRET not in output
    assert (root / "deep/down/.env").read_text() == SECRET
    assert (root / "vault/key").read_text() == SECRET


WRITES = {
    "by its path": "echo x > vendor/lib.py; echo x > .git/config; echo x > .git/hooks/h",
    "by removing it": "rm -rf vendor .git .agents",
    "by replacing the folder": "mv vendor v; mkdir vendor; echo x > vendor/lib.py",
    "by replacing the repository": "mv .git g; cp -a g .git; echo x > .git/config",
    "by a rename onto it": "echo x > n; mv -f n .git/config; mv -fT src .git/hooks",
    "by a hard link": "ln vendor/lib.py l && echo x > l",
    "through a link": "ln -s vendor/lib.py l; echo x > l",
    "by truncating": "truncate -s 0 vendor/lib.py .git/config",
    "by remounting": "mount -o remount,rw vendor; echo x > vendor/lib.py",
    "by exchanging names": (
        'python3 -c "import ctypes; c = ctypes.CDLL(None); '
        "c.renameat2(-100, b'src', -100, b'vendor', 2)\"; echo x > vendor/lib.py"
    ),
    "through a descriptor": "exec 3< vendor/lib.py; echo x > /proc/self/fd/3",
    "by times and modes": "chmod 777 vendor/lib.py; echo x >> vendor/lib.py",
}


@pytest.mark.parametrize("line", WRITES.values(), ids=WRITES)
def test_what_is_protected_is_not_written(line: str, root: Path) -> None:
    said(lambda: guarded(root), root, f"exec 2>&1; {line}")
    assert (root / "vendor/lib.py").read_text() == "original"
    assert (root / ".git/config").read_text() == "original"
    assert os.listdir(root / ".git/hooks") == []
    assert (root / ".agents").is_dir()


def test_nothing_else_of_the_machine_is_there(root: Path, tmp_path: Path) -> None:
    shown = {os.path.realpath(sys.base_prefix), str(tmp_path), "/tmp/home"}
    lines = ("find / -mindepth 1 -maxdepth 1", f"ls -A {tmp_path}", "find /run -type f")
    top, above, running = said(lambda: Bubblewrap(root), root, *lines)
    system = {
        "/usr",
        "/bin",
        "/sbin",
        "/lib",
        "/lib32",
        "/lib64",
        "/libx32",
        "/etc",
        "/var",
        "/nix",
    }
    allowed = system | {
        "/dev",
        "/proc",
        "/run",
        "/tmp",
        "/gnu",
        *(f"/{one.split('/')[1]}" for one in shown),
    }
    assert set(top.split()) <= allowed
    assert running == "/run/longrein/gate"
    assert above == "project"


def test_the_rest_of_the_disk_cannot_be_written(root: Path) -> None:
    lines = "for f in / /usr /etc /dev /proc /run /var /proc/sys/kernel/core_pattern; do"
    lines += " touch $f/x 2>/dev/null && echo $f; echo x 2>/dev/null > $f && echo $f; done; true"
    assert said(lambda: Bubblewrap(root), root, lines) == [""]


def test_its_own_folders_are_bounded(root: Path) -> None:
    line = "head -c 5M /dev/zero > {}/big 2>&1; ls -l {}/big | cut -d' ' -f5"
    sizes = said(
        lambda: Bubblewrap(root, own_bytes=1 << 20),
        root,
        *(line.format(f, f) for f in ("/tmp", "/dev/shm")),
    )
    assert all(int(size.split()[-1]) <= 1 << 20 for size in sizes)


def test_processes_outside_are_neither_seen_nor_reached(root: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as other:
        seen, _ = said(
            lambda: Bubblewrap(root),
            root,
            "ls /proc | grep -c '^[0-9]'",
            f"kill -9 {other.pid} -1; kill -9 $(ls /proc | grep '^[0-9]')",
        )
        assert int(seen) < 12
        assert other.poll() is None
        other.communicate(b"\n")


def test_sockets_outside_are_not_reached(root: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as tcp, socket.socket(socket.AF_UNIX) as abstract:
        abstract.bind(f"\0longrein-test-{os.getpid()}")
        abstract.listen()
        line = (
            'python3 -c "import socket\n'
            f"print(socket.socket().connect_ex(('127.0.0.1', {tcp.getsockname()[1]})))\n"
            f"name = '\\0longrein-test-{os.getpid()}'\n"
            'print(socket.socket(socket.AF_UNIX).connect_ex(name))"'
        )
        (codes,) = said(lambda: Bubblewrap(root), root, line)
    assert len(codes.split()) == 2
    assert "0" not in codes.split()


def test_loopback_inside_works(root: Path) -> None:
    line = (
        "python3 -m http.server 8123 --bind 127.0.0.1 >/dev/null 2>&1 & "
        'for i in $(seq 100); do python3 -c "import urllib.request as u; '
        "print(u.urlopen('http://127.0.0.1:8123').status)\" 2>/dev/null && break; sleep 0.05; done"
    )
    assert said(lambda: Bubblewrap(root), root, line) == ["200"]


def test_there_is_no_terminal_to_type_into(root: Path) -> None:
    assert (
        "No such device" in said(lambda: Bubblewrap(root), root, "exec 2>&1; echo x > /dev/tty")[0]
    )


def test_devices_cannot_be_made(root: Path) -> None:
    line = "exec 2>&1; mknod d b 8 0; mknod /tmp/d c 1 1; ls d /tmp/d"
    assert said(lambda: Bubblewrap(root), root, line)[0].count("Operation not permitted") == 2


def test_only_standard_descriptors_are_open(root: Path) -> None:
    (output,) = said(lambda: Bubblewrap(root), root, "exec ls /proc/self/fd")
    assert output.split() == ["0", "1", "2", "3"]  # the last is that of the listing


def test_the_keeper_cannot_be_looked_into(root: Path) -> None:
    line = "exec 2>&1; cat /proc/1/environ /proc/1/mem /proc/$PPID/maps; ls -l /proc/1/fd"
    (output,) = said(lambda: Bubblewrap(root), root, line)
    assert output.count("Permission denied") >= 3


@pytest.mark.parametrize("signal", ["KILL", "STOP", "INT", "TERM", "SEGV", "HUP"])
def test_the_keeper_survives_signals(signal: str, root: Path) -> None:
    assert said(lambda: Bubblewrap(root), root, f"kill -{signal} 1; echo on", "echo on") == [
        "on",
        "on",
    ]
