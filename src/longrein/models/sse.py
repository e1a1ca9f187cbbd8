"""Server-sent events, out of whatever pieces the network hands over."""


class EventReader:
    """Cuts a byte stream into the data of its events, many per call and none awaited.

    Knows every line ending, comments, data over several lines and a byte order mark. Only `data`
    is kept: all three wires repeat the event's name inside of it.
    """

    __slots__ = ("_rest", "_started")

    def __init__(self) -> None:
        self._rest = b""
        self._started = False

    def feed(self, chunk: bytes) -> list[bytes]:
        """The data of each event that `chunk` completes."""
        if self._rest:
            chunk = self._rest + chunk
        if not self._started:
            self._started = True
            chunk = chunk.removeprefix(b"\xef\xbb\xbf")
        if b"\r" in chunk:
            chunk, held = _one_line_ending(chunk)
        else:
            held = b""
        events = chunk.split(b"\n\n")
        self._rest = events.pop() + held
        return _data_of(events)

    def end(self) -> list[bytes]:
        """The data of a last event whose blank line never came."""
        rest, self._rest = self._rest, b""
        return _data_of([rest.replace(b"\r", b"\n")]) if rest else []


def _one_line_ending(chunk: bytes) -> tuple[bytes, bytes]:
    # A carriage return at the very end may be half of a pair: it waits for the next chunk.
    held = b"\r" if chunk.endswith(b"\r") else b""
    body = chunk[: len(chunk) - len(held)]
    return body.replace(b"\r\n", b"\n").replace(b"\r", b"\n"), held


def _data_of(events: list[bytes]) -> list[bytes]:
    found: list[bytes] = []
    for event in events:
        if event.startswith(b"data: ") and b"\n" not in event:
            found.append(event[6:])
        else:
            lines = [
                line[5:].removeprefix(b" ")
                for line in event.split(b"\n")
                if line.startswith(b"data:")
            ]
            if lines:
                found.append(lines[0] if len(lines) == 1 else b"\n".join(lines))
    return found
