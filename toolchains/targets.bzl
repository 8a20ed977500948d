"""The table of C and C++ targets: one row per platform the repository compiles for.

A row is all that differs between platforms; `zig_toolchain.bzl` and `gcc_toolchain.bzl` turn it into a toolchain.
Adding a platform is adding a row here and, where it needs other arguments, a named group there.
"""

_GLIBC = "2.28"

# Code for GCC's C++ library calls nothing newer than that of 2.32, which its headers ask for; the library itself, which programs
# here have in them, is Debian 12's.
_GLIBC_UNDER_GCC = "2.32"
_GLIBC_OF_DEBIAN = "2.36"
_IOS = "17.0"
_MACOS = "13.0"
_ANDROID_API = "28"

_LINUX = "@platforms//os:linux"
_X86_64 = "@platforms//cpu:x86_64"
_AARCH64 = "@platforms//cpu:aarch64"
_ARMV7 = "@platforms//cpu:armv7"

def _row(
        clang_target,
        constraints,
        zig_target = None,
        compiler = "zig",
        libc = "glibc",
        libc_headers = [],
        libcxx = {},
        defines = [],
        flags = [],
        pic = True,
        link = None,
        link_flags = [],
        libraries = [],
        within_libc = [],
        probe = "sysroot_probe.cc",
        picolibc = None,
        file_type = "ELF",
        memory = None,
        shim = None,
        libstdcxx = None,
        glibc = None,
        unlinked = None):
    """One platform.

    Args:
      clang_target: what the compiler and the linker are told, in Clang's words.
      constraints: of the platform.
      zig_target: what the sysroot's libraries are built for, in Zig's words (and the processor, for bare metal).
      compiler: "zig" for the Clang in Zig's wheel, "gcc" for a GCC of its own.
      libc: the C library's name.
      libc_headers: directories of the C library's headers inside the wheel's lib/libc/include, first match first.
      libcxx: differences from how libc++ is configured on Linux with glibc.
      defines: for every compile.
      flags: for every compile and link, such as the processor.
      pic: position-independent code.
      link: how programs are linked: "pie", "static", "wasm", "windows", "macos" or "bare", "android" for shared libraries
        alone; None where only a vendor's SDK can.
      link_flags: for programs.
      libraries: that a program needs besides the C++ library and the compiler's own.
      within_libc: libraries that programs name and whose contents the C library has.
      probe: the program by whose link Zig builds the libraries.
      picolibc: "REPOSITORY:VARIANT" of the C library, for bare metal.
      file_type: what an object file of this platform is.
      memory: where flash and RAM begin, for bare metal: of the machine in cross.bzl.
      shim: label of a directory of headers that stand in for an SDK's.
      libstdcxx: where GCC's C++ library, in place of libc++, lies in its package: directories `headers`, and `library`.
      glibc: the version that objects want at least, where it is that C library.
      unlinked: why no program is linked, for the table of what was built.

    Returns:
      The row.
    """
    return struct(
        clang_target = clang_target,
        compiler = compiler,
        constraints = constraints,
        defines = defines,
        file_type = file_type,
        flags = flags,
        glibc = glibc,
        libc = libc,
        libc_headers = libc_headers,
        libcxx = libcxx,
        libraries = libraries,
        libstdcxx = libstdcxx,
        link = link,
        link_flags = link_flags,
        memory = memory,
        pic = pic,
        picolibc = picolibc,
        probe = probe,
        shim = shim,
        unlinked = unlinked,
        within_libc = within_libc,
        zig_target = zig_target,
    )

def _glibc(cpu, constraint, headers, loader, eabi = "", flags = [], constraints = [], glibc = _GLIBC, linked = _GLIBC, **kwargs):
    return _row(
        clang_target = "{}-linux-gnu{}".format(cpu, eabi),
        constraints = [_LINUX, constraint] + constraints,
        defines = ["__GLIBC_MINOR__=" + glibc.split(".")[1]],
        flags = flags,
        glibc = glibc,
        libc_headers = [headers + "-linux-gnu", "generic-glibc", headers + "-linux-any", "any-linux-any"],
        libraries = ["m", "pthread", "dl", "rt", "c", "ld", ":libc_nonshared.a"],
        link = "pie",
        link_flags = ["-Wl,-dynamic-linker," + loader],
        zig_target = "{}-linux-gnu{}.{}".format(cpu, eabi, linked),
        **kwargs
    )

