"""The keys file, and where the key of a provider comes from."""

import os
import stat
from pathlib import Path

import pytest

from longrein.core.errors import UsageError
from longrein.core.redact import Redactor
from longrein.models.catalog import ProviderSettings, find, known
from longrein.models.kept import KeptKeys
from longrein.models.keys import secrets
from longrein.models.secret import Secret
from longrein.settings.keys import InFile, InKeyring, kept_keys, read_keys, write_keys
from longrein.settings.replacing import replace_file

KEY = "sk-1234567890"


def unasked(provider: str) -> str:
    raise AssertionError(f"the keyring was asked for {provider}")


def kept(path: Path, text: str, ring: str = "sk-of-the-ring") -> KeptKeys:
    path.touch(mode=0o600)
    path.write_text(text)
    return kept_keys(path, lambda provider: ring)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "keys.toml"


def test_settings_come_before_the_environment_and_that_before_what_is_kept(file: Path) -> None:
    keys = kept(file, f'groq = "{KEY}"\n')
    environ = {"GROQ_API_KEY": "sk-environment"}
    settings = {"groq": ProviderSettings(key="sk-settings")}
    for given, around, key, origin in (
        (settings, environ, "sk-settings", "settings"),
        ({}, environ, "sk-environment", "environment GROQ_API_KEY"),
        ({}, {}, KEY, "keys file"),
    ):
        assert find("groq:m", given, around, keys)[0].key.reveal() == key
        (groq,) = [one for one in known(given, around, keys) if one.name == "groq"]
        assert (groq.ready, groq.origin) == (True, origin)


def test_the_keyring_is_asked_when_a_key_is_used_and_only_once(file: Path) -> None:
    asked: list[str] = []
    write_keys(file, {"openai": InKeyring()})
    keys = kept_keys(file, lambda provider: asked.append(provider) or KEY)
    assert [one.status for one in known({}, {}, keys) if one.origin] == ["key from keyring"] * 2
    assert secrets({}, {}, keys) == {}
    assert asked == []
    for name in ("openai:a", "openai-chat:b"):  # they take the same key
        assert find(name, {}, {}, keys)[0].key.reveal() == KEY
    assert asked == ["openai"]


def test_the_keyring_is_not_asked_where_something_else_has_the_key(file: Path) -> None:
    write_keys(file, {"openai": InKeyring()})
    find("openai:m", {}, {"OPENAI_API_KEY": KEY}, kept_keys(file, unasked))


def test_a_key_that_left_the_keyring_says_how_to_log_in(file: Path) -> None:
    with pytest.raises(UsageError, match="longrein login groq"):
        find("groq:m", {}, {}, kept(file, "groq = { keyring = true }\n", ring=""))


def test_a_provider_without_a_variable_can_have_a_kept_key(file: Path) -> None:
    keys = kept(file, f'vllm = "{KEY}"\n')
    assert find("vllm:m", {}, {}, keys)[0].key.reveal() == KEY


def test_no_key_at_all_names_the_variable_and_the_command() -> None:
    with pytest.raises(UsageError, match=r"GROQ_API_KEY, or keep the key .*longrein login groq"):
        find("groq:m", {}, {}, KeptKeys())


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o620, 0o644])
def test_a_file_that_others_may_use_does_not_count(file: Path, mode: int) -> None:
    write_keys(file, {"groq": InFile(Secret(KEY, "x"))})
    file.chmod(mode)
    keys = kept_keys(file, unasked)
    assert keys.entries == {}
    with pytest.raises(UsageError, match=f"chmod 600 {file}"):
        find("groq:m", {}, {}, keys)
    with pytest.raises(UsageError, match="chmod 600"):
        read_keys(file)


@pytest.mark.parametrize(
    "text",
    [f"groq = {KEY}", f'groq = "{KEY}', f'[groq]\nkey = "{KEY}"', "groq = 5", 'groq = " "', "\xff"],
)
def test_a_file_that_makes_no_sense_is_told_without_what_is_in_it(file: Path, text: str) -> None:
    file.touch(mode=0o600)
    file.write_bytes(text.encode("latin-1"))
    problem = kept_keys(file, unasked).problem
    assert str(file) in problem
    assert KEY not in problem


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
def test_a_file_that_cannot_be_read_is_told(file: Path) -> None:
    write_keys(file, {})
    file.chmod(0)
    assert "cannot be read" in kept_keys(file, unasked).problem


def test_keys_are_written_for_their_owner_only_whatever_they_are(file: Path) -> None:
    old = os.umask(0)
    try:
        write_keys(
            file.parent / "new" / file.name,
            {"a.b": InFile(Secret('x"\\y', "x")), "groq": InKeyring()},
        )
    finally:
        os.umask(old)
    written = file.parent / "new" / file.name
    assert stat.S_IMODE(written.stat().st_mode) == 0o600
    assert stat.S_IMODE(written.parent.stat().st_mode) == 0o700
    entries = read_keys(written)
    assert isinstance(entries["a.b"], InFile)
    assert entries["a.b"].key.reveal() == 'x"\\y'
    assert entries["groq"] == InKeyring()
    assert [one.name for one in written.parent.iterdir()] == [file.name]


def test_a_link_stays_one_and_what_it_leads_to_is_replaced(tmp_path: Path) -> None:
    real, link = tmp_path / "real", tmp_path / "link"
    real.write_text("old")
    real.chmod(0o640)
    link.symlink_to(real)
    replace_file(link, b"new")
    assert link.is_symlink()
    assert real.read_text() == "new"
    assert stat.S_IMODE(real.stat().st_mode) == 0o640


def test_where_nothing_can_be_written_nothing_changes(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match="cannot be written"):
        write_keys(tmp_path / "file" / "keys.toml", {})


def test_keys_of_the_file_are_hidden_wherever_they_show_up(file: Path) -> None:
    keys = kept(file, f'groq = "{KEY}"\n')
    assert Redactor(secrets({}, {}, keys)).text(f"cat: {KEY}") == "cat: [secret:groq.key]"
    assert KEY not in repr(keys)


def test_a_key_that_was_fetched_late_is_hidden_from_then_on() -> None:
    redactor = Redactor({"A": "sk-first-one"})
    redactor.add("groq.key", KEY)
    assert redactor.text(f"sk-first-one {KEY}") == "[secret:A] [secret:groq.key]"
