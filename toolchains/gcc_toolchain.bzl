"""GCC as a Bazel C++ toolchain, for processors that Zig's Clang has no code generator for: Xtensa.

The compiler comes out of `@bundle_xtensa_gcc`, or is a licensed Xtensa toolchain for a customer's core, which
`xtensa_sdk.bzl` finds.
"""

load("@rules_cc//cc:action_names.bzl", "ACTION_NAMES", "ALL_CC_COMPILE_ACTION_NAMES", "ALL_CC_LINK_ACTION_NAMES")
load("@rules_cc//cc/common:cc_common.bzl", "cc_common")
load("@xtensa_sdk//:sdk.bzl", "SDK")
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

# Where a compiler's parts lie below its root. A licensed Xtensa toolchain knows its own headers and start files.
_DEBIAN = struct(
    c_headers = ["usr/lib/xtensa-lx106-elf/include"] + ["usr/lib/gcc/xtensa-lx106-elf/12.2.0/" + d for d in ["include", "include-fixed"]],
    # Debian ships libstdc++'s headers for this use with another target's; they hold nothing of a processor.
    cxx_headers = ["usr/include/newlib/c++/12.2.1" + d for d in ["", "/arm-none-eabi"]],
    libraries = "usr/lib/xtensa-lx106-elf/lib",
    programs = {"ar": "ar", "c": "gcc", "cxx": "g++"},
    prefix = "usr/bin/xtensa-lx106-elf-",
)

# Debian's GCC finds its parts from where it lies; the libraries that it loads lie beside it.
_WRAPPER = """\
#!/bin/sh
export LD_LIBRARY_PATH="$PWD/{root}/usr/lib/x86_64-linux-gnu:$PWD/{root}/lib/x86_64-linux-gnu"
exec '{root}/{program}' "$@"
"""

_SDK_WRAPPER = """\
#!/bin/sh
export XTENSA_CORE='{core}' XTENSA_SYSTEM='{system}'
exec '{program}' "$@"
"""

def _gcc_tools_impl(ctx):
    tools = {}
    for name, command in _DEBIAN.programs.items():
        tools[name] = ctx.actions.declare_file("{}/{}".format(ctx.label.name, name))
        text = _WRAPPER.format(program = _DEBIAN.prefix + command, root = ctx.file.root.path) if ctx.file.root else _SDK_WRAPPER.format(
            core = SDK["core"],
            program = "{}/bin/{}".format(SDK["path"], SDK[name]),
            system = SDK["system"],
        )
        ctx.actions.write(tools[name], text, is_executable = True)
    return [
        DefaultInfo(files = depset(tools.values() + ctx.files.root)),
        OutputGroupInfo(**{name: depset([file]) for name, file in tools.items()}),
    ]

gcc_tools = rule(
    implementation = _gcc_tools_impl,
    doc = "The compiler's programs: out of a directory of this build, or of the licensed one that SDK names.",
    attrs = {"root": attr.label(allow_single_file = True)},
)

def _debian_features(row, root):
    """What Debian's compiler is told; its own choice of headers and start files is for hosted programs."""
    under = lambda directories: [root + "/" + directory for directory in directories]
    return [
        flags("target", ALL_CC_COMPILE_ACTION_NAMES, row.flags + HERMETIC_FLAGS + BARE_CODE_FLAGS + ["-fdiagnostics-color=always"]),
        flags("cxx_headers", CPP_ACTIONS, isystem(under(_DEBIAN.cxx_headers)) + ["-std=c++17"]),
        flags("c_headers", ALL_CC_COMPILE_ACTION_NAMES, isystem(under(_DEBIAN.c_headers))),
        mode_flags(),
        flags("link_target", ALL_CC_LINK_ACTION_NAMES, ["-nostdlib", "-Wl,--gc-sections", "-L" + root + "/" + _DEBIAN.libraries]),
        flags("memory", [ACTION_NAMES.cpp_link_executable], memory_flags(row.memory) + ["-Wl,--defsym=vfprintf=__i_vfprintf"]),
        flags("default_libraries", ALL_CC_LINK_ACTION_NAMES, ["-Wl,--start-group", "-lm", "-lc", "-lgcc", "-Wl,--end-group"]),
    ]

def _sdk_features(row):
    hermetic = [flag for flag in HERMETIC_FLAGS if flag != "-nostdinc"]
    return [
        flags("target", ALL_CC_COMPILE_ACTION_NAMES, row.flags + hermetic + BARE_CODE_FLAGS),
        flags("cxx", CPP_ACTIONS, ["-std=c++17"]),
        mode_flags(),
        flags("link_target", ALL_CC_LINK_ACTION_NAMES, ["-Wl,--gc-sections"] + SDK["link_flags"]),
    ]

def _impl(ctx):
    row = TARGETS[ctx.attr.row]
    groups = ctx.attr.tools[OutputGroupInfo]
    tools = {name: getattr(groups, name).to_list()[0] for name in _DEBIAN.programs}
    if ctx.file.root:
        root = ctx.file.root.path
        features = _debian_features(row, root)
        builtin = ["%workspace%/{}/{}".format(root, directory) for directory in _DEBIAN.cxx_headers + _DEBIAN.c_headers]
    else:
        features = _sdk_features(row)
        builtin = [SDK["path"]] + SDK["headers"]
    return cc_common.create_cc_toolchain_config_info(
        ctx = ctx,
        # Debian's linker driver is not g++, which would insist on a libstdc++ library.
        action_configs = action_configs(c = tools["c"], cxx = tools["cxx"], linker = tools["c" if ctx.file.root else "cxx"], ar = tools["ar"]),
        compiler = "gcc",
        cxx_builtin_include_directories = builtin,
        features = common_features() + features,
        target_cpu = "xtensa",
        target_libc = row.libc,
        target_system_name = row.clang_target,
        toolchain_identifier = "gcc_" + ctx.attr.row,
    )

gcc_toolchain_config = rule(
    implementation = _impl,
    attrs = {
        "root": attr.label(allow_single_file = True, doc = "Debian's; none where SDK names a licensed compiler"),
        "row": attr.string(mandatory = True),
        "tools": attr.label(cfg = "exec", mandatory = True),
    },
    provides = [CcToolchainConfigInfo],
)

def gcc_toolchains(exec_constraints):
    """Declares configuration and registered toolchain for every row that GCC compiles.

    Args:
      exec_constraints: where the compiler itself runs.
    """
    root = None if SDK else "@bundle_xtensa_gcc//:gcc"
    gcc_tools(name = "gcc_tools", root = root, tags = ["manual"])
    for row, target in TARGETS.items():
        if target.compiler == "gcc":
            gcc_toolchain_config(name = row + "_config", root = root, row = row, tags = ["manual"], tools = "gcc_tools")
            declare_toolchain(row, target, "gcc", exec_constraints, "gcc_tools")
