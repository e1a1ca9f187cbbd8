"""The table of harmless commands: what they may be given so that they only look.

Whatever is not named here is not proven: many an option writes a file or runs a program.
"""

from typing import Literal

from msgspec import Struct

Operands = Literal["none", "words", "text", "paths", "one path", "pattern, paths", "script, paths"]
"""What the words that are no options are: files to look at, or text. `words`: anything at all."""


class Harmless(Struct, frozen=True):
    """How a command may be called.

    `flags` are the letters of options alone, `valued` of those with a value; `long` names long
    options, with a `=` behind those that take a value, and `[=]` behind those that may. `operands`
    says what the other words are. `beneath` are the options that make it read all in a folder, or
    `always`. `here`: without operands it looks at the folder in which it runs.
    """

    operands: Operands
    flags: str = ""
    valued: str = ""
    long: str = ""
    beneath: str = ""
    here: bool = False


HARMLESS: dict[str, Harmless] = {
    ":": Harmless("words"),
    "arch": Harmless("none"),
    "basename": Harmless("text", "a", "s"),
    "cat": Harmless("paths", "AbeEnstTuv", "", "--number --show-all"),
    "cksum": Harmless("paths"),
    "cmp": Harmless("paths", "bls", "n"),
    "comm": Harmless("paths", "123"),
    "cut": Harmless("paths", "ns", "bcdf", "--complement --output-delimiter="),
    "date": Harmless("text", "Ru", "d", "--date= --utc --iso-8601[=] --rfc-3339="),
    "df": Harmless("paths", "ahiHkTPl", "", "--human-readable"),
    "diff": Harmless(
        "paths", "abBcdeiNqrsuwyEtTZ", "U", "--brief --unified[=] --color[=]", "always"
    ),
    "dirname": Harmless("text"),
    "du": Harmless(
        "paths", "abchkmsxS0", "d", "--max-depth= --exclude= --summarize", "always", True
    ),
    "echo": Harmless("words"),
    "false": Harmless("words"),
    "file": Harmless("paths", "bhikN0", "F", "--brief --mime --mime-type --mime-encoding"),
    "fold": Harmless("paths", "bs", "w"),
    "grep": Harmless(
        "pattern, paths",
        "abcEFGHhIiLlnoPqrsTUvwxzZ",
        "ABCem",
        "--color[=] --colour[=] --count --ignore-case --line-number --recursive --include= "
        "--exclude= --exclude-dir= --files-with-matches --files-without-match --fixed-strings "
        "--extended-regexp --perl-regexp --invert-match --word-regexp --only-matching "
        "--max-count= --context= --after-context= --before-context= --no-filename "
        "--with-filename --regexp=",
        "-r --recursive",
    ),
    "groups": Harmless("none"),
    "head": Harmless("paths", "qvz", "cn", "--lines= --bytes= --quiet"),
    "hostname": Harmless("none"),
    "id": Harmless("none", "aGgnruz"),
    "ls": Harmless(
        "paths",
        "1aAbBcCdfFgGhiklmnNopqQrRsStuUvxXZ",
        "",
        "--all --almost-all --color[=] --directory --human-readable --recursive --reverse --sort= "
        "--time= --group-directories-first --full-time --ignore=",
        "-R --recursive",
        True,
    ),
    "md5sum": Harmless("paths", "bt"),
    "nl": Harmless("paths", "p", "bdfhilnsvw"),
    "nproc": Harmless("none", "", "", "--all"),
    "od": Harmless("paths", "abcdfiloxsv", "AjNt"),
    "paste": Harmless("paths", "sz", "d"),
    "printf": Harmless("text"),
    "pwd": Harmless("none", "LP"),
    "readlink": Harmless("paths", "efmnqsvz"),
    "realpath": Harmless("paths", "emLPqsz"),
    "rev": Harmless("paths"),
    "rg": Harmless(
        "pattern, paths",
        "acFHhIilNnopPqsSUuvwx0",
        "ABCeEgjmMtTd",
        "--files --hidden --no-ignore --type= --type-not= --glob= --iglob= --count --json "
        "--files-with-matches --files-without-match --fixed-strings --ignore-case --smart-case "
        "--line-number --no-line-number --heading --no-heading --max-count= --max-depth= --sort= "
        "--multiline --only-matching --context= --after-context= --before-context= --color= "
        "--no-messages --type-list --trim --stats --word-regexp --invert-match --no-config "
        "--case-sensitive --column --with-filename --no-filename --count-matches --vimgrep",
        "always",
        True,
    ),
    "sed": Harmless("script, paths", "nEr"),
    "seq": Harmless("text", "w", "fs"),
    "sha1sum": Harmless("paths", "bt"),
    "sha256sum": Harmless("paths", "bt"),
    "sha512sum": Harmless("paths", "bt"),
    "sort": Harmless("paths", "bcCdfgihMnrRsuVz", "kt", "--reverse --unique --numeric-sort --key="),
    "stat": Harmless("paths", "fLt", "c", "--format= --printf= --file-system"),
    "tac": Harmless("paths"),
    "tail": Harmless("paths", "qvz", "cn", "--lines= --bytes= --quiet"),
    "test": Harmless("one path", "bcdefghkLprSsuwx"),
    "tr": Harmless("text", "cCdst"),
    "tree": Harmless(
        "paths", "adfhinpqrstuCFDNQJ", "LIP", "--dirsfirst --noreport", "always", True
    ),
    "true": Harmless("words"),
    "tty": Harmless("none", "s"),
    "uname": Harmless("none", "amnoprsv"),
    "uniq": Harmless("one path", "cdDiuz", "fsw", "--count --repeated --unique"),
    "uptime": Harmless("none", "ps"),
    "wc": Harmless("paths", "clLmw", "", "--lines --words --bytes --chars"),
    "which": Harmless("text", "a"),
    "whoami": Harmless("none"),
}

