"""Zig's Clang and LLD as a Bazel C++ toolchain for one row of the table in `targets.bzl`."""

load("@apple_sdk//:sdk.bzl", "SDKS")
load("@bazel_tools//tools/cpp:cc_toolchain_config_lib.bzl", "feature", "with_feature_set")
load("@rules_cc//cc:action_names.bzl", "ACTION_NAMES", "ALL_CC_COMPILE_ACTION_NAMES", "ALL_CC_LINK_ACTION_NAMES")
load("@rules_cc//cc/common:cc_common.bzl", "cc_common")
load(":android_linking.bzl", "android_sysroot")
load(":targets.bzl", "TARGETS")
load(
    ":toolchain_parts.bzl",
    "BARE_CODE_FLAGS",
    "CPP_ACTIONS",
    "HERMETIC_FLAGS",
    "action_configs",
    "common_features",
    "declare_toolchain",
    "flags",
    "isystem",
    "memory_flags",
    "mode_flags",
)
load(":zig_linkers.bzl", "no_linker", "zig_coff_ld", "zig_mach_ld", "zig_wasm_ld")
load(":zig_sysroot.bzl", "zig_compiler_runtime", "zig_sysroot")

_EXECUTABLE_ACTIONS = [ACTION_NAMES.cpp_link_executable]

# What is linked by a program of its own and not by Clang's call of one; None says that nothing can be.
_OWN_LINKER = ["macos", "windows", None]

# How Zig configures its libc++ (its headers have no __config_site of their own).
_LIBCXX_DEFINES = [
    "_LIBCPP_ABI_VERSION=1",
    "_LIBCPP_ABI_NAMESPACE=__1",
    "_LIBCPP_HAS_THREADS=1",
    "_LIBCPP_HAS_MONOTONIC_CLOCK",
    "_LIBCPP_HAS_TERMINAL",
    "_LIBCPP_HAS_MUSL_LIBC=0",
    "_LIBCXXABI_DISABLE_VISIBILITY_ANNOTATIONS",
    "_LIBCPP_DISABLE_VISIBILITY_ANNOTATIONS",
    "_LIBCPP_HAS_VENDOR_AVAILABILITY_ANNOTATIONS=0",
    "_LIBCPP_HAS_FILESYSTEM=1",
    "_LIBCPP_HAS_RANDOM_DEVICE",
    "_LIBCPP_HAS_LOCALIZATION",
    "_LIBCPP_HAS_UNICODE",
    "_LIBCPP_HAS_WIDE_CHARACTERS",
    "_LIBCPP_HAS_NO_STD_MODULES",
    "_LIBCPP_HAS_TIME_ZONE_DATABASE",
    "_LIBCPP_PSTL_BACKEND_SERIAL",
    "_LIBCPP_HARDENING_MODE=_LIBCPP_HARDENING_MODE_NONE",
    "_LIBCPP_ASSERTION_SEMANTIC_DEFAULT=_LIBCPP_ASSERTION_SEMANTIC_IGNORE",
]

_CODE_FLAGS = [
    "-fPIC",
    "-ffunction-sections",
    "-fdata-sections",
    "-fno-omit-frame-pointer",
    "-fcolor-diagnostics",
]

def _code_flags(row):
    if row.link == "bare":
        return BARE_CODE_FLAGS + ["-fcolor-diagnostics"]
    return [flag for flag in _CODE_FLAGS if row.pic or flag != "-fPIC"]

def _libcxx_defines(row):
    """How libc++ is configured: as on Linux, except where the row says otherwise."""
    usual = [define for define in _LIBCXX_DEFINES if define.partition("=")[0] not in row.libcxx]
    return usual + ["{}={}".format(name, value) for name, value in row.libcxx.items()]

def _picolibc(row, root):
    """Include and library directory of the C library of a bare-metal row; nothing of the others."""
    if not row.picolibc:
        return None
    return struct(include = root + "/include", lib = root + "/lib/" + row.picolibc.partition(":")[2])

def _zig_tools_impl(ctx):
    tools = {}
    for name, command in {"ar": "ar", "clang": "clang", "ld": "ld.lld"}.items():
        tools[name] = ctx.actions.declare_file("{}/{}".format(ctx.label.name, name))
        script = "#!/bin/sh\nexec '{}' {} \"$@\"\n".format(ctx.file._zig.path, command)
        ctx.actions.write(tools[name], script, is_executable = True)
    files = depset(tools.values() + [ctx.file._zig, ctx.file._zig_lib])
    return [DefaultInfo(files = files), OutputGroupInfo(**{name: depset([tool]) for name, tool in tools.items()})]

