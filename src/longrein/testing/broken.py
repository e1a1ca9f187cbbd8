"""A catalogue of broken answers, by name: everything that providers were seen to do, and worse.

Each entry is what the model says in one turn of the user; after it the thread must still be
usable. All of them can be scripted in process and by the server. What a wire cannot express (call
indexes exist in chat completions only, noise and foreign bodies only behind the server) is
harmless there.
"""

from collections.abc import Mapping
from types import MappingProxyType

from longrein.core.errors import (
    Auth,
    BadRequest,
    ContextOverflow,
    Filtered,
    Network,
    Overloaded,
    RateLimited,
)
from longrein.core.usage import Usage
from longrein.testing.replies import (
    Reply,
    broken,
    call,
    calls,
    fail,
    noise,
    raw_call,
    reply,
    say,
    think,
)
from longrein.testing.scripted import Script, when


def gone_wrong(name: str) -> Script:
    """A script that answers the user's `first` by this kind of broken answer, all else well.

    >>> script = gone_wrong("arguments_truncated")
    >>> [rule.contains for rule in script.rules]
    ['second', 'first']
    """
    # "second" comes first: where the first answer left nothing behind, a wire joins both texts.
    return Script(
        rules=[when("second", say("Fine.")), when("first", *BROKEN[name])], otherwise=say("Done.")
    )


def _tool(arguments: str, *, name: str = "read", id: str | None = None) -> Reply:
    return raw_call(name, arguments, provider_id=id)


_EMPTY: dict[str, Reply] = {
    "empty": reply(),
    "empty_text": say(""),
    "blank_text": say(" \n\t "),
    "empty_but_calls_announced": reply(stop="calls"),
    "empty_cut_by_length": reply(stop="length"),
    "reasoning_only": think("Let me think.", "proof"),
    "reasoning_only_redacted": think("", "proof", redacted=True),
    "reasoning_cut_by_length": reply(think("Let me th"), stop="length"),
    "reasoning_without_signature": reply(think("Let me read."), call("read", path="a")),
    "reasoning_after_text": reply(say("Well."), think("Hm.", "proof")),
}

_ARGUMENTS: dict[str, Reply] = {
    "arguments_empty": _tool(""),
    "arguments_truncated": _tool('{"path": "a'),
    "arguments_cut_by_length": reply(_tool('{"path": "a'), stop="length"),
    "arguments_not_json": _tool("path = a"),
    "arguments_array": _tool('["a"]'),
    "arguments_string": _tool('"a"'),
    "arguments_null": _tool("null"),
    "arguments_nan": _tool('{"path": NaN}'),
    "arguments_twice": _tool('{"path": "a"}{"path": "a"}'),
    "arguments_fenced": _tool('```json\n{"path": "a"}\n```'),
    "arguments_duplicate_keys": _tool('{"path": "a", "path": "b"}'),
    "arguments_wrong_fields": _tool('{"file": 1}'),
    "arguments_deep": _tool('{"path": ' + "[" * 5000 + "]" * 5000 + "}"),
    "arguments_huge": _tool('{"path": "' + "a" * 2_000_000 + '"}'),
    "arguments_huge_number": _tool('{"path": 1' + "0" * 5000 + "}"),
    "arguments_escaped_surrogate": _tool('{"path": "\\ud800"}'),
    "arguments_raw_surrogate": _tool('{"path": "\ud800"}'),
    "arguments_nul": _tool('{"path": "a\\u0000b"}'),
    "arguments_control_character": _tool('{"path": "a\nb"}'),
}

_CALLS: dict[str, Reply] = {
    "id_empty": _tool('{"path": "a"}', id=""),
    "ids_empty": calls(_tool('{"path": "a"}', id=""), _tool('{"path": "b"}', id="")),
    "ids_equal": calls(_tool('{"path": "a"}', id="one"), _tool('{"path": "b"}', id="one")),
    "id_odd": _tool('{"path": "a"}', id="call:1/é 🙂"),
    "id_long": _tool('{"path": "a"}', id="x" * 500),
    "id_surrogate": _tool('{"path": "a"}', id="call_\udc00"),
    "name_empty": _tool("{}", name=""),
    "name_unknown": _tool("{}", name="no_such_tool"),
    "name_odd": _tool("{}", name="functions.read file?"),
    "name_long": _tool("{}", name="read" * 100),
    "name_surrogate": _tool("{}", name="re\ud800ad"),
    "index_repeated": calls(
        raw_call("read", '{"path": "a"}', index=0), raw_call("read", '{"path": "b"}', index=0)
    ),
    "index_skipped": raw_call("read", '{"path": "a"}', index=7),
    "calls_equal": calls(call("read", path="a"), call("read", path="a")),
    "calls_many": calls(*(call("read", path=str(n)) for n in range(100))),
    "calls_announced_as_end": reply(call("read", path="a"), stop="end"),
    "call_before_text": reply(call("read", path="a"), say("I have read it.")),
}

