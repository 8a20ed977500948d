"""The table of C and C++ targets: one row per platform the repository compiles for.

A row is all that differs between platforms; `zig_toolchain.bzl` turns it into a sysroot and a toolchain.
Adding a platform is adding a row here and, where it needs other arguments, a named group in
`zig_toolchain.bzl`.
"""

_GLIBC = "2.28"

TARGETS = {
    "linux_x86_64": struct(
        # What the sysroot's libraries are built for, in Zig's words.
        zig_target = "x86_64-linux-gnu." + _GLIBC,
        # What the compiler and linker are told, in Clang's.
        clang_target = "x86_64-linux-gnu",
        constraints = [
            "@platforms//os:linux",
            "@platforms//cpu:x86_64",
        ],
        # Headers of the C library inside the wheel's lib/libc/include, first match first.
        libc_headers = [
            "x86-linux-gnu",
            "generic-glibc",
            "x86-linux-any",
            "any-linux-any",
        ],
        defines = ["__GLIBC_MINOR__=" + _GLIBC.split(".")[1]],
        link_flags = ["-Wl,-dynamic-linker,/lib64/ld-linux-x86-64.so.2"],
        libraries = ["m", "pthread", "dl", "rt", "c", "ld", ":libc_nonshared.a"],
    ),
}
