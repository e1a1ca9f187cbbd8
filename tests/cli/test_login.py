"""`longrein login` and `logout`: keys that are kept, and used."""

import json
import stat
import sys
from pathlib import Path

import pytest

from longrein.cli.login import checked
from longrein.core.errors import UsageError
from longrein.models.keyring import SystemKeyring
from longrein.testing import call, say
from tests.cli.terminal import Terminal
from tests.cli.world import World, provider
from tests.models.keyed import Keyed

KEY = "sk-kept-1234567890"

BACKEND = """
import json, time
from pathlib import Path
from keyring.backend import KeyringBackend

class Ring(KeyringBackend):
    "A real backend of the keyring package, which keeps everything in a file."
    priority = 5
    path = Path(__file__).with_name("ring.json")
    def _all(self):
        return json.loads(self.path.read_text()) if self.path.exists() else {}
    def get_password(self, service, username):
        return self._all().get(f"{service}/{username}")
    def set_password(self, service, username, password):
        self.path.write_text(json.dumps(self._all() | {f"{service}/{username}": password}))
    def delete_password(self, service, username):
        kept = self._all()
        del kept[f"{service}/{username}"]
        self.path.write_text(json.dumps(kept))

class Locked(Ring):
    def get_password(self, service, username):
        time.sleep(60)

class Broken(Ring):
    def set_password(self, service, username, password):
        raise RuntimeError("no bus")
"""


@pytest.fixture
def ring(world: World) -> Path:
    """A keyring that the world's commands use; the file in which it keeps things."""
    folder = world.root / "ring"
    folder.mkdir()
    (folder / "ring.py").write_text(BACKEND)
    world.environ["PYTHONPATH"] += f":{folder}"
    world.environ["PYTHON_KEYRING_BACKEND"] = "ring.Ring"
    return folder / "ring.json"


def keys_file(world: World) -> Path:
    return world.user_file.with_name("keys.toml")


def use(world: World, url: str) -> None:
    """Settings for a provider whose key is in no variable."""
    world.user_file.write_text(
        f'model = "mine:m"\n[providers.mine]\nbase_url = "{url}"\nkey_env = "MINE_KEY"\n'
    )


def test_a_kept_key_is_used_and_never_written_or_shown(world: World) -> None:
    with provider(world, [say(f"The key is {KEY}!")]) as url:
        use(world, f"{url}/v1")
        assert world.run("run", "Hi").returncode == 2
        done = world.run("login", "mine", "--stdin", input=f"{KEY}\n")
        assert (done.returncode, KEY in done.stderr) == (0, False)
        answered = world.run("run", "Hi")
    assert answered.stdout == "The key is [secret:mine.key]!\n"
    assert KEY.encode() not in b"".join(
        p.read_bytes() for p in (world.root / "data").rglob("*.db*")
    )


def test_the_file_is_for_its_owner_only(world: World) -> None:
    world.run("login", "groq", "--stdin", "--file", input=KEY)
    assert stat.S_IMODE(keys_file(world).stat().st_mode) == 0o600
    assert f'groq = "{KEY}"' in keys_file(world).read_text()


def test_at_a_terminal_the_key_is_not_echoed_and_the_provider_is_asked(world: World) -> None:
    with Keyed(KEY) as server:
        use(world, server.url)
        with Terminal(world, "login", "mine", "--file") as terminal:
            terminal.sees("not shown")
            terminal.types(f"{KEY}\n")
            terminal.sees("mine takes the key")
            terminal.sees("is kept in")
            assert terminal.ends() == 0
            assert KEY not in terminal.screen
    assert KEY in keys_file(world).read_text()


def test_a_key_that_is_refused_is_not_kept_unless_forced(world: World) -> None:
    with Keyed("another") as server:
        use(world, server.url)
        done = world.run("login", "mine", "--stdin", "--check", "--file", input=KEY)
        assert done.returncode == 1
        assert "mine refuses the key" in done.stderr
        assert not keys_file(world).exists()
        forced = world.run("login", "mine", "--stdin", "--check", "--force", "--file", input=KEY)
        assert forced.returncode == 0
    assert KEY not in done.stderr + forced.stderr
    assert KEY in keys_file(world).read_text()


def test_a_key_that_cannot_be_checked_is_kept_and_that_is_said(world: World) -> None:
    with Keyed() as server:
        use(world, server.url)
    done = world.run("login", "mine", "--stdin", "--check", "--file", input=KEY)
    assert done.returncode == 0
    assert "could not be checked" in done.stderr
    assert KEY in keys_file(world).read_text()


@pytest.mark.parametrize(
    "key", ["", " \n", "two words", "a\nb", "\x1b[31mred", "schlüssel", "x" * 5000]
)
def test_what_can_be_no_key_is_refused(key: str) -> None:
    with pytest.raises(UsageError, match="That is no key"):
        checked(key)
    assert checked(f" {KEY}\n") == KEY


def test_a_slip_in_the_name_of_a_provider_is_told(world: World) -> None:
    done = world.run("login", "antropic", "--stdin", input=KEY)
    assert (done.returncode, "did you mean anthropic?" in done.stderr) == (2, True)


