"""Settings: who wins, what is refused, and when a project's file counts."""

import json
from pathlib import Path

import pytest

from longrein.core.errors import UsageError
from longrein.core.policy import Rule
from longrein.loop.setup import Budgets
from longrein.models.base import ModelSettings
from longrein.models.price import Price
from longrein.settings.layer import FilesTable, Layer, parse, parse_project, read_environment
from longrein.settings.merge import merge
from longrein.settings.places import find_places, find_project, make_private
from longrein.settings.trusted import TrustBook
from longrein.testing import Script, call, say, when
from longrein.workspace.rules import FileRule
from tests.cli.terminal import Terminal
from tests.cli.world import World, provider

FILE = Path("settings.toml")


def layer(text: str) -> Layer:
    return parse(text.encode(), FILE)


def test_the_later_layer_wins_key_by_key() -> None:
    settings = merge(
        [
            layer('model = "a:1"\nfallback = ["b:1"]\n[limits]\nsteps = 5\ncost = 1.5'),
            layer('trust = "edits"\n[limits]\nsteps = 9'),
            read_environment({"LONGREIN_MODEL": "c:1", "LONGREIN_MAX_SECONDS": "2.5"}, Path("/")),
        ]
    )
    assert settings.models == ("c:1", "b:1")
    assert settings.trust == "edits"
    assert settings.limits.steps == 9
    assert settings.limits.cost == 1_500_000_000
    assert settings.limits.seconds == 2.5


def test_denies_add_up_and_other_rules_are_replaced() -> None:
    settings = merge(
        [
            layer('[[rules]]\neffect = "deny"\ntool = "rm"\n[[rules]]\neffect = "ask"\ntool = "x"'),
            layer(
                '[[rules]]\neffect = "allow"\ntool = "rm"\n[[rules]]\neffect="allow"\ntool = "x"'
            ),
        ]
    )
    assert Rule("deny", "rm") in settings.rules
    assert Rule("allow", "x") in settings.rules
    assert Rule("ask", "x") not in settings.rules


def test_a_rule_is_replaced_only_by_one_about_the_same() -> None:
    settings = merge(
        [
            layer('[[rules]]\neffect = "ask"\ntool = "x"\narguments = { to = "a*" }'),
            layer('[[rules]]\neffect = "allow"\ntool = "x"\narguments = { to = "b*" }'),
            layer('[[rules]]\neffect = "allow"\ntool = "x"\narguments = { to = "a*" }'),
            layer('[[rules]]\neffect = "deny"\npath = "/etc/**"\n'),
            layer('[[rules]]\neffect = "deny"\ncommand = "rm *"\nhost = "example.com"\n'),
        ]
    )
    assert set(settings.rules) == {
        Rule("allow", "x", arguments={"to": "a*"}),
        Rule("allow", "x", arguments={"to": "b*"}),
        Rule("deny", path="/etc/**"),
        Rule("deny", command="rm *", host="example.com"),
    }


def test_models_and_budgets_are_merged_field_by_field() -> None:
    settings = merge(
        [
            layer('titles = "a:1"\n[models.a]\neffort = "low"\nmax_output = 9'),
            layer("[budget]\nthread = 1"),
            layer('[models.a]\neffort = "high"\n[models."a:b"]\ntemperature = 0'),
            layer("[budget]\nproject = 2.5"),
        ]
    )
    assert settings.titles == "a:1"
    assert settings.model_settings == {
        "a": ModelSettings(max_output=9, effort="high"),
        "a:b": ModelSettings(temperature=0.0),
    }
    assert settings.budgets == Budgets(1_000_000_000, 2_500_000_000)


def test_providers_are_merged_field_by_field() -> None:
    settings = merge(
        [
            layer('[providers.local]\nbase_url = "http://a/v1"\nkey_env = "KEY"'),
            layer('[providers.local]\nbase_url = "http://b/v1"'),
        ]
    )
    assert settings.providers["local"].base_url == "http://b/v1"
    assert settings.providers["local"].key_env == "KEY"


