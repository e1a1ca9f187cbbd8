"""`longrein run --schema`: an answer that fits a JSON schema."""

import json
from typing import Any

import pytest

from longrein.testing import call, say
from tests.cli.world import World, provider

CITY: dict[str, Any] = {
    "$defs": {"count/all": {"type": "integer"}},
    "type": "object",
    "properties": {"name": {"type": "string"}, "people": {"$ref": "#/$defs/count~1all"}},
    "required": ["name", "people"],
}
GOOD = say('Here it is: {"name": "Ulm", "people": 126000}')
BAD = say('{"name": "Ulm"}')


def test_standard_output_has_the_answer_alone_once_it_fits(world: World) -> None:
    (world.project / "city.json").write_text(json.dumps(CITY))
    with provider(world, [BAD, GOOD]):
        done = world.run("run", "Which?", "--schema", "city.json")
    assert done.returncode == 0
    assert json.loads(done.stdout) == {"name": "Ulm", "people": 126000}
    assert "! the answer does not fit: 'people' is a required property" in done.stderr


def test_json_has_the_answer_as_a_value(world: World) -> None:
    (world.project / "city.json").write_text(json.dumps(CITY))
    with provider(world, [GOOD]):
        result = world.json("run", "Which?", "--schema", "city.json")
        plain = world.json("run", "Which?")
    assert result["value"] == {"name": "Ulm", "people": 126000}
    assert plain["value"] is None


def test_whoever_goes_on_with_the_run_gets_an_answer_that_fits(world: World) -> None:
    (world.project / "city.json").write_text(json.dumps(CITY))
    script = [call("ask_user", question="Where?"), BAD, GOOD]
    with provider(world, script):
        (asked,) = world.json("run", "Which?", "--schema", "city.json")["pending"]
        done = world.run("answer", asked["id"], "here")
    assert json.loads(done.stdout)["name"] == "Ulm"


def test_an_answer_that_never_fits_fails(world: World) -> None:
    (world.project / "city.json").write_text(json.dumps(CITY))
    with provider(world, [BAD] * 9):
        done = world.run("run", "Which?", "--schema", "city.json")
    assert (done.returncode, done.stdout) == (1, "")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("{", "is not JSON"),
        ("[]", "that is a JSON object"),
        ('{"type": "strnig"}', "is not a JSON schema: type: 'strnig'"),
        ('{"$ref": "http://example.com/x.json"}', "it refers to http://example.com/x.json"),
        ('{"$ref": "#/$defs/nothing"}', "it refers to #/$defs/nothing"),
    ],
)
def test_what_is_no_schema_is_told_before_anything_is_said(
    world: World, text: str, says: str
) -> None:
    (world.project / "bad.json").write_text(text)
    with provider(world, [GOOD]):
        done = world.run("run", "Which?", "--schema", "bad.json")
        missing = world.run("run", "Which?", "--schema", "nothing.json")
    assert done.returncode == 2
    assert says in done.stderr
    assert missing.returncode == 2
    assert world.run("threads").stdout == ""