_TEXT: dict[str, Reply] = {
    "text_surrogate": say("half \ud83d of a pair"),
    "text_surrogates_apart": say("\ud83d\ude00", size=1),
    "text_nul": say("a\x00b"),
    "text_terminal_escapes": say("\x1b]52;c;aGk=\x07\x1b[2J\x9b31m"),
    "text_huge": say("word " * 400_000, size=100_000),
    "text_cut_by_length": say("The answer is for", stop="length"),
    "text_filtered": say("I will", stop="filtered"),
    "empty_filtered": reply(stop="filtered"),
    "stopped_otherwise": say("Well.", stop="other"),
    "usage_missing": reply(say("Hello."), usage=None),
    "usage_absurd": reply(say("Hello."), usage=Usage(input=-5, output=10**15, cached=10**9)),
}

_STREAMS: dict[str, Reply] = {
    "broken_at_once": broken(),
    "broken_in_text": reply(say("The answer is"), broken()),
    "broken_in_reasoning": reply(think("Let me"), broken()),
    "broken_in_arguments": reply(_tool('{"path": "a'), broken()),
    "broken_after_call": reply(call("read", path="a"), broken()),
    "ended_at_once": broken(clean=True),
    "ended_in_text": reply(say("The answer is"), broken(clean=True)),
    "ended_after_call": reply(call("read", path="a"), broken(clean=True)),
    "error_in_text": reply(say("The answer is"), fail(Overloaded("Overloaded"))),
    "error_after_call": reply(call("read", path="a"), fail(Overloaded("Overloaded"))),
    "noise_not_json": reply(say("Well"), noise("data: {not json\n\n"), broken()),
    "noise_comment": reply(say("Well"), noise(": keep-alive\n\n"), say(".")),
    "noise_unknown_event": reply(say("Well"), noise('data: {"type":"later"}\n\n'), say(".")),
}

_ERRORS: dict[str, Reply] = {
    "rate_limited": fail(RateLimited("Slow down", status=429)),
    "rate_limited_with_hint": fail(RateLimited("Slow down", status=429, retry_after=0.01)),
    "rate_limited_for_a_day": fail(RateLimited("Slow down", status=429, retry_after=86_400)),
    "overloaded": fail(Overloaded("Overloaded", status=529)),
    "bad_gateway": fail(Overloaded("Bad gateway", status=502), body="<html>Bad gateway</html>"),
    "unauthorized": fail(Auth("Invalid key", status=401)),
    "context_overflow": fail(ContextOverflow("Too long", status=400)),
    "refused_by_filter": fail(Filtered("Not this", status=400)),
    "bad_request": fail(BadRequest("Not like this", status=400)),
    "connection_lost": fail(Network("Connection reset")),
}

_OVER_TURNS: dict[str, tuple[Reply, ...]] = {
    "id_repeated_later": (_tool('{"path": "a"}', id="one"), _tool('{"path": "b"}', id="one")),
    "empty_after_call": (call("read", path="a"), reply()),
    "broken_after_result": (call("read", path="a"), reply(say("It sa"), broken())),
    "filtered_after_result": (call("read", path="a"), fail(Filtered("Not this", status=400))),
}

BROKEN: Mapping[str, tuple[Reply, ...]] = MappingProxyType(
    {
        name: (single,)
        for kind in (_EMPTY, _ARGUMENTS, _CALLS, _TEXT, _STREAMS, _ERRORS)
        for name, single in kind.items()
    }
    | _OVER_TURNS
)
"""Every kind of broken answer: its name, and what the model says in the turn that goes wrong."""