def _libstdcxx(cpu, constraint, headers, loader, parts, library):
    """As _glibc, against GCC's C++ library: archives for programs that g++ links, or clang++ as Linux's distributions have it."""
    return _glibc(
        cpu,
        constraint,
        headers,
        loader,
        constraints = ["//toolchains:stdlib_libstdcxx"],
        glibc = _GLIBC_UNDER_GCC,
        libstdcxx = struct(headers = parts, library = library),
        linked = _GLIBC_OF_DEBIAN,
        within_libc = ["dl", "pthread", "rt"],  # since 2.34
    )

# Zig has part of musl (strings, allocation, mathematics) in a library of its own.
_MUSL_LIBRARIES = ["c", "zigc"]

def _musl(cpu, constraint, headers, machine_headers, eabi = "", flags = []):
    """Linked statically: such a program runs on any kernel, also under user-mode emulation."""
    return _row(
        clang_target = "{}-linux-musl{}".format(cpu, eabi),
        constraints = [_LINUX, constraint, "//toolchains:libc_musl"],
        flags = flags,
        libc = "musl",
        libc_headers = [headers + "-linux-musl", "generic-musl", machine_headers + "-linux-any", "any-linux-any"],
        libcxx = {"_LIBCPP_HAS_MUSL_LIBC": "1"},
        libraries = _MUSL_LIBRARIES,
        link = "static",
        within_libc = ["dl", "m", "pthread", "rt"],
        zig_target = "{}-linux-musl{}".format(cpu, eabi),
    )

def _apple(clang_target, constraints, **kwargs):
    """Against Darwin's headers, which are in the wheel."""
    return _row(
        clang_target = clang_target,
        constraints = constraints,
        file_type = "Mach-O",
        libc = "macosx",
        libc_headers = ["any-darwin-any"],
        **kwargs
    )

def _ios(clang_target, constraint, *constraints):
    """Objects and static libraries: what iOS's library defines is not in the wheel, only what macOS's does."""
    return _apple(
        clang_target,
        ["@platforms//os:ios", constraint] + list(constraints),
        # They are linked with the C++ library of that system, which lacks what the wheel's headers would take from it.
        libcxx = {"_LIBCPP_HAS_VENDOR_AVAILABILITY_ANNOTATIONS": "1"},
        unlinked = "needs Apple's SDK",
    )

def _macos(clang_cpu, zig_cpu, constraint):
    """Programs that are bound to the system's one library; the C++ library is in them."""
    return _apple(
        "{}-apple-macosx{}".format(clang_cpu, _MACOS),
        ["@platforms//os:macos", constraint],
        libraries = ["c++", "c++abi", "compiler_rt"],
        link = "macos",
        zig_target = "{}-macos.{}".format(zig_cpu, _MACOS),
    )

def _android(clang_target, constraint, headers, machine_headers, zig_target, flags = []):
    """Objects, static libraries, and shared ones, such as an application loads.

    Bionic's headers are not in the wheel. Musl's stand in for them, with what differs (the shim) searched first, as
    long as objects refer to functions only whose binary interface is then the same; `//toolchains:android_symbols` and
    the table of `//toolchains:all_platforms` name those that are not.
    """
    return _row(
        clang_target = clang_target + _ANDROID_API,
        constraints = ["@platforms//os:android", constraint],
        # libc++ asks bionic's headers for what musl's do not say.
        defines = ["_LIBCPP_PROVIDES_DEFAULT_RUNE_TABLE"],
        flags = flags,
        libc = "bionic",
        libc_headers = [headers + "-linux-musl", "generic-musl", machine_headers + "-linux-any", "any-linux-any"],
        # The NDK's libc++ has its names in a namespace of its own; with ours nothing would be found in libc++_shared.so.
        libcxx = {
            "_LIBCPP_ABI_NAMESPACE": "__ndk1",
            "_LIBCPP_HAS_MUSL_LIBC": "1",
        },
        libraries = ["c++", "c++abi", "unwind", "compiler_rt", "c", "m", "dl", "log"],
        link = "android",
        shim = "//toolchains/android_headers:include",
        unlinked = "shared libraries only, programs need the NDK's start files",
        zig_target = zig_target,
    )

# Without threads, files, locales and a console: what a C++ library can have where there is no system.
_BARE_LIBCXX = {
    "_LIBCPP_HAS_FILESYSTEM": "0",
    "_LIBCPP_HAS_LOCALIZATION": "0",
    "_LIBCPP_HAS_MONOTONIC_CLOCK": "0",
    "_LIBCPP_HAS_RANDOM_DEVICE": "0",
    "_LIBCPP_HAS_TERMINAL": "0",
    "_LIBCPP_HAS_THREADS": "0",
    "_LIBCPP_HAS_THREAD_API_PTHREAD": "0",
    "_LIBCPP_HAS_TIME_ZONE_DATABASE": "0",
    "_LIBCPP_HAS_UNICODE": "0",
    "_LIBCPP_HAS_WIDE_CHARACTERS": "0",
}

