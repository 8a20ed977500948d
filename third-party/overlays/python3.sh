#!/bin/sh
# Starts the interpreter that lies beside with the libraries of its tree alone, the C library's and its loader's too: the
# machine's may be older than what it was linked with. Nothing of it reaches the programs that the interpreter starts.
# Without site-packages: what a test imports comes from the lock file or not at all.
site=$(PATH=/usr/bin:/bin readlink -f "$0") && site=${site%/usr/bin/*}
exec "$site/lib64/ld-linux-x86-64.so.2" --argv0 "$site/usr/bin/python3" \
  --library-path "$site/lib/x86_64-linux-gnu:$site/usr/lib/x86_64-linux-gnu" "$site/usr/bin/python3.11" -S "$@"
