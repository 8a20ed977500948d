#!/usr/bin/env bash
# Builds the third-party workspace in tests/consume/bazel with its own MODULE.bazel and runs it on a program:
#
#   tests/consume/check.sh [PROGRAM.pte INPUT.bin OUTPUT.bin]
#
# Without arguments it takes the quickstart's digits.pte and one blank image, and expects ten scores.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
bazelw=$here/../../bazelw
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

arguments=("$@")
if ((${#arguments[@]} == 0)); then
  (cd "$here/../.." && "$bazelw" run //examples/quickstart -- --quiet --out "$scratch")
  head -c 256 /dev/zero >"$scratch/image.bin"
  arguments=("$scratch/digits.pte" "$scratch/image.bin" "$scratch/scores.bin")
fi

(cd "$here/bazel" && "$bazelw" run //:run_program -- "${arguments[@]}")

size=$(stat -c %s "${arguments[2]}")
echo "consumer: wrote $size bytes of output"
if (($# == 0 && size != 40)); then
  echo "consumer: expected 40 bytes, ten float32 scores" >&2
  exit 1
fi
