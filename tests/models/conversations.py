"""Conversations of every kind: anything, as long as each call has its result."""

import random

from hypothesis import strategies as st

from longrein.core.messages import (
    Assistant,
    Content,
    File,
    Message,
    Note,
    Part,
    Reasoning,
    Settled,
    Text,
    ToolCall,
    ToolResult,
    User,
)

BLOBS = {"good": b"\x89PNG", "text": b"plain \xff words", "empty": b""}

anything = st.one_of(
    st.sampled_from(["", " ", "\n", "\ud800", "a\udfffb", "\x00", "</note>", '"', "\\", "ä🙂"]),
    st.text(st.characters(), max_size=20),
)
raw_arguments = st.one_of(
    anything,
    st.sampled_from(
        [
            *("{}", '{"a":1}', "null", "[1]", '{"a":', '{"a":"\\ud800"}', '{"a":NaN}', '"{}"'),
            *('{"a":1}{"b":2}', '{"n":1' + "0" * 400 + "}", ' {"a" : 1} ', '{"a":"\t"}'),
            *("[" * 3000, '{"a":' * 3000),
        ]
    ),
)
texts = st.builds(Text, anything)
media = st.sampled_from(
    [
        *("image/png", "IMAGE/JPEG", "application/pdf", "text/plain", "audio/wav", "audio/mpeg"),
        *("audio/ogg", "video/mp4", "", "image/svg+xml"),
    ]
)
files = st.one_of(
    st.builds(File, media, blob=st.sampled_from(["good", "text", "empty", "gone"]), name=anything),
    st.builds(File, media, url=st.sampled_from(["https://x.org/a", "file:///etc", ""])),
)
contents: st.SearchStrategy[tuple[Content, ...]] = st.lists(
    st.one_of(texts, files), max_size=3
).map(tuple)
thoughts = st.builds(
    Reasoning,
    anything,
    signature=anything,
    model=st.sampled_from(["m", "other", ""]),
    provider_id=anything,
    redacted=st.booleans(),
)
calls = st.builds(ToolCall, st.just(""), anything, raw_arguments, provider_id=anything)
spoken = st.lists(st.one_of(texts, thoughts, calls), max_size=4)
statuses: st.SearchStrategy[Settled] = st.sampled_from(("ok", "error", "declined", "unknown"))
users = st.builds(User, contents)
notes = st.builds(Note, anything, anything)


@st.composite
def conversations(draw: st.DrawFn) -> list[Message]:
    """Messages in which each call has one result, after it and before the next assistant."""
    messages: list[Message] = []
    number = 0
    for parts in draw(st.lists(st.one_of(users, notes, spoken), max_size=8)):
        if not isinstance(parts, list):
            messages.append(parts)
            continue
        named: list[Part] = []
        after: list[Message] = draw(st.lists(st.one_of(users, notes), max_size=2))
        for part in parts:
            if isinstance(part, ToolCall):
                number += 1
                part = ToolCall(f"call_{number:032x}", part.name, part.arguments)
                after.append(ToolResult(part.id, part.name, draw(contents), draw(statuses)))
            named.append(part)
        random.Random(number).shuffle(after)
        kept = tuple(part for part in named if not isinstance(part, File))
        messages += [Assistant(kept, model="m"), *after]
    return messages
