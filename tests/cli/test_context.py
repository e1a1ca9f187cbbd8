"""`longrein context`: where the tokens of a thread go."""

import json
import re

from longrein.testing import say
from tests.cli.world import World, provider


def test_the_table_and_the_json_tell_the_same(world: World) -> None:
    with provider(world, [say("Hello.")]):
        thread = world.json("run", "Hi")["thread"]
        table = world.run("context", thread)
        report = json.loads(world.run("context", "--json").stdout)
    assert table.returncode == 0
    assert table.stdout.startswith("system ")
    assert re.search(rf"^total +{report['total']:,} ", table.stdout, re.MULTILINE)
    assert report["counted"] + report["estimated"] == report["total"]
    assert {"agent", "workspace"} <= report["system"]["sections"].keys()
    assert report["history"]["user"] > 0


def test_a_thread_that_is_not_there_is_told(world: World) -> None:
    done = world.run("context", "thr_none")
    assert done.returncode == 6
    assert "Traceback" not in done.stderr
