"""What a toolchain of Zig's Clang and one of a GCC have in common."""

load(
    "@bazel_tools//tools/cpp:cc_toolchain_config_lib.bzl",
    "action_config",
    "feature",
    "flag_group",
    "flag_set",
    "tool",
    "variable_with_value",
    "with_feature_set",
)
load("@rules_cc//cc:action_names.bzl", "ACTION_NAMES", "ALL_CC_COMPILE_ACTION_NAMES", "ALL_CC_LINK_ACTION_NAMES")
load("@rules_cc//cc:defs.bzl", "cc_toolchain")

CPP_ACTIONS = [
    ACTION_NAMES.cpp_compile,
    ACTION_NAMES.cpp_header_parsing,
    ACTION_NAMES.cpp_module_compile,
    ACTION_NAMES.cpp_module_codegen,
    ACTION_NAMES.linkstamp_compile,
]

# Nothing of the machine: no dates or paths that the command line does not name.
HERMETIC_FLAGS = [
    "-nostdinc",
    "-no-canonical-prefixes",
    "-ffile-prefix-map=/proc/self/cwd=.",
    "-Wno-builtin-macro-redefined",
    "-D__DATE__=\"redacted\"",
    "-D__TIMESTAMP__=\"redacted\"",
    "-D__TIME__=\"redacted\"",
]

# Bare metal: neither an unwinder nor anybody who looks at frames.
BARE_CODE_FLAGS = [
    "-ffunction-sections",
    "-fdata-sections",
    "-fomit-frame-pointer",
    "-fno-exceptions",
    "-fno-rtti",
    "-fno-unwind-tables",
    "-fno-asynchronous-unwind-tables",
    "-fno-threadsafe-statics",
]

# Bazel's own features that put objects, libraries and output on a link's command line.
_LINK_IMPLIES = [
    "linkstamps",
    "output_execpath_flags",
    "runtime_library_search_directories",
    "library_search_directories",
    "libraries_to_link",
    "user_link_flags",
    "linker_param_file",
]

def flags(name, actions, flags, enabled = True, with_features = []):
    """A feature that adds arguments to some actions."""
    sets = [flag_set(actions = actions, flag_groups = [flag_group(flags = flags)], with_features = with_features)] if flags else []
    return feature(name = name, enabled = enabled, flag_sets = sets)

def _mode(mode, flags):
    return flag_set(
        actions = ALL_CC_COMPILE_ACTION_NAMES,
        flag_groups = [flag_group(flags = flags)],
        with_features = [with_feature_set(features = [mode])],
    )

def common_features():
    """The three compilation modes, as features that others may ask for, and how libraries are made."""
    return [feature(name = mode) for mode in ["opt", "fastbuild", "dbg"]] + [_archiver_flags()]

def mode_flags():
    """Arguments of the compilation modes; -O and NDEBUG are always stated."""
    return feature(name = "modes", enabled = True, flag_sets = [
        _mode("opt", ["-O2", "-g0", "-DNDEBUG"]),
        _mode("fastbuild", ["-O1", "-g0", "-UNDEBUG"]),
        _mode("dbg", ["-O0", "-g", "-UNDEBUG"]),
    ])

def isystem(directories):
    return [flag for directory in directories for flag in ["-isystem", directory]]

def _archiver_flags():
    """How `ar` is called. Bazel's own feature of this name calls it as Apple's libtool for every Apple system."""
    return feature(name = "archiver_flags", flag_sets = [flag_set(
        actions = [ACTION_NAMES.cpp_link_static_library],
        flag_groups = [
            flag_group(flags = ["rcsD", "%{output_execpath}"], expand_if_available = "output_execpath"),
            flag_group(
                iterate_over = "libraries_to_link",
                expand_if_available = "libraries_to_link",
                flag_groups = [
                    flag_group(
                        flags = ["%{libraries_to_link.name}"],
                        expand_if_equal = variable_with_value("libraries_to_link.type", "object_file"),
                    ),
                    flag_group(
                        flags = ["%{libraries_to_link.object_files}"],
                        iterate_over = "libraries_to_link.object_files",
                        expand_if_equal = variable_with_value("libraries_to_link.type", "object_file_group"),
                    ),
                ],
            ),
        ],
    )])

def memory_flags(memory):
    """Where the linker script finds flash and RAM."""
    return ["-Wl,--defsym=__flash=" + memory.flash, "-Wl,--defsym=__ram=" + memory.ram]

def action_configs(c, cxx, linker, ar, program_linker = None):
    """Which program does what.

    Args:
      c: the compiler of C.
      cxx: the compiler of C++.
      linker: the program that links.
      ar: the archiver.
      program_linker: what links programs, if not what links shared libraries.

    Returns:
      A list of action configurations.
    """
    configs = [
        action_config(action_name = action, enabled = True, tools = [tool(tool = cxx if action in CPP_ACTIONS else c)])
        for action in ALL_CC_COMPILE_ACTION_NAMES
    ]
    for action in ALL_CC_LINK_ACTION_NAMES:
        is_program = action == ACTION_NAMES.cpp_link_executable
        shared = [] if is_program else ["shared_flag"]
        links = program_linker if is_program and program_linker else linker
        configs.append(action_config(action_name = action, enabled = True, implies = shared + _LINK_IMPLIES, tools = [tool(tool = links)]))
    return configs + [action_config(
        action_name = ACTION_NAMES.cpp_link_static_library,
        enabled = True,
        implies = ["archiver_flags", "linker_param_file"],
        tools = [tool(tool = ar)],
    )]

def declare_toolchain(row, target, compiler, exec_constraints, tools, compiler_files = None, all_files = None):
    """Declares the C++ toolchain of a row whose configuration is `ROW_config`, and what Bazel chooses it by.

    Args:
      row: its name.
      target: the row.
      compiler: "zig" or "gcc".
      exec_constraints: where the compiler itself runs.
      tools: label of the compiler's programs.
      compiler_files: what a compile reads, if not the tools alone. A compile reads no library: another sysroot does not
        invalidate objects.
      all_files: what a link reads, if not the tools alone.
    """
    compiler_files = compiler_files or tools
    all_files = all_files or tools
    cc_toolchain(
        name = row + "_cc",
        tags = ["manual"],
        all_files = all_files,
        ar_files = tools,
        as_files = compiler_files,
        compiler_files = compiler_files,
        dwp_files = all_files,
        linker_files = all_files,
        objcopy_files = all_files,
        strip_files = all_files,
        toolchain_config = row + "_config",
        toolchain_identifier = "{}_{}".format(compiler, row),
    )

    # What a platform is that says nothing: the defaults of the constraint settings.
    defaults = []
    if target.libc == "glibc":
        defaults += ["//toolchains:libc_glibc"] + ([] if target.libstdcxx else ["//toolchains:stdlib_libcxx"])
    if "@platforms//os:ios" in target.constraints and "//toolchains:sdk_simulator" not in target.constraints:
        defaults.append("//toolchains:sdk_device")
    native.toolchain(
        name = row + "_toolchain",
        exec_compatible_with = exec_constraints,
        target_compatible_with = target.constraints + defaults,
        toolchain = row + "_cc",
        toolchain_type = "@bazel_tools//tools/cpp:toolchain_type",
    )
