"""Which functions of the C and C++ libraries Android's archives ask for that an NDK's libraries do not have, or have otherwise.

    android_symbols ARCHIVE...

Prints a table, one row an archive; the exit status is 1 if any asks for such a name.
"""

from __future__ import annotations

import pathlib
import sys

from executorch.toolchains.binaries import Binary, read
from executorch.toolchains.platform_report import foreign

_MUSL_NAMES = """
__assert_fail __clock_gettime64 __ctype_b_loc __ctype_get_mb_cur_max __ctype_tolower_loc __ctype_toupper_loc
__errno_location __fdelt_chk __fstat_time64 __nanosleep_time64 __stat_time64 __xpg_strerror_r program_invocation_name
program_invocation_short_name pthread_cancel pthread_setcanceltype
"""
#: Musl's and glibc's own names, of which bionic has none.
NOT_IN_BIONIC = frozenset(_MUSL_NAMES.split())


def wrong(binary: Binary) -> list[str]:
    """Names that no library of an NDK defines: another C library's, and libc++'s outside of the namespace `__ndk1`."""
    return sorted(name for name in binary.undefined if name in NOT_IN_BIONIC or "St3__1" in name)


def row(path: pathlib.Path) -> tuple[str, list[str], list[str]]:
    """The archive's name, what is wrong, and what has not been compared between bionic and musl."""
    binary = read(path.read_bytes())
    bad = wrong(binary)
    open_names = binary.undefined - binary.defined
    unknown = [name for name in foreign(binary) if name in open_names and name not in bad]
    return path.name, bad, unknown


def table(rows: list[tuple[str, list[str], list[str]]]) -> str:
    """The report as Markdown."""
    lines = ["| archive | not in an NDK's libraries | not compared with bionic |", "| --- | --- | --- |"]
    lines += [
        f"| {name} | {', '.join(bad) or 'nothing'} | {', '.join(more) or 'nothing'} |"
        for name, bad, more in rows
    ]
    return "\n".join(lines)


def main() -> None:
    rows = [row(pathlib.Path(name)) for name in sys.argv[1:]]
    print(table(rows))
    sys.exit(any(bad for _, bad, _ in rows))


if __name__ == "__main__":
    main()