def test_the_later_price_of_a_model_wins_as_a_whole() -> None:
    settings = merge(
        [
            layer('[prices."a:b"]\ninput = 1\noutput = 2\ncached = 0.5\n'),
            layer('[prices."a:b"]\ninput = "0.1"\noutput = 0\n'),
        ]
    )
    assert settings.prices == {"a:b": Price("0.1", 0.0)}


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("modell = 'a:1'", "settings.toml: modell is not a setting; did you mean 'model'?"),
        ("[limits]\nstep = 1", "settings.toml: limits.step is not a setting; did you mean 'steps'"),
        ("[providers.x]\nurl = ''", "providers.x.url is not a setting; did you mean 'base_url'?"),
        (
            "[[rules]]\neffect = 'deny'\ntol = 'x'",
            "rules.tol is not a setting; did you mean 'tool'",
        ),
        ("[[rules]]\neffect = 'deny'\ncategory = 'exec'", "category: 'exec' is not one of: read,"),
        ("trust = 'full'", "settings.toml: trust: 'full' is not one of: ask, edits, plan, yolo"),
        ("[limits]\nsteps = 'many'", "settings.toml: limits.steps: expected"),
        ("model = ", "settings.toml: this is not TOML"),
        ("zzz = 1", "known are: model, fallback"),
        ("x = " + "[" * 5000, "settings.toml: this is nested too deeply"),
        ("x = " + "1" * 5000, "settings.toml: this is not TOML"),
        ("[limits]\nsteps = 0", "settings.toml: limits.steps: 0 is not a whole number from 1 on"),
        ("[limits]\ntokens = -5", "settings.toml: limits.tokens: -5 is not a whole number"),
        ("[limits]\ncost = nan", "settings.toml: limits.cost: nan is not a number above 0"),
        ("[limits]\ncost = inf", "settings.toml: limits.cost: inf is not a number above 0"),
        ("[limits]\ncost = -1", "settings.toml: limits.cost: -1.0 is not a number above 0"),
        ("[limits]\nseconds = 0", "settings.toml: limits.seconds: 0.0 is not a number above 0"),
        ('[prices."a:b"]\ninput = nan\noutput = 1', 'prices."a:b".input: nan is not a price'),
        ('[prices."a:b"]\ninput = 1\noutput = "x"', "prices.\"a:b\".output: 'x' is not a price"),
        ("[prices.b]\ninput = 1\noutput = 1", 'prices.b: write [prices."provider:model"]'),
        ('[prices."a:b"]\ninptu = 1', "prices.a:b.inptu is not a setting; did you mean 'input'?"),
        ("[budget]\nthread = 0", "settings.toml: budget.thread: 0.0 is not a number above 0"),
        ("[budget]\nprojct = 1", "budget.projct is not a setting; did you mean 'project'?"),
        ("[models.a]\neffort = 'hard'", "effort: 'hard' is not one of: none, minimal, low,"),
        ("[models.a]\nmax_output = 0", 'models."a".max_output: 0 is not a whole number'),
        ("[models.a]\ntemperature = 3", 'models."a".temperature: 3.0 is not a number from 0 to 2'),
        ("[models.a]\ntemp = 3", "models.a.temp is not a setting; did you mean 'temperature'?"),
        ('[models."a:"]\neffort = "low"', 'models."a:": write [models."provider"]'),
        ("[[rules]]\neffect = 'deny'\npath = 'x'", "settings.toml: rules (1): A rule cannot have"),
        (
            "[[rules]]\neffect = 'deny'\n[[rules]]\neffect = 'ask'\nhost = 'http://x'",
            "settings.toml: rules (2): A rule cannot have the host",
        ),
        ("[[rules]]\neffect = 'deny'\narguments = { a = 1 }", "expected str, got int"),
        ('store = "postgres://me:pw@x/y"', "settings.toml: store: 'postgres:' is not a store"),
        ('store = ":memory:"', "write memory, sqlite:PATH, or the path of an SQLite file"),
        ('store = "sqlite:"', "settings.toml: store: 'sqlite:' is not a store"),
        ('store = "~nobody-at-all/x.db"', "settings.toml: store: there is no home folder"),
    ],
)
def test_what_is_wrong_names_file_key_and_the_nearest_name(text: str, says: str) -> None:
    with pytest.raises(UsageError) as caught:
        layer(text)
    assert says in str(caught.value)