FIND = frozenset(
    "-a -and -o -or -not -empty -print -print0 -prune -depth -daystart -mount -xdev -readable "
    "-writable -executable -true -false -ls ( ) , !".split()
)
"""Words of `find` that stand alone. `-exec`, `-delete`, `-fprint` and their kin are not here."""

FIND_VALUED = frozenset(
    "-amin -atime -cmin -ctime -gid -group -iname -inum -ipath -iregex -iwholename -links "
    "-maxdepth -mindepth -mmin -mtime -name -path -perm -printf -regex -regextype -size -type -uid "
    "-user -wholename -xtype".split()
)
"""Words of `find` with one word behind them that is no file to be opened."""

_LINES = r"(?:[0-9]+|\$)(?:,(?:[0-9]+|\$|\+[0-9]+))?[pdq=]"
SED_SCRIPT = rf"{_LINES}(?:; ?{_LINES})*"
"""What `sed` may be told: print, drop or number lines by their numbers. `w`, `r`, `e`, `s///e` run
programs or write files, so nothing else is proven."""

GIT: frozenset[tuple[str, ...]] = frozenset(
    tuple(line.split())
    for line in (
        "--version",
        "branch --show-current",
        "remote",
        "remote -v",
        "rev-parse --abbrev-ref HEAD",
        "rev-parse --absolute-git-dir",
        "rev-parse --git-common-dir",
        "rev-parse --git-dir",
        "rev-parse --is-bare-repository",
        "rev-parse --is-inside-work-tree",
        "rev-parse --show-cdup",
        "rev-parse --show-prefix",
        "rev-parse --show-toplevel",
        "rev-parse HEAD",
        "symbolic-ref HEAD",
        "symbolic-ref --short HEAD",
        "version",
    )
)
"""Whole lines of git that look at no object and no index.

`status`, `diff`, `log` and `show` are not here, in no form: what they run is decided by the
configuration of the repository, not by the line. core.fsmonitor and clean filters run on status,
textconv and external programs on diff, gpg.program on log (log.showSignature, or %G in
format.pretty), and reading any object of a partial clone may fetch it, which runs core.sshCommand
or a remote helper. Who trusts the repository allows them by a rule.
"""

PRINTF_FORMAT = r"(?:[^%]|%%|%-?[0-9]{0,3}[sdi])*"
"""What `printf` may be given as format: in bash, `%n` assigns to a variable."""
