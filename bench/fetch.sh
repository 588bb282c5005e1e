#!/usr/bin/env bash
# Fetches the corpora of the benchmarks into bench/corpora, each from its own package registry with its ordinary client.
# What is there already is kept. A client that is missing costs its corpora only.
#
#   bench/fetch.sh [NAME...]        all, or those named
set -euo pipefail
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
corpora="$here/corpora"
mkdir -p "$corpora"
scratch="$(mktemp -d)"
trap 'rm -rf "$scratch"' EXIT
wanted=("$@")

want() {
    [ -e "$corpora/$1" ] && return 1
    [ "${#wanted[@]}" -eq 0 ] && return 0
    local one
    for one in "${wanted[@]}"; do [ "$one" = "$1" ] && return 0; done
    return 1
}

need() { command -v "$1" >/dev/null 2>&1 || { echo "skipped: $2 (no $1)" >&2; return 1; }; }

python_sdist() { # package version
    want "$1" || return 0
    need pip "$1" || return 0
    mkdir -p "$scratch/$1"
    pip download --quiet --no-deps --no-binary "$1" --dest "$scratch/$1" "$1==$2"
    tar -xf "$scratch/$1"/*.tar.gz -C "$scratch/$1"
    rm "$scratch/$1"/*.tar.gz
    mv "$scratch/$1"/*/ "$corpora/$1"
}

npm_package() { # package version
    want "$1" || return 0
    need npm "$1" || return 0
    mkdir -p "$scratch/$1"
    (cd "$scratch/$1" && npm pack --silent "$1@$2" >/dev/null && tar -xf ./*.tgz)
    mv "$scratch/$1/package" "$corpora/$1"
}

crate() { # package version
    want "$1" || return 0
    need cargo "$1" || return 0
    mkdir -p "$scratch/$1/src"
    : >"$scratch/$1/src/lib.rs"
    printf '[package]\nname = "corpus"\nversion = "0.0.0"\nedition = "2021"\n[dependencies]\n%s = "=%s"\n[workspace]\n' "$1" "$2" \
        >"$scratch/$1/Cargo.toml"
    (cd "$scratch/$1" && cargo vendor --quiet --versioned-dirs >/dev/null)
    mv "$scratch/$1/vendor/$1-$2" "$corpora/$1"
}

debian_package() { # package name-here folder-inside
    want "$2" || return 0
    need apt-get "$2" || return 0
    mkdir -p "$scratch/$2/tree"
    (cd "$scratch/$2" && apt-get -o APT::Sandbox::User=root download -qq "$1" && dpkg -x ./*.deb tree)
    mv "$scratch/$2/tree/$3" "$corpora/$2"
}

python_sdist flask 3.1.0
python_sdist django 5.1.4
npm_package express 4.21.2
npm_package rxjs 7.8.1
npm_package react-native 0.76.5
crate ripgrep 14.1.1
crate tokio 1.42.0
crate zstd-sys "2.0.13+zstd.1.5.6"
crate librocksdb-sys "0.16.0+8.10.0"
debian_package golang-github-gin-gonic-gin-dev gin usr/share/gocode/src/github.com/gin-gonic/gin
debian_package golang-github-docker-docker-dev moby usr/share/gocode/src/github.com/docker/docker

du -sh "$corpora"/* | sort -k2