def test_a_slip_in_a_variable_is_told_and_others_are_let_be() -> None:
    with pytest.raises(UsageError, match="did you mean LONGREIN_MODEL"):
        read_environment({"LONGREIN_MODLE": "a:1"}, Path("/"))
    with pytest.raises(UsageError, match=r"the environment: limits.steps"):
        read_environment({"LONGREIN_MAX_STEPS": "many"}, Path("/"))
    with pytest.raises(UsageError, match=r"the environment: limits.cost: nan"):
        read_environment({"LONGREIN_MAX_COST": "nan"}, Path("/"))
    assert read_environment({"LONGREIN_SOMETHING_ELSE": "1"}, Path("/")) == Layer()


def test_a_store_is_a_path_from_where_it_is_named() -> None:
    assert (
        parse(b'store = "my.db"', Path("/home/me/settings.toml")).store == "sqlite:/home/me/my.db"
    )
    assert read_environment({"LONGREIN_STORE": "x.db"}, Path("/here")).store == "sqlite:/here/x.db"
    assert read_environment({"LONGREIN_STORE": "memory"}, Path("/here")).store == "memory"
    colon = read_environment({"LONGREIN_STORE": "./a:b.db"}, Path("/here"))
    assert colon.store == "sqlite:/here/a:b.db"


def test_a_store_of_an_unknown_kind_makes_no_folder(world: World) -> None:
    done = world.run("threads", LONGREIN_STORE="postgres://me:password@x/y")
    assert done.returncode == 2
    assert "the environment: store: 'postgres:' is not a store" in done.stderr
    assert "password" not in done.stderr
    assert not (world.project / "postgres:").exists()


def test_a_project_may_not_bring_yolo_or_a_key() -> None:
    with pytest.raises(UsageError, match="counts only from yourself"):
        parse_project(b'trust = "yolo"', FILE)
    with pytest.raises(UsageError, match=r"x\.key counts only from yourself: keep it with"):
        parse_project(b'[providers.x]\nkey = "abc"', FILE)


def test_the_project_is_the_nearest_parent_with_a_mark(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "a" / ".longrein").mkdir(parents=True)
    (tmp_path / "a" / "b").mkdir()
    (tmp_path / "c").mkdir()
    assert find_project(tmp_path / "a" / "b") == tmp_path / "a"
    assert find_project(tmp_path / "c") == tmp_path


def test_a_relative_xdg_path_counts_as_not_set(tmp_path: Path) -> None:
    places = find_places(tmp_path, {"XDG_DATA_HOME": "here", "XDG_STATE_HOME": str(tmp_path)})
    assert places.data == Path.home() / ".local/share/longrein"
    assert places.state == tmp_path / "longrein"


def test_trust_ends_when_the_file_changes(tmp_path: Path) -> None:
    book = TrustBook(make_private(tmp_path / "state"))
    assert book.verdict(FILE, b"one") is None
    book.write(FILE, b"one", True)
    assert book.verdict(FILE, b"one") is True
    assert book.verdict(FILE, b"two") is None
    book.write(FILE, b"two", False)
    assert book.verdict(FILE, b"two") is False
    assert (tmp_path / "state").stat().st_mode & 0o777 == 0o700


WHICH = Script(rules=[when("Hi", call("deploy", target="x"), say("Done."))])
ALLOW = '[[rules]]\neffect = "allow"\ntool = "deploy"\n'


def test_a_project_counts_only_after_it_was_trusted(world: World) -> None:
    world.project_file.write_text(ALLOW)
    with provider(world, WHICH):
        before = world.run("run", "Hi", "--tools", "tools.py")
        trusted = world.run("trust")
        after = world.run("run", "Hi", "--tools", "tools.py")
        world.project_file.write_text(ALLOW + "# changed\n")
        changed = world.run("run", "Hi", "--tools", "tools.py")
    assert before.returncode == 3
    assert "settings.toml: not trusted (see `longrein trust`)" in before.stderr
    assert trusted.returncode == 0
    assert (after.returncode, after.stdout) == (0, "Done.\n")
    assert "Ignored" not in after.stderr
    assert changed.returncode == 3


def test_at_a_terminal_the_user_is_asked_once(world: World) -> None:
    world.project_file.write_text(ALLOW)
    with provider(world, [say("Hello.")]):
        with Terminal(world, "run", "Hey") as person:
            person.sees('effect = "allow"')
            person.sees("[y/N] ")
            person.types("n\n")
            person.sees("Hello.")
            assert person.ends() == 0
        with Terminal(world, "run", "Hey") as person:
            person.sees("Hello.")
            assert person.ends() == 0
    assert "Ignored" in person.screen
    assert "[y/N]" not in person.screen


