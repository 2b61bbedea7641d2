#!/bin/sh
# Makes the virtual environment .venv, if there is none yet: setup_python.sh [PYTHON]
#
# Without PYTHON named, the first on PATH that is 3.10 or later and can make one. As root on a Debian-like machine whose
# Python cannot (its venv module is a package of its own there), that package is installed.
set -eu
cd "$(dirname "$0")/.."

[ -x .venv/bin/python ] && .venv/bin/python -m pip --version >/dev/null 2>&1 && exit 0

recent() { "$1" -c 'import sys; sys.exit(sys.version_info < (3, 10))' >/dev/null 2>&1; }

make_environment() {
    for python in "$@"; do
        command -v "$python" >/dev/null 2>&1 && recent "$python" || continue
        rm -rf .venv
        "$python" -m venv .venv >/dev/null 2>&1 && return 0
    done
    return 1
}

[ $# -gt 0 ] || set -- python3 python3.13 python3.12 python3.11 python3.10 python
make_environment "$@" && exit 0
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
    export DEBIAN_FRONTEND=noninteractive
    apt-get install -y -qq --no-install-recommends python3-venv >/dev/null 2>&1 || {
        apt-get update -qq >/dev/null 2>&1 || true
        apt-get install -y -qq --no-install-recommends python3-venv >/dev/null
    }
    make_environment "$@" && exit 0
fi
echo "No Python of 3.10 or later that can make a virtual environment was found among: $*" >&2
exit 1
