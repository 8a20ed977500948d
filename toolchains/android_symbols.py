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
__assert_fail __clock_gettime64 __ctype_b_loc __ctype_tolower_loc __ctype_toupper_loc
__errno_location __fdelt_chk __fstat_time64 __nanosleep_time64 __stat_time64 __xpg_strerror_r program_invocation_name
program_invocation_short_name pthread_cancel pthread_setcanceltype
"""
#: Musl's and glibc's own names, of which bionic has none.
NOT_IN_BIONIC = frozenset(_MUSL_NAMES.split())


def wrong(binary: Binary) -> list[str]:
    """Names that no library of an NDK defines: another C library's, and libc++'s outside of the namespace `__ndk1`."""
    return sorted(name for name in binary.undefined if name in NOT_IN_BIONIC or "St3__1" in name)


def rows(paths: list[pathlib.Path]) -> list[tuple[str, list[str], list[str]]]:
    """Each archive's name, what is wrong, and what has not been compared between bionic and musl.

    Archives are linked together: what one of them defines, the others do not ask of bionic.
    """
    binaries = {path.name: read(path.read_bytes()) for path in paths}
    ours = set().union(*(binary.defined for binary in binaries.values()))
    found = []
    for name, binary in binaries.items():
        bad = wrong(binary)
        asked = binary.undefined - ours
        found.append((name, bad, [one for one in foreign(binary) if one in asked and one not in bad]))
    return found


def table(found: list[tuple[str, list[str], list[str]]]) -> str:
    """The report as Markdown."""
    lines = ["| archive | not in an NDK's libraries | not compared with bionic |", "| --- | --- | --- |"]
    lines += [
        f"| {name} | {', '.join(bad) or 'nothing'} | {', '.join(more) or 'nothing'} |"
        for name, bad, more in found
    ]
    return "\n".join(lines)


def main() -> None:
    found = rows([pathlib.Path(name) for name in sys.argv[1:]])
    print(table(found))
    sys.exit(any(bad for _, bad, _ in found))


if __name__ == "__main__":
    main()
