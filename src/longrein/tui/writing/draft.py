"""What a person has written and not sent: text, with marks in it for what is too long to show.

A mark such as `[pasted #1, 312 lines]` stands in the text for a long paste, one such as `[image:
cat.png]` for a file that goes along. Marks are plain text of the draft: what they stand for is kept
beside it, and counts only as long as the mark is there.
"""

import re
import shlex
from collections.abc import Container, Iterator, Sequence
from urllib.parse import unquote, urlsplit

from msgspec import Struct
from msgspec.structs import replace

from longrein.client.port import Attachment
from longrein.core.messages import File
from longrein.core.visible import visible
from longrein.core.words import counted

LINES, CHARACTERS = 10, 1_000
"""A paste of more than this is shown as a mark."""

RECALLED = 20_000
"""Characters of a text that is put into the editor as it is."""

IMAGES = (".png", ".jpg", ".jpeg", ".gif", ".webp")

MENTION = re.compile(r'(?<!\S)@(?:"([^"\n]+)"|([^\s"]+))')
"""A file named in a text: `@name`, or `@"a name with blanks"`."""


class Pasted(Struct, frozen=True):
    """A text that stands in a draft as its mark; pastes of a draft are counted from 1."""

    mark: str
    text: str
    number: int


class Attached(Struct, frozen=True):
    """A file that goes along with a draft as long as its mark is in it."""

    mark: str
    file: Attachment


class Named(Struct, frozen=True):
    """Pictures that are yet to be read, and the words in a draft that name them."""

    said: str
    paths: tuple[str, ...]


class Draft(Struct, frozen=True):
    """What was written. `text` is as it stands in the editor, with its marks.

    `named` is what takes the place of its words when it is sent.
    """

    text: str = ""
    pasted: tuple[Pasted, ...] = ()
    attached: tuple[Attached, ...] = ()
    named: tuple[Named, ...] = ()

    @property
    def said(self) -> str:
        """The whole text, with what was pasted in the place of its mark."""
        return _replaced(self.text, {one.mark: one.text for one in self.pasted})

    @property
    def files(self) -> tuple[Attachment, ...]:
        """The files that go along."""
        return tuple(one.file for one in self.trimmed.attached)

    @property
    def marks(self) -> tuple[str, ...]:
        """Every mark that may be in the text."""
        return (*(one.mark for one in self.pasted), *(one.mark for one in self.attached))

    @property
    def trimmed(self) -> "Draft":
        """The draft with only what there is a mark for in what is said."""
        pasted = tuple(one for one in self.pasted if one.mark in self.text)
        texts = (self.text, *(one.text for one in pasted))
        attached = (one for one in self.attached if any(one.mark in text for text in texts))
        return Draft(self.text, pasted, tuple(attached))

    def knowing(self, other: "Draft") -> "Draft":
        """This draft, which knows what the marks of another one stand for as well."""
        ours = self.marks
        return Draft(
            self.text,
            (*self.pasted, *(one for one in other.pasted if one.mark not in ours)),
            (*self.attached, *(one for one in other.attached if one.mark not in ours)),
        )

    def with_paste(self, text: str) -> tuple["Draft", str]:
        """The draft that knows of a paste, and what is to be put into the text for it.

        >>> draft, mark = Draft().with_paste("x" * 2_000)
        >>> mark
        '[pasted #1, 2,000 characters]'
        >>> replace(draft, text=f"See {mark}").said == "See " + "x" * 2_000
        True
        """
        text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "")
        lines = len(text.splitlines())
        # What cannot be shown as it is stands behind a mark, too: it is sent, never drawn.
        if lines <= LINES and len(text) <= CHARACTERS and visible(text) == text:
            return self, text
        number = max((one.number for one in self.pasted), default=0) + 1
        long = len(text) > CHARACTERS * lines
        size = counted(len(text), "character") if long else counted(lines, "line")
        mark = f"[pasted #{number}, {size}]"
        return replace(self, pasted=(*self.pasted, Pasted(mark, text, number))), mark

    def with_file(self, file: Attachment) -> tuple["Draft", str]:
        """The draft that knows of a file, and its mark."""
        name = _named_in_mark(file.name)
        mark, number = f"[image: {name}]", 1
        while mark in self.marks or mark in self.said:
            number += 1
            mark = f"[image: {name} {number}]"
        return replace(self, attached=(*self.attached, Attached(mark, file))), mark