def _cortex_m(core, architecture, zig_cpu, multilib, flash, ram, eabi = "eabihf"):
    """A microcontroller.

    Args:
      core: Clang's name of it. Zig's own models of these cores have no FPU but call functions as if they had, which
        gives wrong numbers and no message: code is compiled by Clang's names only.
      architecture: of the Clang target.
      zig_cpu: for which Zig builds the compiler's own library, FPU spelled out.
      multilib: picolibc's variant.
      flash: where it begins.
      ram: where it begins.
      eabi: eabi where there is no FPU.

    Returns:
      The row.
    """
    return _row(
        clang_target = "{}-none-{}".format(architecture, eabi),
        constraints = ["@platforms//os:none", "//toolchains:cpu_" + core.replace("-", "_")],
        flags = ["-mcpu=" + core],
        libc = "picolibc",
        libcxx = _BARE_LIBCXX,
        link = "bare",
        memory = struct(flash = flash, ram = ram),
        pic = False,
        picolibc = "arm-none-eabi:" + multilib,
        zig_target = "thumb-freestanding-{} -mcpu {}".format(eabi, zig_cpu),
    )

def _riscv(bits, architecture, abi, zig_cpu):
    return _row(
        clang_target = "riscv{}-none-elf".format(bits),
        constraints = ["@platforms//os:none", "@platforms//cpu:riscv{}".format(bits)],
        flags = ["-march=" + architecture, "-mabi=" + abi, "-mcmodel=medany"],
        libc = "picolibc",
        libcxx = _BARE_LIBCXX,
        link = "bare",
        memory = struct(flash = "0x80000000", ram = "0x80400000"),
        pic = False,
        picolibc = "riscv64-unknown-elf:{}/{}".format(architecture, abi),
        zig_target = "riscv{}-freestanding-none -mcmodel=medany -mcpu {}".format(bits, zig_cpu),
    )

_ARMV7_FLAGS = ["-march=armv7-a", "-mfpu=neon"]

# The C++ library and the compiler's own, and what mingw-w64 has for the C library and the system.
_WINDOWS_LIBRARIES = ["c++", "c++abi", "unwind", "libmingw32", "zigc", "compiler_rt"] + [
    "api-ms-win-crt-{}-l1-1-0".format(part)
    for part in ["conio", "convert", "environment", "filesystem", "heap", "locale", "math", "multibyte", "private", "process", "runtime", "stdio", "string", "time", "utility"]
] + ["advapi32", "kernel32", "ntdll", "shell32", "user32"]

