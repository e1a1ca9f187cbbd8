"""Estimates against the counts of real tokenizers.

The counts are those of OpenAI's published vocabularies o200k_base and cl100k_base, taken once with
a tokenizer that holds both; they are fixed for ever.
"""
# ruff: noqa: RUF001 - the samples are meant to look as they do

from collections.abc import Iterator, Sequence
from typing import overload

import msgspec
import pytest

from longrein.context.estimate import (
    DOCUMENT,
    OTHER_FILE,
    PICTURE,
    estimate_input,
    estimate_tokens,
)
from longrein.core.messages import (
    Assistant,
    File,
    Message,
    Note,
    Reasoning,
    Text,
    ToolCall,
    ToolResult,
    User,
)
from longrein.core.usage import Usage
from longrein.models.base import ToolSpec
from tests.support import cpu

SAMPLES: dict[str, tuple[str, int, int]] = {
    "english": (
        "The session writes every event to its log before anyone hears of it, so a crash "
        "in the middle of a step loses nothing that was acknowledged. When the process "
        "starts again, it reads the log, folds it into a state and decides what comes "
        "next.",
        51,
        51,
    ),
    "german": (
        "Die Sitzung schreibt jedes Ereignis in ihr Protokoll, bevor "
        "jemand davon erfährt; ein Absturz mitten in einem Schritt ve"
        "rliert deshalb nichts, was bestätigt wurde. Übrigens gilt da"
        "s auch für Rückfragen und Genehmigungen.",
        47,
        65,
    ),
    "polish": (
        "Sesja zapisuje każde zdarzenie w dzienniku, zanim ktokolwiek"
        " się o nim dowie, więc awaria w środku kroku nie traci nicze"
        "go, co zostało potwierdzone.",
        45,
        55,
    ),
    "russian": (
        "Сессия записывает каждое событие в журнал прежде, чем о нём "
        "кто-либо узнает, поэтому сбой посреди шага не теряет ничего "
        "из подтверждённого.",
        39,
        69,
    ),
    "greek": (
        "Η συνεδρία γράφει κάθε γεγονός στο ημερολόγιό της πριν το μά"
        "θει οποιοσδήποτε, ώστε μια διακοπή στη μέση ενός βήματος να "
        "μη χάνει τίποτα.",
        46,
        119,
    ),
    "arabic": (
        "تكتب الجلسة كل حدث في سجلها قبل أن يعلم به أحد، ولذلك لا يضي"
        "ع شيء مما تم تأكيده إذا توقف البرنامج في منتصف خطوة.",
        34,
        81,
    ),
    "hebrew": (
        "ההפעלה כותבת כל אירוע ליומן שלה לפני שמישהו שומע עליו, ולכן "
        "קריסה באמצע צעד אינה מאבדת דבר ממה שאושר.",
        38,
        96,
    ),
    "hindi": (
        "सत्र हर घटना को अपने लॉग में लिखता है, इससे पहले कि किसी को "
        "उसका पता चले, इसलिए बीच में रुक जाने पर भी कुछ नहीं खोता।",
        35,
        111,
    ),
    "thai": (
        "เซสชันจะเขียนทุกเหตุการณ์ลงในบันทึกก่อนที่ใครจะรับรู้ ดังนั้นการหยุดทำงานกลางคันจึงไม่ทำให้สิ่งใดสูญหาย",
        45,
        96,
    ),
    "japanese": (
        "セッションはすべてのイベントを誰かに知らせる前にログへ書き込むので、途中で停止しても確認済みのものは何も失われません。",
        41,
        67,
    ),
    "chinese": (
        "会话在任何人得知之前先把每个事件写入日志，因此即使在步骤中途崩溃，已经确认的内容也不会丢失。",
        38,
        51,
    ),
    "korean": (
        "세션은 누군가 알기 전에 모든 이벤트를 로그에 기록하므로 단계 "
        "중간에 멈추더라도 확인된 것은 아무것도 잃지 않습니다.",
        37,
        61,
    ),
    "code": (
        "async def run(session: Running) -> Outcome:\n"
        '    """Do what is next until there is nothing left to do."""\n'
        "    async for state in session.journal.states():\n"
        "        for action in decide(state, session.setup):\n"
        "            match action:\n"
        "                case Finish(outcome):\n"
        "                    return outcome\n"
        "                case Wait(until=until):\n"
        "                    session.timer.set(until)\n",
        73,
        73,
    ),
    "json": (
        '[{"id": 91827364, "name": "user-17", "at": 1763251200, "score": 73.2041, '
        '"tags": ["alpha", "beta"], "ok": true}, {"id": 55120983, "name": "user-18", '
        '"at": 1763251237, "score": 8.1175, "tags": [], "ok": false}]',
        92,
        92,
    ),
    "digest": (
        "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08  file1.txt\n"
        "60303ae22b998861bce3b28f33eec1be758a213c86c93c076dbe9f558c11c752  file2.txt\n",
        89,
        87,
    ),
    "log": (
        "2026-11-16T00:12:41.118203Z INFO  session[4127] step 17 ended in 3482 ms, "
        "thread=thr_01HFZX9A3C7B\n"
        "2026-11-16T00:12:44.600985Z WARN  session[4127] attempt 2 of 3 after 1.5 s: "
        "overloaded (529)\n",
        87,
        87,
    ),
    "emoji": (
        "😀🎉🚀✨🔥💡🐍📦✅❌👍🏽👩‍💻",
        24,
        38,
    ),
}
"""A text, its tokens in o200k, and in cl100k."""