zig_tools = rule(
    implementation = _zig_tools_impl,
    doc = "Wrappers of the wheel's one program; actions run at the execution root, so relative paths hold.",
    attrs = {
        "_zig": attr.label(default = "@pip_ziglang//:site/ziglang/zig", allow_single_file = True),
        "_zig_lib": attr.label(default = "@pip_ziglang//:site/ziglang/lib", allow_single_file = True),
    },
)

def _cxx_library(row, lib, libstdcxx):
    """How the C++ library's headers are found and configured."""
    if libstdcxx:
        # Its algorithms call what it declares deprecated, which Clang reports where our types instantiate them.
        headers = isystem([libstdcxx + "/" + directory for directory in row.libstdcxx.headers])
        return headers + ["-Wno-deprecated-declarations"]
    defines = ["-D" + define for define in _libcxx_defines(row)]
    return defines + isystem([lib + "/" + directory for directory in ["libcxx/include", "libcxxabi/include"]])

def _compile_features(row, lib, picolibc, shim, libstdcxx):
    c = [lib + "/include"] + ([shim] if shim else [])
    c += [lib + "/libc/include/" + directory for directory in row.libc_headers] + ([picolibc.include] if picolibc else [])
    cxx = ["-nostdinc++"] + _cxx_library(row, lib, libstdcxx) + ["-std=c++17"]
    target = ["--target=" + row.clang_target] + HERMETIC_FLAGS + ["-D" + define for define in row.defines]
    return [
        flags("target", ALL_CC_COMPILE_ACTION_NAMES, target + row.flags + _code_flags(row)),
        # The C++ library wraps the C headers, so it must be searched first.
        flags("cxx_headers", CPP_ACTIONS, cxx),
        flags("c_headers", ALL_CC_COMPILE_ACTION_NAMES, isystem(c)),
        mode_flags(),
    ]

# Zig's wheel carries no sanitizer runtimes; Debian's Clang does, with the same interface to generated code.
# The runtime must be taken whole: it replaces malloc, memcpy and their like for the entire program.
_SANITIZERS = {
    "asan": struct(
        flags = ["-fsanitize=address,undefined"],
        runtimes = ["asan", "asan_static", "asan_cxx"],
        # libc++ tells newer runtimes about the unused ends of a deque. This runtime has no such entry points;
        # a function of its that does nothing stands in for them.
        link_flags = [
            "-Wl,--defsym=__sanitizer_annotate_double_ended_contiguous_container=__asan_default_options",
            "-Wl,--defsym=__sanitizer_verify_double_ended_contiguous_container=__asan_default_options",
        ],
    ),
    "tsan": struct(
        flags = ["-fsanitize=thread"],
        runtimes = ["tsan", "tsan_cxx"],
        # Newer compilers call these by names of their own; the runtime's interceptors do what they ask for.
        link_flags = [
            "-Wl,--defsym=__tsan_memcpy=__interceptor_memcpy",
            "-Wl,--defsym=__tsan_memmove=__interceptor_memmove",
            "-Wl,--defsym=__tsan_memset=__interceptor_memset",
        ],
    ),
    "ubsan": struct(
        flags = ["-fsanitize=undefined"],
        runtimes = ["ubsan_standalone", "ubsan_standalone_cxx"],
        link_flags = [],
    ),
}

def _sanitizer_features(ctx):
    if ctx.attr.sanitizer == "none":
        return []
    sanitizer = _SANITIZERS[ctx.attr.sanitizer]
    code_flags = ["-O1", "-g", "-UNDEBUG"]
    if ctx.attr.sanitizer != "tsan":
        code_flags += ["-fno-sanitize-recover=all", "-fno-sanitize=function,vptr"]
    directory = ctx.files.runtimes[0].dirname
    archives = ["{}/libclang_rt.{}-x86_64.a".format(directory, name) for name in sanitizer.runtimes]
    return [
        flags("sanitizer_code", ALL_CC_COMPILE_ACTION_NAMES, sanitizer.flags + code_flags),
        flags(
            "sanitizer_runtime",
            _EXECUTABLE_ACTIONS,
            ["-Wl,--whole-archive"] + archives + ["-Wl,--no-whole-archive", "-Wl,--export-dynamic"] + sanitizer.link_flags,
        ),
    ]

