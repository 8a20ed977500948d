#!/bin/sh
# Unpacks the Python of debian.lock.json on a machine that has none, with what Debian's machines always have:
#
#     python.sh OUT
#
# What fetch.py does, for the one package that it cannot do itself: by digest, out of the directory of downloads,
# $EXECUTORCH_MIRROR, or the archives that apt's sources name.
set -eu
here=$(cd "$(dirname "$0")" && pwd -P)
lock=$here/../debian.lock.json
out=$1
cache=${EXECUTORCH_DOWNLOADS:-${EXECUTORCH_BAZEL_CACHE:+$EXECUTORCH_BAZEL_CACHE/downloads}}
cache=${cache:-${XDG_CACHE_HOME:-$HOME/.cache}/executorch-bazel/downloads}
mirror=${EXECUTORCH_MIRROR:-}
PATH=$PATH:/usr/lib/apt

right() { [ -f "$1" ] && echo "$2  $1" | sha256sum -c --status; }

# Brings the file of digest $1, which the archive has at $2, to $3.
fetch() {
  mirrored=${mirror#file://}/$1
  if [ -n "$mirror" ] && [ -f "$mirrored" ]; then
    cp "$mirrored" "$3"
    right "$3" "$1" && return
  fi
  for url in $(archives); do
    apt-helper -qq -o APT::Sandbox::User= -o Acquire::Retries=3 download-file "$url/$2" "$3" "SHA256:$1" || continue
    right "$3" "$1" && return
  done
  echo "python.sh: neither \$EXECUTORCH_MIRROR nor an archive of apt's sources has $2" >&2
  return 1
}

archives() {
  if [ -n "${EXECUTORCH_BAZEL_DEBIAN_MIRROR:-}" ]; then
    echo "${EXECUTORCH_BAZEL_DEBIAN_MIRROR%/}"
  else
    apt-get indextargets --format '$(REPO_URI)' 2>/dev/null | sed 's|/$||' | sort -u
  fi
}

mkdir -p "$cache" "$out"
for package in $(sed -n 's/^    "python": .*"packages": \[\([^]]*\)\].*/\1/p' "$lock" | tr -d '",'); do
  row=$(grep "^    \"$package\": {\"version\"" "$lock")
  digest=$(echo "$row" | sed 's/.*"sha256": \["\([0-9a-f]*\)".*/\1/')
  path=$(echo "$row" | sed 's/.*"path": "\([^"]*\)".*/\1/')
  if ! right "$cache/$digest" "$digest"; then
    fetch "$digest" "$path" "$cache/$digest.$$"
    mv "$cache/$digest.$$" "$cache/$digest"
  fi
  dpkg-deb -x "$cache/$digest" "$out"
done
# Absolute links become relative ones inside OUT.
find "$out" -type l | while read -r link; do
  target=$(readlink "$link")
  case $target in /*) ln -sfr "$out$target" "$link" ;; esac
done
cp "$here/../overlays/python3.sh" "$out/usr/bin/python3"
chmod +x "$out/usr/bin/python3"
