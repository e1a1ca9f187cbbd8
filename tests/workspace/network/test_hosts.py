"""Hosts have one form."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longrein.workspace.network.hosts import BadHost, address_of, canonical_host, is_public


@pytest.mark.parametrize(
    ("text", "host"),
    [
        ("Example.COM", "example.com"),
        ("example.com.", "example.com"),
        ("b\u00fccher.example", "xn--bcher-kva.example"),
        ("B\u00dcCHER.example", "xn--bcher-kva.example"),
        ("XN--BCHER-KVA.example", "xn--bcher-kva.example"),
        ("good\u3002example", "good.example"),
        ("\uff11\uff12\uff17.0.0.1", "127.0.0.1"),
        ("my_service.local", "my_service.local"),
        ("127.1", "127.0.0.1"),
        ("0x7f.1", "127.0.0.1"),
        ("0177.0.0.1", "127.0.0.1"),
        ("2130706433", "127.0.0.1"),
        ("1.2.3.4.", "1.2.3.4"),
        ("[::1]", "::1"),
        ("0:0:0:0:0:0:0:1", "::1"),
        ("[::FFFF:10.0.0.1]", "10.0.0.1"),
        ("2001:DB8::0", "2001:db8::"),
    ],
)
def test_there_is_one_way_to_write_a_host(text: str, host: str) -> None:
    assert canonical_host(text) == host


@pytest.mark.parametrize(
    "text",
    [
        *("", ".", "a..b", "-a.com", "a-.com", "a b", "a@b", "a/b", "a%2eb", "a\0b", "a\nb", "*.a"),
        *("256.1.1.1", "1.2.3.4.5", "09.1", "4294967296", "a.1", "[1.2.3.4]"),
        *(
            "[fe80::1%eth0]",
            "fe80::1%eth0",
            "[::1",
            "::g",
            "x" * 64,
            "a." * 130,
            "\udcff",
            "\u2603",
        ),
    ],
)
def test_what_is_no_host_is_refused(text: str) -> None:
    with pytest.raises(BadHost) as refused:
        canonical_host(text)
    assert str(refused.value).isprintable()


@given(st.text(max_size=40))
def test_the_form_of_a_form_is_itself(text: str) -> None:
    try:
        host = canonical_host(text)
    except BadHost:
        return
    assert canonical_host(host) == host
    assert host.isascii()


@pytest.mark.parametrize(
    ("text", "public"),
    [
        *((one, True) for one in ("8.8.8.8", "2606:4700::1111", "64:ff9b::808:808")),
        *((one, False) for one in ("0.0.0.0", "10.1.2.3", "100.64.0.1", "127.9.9.9", "172.31.0.1")),
        *((one, False) for one in ("192.168.0.1", "169.254.169.254", "198.18.0.1", "224.0.0.1")),
        *((one, False) for one in ("240.0.0.1", "255.255.255.255", "::", "::1", "::7f00:1")),
        *((one, False) for one in ("::ffff:8.8.8.8", "fe80::1", "fc00::1", "fec0::1", "ff02::1")),
        *((one, False) for one in ("64:ff9b::a00:1", "2002:a00:1::", "2001:db8::1", "2001:0:a::1")),
    ],
)
def test_addresses_nearby_are_not_public(text: str, public: bool) -> None:
    address = address_of(text)
    assert address is not None
    assert is_public(address) is public
