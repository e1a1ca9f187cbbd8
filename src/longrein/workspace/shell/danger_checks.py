"""What a single command is asked to find out whether it is dangerous."""

import re
from collections.abc import Callable

from longrein.workspace.paths import is_below
from longrein.workspace.shell.git_dangers import (
    loses_work,
    overwrites_remote,
    rewrites,
    sets_helper,
)
from longrein.workspace.shell.places import resolved
from longrein.workspace.shell.script import Command

Check = Callable[[Command, str], bool]
"""Of a command, and the folder in which it runs."""

_HOMES = re.compile(r"~[\w-]*|\$\{?HOME\}?|/root|/home/[^/]+|/Users/[^/]+")
_EMPTY_PERHAPS = re.compile(r"\$\{?\w+\}?/?\*?|.*\$\{?\w+\}?/\*?")
_STARTUP = re.compile(
    r"(?:^|/)\.(?:bashrc|bash_profile|bash_login|bash_logout|profile|zshrc|zprofile|zshenv|zlogin"
    r"|kshrc|cshrc|tcshrc|inputrc|xinitrc|xprofile|gitconfig|npmrc|pypirc|envrc|vimrc)$"
    r"|(?:^|/)\.config/(?:autostart|fish|systemd|git)/|\.git/(?:hooks|config|info)\b|(?:^|/)\.husky/"
    r"|^/etc/(?:profile|bash|zsh|cron|init|systemd|rc|ld\.so|environment|apt|X11)"
    r"|^/(?:var/spool/cron|lib/systemd|usr/lib/systemd)|Library/Launch(?:Agents|Daemons)/"
    r"|site-packages/.*\.pth$|/(?:sitecustomize|usercustomize)\.py$"
)
_ACCESS = re.compile(
    r"(?:^|/)\.(?:ssh|gnupg|aws|kube|docker)/|authorized_keys|(?:^|/)\.netrc$"
    r"|^/etc/(?:passwd|shadow|group|sudoers|ssh|pam|hosts|doas)"
)
_LOADERS = re.compile(
    r"LD_(?:PRELOAD|LIBRARY_PATH|AUDIT)|DYLD_\w+|BASH_ENV|ENV|PROMPT_COMMAND|BASH_FUNC_.*|IFS"
    r"|GIT_(?:SSH|SSH_COMMAND|EXTERNAL_DIFF|PROXY_COMMAND|ASKPASS|EDITOR|SEQUENCE_EDITOR|EXEC_PATH"
    r"|CONFIG\w*|TEMPLATE_DIR)|PYTHONSTARTUP|PYTHONPATH|PERL5(?:OPT|LIB)|RUBY(?:OPT|LIB)|JAVA_TOOL_OPTIONS"
    r"|(?:GIT_|MAN)?PAGER|LESSOPEN|LESSCLOSE|SHELLOPTS|BASHOPTS|PS4|RIPGREP_CONFIG_PATH"
)
_FORMATS = frozenset("wipefs mkswap fdisk sfdisk parted blkdiscard".split())
_GUARDS = frozenset(
    "setenforce aa-teardown aa-disable nsenter insmod modprobe kexec debugfs".split()
)
_WRITES = frozenset("tee touch truncate chmod rm vi vim nano ed unlink".split())
_NAME = re.compile(r"[\w.+-]+")
_DISKS = re.compile(r"/dev/(?:sd|hd|vd|xvd|nvme|mmcblk|disk|rdisk|mapper|md|loop|mem|kmem)")


def _has(command: Command, letters: str, *long: str) -> bool:
    """Whether an option is given: any of the letters, or one of the long names."""
    return any(
        (one.startswith("--") and one.partition("=")[0] in long)
        or (one[:1] == "-" and one[1:2] != "-" and any(letter in one for letter in letters))
        for one in command.arguments
    )


def _operands(command: Command) -> list[str]:
    return [one for one in command.arguments if not one.startswith("-")]


def _is_root(text: str, folder: str) -> bool:
    """Whether removing this would take a whole root, home or working folder with it."""
    bare = re.sub(r"(?<=.)/+$", "", re.sub(r"/?(?:\.?\*+|\{.*\}|\.)$", "", text))
    if bare in ("", ".", "..", "/", "$PWD", "${PWD}", "$(pwd)", "`pwd`") or _HOMES.fullmatch(bare):
        return True
    if _EMPTY_PERHAPS.fullmatch(text):
        return True
    path = resolved(bare, folder)
    return path is not None and (path.count("/") == 1 or is_below(folder, path))