def test_a_provider_that_is_not_near_is_not_suggested(world: World) -> None:
    assert "; known: anthropic, " in world.run("login", "nope", "--stdin", input=KEY).stderr


def test_without_a_terminal_it_says_how_to_give_the_key(world: World) -> None:
    done = world.run("login", "groq")
    assert (done.returncode, "--stdin" in done.stderr) == (2, True)


def test_alone_it_lists_where_each_key_is_from(world: World, ring: Path) -> None:
    world.run("login", "groq", "--stdin", "--file", input=KEY)
    world.run("login", "openai", "--stdin", "--keyring", input=KEY)
    listed = world.run("login", MISTRAL_API_KEY=KEY).stdout
    by_name = {line.split()[0]: line.split(None, 1)[1] for line in listed.splitlines()}
    assert by_name["groq"] == "key from keys file"
    assert by_name["openai"] == by_name["openai-chat"] == "key from keyring"
    assert by_name["mistral"] == "key from environment MISTRAL_API_KEY"
    assert by_name["xai"] == "no key: longrein login xai"
    assert by_name["ollama"] == "needs no key"
    assert KEY not in listed


def test_the_keyring_is_taken_where_there_is_one_and_has_the_key(world: World, ring: Path) -> None:
    with provider(world, [say(f"{KEY} is secret")]) as url:
        use(world, f"{url}/v1")
        done = world.run("login", "mine", "--stdin", input=KEY)
        assert "kept in the keyring" in done.stderr
        assert json.loads(ring.read_text()) == {"longrein/mine": KEY}
        assert KEY not in keys_file(world).read_text()
        assert world.run("run", "Hi").stdout == "[secret:mine.key] is secret\n"
    assert KEY.encode() not in b"".join(
        p.read_bytes() for p in (world.root / "data").rglob("*.db*")
    )


def test_logout_forgets_the_key_wherever_it_is(world: World, ring: Path) -> None:
    world.run("login", "groq", "--stdin", "--file", input=KEY)
    world.run("login", "xai", "--stdin", "--keyring", input=KEY)
    for name in ("groq", "xai", "xai"):
        assert world.run("logout", name).returncode == 0
    assert KEY not in keys_file(world).read_text()
    assert json.loads(ring.read_text()) == {}


def test_a_key_that_moves_to_the_file_leaves_the_keyring(world: World, ring: Path) -> None:
    world.run("login", "groq", "--stdin", "--keyring", input=KEY)
    world.run("login", "groq", "--stdin", "--file", input=f"{KEY}2")
    assert json.loads(ring.read_text()) == {}
    assert f"{KEY}2" in keys_file(world).read_text()


def test_a_keyring_that_fails_says_so_and_nothing_is_kept(world: World, ring: Path) -> None:
    environ = {"PYTHON_KEYRING_BACKEND": "ring.Broken"}
    done = world.run("login", "groq", "--stdin", "--keyring", input=KEY, **environ)
    assert done.returncode == 2
    assert "no bus" in done.stderr
    assert not keys_file(world).exists()


def test_without_a_keyring_asking_for_one_says_why_not(world: World) -> None:
    environ = {"PYTHON_KEYRING_BACKEND": "keyring.backends.null.Keyring"}
    done = world.run("login", "groq", "--stdin", "--keyring", input=KEY, **environ)
    assert (done.returncode, "there is none" in done.stderr) == (2, True)


def test_a_keyring_that_never_answers_is_waited_for_only_so_long(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "slow_ring.py").write_text(BACKEND)
    monkeypatch.setattr(sys, "path", [*sys.path, str(tmp_path)])
    monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "slow_ring.Locked")
    with pytest.raises(UsageError, match=r"did not answer within 0\.2 seconds. Unlock it"):
        SystemKeyring(0.2).get("groq")


def test_a_key_in_the_environment_comes_first_and_that_is_said(world: World) -> None:
    done = world.run("login", "groq", "--stdin", "--file", input=KEY, GROQ_API_KEY="sk-other-key")
    assert "the one in the environment GROQ_API_KEY comes first" in done.stderr


def test_an_agent_that_works_on_the_home_folder_cannot_read_the_keys(world: World) -> None:
    world.environ["XDG_CONFIG_HOME"] = str(world.project / "config")
    world.run("login", "groq", "--stdin", "--file", input=KEY)
    path = world.project / "config" / "longrein" / "keys.toml"
    assert path.exists()
    told = world.run("explain", "read_file", json.dumps({"path": str(path)}))
    assert told.stdout.startswith("deny")


def test_commands_of_the_agent_are_not_given_kept_keys(world: World) -> None:
    world.run("login", "groq", "--stdin", "--file", input=KEY)
    looking = [call("execute", command="env > env.txt"), say("Done.")]
    with provider(world, looking, 'shell = "host"\n'):
        assert world.run("run", "--trust", "yolo", "Look").returncode == 0
    given = (world.project / "env.txt").read_text()
    assert ("PATH=" in given, KEY in given) == (True, False)
