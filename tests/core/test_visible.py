"""What is written out, and what scripts and emoji need."""

from unicodedata import category

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longrein.core.visible import visible


@pytest.mark.parametrize(
    "text",
    [
        "1\ufe0f\u20e3",
        "\u2714\ufe0f done",
        "\U0001f469\U0001f3fd\u200d\u2764\ufe0f\u200d\U0001f468",
        "\u0646\u200c\u0647",
        "\u0915\u094d\u200d\u0937",
        "e\u0301 Vie\u0323\u0302t",
    ],
)
def test_letters_and_emoji_stay_as_they_are(text: str) -> None:
    assert visible(text) == text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("pass\u200dword", r"pass\u200dword"),
        ("pay\u00adpal", r"pay\xadpal"),
        ("x\ufe0f", r"x\ufe0f"),
        ("\u2714\ufe0f\ufe0f", "\u2714\ufe0f" + r"\ufe0f"),
        ("\U0001f468\u200dab", "\U0001f468" + r"\u200dab"),
        ("a\ud800", r"a\ud800"),
        ("a\U000e0100", r"a\U000e0100"),
        ("a" + "\u0301" * 6, "a" + "\u0301" * 4 + r"\u0301\u0301"),
    ],
)
def test_what_hides_between_letters_is_written_out(text: str, shown: str) -> None:
    assert visible(text) == shown


@pytest.mark.parametrize("code", [0x13430, 0x1D159, 0x16FE4, 0x2800, 0x0600, 0x200D, 0xFE0F])
def test_what_a_person_says_yes_to_hides_nothing(code: int) -> None:
    assert visible(f"\u4e2d{chr(code)}\u4e2d", strict=True) != f"\u4e2d{chr(code)}\u4e2d"


@pytest.mark.parametrize("strict", [True, False])
def test_nothing_that_formats_and_no_control_is_let_through(strict: bool) -> None:
    kinds = ("Cf", "Cc", "Cs", "Zl", "Zp") if strict else ("Cc", "Cs", "Zl", "Zp")
    codes = [code for code in range(0x110000) if category(chr(code)) in kinds]
    through = [code for code in codes if visible(f"a{chr(code)}a", strict=strict)[1] != "\\"]
    assert through == [ord("\t"), ord("\n")]


@pytest.mark.parametrize("code", [0x301, 0xFE20, 0xE47, 0x610, 0x591, 0x3099, 0xA8E0, 0x1E8D0])
def test_marks_of_any_script_are_not_heaped_up(code: int) -> None:
    for strict in (True, False):
        assert visible("a" + chr(code) * 50, strict=strict).count(chr(code)) == 4


@given(
    st.text(st.sampled_from("a1\u2714\ufe0f\u200d\u200c\u0301\U0001f468\u0915\u20e3\x1b\u00ad\n"))
)
def test_what_is_visible_stays_as_it_is(text: str) -> None:
    assert visible(visible(text)) == visible(text)
