"""The report of platforms: formats that are not the platform's are an error, and foreign functions are named."""

import pytest

from executorch.toolchains import platform_report
from executorch.toolchains.binaries import Binary, FormatError
from executorch.toolchains.binaries_test import MACH_SYMBOLS, SECTIONS, elf, mach, member


@pytest.fixture
def row(tmp_path):
    """A row of the manifest, with a library of one object for AArch64."""
    symbols = [("memcpy", 1, 0), ("expf", 1, 0), ("__errno_location", 1, 0), ("_ZdlPv", 1, 0)]
    library = tmp_path / "lib.a"
    library.write_bytes(b"!<arch>\n" + member("a.o/", elf(True, 183, 1, SECTIONS, symbols)))
    core, kernels = str(library), str(library)
    return {
        "platform": "android_arm64",
        "file_type": "ELF",
        "unlinked": "no SDK",
        "core": core,
        "kernels": kernels,
    }


def test_libraries_without_a_program(row):
    said = platform_report.describe(row)
    assert said["built"] == ["core", "kernels"]
    assert (said["core_bytes"], said["core_how"], said["program_bytes"]) == (120, "objects", None)
    assert said["note"] == "no SDK; of the C library, not known to be alike in bionic: __errno_location"
    assert (
        "| android_arm64 | core, kernels | ELF 64-bit AArch64 object | 120 (objects) |"
        in platform_report.table({"android_arm64": said})
    )


def test_a_linked_core_is_a_difference(row, tmp_path):
    for name, size in (("size_with", 500), ("size_without", 100), ("program", 900)):
        (tmp_path / name).write_bytes(elf(False, 40, 2, [(1, 6, size)]))
        row[name] = str(tmp_path / name)
    said = platform_report.describe(row | {"platform": "cortex_m55"})
    assert (said["core_bytes"], said["core_how"], said["program_bytes"]) == (400, "linked", 900)
    assert said["built"] == ["core", "kernels", "program"]
    assert said["file_type"] == "ELF 32-bit Arm program"


def test_another_format_is_an_error(row):
    with pytest.raises(FormatError, match="android_arm64: core is ELF 64-bit AArch64 object, not Mach-O"):
        platform_report.describe(row | {"file_type": "Mach-O"})


def test_what_a_program_of_macos_asks_of_the_system(row, tmp_path):
    archive, program = tmp_path / "mach.a", tmp_path / "runner"
    archive.write_bytes(b"!<arch>\n" + member("a.o/", mach([("__TEXT", 8, 0x400)], 1)))
    row |= {"platform": "macos_arm64", "file_type": "Mach-O", "unlinked": "", "program": str(program)}
    row |= {"core": str(archive), "kernels": str(archive)}
    program.write_bytes(mach([("__TEXT", 96, 0x400)], 1, 2, ["/lib/libSystem"], MACH_SYMBOLS, signed=True))
    said = platform_report.describe(row)
    assert said["built"] == ["core", "kernels", "runner"]
    assert (said["file_type"], said["program_bytes"]) == ("Mach-O 64-bit AArch64 program for macOS", 96)
    assert said["note"] == "from version 13.2 on; names of any library: 2, names of /lib/libSystem: 1; signed"


def test_mathematics_and_the_compiler_are_nobodys_own():
    names = {"expf", "fmaxf", "log1p", "__aeabi_fmul", "_ZSt9terminatev", "regcomp", "__assert_fail"}
    assert platform_report.foreign(Binary("ELF", "", undefined=names)) == ["__assert_fail", "regcomp"]