def _bare_link_features(row, tools, sysroot, picolibc):
    common = ["--target=" + row.clang_target, "--ld-path=" + tools["ld"].path, "-nostdlib", "-static", "-L" + sysroot, "-L" + picolibc.lib]

    # The script and the start-up code are the board's (//toolchains/bare_metal:board).
    # Integers only: what formats floats is larger than the core.
    memory = memory_flags(row.memory) + ["-Wl,--defsym=vfprintf=__i_vfprintf"]
    return [
        flags("link_target", ALL_CC_LINK_ACTION_NAMES, common + row.flags + ["-Wl,--gc-sections", "-Wl,--build-id=none"]),
        # Functions whose code is the same become one, where nothing compares their addresses; ends of strings are shared.
        flags("executable", _EXECUTABLE_ACTIONS, memory + ["-Wl,--icf=safe", "-Wl,-O2"]),
        flags("strip_opt", ALL_CC_LINK_ACTION_NAMES, ["-Wl,--strip-debug"], with_features = [with_feature_set(features = ["opt"])]),
        flags("default_libraries", ALL_CC_LINK_ACTION_NAMES, ["-Wl,--start-group", "-lc", "-lcompiler_rt", "-Wl,--end-group"]),
    ]

def _wasm_link_features(row, wasm_ld, sysroot):
    # No -O: it would look for an optimiser on the machine.
    common = ["--target=" + row.clang_target, "-B" + wasm_ld.dirname, "-nostdlib", "-L" + sysroot, "-Wl,--gc-sections"]
    return [
        flags("link_target", ALL_CC_LINK_ACTION_NAMES, common),
        flags("executable", _EXECUTABLE_ACTIONS, [sysroot + "/crt1-command.o", "-Wl,-z,stack-size=1048576"] + row.link_flags),
        flags("strip_opt", ALL_CC_LINK_ACTION_NAMES, ["-Wl,--strip-debug"], with_features = [with_feature_set(features = ["opt"])]),
        flags("default_libraries", ALL_CC_LINK_ACTION_NAMES, ["-lc++", "-lc++abi"] + ["-l" + library for library in row.libraries] + ["-lcompiler_rt"]),
    ]

def _windows_link_features(row, sysroot):
    # No date in the file, and what nobody refers to left out.
    common = ["-nologo", "-lldmingw", "-subsystem:console", "-brepro", "-opt:ref"] + row.link_flags
    libraries = ["crt2.obj"] + [library + ".lib" for library in row.libraries]
    return [
        flags("link_target", ALL_CC_LINK_ACTION_NAMES, common),
        flags("default_libraries", ALL_CC_LINK_ACTION_NAMES, [sysroot + "/" + library for library in libraries]),
    ]

def _macos_link_features(row, sysroot):
    return [
        flags("link_target", ALL_CC_LINK_ACTION_NAMES, ["-target", row.zig_target] + row.link_flags),
        flags("default_libraries", ALL_CC_LINK_ACTION_NAMES, ["{}/lib{}.a".format(sysroot, library) for library in row.libraries]),
    ]

def _android_link_features(row, tools, sysroot):
    common = ["--target=" + row.clang_target, "--ld-path=" + tools["ld"].path, "-nostdlib", "-L" + sysroot]
    common += ["-Wl,--gc-sections", "-Wl,--icf=safe", "-Wl,-O2", "-Wl,--build-id=sha1", "-Wl,--hash-style=gnu"]

    # Pages of 16 KB, which devices since Android 15 may have; nothing is looked up later than when the library is loaded.
    common += ["-Wl,-z,max-page-size=16384", "-Wl,-z,relro,-z,now,-z,noexecstack", "-Wl,--no-undefined"]
    return [
        flags("link_target", ALL_CC_LINK_ACTION_NAMES, common + [sysroot + "/android_start.o"]),
        flags("private_libraries", ALL_CC_LINK_ACTION_NAMES, ["-Wl,--exclude-libs,ALL"]),
        flags("strip_opt", ALL_CC_LINK_ACTION_NAMES, ["-Wl,--strip-all"], with_features = [with_feature_set(features = ["opt"])]),
        flags("default_libraries", ALL_CC_LINK_ACTION_NAMES, ["-Wl,--as-needed"] + ["-l" + library for library in row.libraries]),
    ]

