"""The table [compaction] of settings files."""

from pathlib import Path

import pytest

from longrein.context.summary import Compaction
from longrein.core.errors import UsageError
from longrein.settings.layer import parse
from longrein.settings.merge import merge

FILE = Path("/home/settings.toml")


def test_the_later_layer_wins_and_the_rest_stays() -> None:
    user = parse(b"[compaction]\nshare = 0.6\nkeep = 0.2", FILE)
    project = parse(b"[compaction]\nshare = 0.7\nenabled = false", FILE)
    assert merge([user, project]).compaction == Compaction(share=0.7, keep=0.2, enabled=False)


def test_without_a_table_it_is_as_usual() -> None:
    assert merge([]).compaction == Compaction()


@pytest.mark.parametrize("line", ["share = 0", "share = 1.5", "keep = 0.9", "timeout = 0"])
def test_what_makes_no_sense_names_the_file(line: str) -> None:
    with pytest.raises(UsageError, match=r"settings\.toml: compaction: .* make no sense"):
        parse(f"[compaction]\n{line}".encode(), FILE)
