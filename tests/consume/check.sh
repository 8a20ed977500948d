#!/usr/bin/env bash
# Builds the third-party workspace in tests/consume/bazel with its own MODULE.bazel, by a Bazel server of its own:
#
#   tests/consume/check.sh                                   # runs the example of each library
#   tests/consume/check.sh //:schema_py_test                 # of one
#   tests/consume/check.sh PROGRAM.pte INPUT.bin OUTPUT.bin  # runs a program
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
cd "$here/bazel"

if (($# == 3)) && [[ $1 != //* ]]; then
  exec "$here/../../bazelw" run //:run_program -- "$@"
fi
exec "$here/../../bazelw" test --test_output=errors "${@:-//...}"