def _link_features(row, tools, sysroot, libstdcxx):
    common = ["--target=" + row.clang_target, "--ld-path=" + tools["ld"].path, "-nostdlib", "-L" + sysroot]
    cxx = ["{}/{}/libstdc++.a".format(libstdcxx, row.libstdcxx.library)] if libstdcxx else ["-lc++", "-lc++abi"]
    libraries = cxx + ["-lunwind", "-l:libcompiler_rt.a"] + ["-l" + library for library in row.libraries] + ["-l:libcompiler_rt.a"]
    return [
        flags("link_target", ALL_CC_LINK_ACTION_NAMES, common + ["-Wl,--gc-sections", "-Wl,--build-id=none", "-Wl,-z,relro"]),
        # A plugin's copy of the C++ library stays private to it: Python processes bring other C++ libraries along.
        flags("private_libraries", [ACTION_NAMES.cpp_link_dynamic_library, ACTION_NAMES.cpp_link_nodeps_dynamic_library], ["-Wl,--exclude-libs,ALL"]),
        flags("executable", _EXECUTABLE_ACTIONS, ["-" + row.link, sysroot + "/crt1.o"] + row.link_flags),
        flags("strip_opt", ALL_CC_LINK_ACTION_NAMES, ["-Wl,--strip-debug"], with_features = [with_feature_set(features = ["opt"])]),
        flags("default_libraries", ALL_CC_LINK_ACTION_NAMES, ["-Wl,--as-needed"] + libraries),
    ]

def _links(ctx, row, tools, picolibc, libstdcxx):
    """The features that link, none where only a vendor's SDK can."""
    if not row.link:
        return []
    sysroot = ctx.file.sysroot.path
    if row.link == "bare":
        return _bare_link_features(row, tools, sysroot, picolibc)
    if row.link == "wasm":
        return _wasm_link_features(row, ctx.file.linker, sysroot)
    if row.link == "android":
        return _android_link_features(row, tools, sysroot)
    if row.link == "windows":
        return _windows_link_features(row, sysroot)
    if row.link == "macos":
        return _macos_link_features(row, sysroot)
    return _link_features(row, tools, sysroot, libstdcxx)

def _impl(ctx):
    row = TARGETS[ctx.attr.row]
    groups = ctx.attr.tools[OutputGroupInfo]
    tools = {name: getattr(groups, name).to_list()[0] for name in ["ar", "clang", "ld"]}
    lib = ctx.file._zig_lib.path
    picolibc = _picolibc(row, ctx.file.picolibc.path if ctx.file.picolibc else None)
    shim = ctx.file.shim.path if ctx.file.shim else None
    libstdcxx = ctx.file.libstdcxx.path if ctx.file.libstdcxx else None
    features = common_features()

    # All code is position-independent, so one compile serves programs and plugins (no supports_pic), and
    # libraries link statically (no supports_dynamic_linker).
    features.append(feature(name = "supports_start_end_lib", enabled = True))
    features += _compile_features(row, lib, picolibc, shim, libstdcxx) + _sanitizer_features(ctx)
    features += _links(ctx, row, tools, picolibc, libstdcxx)
    return cc_common.create_cc_toolchain_config_info(
        ctx = ctx,
        action_configs = action_configs(
            ar = tools["ar"],
            c = tools["clang"],
            cxx = tools["clang"],
            linker = ctx.file.linker if row.link in _OWN_LINKER else tools["clang"],
            program_linker = ctx.file.linker if row.unlinked else None,
        ),
        compiler = "clang",
        # A source that needs Apple's frameworks names the SDK itself.
        cxx_builtin_include_directories = (SDKS.values() if row.libc == "macosx" else []) + ["%workspace%/" + lib] + ["%workspace%/" + path for path in [picolibc.include if picolibc else None, shim, libstdcxx] if path],
        features = features,
        target_cpu = row.clang_target.split("-")[0],
        target_libc = row.libc,
        target_system_name = row.clang_target,
        toolchain_identifier = "zig_" + ctx.attr.row,
    )

