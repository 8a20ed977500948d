"""GCC as a Bazel C++ toolchain, for processors that Zig's Clang has no code generator for: Xtensa.

The compiler comes out of `@bundle_xtensa_gcc`, or from a directory of the user's own (`local_toolchain.bzl`): a
licensed Xtensa toolchain for a customer's core plugs in there.
"""

load(
    "@bazel_tools//tools/cpp:cc_toolchain_config_lib.bzl",
    "action_config",
    "feature",
    "flag_group",
    "flag_set",
    "tool",
    "with_feature_set",
)
load("@rules_cc//cc:action_names.bzl", "ACTION_NAMES", "ALL_CC_COMPILE_ACTION_NAMES", "ALL_CC_LINK_ACTION_NAMES")
load("@rules_cc//cc:defs.bzl", "cc_toolchain")
load(":targets.bzl", "TARGETS")
load(":zig_toolchain.bzl", "register")

_CPP_ACTIONS = [
    ACTION_NAMES.cpp_compile,
    ACTION_NAMES.cpp_header_parsing,
    ACTION_NAMES.linkstamp_compile,
]

# Debian's GCC finds its parts from where it lies; the libraries that it loads lie beside it.
_WRAPPER = """\
#!/bin/sh
export LD_LIBRARY_PATH="$PWD/{root}/usr/lib/x86_64-linux-gnu:$PWD/{root}/lib/x86_64-linux-gnu"
exec '{root}/usr/bin/xtensa-lx106-elf-{command}' "$@"
"""

_CODE_FLAGS = [
    "-ffunction-sections",
    "-fdata-sections",
    "-fomit-frame-pointer",
    "-fno-unwind-tables",
    "-fno-asynchronous-unwind-tables",
    "-fdiagnostics-color=always",
    "-no-canonical-prefixes",
    "-ffile-prefix-map=/proc/self/cwd=.",
    "-Wno-builtin-macro-redefined",
    "-D__DATE__=\"redacted\"",
    "-D__TIMESTAMP__=\"redacted\"",
    "-D__TIME__=\"redacted\"",
]

def _gcc_tools_impl(ctx):
    tools = {}
    for name, command in {"ar": "ar", "g++": "g++", "gcc": "gcc"}.items():
        tools[name] = ctx.actions.declare_file("{}/{}".format(ctx.label.name, name))
        ctx.actions.write(tools[name], _WRAPPER.format(command = command, root = ctx.file.root.path), is_executable = True)
    return [
        DefaultInfo(files = depset(tools.values() + [ctx.file.root])),
        OutputGroupInfo(**{name: depset([file]) for name, file in tools.items()}),
    ]

gcc_tools = rule(
    implementation = _gcc_tools_impl,
    attrs = {"root": attr.label(allow_single_file = True, mandatory = True)},
)

def _flags(name, actions, flags, with_features = []):
    return feature(name = name, enabled = True, flag_sets = [
        flag_set(actions = actions, flag_groups = [flag_group(flags = flags)], with_features = with_features),
    ])

def _mode(mode, flags):
    return flag_set(
        actions = ALL_CC_COMPILE_ACTION_NAMES,
        flag_groups = [flag_group(flags = flags)],
        with_features = [with_feature_set(features = [mode])],
    )

def _headers(root):
    """Debian ships libstdc++'s headers for this use with another target's; they hold nothing of a processor."""
    gcc = root + "/usr/lib/gcc/xtensa-lx106-elf/12.2.0"
    cxx = root + "/usr/include/newlib/c++/12.2.1"
    return [cxx, cxx + "/arm-none-eabi"], [root + "/usr/lib/xtensa-lx106-elf/include", gcc + "/include", gcc + "/include-fixed"]

def _isystem(directories):
    return [flag for directory in directories for flag in ["-isystem", directory]]

