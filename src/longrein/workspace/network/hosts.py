"""Hosts in the one form that rules are about, and which of their addresses are public."""

import re
from ipaddress import AddressValueError, IPv4Address, IPv6Address, IPv6Network
from typing import TypeAlias

import idna

Address: TypeAlias = IPv4Address | IPv6Address

LONGEST_NAME = 253
"""Characters of a host name: what the name system allows."""

_LABEL = re.compile(r"[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?")
_NUMBER = re.compile(r"(?P<hex>0x[0-9a-f]*)|(?P<octal>0[0-7]+)|(?P<decimal>0|[1-9][0-9]*)")
_LOOKS_LIKE_NUMBER = re.compile(r"[0-9]+|0x[0-9a-f]*")
_GLOBAL_UNICAST = IPv6Network("2000::/3")
_TRANSLATED = IPv6Network("64:ff9b::/96")


class BadHost(ValueError):
    """This can be no host; the text says why."""


def canonical_host(text: str) -> str:
    """The one way to write a host: rules, grants and the proxy go by this.

    Names in lower case, as the name system has them, without a dot at the end; addresses as they
    are usually written, whatever base or length they came in. Raises `BadHost`.

    >>> canonical_host("API.Example.com."), canonical_host("b\\u00fccher.example")
    ('api.example.com', 'xn--bcher-kva.example')
    >>> canonical_host("0x7f.1"), canonical_host("2130706433"), canonical_host("[::FFFF:7f00:1]")
    ('127.0.0.1', '127.0.0.1', '127.0.0.1')
    """
    if len(text) > LONGEST_NAME + 1:
        raise BadHost(f"Host names have at most {LONGEST_NAME} characters.")
    if text.startswith("[") and text.endswith("]"):
        return str(_version_6(text[1:-1]))
    if ":" in text:
        return str(_version_6(text))
    name = _as_ascii(text).lower().removesuffix(".")
    labels = name.split(".")
    if _LOOKS_LIKE_NUMBER.fullmatch(labels[-1]):
        return str(_version_4(labels))
    if len(name) > LONGEST_NAME or not all(map(_LABEL.fullmatch, labels)):
        raise BadHost(f"{text!a} is no name of a host.")
    return name


def address_of(host: str) -> Address | None:
    """The address that a canonical host is; None for a name."""
    for kind in (IPv4Address, IPv6Address):
        try:
            return kind(host)
        except AddressValueError:
            continue
    return None


def is_public(address: Address) -> bool:
    """Whether an address is one of the open internet: not this machine, not a network nearby.

    Addresses that carry another one inside (for networks that translate) are as public as that.

    >>> is_public(IPv4Address("169.254.169.254")), is_public(IPv6Address("64:ff9b::7f00:1"))
    (False, False)
    >>> is_public(IPv4Address("8.8.8.8"))
    True
    """
    if isinstance(address, IPv4Address):
        return address.is_global and not address.is_multicast
    if address in _TRANSLATED:
        return is_public(IPv4Address(int(address) & 0xFFFFFFFF))
    inner = address.sixtofour
    return address in _GLOBAL_UNICAST and address.is_global and (inner is None or is_public(inner))


def _as_ascii(text: str) -> str:
    if text.isascii():
        return text
    try:
        return idna.encode(text, uts46=True).decode()
    except (idna.IDNAError, UnicodeError):
        raise BadHost(f"{text!a} is no name of a host.") from None


def _version_4(labels: list[str]) -> IPv4Address:
    """An address of one to four numbers, the last of which fills what is left."""
    numbers = [_number(label) for label in labels]
    if len(numbers) > 4 or None in numbers:
        raise BadHost(f"{'.'.join(labels)!a} is neither a name nor an address.")
    *first, last = [number for number in numbers if number is not None]
    if any(number > 255 for number in first) or last >= 256 ** (4 - len(first)):
        raise BadHost(f"{'.'.join(labels)!a} is no address: a number is too large.")
    return IPv4Address(sum(n << (24 - 8 * at) for at, n in enumerate(first)) + last)


def _number(text: str) -> int | None:
    found = _NUMBER.fullmatch(text)
    if found is None:
        return None
    return int(text[2:] or "0", 16) if found["hex"] else int(text, 8 if found["octal"] else 10)


def _version_6(text: str) -> Address:
    if "%" in text:
        raise BadHost("Addresses with a zone are not connected to.")
    try:
        address = IPv6Address(text)
    except AddressValueError:
        raise BadHost(f"{text!a} is neither a name nor an address.") from None
    return address.ipv4_mapped or address