zig_toolchain_config = rule(
    implementation = _impl,
    attrs = {
        "libstdcxx": attr.label(allow_single_file = True, doc = "GCC's C++ library, where it is not libc++"),
        "linker": attr.label(allow_single_file = True, cfg = "exec", doc = "where it is not the ELF one"),
        "picolibc": attr.label(allow_single_file = True, doc = "of a bare-metal row"),
        "row": attr.string(mandatory = True),
        "runtimes": attr.label_list(allow_files = True, cfg = "exec", doc = "the sanitizers' archives"),
        "sanitizer": attr.string(default = "none"),
        "shim": attr.label(allow_single_file = True, doc = "directory of headers that stand in for an SDK's"),
        # In the configuration of the compiler, where cc_toolchain's own file lists are.
        "sysroot": attr.label(allow_single_file = True, cfg = "exec", doc = "none where nothing is linked"),
        "tools": attr.label(cfg = "exec", mandatory = True),
        "_zig_lib": attr.label(default = "@pip_ziglang//:site/ziglang/lib", allow_single_file = True),
    },
    provides = [CcToolchainConfigInfo],
)

def zig_toolchains(exec_constraints):
    """Declares sysroot, configuration and registered toolchain for every row of the table.

    Args:
      exec_constraints: where the compiler itself runs.
    """
    runtimes = select({
        ":sanitizer_none": [],
        "//conditions:default": ["@deb_libclang_rt_14_dev//:runtimes"],
    })
    zig_tools(name = "zig_tools")
    zig_coff_ld(name = "zig_coff_ld", tags = ["manual"])
    zig_mach_ld(name = "zig_mach_ld", tags = ["manual"])
    zig_wasm_ld(name = "zig_wasm_ld", tags = ["manual"])
    for row, target in TARGETS.items():
        native.platform(
            name = row,
            constraint_values = target.constraints + (["//toolchains:programs_need_sdk"] if target.unlinked else []),
        )
        if target.compiler == "zig":
            _zig_toolchain(row, target, exec_constraints, runtimes)

def _sysroot(row, target):
    """Declares the libraries that programs of the row link; returns the target, none where there are no programs."""
    if not target.zig_target:
        return None

    # Wanted in the compiler's configuration only; `//...` would build it in the target's too.
    if target.link == "android":
        android_sysroot(
            name = row + "_sysroot",
            clang_target = target.clang_target,
            defines = target.defines,
            flags = target.flags,
            libc_headers = target.libc_headers,
            libcxx_defines = _libcxx_defines(target),
            shim = target.shim,
            tags = ["manual"],
            zig_target = target.zig_target,
        )
        return row + "_sysroot"
    if target.link == "bare":
        zig_compiler_runtime(name = row + "_sysroot", tags = ["manual"], zig_target = target.zig_target)
    else:
        zig_sysroot(
            name = row + "_sysroot",
            empty = target.within_libc,
            libraries = ["*.lib", "crt2.obj"] if target.link == "windows" else None,
            source = target.probe,
            tags = ["manual"],
            zig_target = target.zig_target,
        )
    return row + "_sysroot"

def _zig_toolchain(row, target, exec_constraints, runtimes):
    sysroot = _sysroot(row, target)
    picolibc = "@deb_picolibc_{}//:picolibc".format(target.picolibc.partition(":")[0].replace("-", "_")) if target.picolibc else None
    libstdcxx = "@bundle_libstdcxx//:site" if target.libstdcxx else None
    linker = {"macos": "zig_mach_ld", "wasm": "zig_wasm_ld", "windows": "zig_coff_ld"}.get(target.link)
    if target.unlinked:
        linker = row + "_no_ld"
        no_linker(name = linker, reason = target.unlinked, tags = ["manual"])
    zig_toolchain_config(
        name = row + "_config",
        tags = ["manual"],
        libstdcxx = libstdcxx,
        linker = linker,
        picolibc = picolibc,
        row = row,
        runtimes = runtimes,
        shim = target.shim,
        sanitizer = select({":sanitizer_" + name: name for name in ["none"] + _SANITIZERS.keys()}),
        sysroot = sysroot,
        tools = "zig_tools",
    )
    native.filegroup(
        name = row + "_files",
        tags = ["manual"],
        srcs = ["zig_tools"] + [label for label in [sysroot, picolibc, target.shim, libstdcxx, linker] if label] + runtimes,
    )
    compiler_files = "zig_tools"
    headers = [label for label in [picolibc, target.shim, libstdcxx] if label]
    if headers:
        compiler_files = row + "_compiler_files"
        native.filegroup(name = compiler_files, tags = ["manual"], srcs = ["zig_tools"] + headers)
    declare_toolchain(row, target, "zig", exec_constraints, "zig_tools", compiler_files, row + "_files")