def _removes_root(command: Command, folder: str) -> bool:
    recursive = _has(command, "rR", "--recursive", "--no-preserve-root")
    if command.name == "rm" and recursive:
        return any(_is_root(one, folder) for one in _operands(command))
    if command.name == "find" and ({"-delete"} & {*command.arguments} or "rm" in command.arguments):
        narrow = any(
            one.startswith(("-name", "-iname", "-path", "-regex")) for one in command.arguments
        )
        paths = [one for one in command.arguments[:1] if not one.startswith("-")] or ["."]
        return not narrow and any(_is_root(one, folder) for one in paths)
    if command.name == "rsync" and _has(command, "", "--delete"):
        return any(_is_root(one, folder) for one in _operands(command)[-1:])
    return command.name == "mv" and any(_is_root(one, folder) for one in _operands(command)[:1])


def _changes_rights(command: Command, folder: str) -> bool:
    if command.name not in ("chmod", "chown", "chgrp", "setfacl", "chattr"):
        return False
    modes = _operands(command)
    if command.name == "chmod" and any(
        re.fullmatch(r"[0-7]?[2467][0-7]{3}|[ugoa]*\+[rwx]*s", one) for one in modes
    ):
        return True
    return _has(command, "R", "--recursive") and any(_is_root(one, folder) for one in modes)


def _writes_device(command: Command, folder: str) -> bool:
    if command.name.startswith("mkfs") or command.name in _FORMATS:
        return True
    targets = [one.target.text for one in command.redirections]
    if command.name in ("dd", "shred", "cp", "tee", "cat", "mv"):
        targets += [one.removeprefix("of=") for one in command.arguments]
    return any(_DISKS.match(one) and not one.startswith("if=") for one in targets)


def _runs_unknown(command: Command, folder: str) -> bool:
    """Whether the name of the program is not on the line, be it in a folder that is not."""
    return (
        bool(command.words)
        and not command.words[0].literal
        and not _NAME.fullmatch(command.name)
        and command.name not in ("[", "[[", "((")
    )


def _written(command: Command) -> list[str]:
    """Files that a command writes, as far as its words tell."""
    found = [one.target.text for one in command.redirections if "<" not in one.operator]
    if command.name in _WRITES:
        found += _operands(command)
    if command.name in ("cp", "mv", "ln", "install", "rsync", "scp"):
        found += _operands(command)[-1:] + [
            one.partition("=")[2] for one in command.arguments if "=" in one
        ]
    if command.name in ("sed", "perl", "ruby") and _has(command, "i", "--in-place"):
        found += _operands(command)
    if command.name in ("dd", "curl", "wget"):
        found += [one.removeprefix("of=") for one in command.arguments]
    return found


def _schedules(command: Command, folder: str) -> bool:
    if command.name == "crontab":
        return not _has(command, "l")
    if command.name in ("systemctl", "launchctl", "update-rc.d", "chkconfig"):
        return bool(
            {"enable", "load", "bootstrap", "defaults", "on", "--now"} & {*command.arguments}
        )
    return command.name in ("at", "batch", "systemd-run", "schtasks")


def _ends_processes(command: Command, folder: str) -> bool:
    if command.name == "kill":
        return (
            any(re.fullmatch(r"-1|0|1", one) for one in command.arguments[1:])
            or "-1" in command.arguments[-1:]
        )
    return command.name in ("killall", "killall5", "pkill", "skill")


def _turns_off_guard(command: Command, folder: str) -> bool:
    first = "".join(_operands(command)[:1])
    match command.name:
        case name if name in _GUARDS:
            return True
        case "ufw" | "csrutil" | "spctl" | "auditctl":
            return "disable" in command.arguments or _has(
                command, "D", "--master-disable", "--global-disable"
            )
        case "iptables" | "ip6tables" | "nft":
            return _has(command, "FXP", "--flush") or first == "flush"
        case "mount" | "umount" | "swapoff" | "pivot_root" | "capsh" | "setcap":
            return bool(command.arguments)
        case "sysctl":
            return _has(command, "w", "--write") or "=" in first
        case "systemctl" | "service":
            return bool({"stop", "disable", "mask"} & {*command.arguments})
        case "docker" | "podman" | "nerdctl":
            risky = (
                r"--privileged|--pid=host|--net(?:work)?=host|--cap-add.*"
                r"|(?:-v|--volume=?)?/:.*|.*docker\.sock.*"
            )
            return any(re.fullmatch(risky, one) for one in command.arguments)
        case _:
            return any(
                re.match(r"--(?:no-sandbox|disable-sandbox|dangerously-)", one)
                for one in command.arguments
            )


