"""What the file tools cost in every request."""

from collections.abc import Callable

import msgspec
from rs_bpe.bpe import openai  # pyright: ignore[reportUnknownVariableType]

from tests.capabilities.file_tools.kit import Bench

MOST = 800


def test_the_schemas_of_all_file_tools_are_short() -> None:
    offered = [
        {
            "name": tool.name,
            "description": tool.description,
            "parameters": msgspec.Raw(tool.schema),
        }
        for tool in Bench().tools.values()
    ]
    count: Callable[[str], int] = openai.o200k_base().count  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
    assert count(msgspec.json.encode(offered).decode()) < MOST