@pytest.mark.parametrize("kind", SAMPLES)
def test_no_text_is_estimated_below_what_a_present_vocabulary_counts(kind: str) -> None:
    text, o200k, _ = SAMPLES[kind]
    assert estimate_tokens(text) >= o200k


@pytest.mark.parametrize("kind", SAMPLES)
def test_an_estimate_is_near_the_vocabulary_that_counts_most(kind: str) -> None:
    text, *counts = SAMPLES[kind]
    assert 0.85 <= estimate_tokens(text) / max(counts) <= 1.9


def test_nothing_takes_no_tokens() -> None:
    assert estimate_tokens("") == 0


def test_a_lone_surrogate_does_not_raise() -> None:
    assert estimate_tokens("a\ud800b") > 0


def test_more_text_never_takes_fewer_tokens() -> None:
    text = "".join(sample for sample, *_ in SAMPLES.values())
    estimates = [estimate_tokens(text[:n]) for n in range(0, len(text), 7)]
    assert estimates == sorted(estimates)


def test_a_megabyte_is_estimated_in_a_blink() -> None:
    text = SAMPLES["code"][0] * 2_600
    assert cpu(lambda: estimate_tokens(text)) < 0.5


def user(text: str) -> User:
    return User((Text(text),))


SAID = [user("Hello!"), Assistant((Text("Hi there."),)), user("And now something new.")]
TOOL = ToolSpec("read", "Read a file.", msgspec.Raw(b'{"type":"object","properties":{}}'))


def test_what_was_counted_is_not_estimated_again() -> None:
    counted = Usage(input=1_000, output=50)
    added = estimate_input(SAID, "system", [TOOL], counted, seen=2) - counted.total
    assert estimate_tokens("And now something new.") <= added < 30


def test_nothing_new_costs_what_was_counted() -> None:
    assert estimate_input(SAID, "system", [TOOL], Usage(10, 5), seen=3) == 15


def test_without_a_count_system_tools_and_messages_are_estimated() -> None:
    bare = estimate_input(SAID, "", (), Usage(), seen=0)
    with_system = estimate_input(SAID, "Be brief and kind.", (), Usage(), seen=0)
    with_tool = estimate_input(SAID, "", [TOOL], Usage(), seen=0)
    assert with_system - bare == estimate_tokens("Be brief and kind.")
    assert with_tool > bare
    assert bare > sum(estimate_tokens(text) for text in ("Hello!", "Hi there."))


@pytest.mark.parametrize(
    ("kind", "tokens"),
    [("image/png", PICTURE), ("application/pdf", DOCUMENT), ("text/csv", OTHER_FILE)],
)
def test_files_count_a_constant(kind: str, tokens: int) -> None:
    shown = estimate_input([User((File(kind, blob="b"),))], "", (), Usage(), seen=0)
    assert tokens <= shown <= tokens + 20


@pytest.mark.parametrize(
    "message",
    [
        Note("The mode is now plan, so nothing may be changed."),
        Assistant((ToolCall("c", "read", '{"path": "a/b/c.py", "offset": 120}'),)),
        ToolResult("c", "read", (Text("one line, and another line, and a third line"),)),
        Assistant((Reasoning("The user wants to know how this all fits together."),)),
        Assistant((Reasoning("", signature="x" * 400, redacted=True),)),
    ],
)
def test_every_kind_of_message_counts(message: Message) -> None:
    assert estimate_input([message], "", (), Usage(1), seen=0) > 1 + 15


class Watched(Sequence[Message]):
    """Messages that note which of them were looked at."""

    def __init__(self, items: Sequence[Message]) -> None:
        self._items = items
        self.read = 0

    def __len__(self) -> int:
        return len(self._items)

    @overload
    def __getitem__(self, index: int) -> Message: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Message]: ...
    def __getitem__(self, index: int | slice) -> Message | Sequence[Message]:
        found = self._items[index]
        self.read += len(found) if isinstance(found, Sequence) else 1
        return found

    def __iter__(self) -> Iterator[Message]:
        self.read += len(self._items)
        return iter(self._items)


def test_only_what_is_new_is_looked_at() -> None:
    messages = Watched([user("old")] * 1_000 + [user("new")] * 2)
    estimate_input(messages, "", (), Usage(5_000, 10), seen=1_000)
    assert messages.read == 2
