"""Names that no NDK has are found in an archive, those of bionic and of its libc++ are not."""

import pathlib

from executorch.toolchains import android_symbols
from executorch.toolchains.binaries import Binary
from executorch.toolchains.binaries_test import SECTIONS, elf, member

STRING = "_ZNSt3__112basic_stringIcE6appendEPKc"


def test_names_of_musl_and_of_another_libcxx_are_wrong():
    asked = {"__errno_location", "__errno", "memcpy", STRING, STRING.replace("St3__1", "St6__ndk1")}
    assert android_symbols.wrong(Binary("ELF", "", undefined=asked)) == sorted(["__errno_location", STRING])


def test_table(tmp_path: pathlib.Path):
    symbols = [("__errno_location", 1, 0), ("getrandom", 1, 0), ("ours", 1, 0), ("__errno", 1, 0)]
    objects = [elf(True, 183, 1, SECTIONS, symbols), elf(True, 183, 1, SECTIONS, [("ours", 1, 3)])]
    archive = tmp_path / "lib.a"
    archive.write_bytes(b"!<arch>\n" + b"".join(member(f"{at}.o/", one) for at, one in enumerate(objects)))
    found = android_symbols.rows([archive])
    assert found == [("lib.a", ["__errno_location"], ["getrandom"])]
    assert "| lib.a | __errno_location | getrandom |" in android_symbols.table(found)
    other = tmp_path / "other.a"
    other.write_bytes(b"!<arch>\n" + member("0.o/", elf(True, 183, 1, SECTIONS, [("getrandom", 1, 3)])))
    assert android_symbols.rows([archive, other])[0] == ("lib.a", ["__errno_location"], [])
