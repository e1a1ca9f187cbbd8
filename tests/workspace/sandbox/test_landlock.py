"""What the lesser sandbox holds."""

import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from longrein.workspace.rules import FileRule
from longrein.workspace.sandbox.base import SandboxProblem
from longrein.workspace.sandbox.landlock import Landlock
from longrein.workspace.sandbox.rights import landlock_version, landlocked
from tests.workspace.sandbox.support import said

pytestmark = pytest.mark.skipif(landlock_version() == 0, reason="this kernel has no Landlock")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "root").mkdir()
    (tmp_path / "outside").write_text("the-secret")
    return tmp_path / "root"


def test_nothing_outside_is_read_or_written(root: Path) -> None:
    line = (
        "exec 2>&1; cat ../outside; echo x > ../outside; touch ../new /tmp/longrein-new /etc/new; "
        "ln ../outside here; ln -s ../outside link; cat link; mv ../outside .; ls -A ~root /home"
    )
    (output,) = said(lambda: Landlock(root), root, line)
    assert "the-secret" not in output
    assert sorted(os.listdir(root.parent)) == ["outside", "root"]
    assert (root.parent / "outside").read_text() == "the-secret"


def test_our_own_process_cannot_be_looked_into(root: Path) -> None:
    pid = os.getpid()
    line = f"cat /proc/{pid}/environ /proc/{pid}/maps /proc/{pid}/fd/0; ls /proc/{pid}/cwd/"
    (output,) = said(lambda: Landlock(root), root, f"exec 2>&1; {line}")
    assert output.count("Permission denied") == 4


@pytest.mark.skipif(landlock_version() < 6, reason="this kernel does not scope signals")
def test_others_get_no_signal_and_no_connection(root: Path) -> None:
    with (
        subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as other,
        socket.socket(socket.AF_UNIX) as abstract,
    ):
        name = f"longrein-landlock-{os.getpid()}"
        abstract.bind(f"\0{name}")
        abstract.listen()
        line = (
            f'exec 2>&1; kill -9 {other.pid}; python3 -c "import socket; '
            f"print(socket.socket(socket.AF_UNIX).connect_ex('\\0{name}'))\""
        )
        (output,) = said(lambda: Landlock(root), root, line)
        assert "not permitted" in output
        assert output.split()[-1] != "0"
        assert other.poll() is None
        other.communicate(b"\n")


def test_root_has_no_capabilities_left(root: Path) -> None:
    (output,) = said(lambda: Landlock(root), root, "grep -E 'Cap(Prm|Eff|Inh)' /proc/self/status")
    assert {line.split()[1] for line in output.splitlines()} == {"0" * 16}


def test_the_folder_for_what_is_temporary_goes_with_the_sandbox(root: Path) -> None:
    place, _ = said(lambda: Landlock(root), root, "echo $TMPDIR", "touch $TMPDIR/x ~/y")
    assert place
    assert not Path(place).exists()


def test_too_much_to_allow_one_by_one_is_refused(root: Path) -> None:
    for number in range(1_100):
        (root / f"{number}").touch()
    rules = [FileRule("deny", (f"{root}/7",))]
    with pytest.raises(SandboxProblem, match="bubblewrap"):
        said(lambda: Landlock(root, rules=rules), root, "true")


def test_an_older_kernel_gets_only_rights_that_it_knows(root: Path) -> None:
    oldest = landlocked([(str(root), "write")], version=1, tcp=False)
    newest = landlocked([(str(root), "write")], version=7, tcp=False)
    assert oldest is not None
    assert newest is not None
    assert (oldest.files, oldest.network, oldest.scoped) == ((1 << 13) - 1, 0, 0)
    assert (newest.files, newest.network, newest.scoped) == ((1 << 16) - 1, 3, 3)
    assert landlocked([], version=0, tcp=True) is None