def _opens_tunnel(command: Command, folder: str) -> bool:
    targets = [one.target.text for one in command.redirections]
    if any(re.match(r"/+dev/+(?:tcp|udp)/", one) for one in (*targets, *command.arguments)):
        return True
    if command.name in ("nc", "ncat", "netcat"):
        return _has(command, "elc", "--exec", "--sh-exec", "--listen")
    if command.name == "ssh":
        return _has(command, "RLD")
    return command.name == "socat" or command.name in ("ngrok", "cloudflared", "chisel")


def _publishes(command: Command, folder: str) -> bool:
    return (command.name, "".join(_operands(command)[:1])) in {
        *(
            (name, "publish")
            for name in ("npm", "pnpm", "yarn", "bun", "cargo", "poetry", "uv", "flit")
        ),
        *((name, "push") for name in ("docker", "podman", "gem", "helm", "dotnet")),
        ("twine", "upload"),
    }


def _destroys_service(command: Command, folder: str) -> bool:
    texts = " ".join(command.arguments)
    match command.name:
        case "dropdb" | "dropuser":
            return True
        case "psql" | "mysql" | "mariadb" | "sqlite3" | "mongosh" | "mongo" | "redis-cli":
            return bool(
                re.search(r"\b(?:drop|truncate|delete\s+from|flushall|flushdb)", texts, re.I)
            )
        case "terraform" | "tofu" | "pulumi" | "kubectl" | "helm" | "aws" | "gcloud" | "az" | "gh":
            return bool(re.search(r"\b(?:destroy|delete\S*|uninstall|terminate\S*|rb|rm)\b", texts))
        case "docker" | "podman":
            return bool(re.search(r"\b(?:prune|volume rm|system reset)\b", texts))
        case _:
            return False


def _stops_machine(command: Command, folder: str) -> bool:
    if command.name in ("init", "telinit"):
        return bool({"0", "6"} & {*command.arguments})
    off = {"poweroff", "reboot", "halt", "kexec", "suspend", "hibernate"}
    if command.name == "systemctl":
        return bool(off & {*command.arguments})
    return command.name in off | {"shutdown"}


def _writes_access(command: Command, folder: str) -> bool:
    changes = ("passwd", "chpasswd", "useradd", "usermod", "visudo", "ssh-copy-id")
    return command.name in changes or any(_ACCESS.search(one) for one in _written(command))


def _sets_loader(command: Command, folder: str) -> bool:
    given = [(name, word.text) for name, word in command.assignments]
    if command.name in ("export", "env", "declare", "typeset", "readonly", "local", "sudo"):
        pairs = (one.partition("=") for one in command.arguments if "=" in one)
        given += [(name, value) for name, _, value in pairs]
    return any(_LOADERS.fullmatch(name) and value not in ("", "cat") for name, value in given)


CHECKS: dict[str, Check] = {
    "removes-root": _removes_root,
    "changes-rights": _changes_rights,
    "writes-device": _writes_device,
    "runs-unknown": _runs_unknown,
    "becomes-root": lambda command, _: (
        command.name in ("sudo", "su", "doas", "pkexec", "runuser", "gosu")
    ),
    "git-overwrites": lambda command, _: overwrites_remote(command),
    "git-loses": lambda command, _: loses_work(command),
    "git-rewrites": lambda command, _: rewrites(command),
    "git-helper": lambda command, _: sets_helper(command),
    "writes-startup": lambda command, _: any(_STARTUP.search(one) for one in _written(command)),
    "writes-access": _writes_access,
    "sets-loader": _sets_loader,
    "schedules": _schedules,
    "ends-processes": _ends_processes,
    "stops-machine": _stops_machine,
    "turns-off-guard": _turns_off_guard,
    "opens-tunnel": _opens_tunnel,
    "publishes": _publishes,
    "destroys-service": _destroys_service,
}
"""What each command is asked; the other dangers lie in how commands stand together."""
