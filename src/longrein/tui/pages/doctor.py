"""`/doctor`: what works here, and what is missing."""

from collections.abc import Sequence

from longrein.client.port import Client
from longrein.tui.pages.text import TextPage
from longrein.tui.view.checks import check_lines
from longrein.tui.view.tones import Line


class DoctorPage(TextPage):
    """What was looked at, with what to do."""

    def __init__(self, client: Client) -> None:
        async def make() -> Sequence[Line]:
            return check_lines(await client.checks())

        super().__init__("Doctor", make)
