"""What the wires have in common: a place, a way to write requests, a way to read replies."""

from collections.abc import AsyncGenerator, Callable, Mapping

from longrein.models.base import Delta, Request
from longrein.models.files import advice
from longrein.models.http import Endpoint, Http, Reply
from longrein.models.place import Place
from longrein.models.secret import Secret
from longrein.models.turns import Dialect, Turns, turns_of


class WireModel:
    """A model behind one endpoint of a provider.

    A wire says where that is, what a request begins with (`fields`: all that is neither system,
    tools nor messages), how it writes a conversation (`dialect`), and reads an answer (`reply`).
    """

    def __init__(
        self,
        place: Place,
        *,
        wire: str,
        path: str,
        headers: Mapping[str, str],
        dialect: Dialect,
        fields: Callable[[Request, Turns], bytes],
        reply: Callable[[Secret], Reply],
    ) -> None:
        self.wire = f"{wire}/{place.provider}"
        self._place = place
        self._dialect = dialect
        self._fields = fields
        self._reply = reply
        self._http = Http(Endpoint(place.base_url + path, {**headers, **place.headers}, place.key))

    def stream(self, request: Request) -> AsyncGenerator[Delta, None]:
        return self._http.stream(
            lambda: self.body(request),
            self._reply(self._place.key),
            lambda: advice(request, self._dialect.formats),
        )

    async def close(self) -> None:
        await self._http.close()

    async def body(self, request: Request) -> bytes:
        """The request as it goes over the wire."""
        turns = await turns_of(request, self._dialect, self.wire)
        return b"".join((self._fields(request, turns), turns.opening, *turns.pieces(), b"]}"))


def bearer(key: Secret) -> dict[str, str]:
    """The header that most providers take a key in; none where there is no key."""
    return {"Authorization": f"Bearer {key.reveal()}"} if key.reveal() else {}