def test_a_deny_of_the_user_beats_yolo(world: World) -> None:
    deny = '[[rules]]\neffect = "deny"\ncategory = "execute"\n'
    with provider(world, WHICH):
        with world.user_file.open("a") as file:
            file.write(deny)
        world.run("run", "Hi", "--tools", "tools.py", "--trust", "yolo")
    assert not (world.project / "deployed.txt").exists()


def test_the_environment_beats_the_file_and_a_flag_beats_both(world: World) -> None:
    with provider(world, [say("Hello.")]):
        by_file = world.run("run", "Hey")
        by_environment = world.run("run", "Hey", LONGREIN_MODEL="nobody:x")
        by_flag = world.run("run", "Hey", "--model", "local:other", LONGREIN_MODEL="nobody:x")
    assert by_file.stdout == "Hello.\n"
    assert by_environment.returncode == 2
    assert "no provider 'nobody'" in by_environment.stderr
    assert by_flag.stdout == "Hello.\n"


def test_a_pattern_of_the_user_decides_about_a_call(world: World) -> None:
    deny = '[[rules]]\neffect = "deny"\narguments = { target = "x*" }\n'
    with provider(world, WHICH):
        with world.user_file.open("a") as file:
            file.write(deny)
        done = world.run("run", "Hi", "--tools", "tools.py", "--trust", "yolo")
    assert "deploy" in done.stderr
    assert not (world.project / "deployed.txt").exists()


def test_a_model_gives_the_thread_its_title(world: World) -> None:
    with provider(world, [say("A short title")], 'titles = "local:scripted"'):
        assert world.run("run", "Hi").returncode == 0
        assert world.run("threads").stdout.endswith("  A short title\n")
    with provider(world, [say("Hello.")], 'titles = "openai:x"'):
        wrong = world.run("run", "Hi")
    assert wrong.returncode == 2
    assert "OPENAI_API_KEY" in wrong.stderr


def test_effort_is_kept_in_the_thread_beside_the_model(world: World) -> None:
    with provider(world, [say("Hello."), say("Again.")]):
        world.run("run", "Hey", "--model", "local:other", "--effort", "high")
        world.run("run", "--continue", "Hey", "--model", "local:third")
        lines = world.run("show", "--json").stdout.splitlines()
    changes = [one for one in map(json.loads, lines) if one["type"] == "model_changed"]
    assert [(one["model"], one["effort"]) for one in changes] == [
        ("local:other", "high"),
        ("local:third", "high"),
    ]


def test_file_rules_keep_their_order_and_begin_at_the_project() -> None:
    mine = Layer(files=(FilesTable("deny", ("**/.env", "secrets/**")),))
    projects = Layer(files=(FilesTable("allow", ("/etc/hosts",), ("read",)),))
    assert merge([mine, projects], "/project").files == (
        FileRule("deny", ("**/.env", "/project/secrets/**")),
        FileRule("allow", ("/etc/hosts",), ("read",)),
    )


def test_the_later_shell_wins_and_without_one_commands_are_isolated() -> None:
    assert merge([Layer()]).shell == "sandbox"
    assert merge([Layer(shell="host"), Layer(shell="off")]).shell == "off"


@pytest.mark.parametrize("text", ['shell = "host"', 'readable = ["/"]', 'writable = ["~/x"]'])
def test_a_project_cannot_take_the_isolation_away(tmp_path: Path, text: str) -> None:
    with pytest.raises(UsageError, match="counts only from yourself"):
        parse_project(text.encode(), tmp_path / "settings.toml")


def test_folders_for_commands_add_up_and_are_absolute() -> None:
    assert merge([Layer(readable=("/a",)), Layer(readable=("~/b",))]).readable == ("/a", "~/b")
    with pytest.raises(UsageError, match="neither"):
        layer('readable = ["b"]')


@pytest.mark.parametrize("text", ["paths = []", 'paths = ["../x"]', 'paths = [""]'])
def test_a_file_rule_that_names_nothing_is_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(UsageError, match=r"files \(1\)"):
        parse(f'[[files]]\neffect = "deny"\n{text}\n'.encode(), tmp_path / "settings.toml")
