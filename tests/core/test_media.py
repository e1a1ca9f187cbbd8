"""Media types are told by how the bytes begin."""

import pytest

from longrein.core.media import media_type


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (b"\x89PNG\r\n\x1a\n\x00", "image/png"),
        (b"\xff\xd8\xff\xe0", "image/jpeg"),
        (b"GIF89a", "image/gif"),
        (b"RIFF\x00\x00\x00\x00WEBPVP8 ", "image/webp"),
        (b"RIFF\x00\x00\x00\x00WAVEfmt ", "text/plain"),
        (b"%PDF-1.7", "application/pdf"),
        ("grüße".encode(), "text/plain"),
        (b"", "text/plain"),
        (b"\xff\xfe\x00", "application/octet-stream"),
    ],
)
def test_the_beginning_tells_the_media_type(data: bytes, kind: str) -> None:
    assert media_type(data) == kind
