"""Texts that try to steer a terminal, or to hide something in it, by what they try.

Each comes with something that is read where the attempt is shown as what it is.
"""

from typing import NamedTuple

ESC, BEL, ST = "\x1b", "\x07", "\x1b\\"


class Hostile(NamedTuple):
    """A text, and what of it must be readable on the screen."""

    text: str
    shown: str


HOSTILE: dict[str, Hostile] = {
    "colours": Hostile(f"{ESC}[31mred{ESC}[0m", r"\x1b[31mred\x1b[0m"),
    "cleared screen": Hostile(f"{ESC}[2J{ESC}[H", r"\x1b[2J\x1b[H"),
    "moved cursor": Hostile(f"safe{ESC}[1A{ESC}[2Krm", r"safe\x1b[1A\x1b[2Krm"),
    "other screen": Hostile(f"{ESC}[?1049h", r"\x1b[?1049h"),
    "pasted as typed": Hostile(f"{ESC}[201~rm -r /{ESC}[200~", r"\x1b[201~rm"),
    "title": Hostile(f"{ESC}]0;owned{BEL}", r"\x1b]0;owned\x07"),
    "window title": Hostile(f"{ESC}]2;owned{ST}", r"\x1b]2;owned\x1b"),
    "hyperlink": Hostile(f"{ESC}]8;;http://evil.example{ST}bank{ESC}]8;;{ST}", r"\x1b]8;;http"),
    "notification": Hostile(f"{ESC}]9;click me{BEL}", r"\x1b]9;click"),
    "clipboard": Hostile(f"{ESC}]52;c;cm0gLXJm{BEL}", r"\x1b]52;c;cm0gLXJm\x07"),
    "file by iTerm": Hostile(f"{ESC}]1337;File=inline=1:AAAA{BEL}", r"\x1b]1337;File"),
    "prompt marks": Hostile(f"{ESC}]133;A{ST}$ ", r"\x1b]133;A"),
    "device control": Hostile(f'{ESC}P$q"p{ST}', r"\x1bP$q"),
    "sixel": Hostile(f"{ESC}Pq#0;2;0;0;0~{ST}", r"\x1bPq#0"),
    "kitty picture": Hostile(f"{ESC}_Gf=24,s=1;AAAA{ST}", r"\x1b_Gf=24"),
    "private message": Hostile(f"{ESC}^hidden{ST}", r"\x1b^hidden"),
    "who are you": Hostile(f"\x05{ESC}[c{ESC}[>c{ESC}[6n", r"\x05\x1b[c\x1b[>c\x1b[6n"),
    "reset": Hostile(f"{ESC}c", r"\x1bc"),
    "escape alone": Hostile(f"a{ESC}", r"a\x1b"),
    "8-bit controls": Hostile("\x9b31m \x9d0;t\x9c \x90q\x9c", r"\x9b31m \x9d0;t\x9c \x90q\x9c"),
    "next line": Hostile("a\x85b", r"a\x85b"),
    "bell": Hostile("ding\x07", r"ding\x07"),
    "written over": Hostile("rm -rf /\rls", r"rm -rf /\x0dls"),
    "backspaces": Hostile("evil\b\b\b\bgood", r"evil\x08\x08\x08\x08good"),
    "delete": Hostile("a\x7fb", r"a\x7fb"),
    "form feed": Hostile("a\x0cb\x0bc", r"a\x0cb\x0bc"),
    "shift out": Hostile("\x0eqqq\x0f", r"\x0eqqq\x0f"),
    "nothing": Hostile("a\x00b", r"a\x00b"),
    "right to left": Hostile("user\u202egnp.exe", r"user\u202egnp.exe"),
    "isolates": Hostile("\u2066a\u2069\u2067b\u2069\u2068c", r"\u2066a\u2069\u2067b\u2069\u2068c"),
    "direction marks": Hostile("a\u200eb\u200fc\u061cd", r"a\u200eb\u200fc\u061cd"),
    "zero width": Hostile("pass\u200bword\u2060!\ufeff", r"pass\u200bword\u2060!\ufeff"),
    "joiners in words": Hostile("ad\u200dmin ro\u200cot", r"ad\u200dmin ro\u200cot"),
    "soft hyphen": Hostile("pay\u00adpal", r"pay\xadpal"),
    "tag characters": Hostile("hi\U000e0048\U000e0049", r"hi\U000e0048\U000e0049"),
    "selectors": Hostile("a\ufe00b\ufe0fc\U000e0100", r"a\ufe00b\ufe0fc\U000e0100"),
    "stacked selectors": Hostile("\u2714" + "\ufe0f" * 3, r"\ufe0f\ufe0f"),
    "hangul filler": Hostile("a\u3164b\uffa0c", r"a\u3164b\uffa0c"),
    "line separators": Hostile("a\u2028b\u2029c", r"a\u2028b\u2029c"),
    "lone surrogates": Hostile("a\ud800b\udfff", r"a\ud800b\udfff"),
    "annotations": Hostile("a\ufff9b\ufffac\ufffb", r"a\ufff9b\ufffac\ufffb"),
    "flood of marks": Hostile("Z" + "\u0301\u0315\u0489" * 20, r"\u0301"),
    "entities": Hostile("&#x202e;&#8203;", "202e"),
    "long line": Hostile("x" * 20_000, "xxxx"),
    "long wide line": Hostile("\u65e5\u672c" * 3_000, "\u65e5"),
    "family": Hostile("\U0001f468\u200d\U0001f469\u200d\U0001f467" * 50, "\U0001f468"),
    "tabs": Hostile("\ta\tb\t\tc", "a"),
    "address in a link": Hostile("[bank](http://bank.example@evil.example/)", "evil.example"),
    "letters alike": Hostile("[apple](https://\u0430pple.example/)", "apple"),
    "script link": Hostile("[x](javascript:alert)", "javascript:alert"),
    "markup of our own": Hostile("[@click=app.quit]x[/] [red]y[/red]", "[red]y[/red]"),
    "html": Hostile('<a href="http://evil.example">x</a>', "http://evil.example"),
}
