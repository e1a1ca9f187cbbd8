"""The shell scripts of `sandbox_files`: text that never changes, for any POSIX shell.

Variables: AT is the root on the sandbox's own disk, FOLDER a virtual folder, NAME a name in it. The
first line that comes back is a word: `ok`, or what is wrong. About files the next line says what
`stat` tells: mode, size, number, seconds, time of the content, time of all else, name.
"""

_COMMON = r"""
say() { printf '%s\n' "$1"; exit 0; }

# Go to a folder, name by name; "make" makes those that are missing.
enter() {
    cd -P -- "$AT" 2>/dev/null || say rootless
    there=$(pwd -P); there=${there%/}
    rest=${1#/}
    while [ -n "$rest" ]; do
        name=${rest%%/*}
        case $rest in */*) rest=${rest#*/} ;; *) rest= ;; esac
        if [ -L "./$name" ]; then say linked; fi
        if [ ! -e "./$name" ]; then
            [ "$2" = make ] || say missing
            mkdir "./$name" 2>/dev/null || [ -d "./$name" ] || say denied
        fi
        [ -d "./$name" ] || say nofolder
        cd -P -- "./$name" 2>/dev/null || say denied
        there=$there/$name
    done
    [ "$(pwd -P)" = "${there:-/}" ] || say linked
}

is_there() { [ -e "$1" ] || [ -L "$1" ]; }

tell() { stat -c '%f/%s/%i/%Y/%y/%z/%n' -- "$1" 2>/dev/null; }

# Open NAME as 3, and see that this is the file that has the name, not one that a link led to.
open_file() {
    file=./$NAME
    if [ -L "$file" ]; then say link; fi
    [ -e "$file" ] || say missing
    if [ -d "$file" ]; then say folder; fi
    [ -f "$file" ] || say other
    [ -r "$file" ] || say denied
    { exec 3<"$file"; } 2>/dev/null || say denied
    if [ -L "$file" ]; then say link; fi
    [ "$file" -ef /proc/self/fd/3 ] || say link
}
"""

STAT = (
    _COMMON
    + r"""
enter "$FOLDER"
found=$(tell "./$NAME") || say missing
printf 'ok\n%s\n' "$found"
if [ -L "./$NAME" ]; then readlink -- "./$NAME"; fi
"""
)

ENTRIES = (
    _COMMON
    + r"""
enter "$FOLDER"
[ -r . ] || say denied
echo ok
find . -mindepth 1 -maxdepth 1 ! -name '*
*' -exec stat -c '%f/%s/%i/%Y/%y/%z/%n' -- {} + 2>/dev/null
find . -mindepth 1 -maxdepth 1 -name '*
*' -exec stat -c '%f/%s/%i/%Y/%y/%z/' -- {} + 2>/dev/null
"""
)

TREE = (
    _COMMON
    + r"""
enter "$FOLDER"
[ -r . ] || say denied
echo ok
find . -mindepth 1 \( -name .git -o -name '*
*' \) -prune -o -exec stat -c '%f/%s/%i/%Y/%y/%z/%n' -- {} + 2>/dev/null
"""
)

# OFFSET counts from 1, as tail does. LIMIT is empty for no limit.
READ = (
    _COMMON
    + r"""
enter "$FOLDER"
open_file
found=$(stat -L -c '%f/%s/%i/%Y/%y/%z/%n' /proc/self/fd/3 2>/dev/null) || say denied
printf 'ok\n%s\n' "$found"
if [ -n "$LIMIT" ]; then
    tail -c "+$OFFSET" <&3 2>/dev/null | head -c "$LIMIT"
else
    tail -c "+$OFFSET" <&3 2>/dev/null
fi
"""
)

# SEEN is what `stat` said about the file before, where that must still hold. Input that ended early
# is not taken for the whole.
WRITE = (
    _COMMON
    + r"""
enter "$FOLDER" make
new=./$TEMPORARY
trap 'rm -f -- "$new"' EXIT
set -C
{ : >"$new"; } 2>/dev/null || say denied
set +C
cat >>"$new" 2>/dev/null || say full
[ "$(stat -c %s -- "$new")" = "$SIZE" ] || say short
if [ -e "./$NAME" ]; then chown "$(stat -c %u:%g -- "./$NAME")" "$new" 2>/dev/null; fi
if [ -n "$MODE" ]; then chmod "$MODE" "$new" 2>/dev/null || say denied; fi
sync "$new" 2>/dev/null
if [ -L "./$NAME" ]; then say link; fi
if [ -d "./$NAME" ]; then say folder; fi
if [ -n "$CHECK" ] && [ "$(tell "./$NAME")" != "$SEEN" ]; then say changed; fi
if [ -n "$NEW" ] && is_there "./$NAME"; then say changed; fi
if [ -z "$NEW" ] || ! ln -T -- "$new" "./$NAME" 2>/dev/null; then
    if [ -n "$NEW" ] && is_there "./$NAME"; then say changed; fi
    mv -f -T -- "$new" "./$NAME" 2>/dev/null || say denied
fi
rm -f -- "$new"
sync . 2>/dev/null
found=$(tell "./$NAME") || say missing
printf 'ok\n%s\n' "$found"
"""
)

REMOVE = (
    _COMMON
    + r"""
enter "$FOLDER"
is_there "./$NAME" || say missing
if [ -L "./$NAME" ] || [ ! -d "./$NAME" ]; then
    rm -f -- "./$NAME" 2>/dev/null
elif [ -n "$RECURSIVE" ]; then
    rm -rf -- "./$NAME" 2>/dev/null
else
    rmdir -- "./$NAME" 2>/dev/null
    if [ -n "$(ls -A -- "./$NAME" 2>/dev/null)" ]; then say notempty; fi
fi
if is_there "./$NAME"; then say denied; fi
echo ok
"""
)

# The folder that it comes from stays open as 4, so that its path is not walked again.
MOVE = (
    _COMMON
    + r"""
enter "$FOLDER"
is_there "./$NAME" || say missing
{ exec 4<.; } 2>/dev/null || say denied
enter "$TO_FOLDER" make
if [ -d "./$TO_NAME" ] && [ ! -L "./$TO_NAME" ]; then say exists; fi
if [ -n "$REPLACE" ]; then
    mv -f -T -- "/proc/self/fd/4/$NAME" "./$TO_NAME" 2>/dev/null || say denied
else
    if is_there "./$TO_NAME"; then say exists; fi
    mv -n -T -- "/proc/self/fd/4/$NAME" "./$TO_NAME" 2>/dev/null || say denied
    if is_there "/proc/self/fd/4/$NAME"; then say exists; fi
fi
sync . 2>/dev/null
echo ok
"""
)

# What is still a link when all are resolved leads in a circle.
REAL = (
    _COMMON
    + r"""
cd -P -- "$AT" 2>/dev/null || say rootless
top=$(pwd -P); top=${top%/}
found=$(realpath -m -- "./$FOLDER" 2>/dev/null) || say missing
case $found/ in "$top"/*) ;; *) say outside ;; esac
rest=${found#"$top"}
rest=${rest#/}
at=$top
while [ -n "$rest" ]; do
    at=$at/${rest%%/*}
    if [ -L "$at" ]; then say circle; fi
    case $rest in */*) rest=${rest#*/} ;; *) rest= ;; esac
done
printf 'ok\n%s\n' "${found#"$top"}"
"""
)