TARGETS = {
    "linux_x86_64": _glibc("x86_64", _X86_64, "x86", "/lib64/ld-linux-x86-64.so.2"),
    "linux_aarch64": _glibc("aarch64", _AARCH64, "aarch64", "/lib/ld-linux-aarch64.so.1"),
    "linux_armv7": _glibc("arm", _ARMV7, "arm", "/lib/ld-linux-armhf.so.3", "eabihf", _ARMV7_FLAGS),
    "linux_x86_64_libstdcxx": _libstdcxx(
        "x86_64",
        _X86_64,
        "x86",
        "/lib64/ld-linux-x86-64.so.2",
        ["usr/include/c++/12", "usr/include/x86_64-linux-gnu/c++/12"],
        "usr/lib/gcc/x86_64-linux-gnu/12",
    ),
    "linux_aarch64_libstdcxx": _libstdcxx(
        "aarch64",
        _AARCH64,
        "aarch64",
        "/lib/ld-linux-aarch64.so.1",
        ["usr/aarch64-linux-gnu/include/c++/12", "usr/aarch64-linux-gnu/include/c++/12/aarch64-linux-gnu"],
        "usr/lib/gcc-cross/aarch64-linux-gnu/12",
    ),
    "linux_x86_64_musl": _musl("x86_64", _X86_64, "x86_64", "x86"),
    "linux_aarch64_musl": _musl("aarch64", _AARCH64, "aarch64", "aarch64"),
    "linux_armv7_musl": _musl("arm", _ARMV7, "arm", "arm", "eabihf", _ARMV7_FLAGS),
    "linux_riscv64_musl": _musl("riscv64", "@platforms//cpu:riscv64", "riscv64", "riscv", "", ["-march=rv64gc", "-mabi=lp64d"]),
    "android_arm64": _android("aarch64-linux-android", _AARCH64, "aarch64", "aarch64", "aarch64-linux-android"),
    # The compiler's default here is software floating point; Android's is that calling convention on a real FPU.
    "android_armv7": _android("armv7a-linux-androideabi", _ARMV7, "arm", "arm", "arm-linux-androideabi", ["-mfloat-abi=softfp", "-mfpu=neon"]),
    "android_x86_64": _android("x86_64-linux-android", _X86_64, "x86_64", "x86", "x86_64-linux-android"),
    "ios_arm64": _ios("arm64-apple-ios" + _IOS, _AARCH64),
    "ios_sim_arm64": _ios("arm64-apple-ios{}-simulator".format(_IOS), _AARCH64, "//toolchains:sdk_simulator"),
    "ios_sim_x86_64": _ios("x86_64-apple-ios{}-simulator".format(_IOS), _X86_64, "//toolchains:sdk_simulator"),
    "macos_arm64": _macos("arm64", "aarch64", _AARCH64),
    "macos_x86_64": _macos("x86_64", "x86_64", _X86_64),
    "windows_x86_64": _row(
        clang_target = "x86_64-w64-windows-gnu",
        constraints = ["@platforms//os:windows", _X86_64],
        defines = ["__MSVCRT_VERSION__=0xE00", "_WIN32_WINNT=0x0a00"],
        file_type = "COFF",
        libc = "mingw",
        libc_headers = ["x86_64-windows-gnu", "generic-mingw", "x86_64-windows-any", "any-windows-any"],
        libraries = _WINDOWS_LIBRARIES,
        link = "windows",
        # All code is, there; the argument is unknown.
        pic = False,
        zig_target = "x86_64-windows-gnu",
    ),
    "wasm": _row(
        clang_target = "wasm32-wasip1",
        constraints = ["@platforms//os:wasi", "@platforms//cpu:wasm32"],
        file_type = "Wasm",
        # No unwinder. Vectors of 128 bits, which every browser since 2023 and Node have.
        flags = ["-fno-exceptions", "-msimd128"],
        libc = "wasi",
        libc_headers = ["wasm-wasi-musl", "generic-musl", "wasm32-wasi-any", "any-wasi-any"],
        libcxx = {
            "_LIBCPP_HAS_FILESYSTEM": "0",
            "_LIBCPP_HAS_MUSL_LIBC": "1",
            "_LIBCPP_HAS_THREADS": "0",
        },
        libraries = _MUSL_LIBRARIES,
        link = "wasm",
        pic = False,
        probe = "sysroot_probe_single.cc",
        zig_target = "wasm32-wasi",
    ),
    # Memory is that of the QEMU machine in cross.bzl.
    "cortex_m0plus": _cortex_m("cortex-m0plus", "thumbv6m", "cortex_m0plus", "thumb/v6-m/nofp", "0x0", "0x20000000", "eabi"),
    "cortex_m4": _cortex_m("cortex-m4", "thumbv7em", "cortex_m4+vfp4d16sp", "thumb/v7e-m+fp/hard", "0x0", "0x20000000"),
    "cortex_m7": _cortex_m("cortex-m7", "thumbv7em", "cortex_m7+fp_armv8d16", "thumb/v7e-m+dp/hard", "0x0", "0x20000000"),
    "cortex_m33": _cortex_m("cortex-m33", "thumbv8m.main", "cortex_m33+fp_armv8d16sp", "thumb/v8-m.main+fp/hard", "0x10000000", "0x38000000"),
    "cortex_m55": _cortex_m("cortex-m55", "thumbv8.1m.main", "cortex_m55+fp_armv8d16+mve_fp", "thumb/v8-m.main+dp/hard", "0x0", "0x20000000"),
    "cortex_m85": _cortex_m("cortex-m85", "thumbv8.1m.main", "cortex_m85+fp_armv8d16+mve_fp", "thumb/v8-m.main+dp/hard", "0x0", "0x20000000"),
    "riscv32": _riscv("32", "rv32imac", "ilp32", "generic_rv32+m+a+c"),
    "riscv64": _riscv("64", "rv64imafdc", "lp64d", "generic_rv64+m+a+f+d+c"),
    "xtensa": _row(
        clang_target = "xtensa-lx106-elf",
        compiler = "gcc",
        constraints = ["@platforms//os:none", "//toolchains:cpu_xtensa"],
        flags = ["-mlongcalls"],
        libc = "picolibc",
        link = "bare",
        memory = struct(flash = "0x60000000", ram = "0x60000000"),
        pic = False,
    ),
}

#: Processors that the common `platforms` module does not know.
CPUS = [
    "cortex_m0plus",
    "cortex_m4",
    "cortex_m7",
    "cortex_m33",
    "cortex_m55",
    "cortex_m85",
    "xtensa",
]
