#!/bin/sh
# Runs a Windows program under the bundled Wine: wine.sh BUNDLE PROGRAM [ARGUMENT ...]
#
# Each test has a Windows of its own, which its programs share and which goes with it. The server is started here, because
# Debian's script for it knows only the machine's own installation; what Wine itself would lay into a new directory is
# therefore laid here.
set -eu
bundle=$(cd "$1" && pwd)
program=$2
shift 2
home=${TEST_TMPDIR:-$(mktemp -d)}
# Several programs share a test, and its report is the test's own.
unset XML_OUTPUT_FILE
export HOME="$home" WINEPREFIX="$home/wine" WINEDEBUG=-all
export LD_LIBRARY_PATH="$bundle/usr/lib/x86_64-linux-gnu:$bundle/lib/x86_64-linux-gnu"
export WINEDLLPATH="$bundle/usr/lib/x86_64-linux-gnu/wine:$bundle/usr/x86_64-w64-mingw32/lib"
server=$bundle/usr/lib/wine/wineserver64
finish() {
  status=$?
  "$server" -k 2>/dev/null || true
  [ -n "${TEST_TMPDIR:-}" ] || rm -rf "$home"
  exit $status
}
trap finish EXIT
mkdir -p "$WINEPREFIX/dosdevices" "$WINEPREFIX/drive_c"
ln -sfn ../drive_c "$WINEPREFIX/dosdevices/c:"
ln -sfn / "$WINEPREFIX/dosdevices/z:"
"$server" -p >/dev/null 2>&1
"$bundle/usr/lib/wine/wine64" "$program" "$@"
