#!/usr/bin/env bash
# Make the virtual environment $1, if it is not there, and install $2 into it in editable form.
set -euo pipefail

venv=$1
package=$2

# A command that is on the path may still be unable to run, or lack venv: try it.
works() {
    "$1" -c 'import sys, ensurepip, venv; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1
}

find_python() {
    for candidate in ${PYTHON:-} python3.13 python3.12 python3.11 python3 python; do
        if works "$candidate"; then
            echo "$candidate"
            return
        fi
    done
    echo "Longrein needs Python 3.11 or newer with its venv module; none was found." >&2
    echo "Install it (Debian: apt install python3 python3-venv), or name it: make run PYTHON=/path/to/python" >&2
    exit 1
}

if ! works "$venv/bin/python"; then
    python=$(find_python)
    echo "== making $venv with $("$python" --version)"
    "$python" -m venv --clear "$venv"
fi

echo "== installing $package into $venv (only after a change of pyproject.toml)"
"$venv/bin/python" -m pip install --quiet --disable-pip-version-check --editable "$package"