def _actions(tools):
    configs = [
        action_config(action_name = action, enabled = True, tools = [tool(tool = tools["g++" if action in _CPP_ACTIONS else "gcc"])])
        for action in ALL_CC_COMPILE_ACTION_NAMES
    ]
    configs += [
        action_config(
            action_name = action,
            enabled = True,
            implies = ["output_execpath_flags", "library_search_directories", "libraries_to_link", "user_link_flags", "linker_param_file"],
            # Not g++, which would insist on a libstdc++ library.
            tools = [tool(tool = tools["gcc"])],
        )
        for action in ALL_CC_LINK_ACTION_NAMES
    ]
    return configs + [action_config(
        action_name = ACTION_NAMES.cpp_link_static_library,
        enabled = True,
        implies = ["archiver_flags", "linker_param_file"],
        tools = [tool(tool = tools["ar"])],
    )]

def _impl(ctx):
    row = TARGETS[ctx.attr.row]
    groups = ctx.attr.tools[OutputGroupInfo]
    tools = {name: getattr(groups, name).to_list()[0] for name in ["ar", "g++", "gcc"]}
    root = ctx.file.root.path
    cxx, c = _headers(root)
    memory = ["-Wl,--defsym=__flash=" + row.memory.flash, "-Wl,--defsym=__ram=" + row.memory.ram]
    features = [feature(name = mode) for mode in ["opt", "fastbuild", "dbg"]] + [
        _flags("target", ALL_CC_COMPILE_ACTION_NAMES, row.flags + ["-nostdinc"] + _CODE_FLAGS),
        _flags("cxx_headers", _CPP_ACTIONS, _isystem(cxx) + ["-std=c++17", "-fno-exceptions", "-fno-rtti", "-fno-threadsafe-statics"]),
        _flags("c_headers", ALL_CC_COMPILE_ACTION_NAMES, _isystem(c)),
        feature(name = "modes", enabled = True, flag_sets = [
            _mode("opt", ["-O2", "-g0", "-DNDEBUG"]),
            _mode("fastbuild", ["-O1", "-g0", "-UNDEBUG"]),
            _mode("dbg", ["-O0", "-g", "-UNDEBUG"]),
        ]),
        _flags("link_target", ALL_CC_LINK_ACTION_NAMES, ["-nostdlib", "-Wl,--gc-sections", "-L{}/usr/lib/xtensa-lx106-elf/lib".format(root)]),
        _flags("memory", [ACTION_NAMES.cpp_link_executable], memory),
        _flags("default_libraries", ALL_CC_LINK_ACTION_NAMES, ["-Wl,--start-group", "-lm", "-lc", "-lgcc", "-Wl,--end-group"]),
    ]
    return cc_common.create_cc_toolchain_config_info(
        ctx = ctx,
        action_configs = _actions(tools),
        compiler = "gcc",
        cxx_builtin_include_directories = ["%workspace%/" + directory for directory in cxx + c],
        features = features,
        target_cpu = "xtensa",
        target_libc = row.libc,
        target_system_name = row.clang_target,
        toolchain_identifier = "gcc_" + ctx.attr.row,
    )

gcc_toolchain_config = rule(
    implementation = _impl,
    attrs = {
        "root": attr.label(allow_single_file = True, mandatory = True),
        "row": attr.string(mandatory = True),
        "tools": attr.label(cfg = "exec", mandatory = True),
    },
    provides = [CcToolchainConfigInfo],
)

def gcc_toolchains(exec_constraints, root = "@bundle_xtensa_gcc//:gcc"):
    """Declares configuration and registered toolchain for every row that GCC compiles.

    Args:
      exec_constraints: where the compiler itself runs.
      root: its directory.
    """
    gcc_tools(name = "gcc_tools", root = root, tags = ["manual"])
    for row, target in TARGETS.items():
        if target.compiler != "gcc":
            continue
        gcc_toolchain_config(name = row + "_config", root = root, row = row, tags = ["manual"], tools = "gcc_tools")
        cc_toolchain(
            name = row + "_cc",
            tags = ["manual"],
            all_files = "gcc_tools",
            ar_files = "gcc_tools",
            as_files = "gcc_tools",
            compiler_files = "gcc_tools",
            dwp_files = "gcc_tools",
            linker_files = "gcc_tools",
            objcopy_files = "gcc_tools",
            strip_files = "gcc_tools",
            toolchain_config = row + "_config",
            toolchain_identifier = "gcc_" + row,
        )
        register(row, target, exec_constraints)