def recalled(text: str) -> Draft:
    """A text as a draft: behind a mark where it is too long, or cannot be shown."""
    if len(text) <= RECALLED and visible(text) == text:
        return Draft(text)
    draft, mark = Draft().with_paste(text)
    return replace(draft, text=mark)


def sent_before(text: str, files: Sequence[File]) -> Draft:
    """What was sent as a draft again: every file has its mark in it, at the end where it had none.

    >>> draft = sent_before("See [image: cat.png]", [File("image/png", "f00", name="cat.png")])
    >>> [one.name for one in draft.files], replace(draft, text="See").files
    (['cat.png'], ())
    """
    draft = recalled(text)
    for file in files:
        again = Attachment(file.name or "file", b"", file)
        some = re.escape(_named_in_mark(again.name))
        marks = re.findall(rf"\[image: {some}(?: \d+)?\]", draft.said)
        if own := next((mark for mark in marks if mark not in draft.marks), ""):
            draft = replace(draft, attached=(*draft.attached, Attached(own, again)))
        else:
            draft, own = draft.with_file(again)
            draft = replace(draft, text=f"{draft.text} {own}".lstrip())
    return draft


def without(draft: Draft, marks: Container[str]) -> Draft:
    """The draft without what some marks stand for: a file is named instead, a paste missed.

    >>> draft, mark = Draft().with_file(Attachment("a cat.png", b"..."))
    >>> without(replace(draft, text=f"See {mark}"), [mark]).text
    'See @"a cat.png"'
    """
    files = {one.mark: f'@"{one.file.name}"' for one in draft.attached if one.mark in marks}
    pastes = {one.mark: f"{one.mark[:-1]}, not kept]" for one in draft.pasted if one.mark in marks}
    return replace(draft, text=_replaced(draft.text, files | pastes)).trimmed


def joined(first: Draft, second: Draft) -> Draft:
    """Both drafts in one, the second below."""
    if not first.text.strip() or not second.text.strip():
        return first if first.text.strip() else second
    draft, renamed = first, dict[str, str]()
    for one in second.attached:
        draft, renamed[one.mark] = draft.with_file(one.file)
    marks = dict(renamed)
    for one in second.pasted:
        draft, renamed[one.mark] = draft.with_paste(_replaced(one.text, marks))
    return replace(draft, text=f"{first.text}\n{_replaced(second.text, renamed)}")


def image_paths(text: str) -> tuple[str, ...]:
    """The paths of pictures that a text consists of: what terminals paste for a file dropped on
    them, quoted, escaped or as addresses.

    >>> image_paths("'/project/a cat.png' file:///project/b%20c.jpg")
    ('/project/a cat.png', '/project/b c.jpg')
    >>> image_paths("see cat.png")
    ()
    """
    if len(text) > CHARACTERS or "\n" in text.strip():
        return ()
    try:
        paths = tuple(_path(word) for word in shlex.split(text))
    except ValueError:  # a quote that does not end
        return ()
    return paths if all(is_image(path) for path in paths) else ()


def is_image(path: str) -> bool:
    """Whether this is the name of a picture that models can look at."""
    return path.lower().endswith(IMAGES)


def images_named(text: str) -> tuple[Named, ...]:
    """The pictures that a text names with `@`."""
    return tuple(Named(said, (path,)) for said, path in _named(text) if is_image(path))


def files_named(text: str) -> tuple[str, ...]:
    """The paths that a text names with `@`, of which only the names are sent.

    >>> files_named("Is @.env, or @cat.png, the problem?")
    ('.env',)
    """
    paths = (path.rstrip(",;:!?)") for _, path in _named(text))
    return tuple(dict.fromkeys(path for path in paths if path and not is_image(path)))


def _named(text: str) -> Iterator[tuple[str, str]]:
    return ((found[0], found[1] or found[2]) for found in MENTION.finditer(text))


def _named_in_mark(name: str) -> str:
    return visible(" ".join(name.split()), strict=True)


def _path(word: str) -> str:
    return unquote(urlsplit(word).path) if word.startswith("file://") else word


def _replaced(text: str, marks: dict[str, str]) -> str:
    """The text with something else for each mark."""
    if not marks:
        return text
    # In one go: what takes the place of a mark may hold what looks like another one.
    return re.sub("|".join(map(re.escape, marks)), lambda mark: marks[mark[0]], text)
