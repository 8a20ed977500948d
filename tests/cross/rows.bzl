"""What files of each platform say of themselves, in the words of `//toolchains:binaries`."""

load("@bazel_skylib//rules:write_file.bzl", "write_file")
load("//toolchains:targets.bzl", "TARGETS")

# By how Clang's name of the target begins.
_PROCESSORS = {
    "aarch64": "64-bit AArch64",
    "arm": "32-bit Arm",
    "arm64": "64-bit AArch64",
    "armv7a": "32-bit Arm",
    "riscv32": "32-bit RISC-V",
    "riscv64": "64-bit RISC-V",
    "x86_64": "64-bit x86-64",
    "xtensa": "32-bit Xtensa",
}

def _said(target):
    first, _, rest = target.clang_target.partition("-")
    processor = "32-bit Arm" if first.startswith("thumb") else _PROCESSORS.get(first)
    kind = {
        "COFF": "COFF x86-64",
        "Wasm": "Wasm",
    }.get(target.file_type, "{} {}".format(target.file_type, processor))
    system = ""
    if target.file_type == "Mach-O":
        system = " for macOS" if "macosx" in rest else " for iOS simulator" if "simulator" in rest else " for iOS"
    return {"kind": kind, "system": system}

def rows_json(name, out):
    """A file with the expected words of every row of the table.

    Args:
      name: of the target.
      out: of the file.
    """
    write_file(
        name = name,
        out = out,
        content = [json.encode({row: _said(target) for row, target in TARGETS.items()}), ""],
    )
