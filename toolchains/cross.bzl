"""Programs for another platform than the rest of the build is for, and their runs under an emulator.

`cross_binary` is the file, `emulated_binary` runs it, `emulated_test` is a test of it. Platforms are rows of
`targets.bzl`; each row's emulator comes in like every tool, when it is first used.
"""

load(":targets.bzl", "TARGETS")

_QEMU = "@bundle_qemu_system//:qemu"
_USER = "@deb_qemu_user_static//:site/usr/bin/qemu-{}-static"

# With -icount shift=0 an instruction takes a nanosecond of the machine's time: counts are the same on every run.
_ARM_OPTIONS = "-icount shift=0 -nographic -monitor none -serial none -semihosting-config enable=on,target=native -kernel"

#: How each platform's programs run here: the emulator's label, its program there, and its arguments.
EMULATORS = {
    "cortex_m33": struct(label = _QEMU, program = "qemu-system-arm", options = "-M mps2-an505 " + _ARM_OPTIONS),
    "cortex_m4": struct(label = _QEMU, program = "qemu-system-arm", options = "-M mps2-an386 " + _ARM_OPTIONS),
    "cortex_m55": struct(label = _QEMU, program = "qemu-system-arm", options = "-M mps3-an547 " + _ARM_OPTIONS),
    "cortex_m7": struct(label = _QEMU, program = "qemu-system-arm", options = "-M mps2-an500 " + _ARM_OPTIONS),
    "linux_aarch64_musl": struct(label = _USER.format("aarch64"), program = None, options = ""),
    "linux_armv7_musl": struct(label = _USER.format("arm"), program = None, options = ""),
    "linux_riscv64_musl": struct(label = _USER.format("riscv64"), program = None, options = ""),
    "riscv32": struct(label = _QEMU, program = "qemu-system-riscv32", options = "-M virt -bios none " + _ARM_OPTIONS),
    "riscv64": struct(label = _QEMU, program = "qemu-system-riscv64", options = "-M virt -bios none " + _ARM_OPTIONS),
    "xtensa": struct(label = _QEMU, program = "qemu-system-xtensa", options = "-M sim -cpu lx106 -icount shift=0 -nographic -monitor none -serial none -semihosting -kernel"),
}

_BARE_COPTS = ["-Os", "-DMAX_KERNEL_NUM=64"]

# The values of --config=bare_metal in .bazelrc; hosted platforms keep what the build has.
def _platform_impl(settings, attr):
    bare = TARGETS[attr.platform].link == "bare"
    values = {key: settings[key] for key in _SETTINGS}
    values["//command_line_option:compilation_mode"] = "opt"
    values["//command_line_option:platforms"] = ["//toolchains:" + attr.platform]
    if bare:
        values["//command_line_option:copt"] = settings["//command_line_option:copt"] + _BARE_COPTS
        values["//runtime/core:enable_event_tracer"] = False
        values["//runtime/platform:min_log_level"] = "none"
        values["//runtime/platform:pal"] = "//runtime/platform/default:minimal"
        values["@bazel_tools//tools/cpp:link_extra_libs"] = "//toolchains/bare_metal:start"
    return values

_SETTINGS = [
    "//command_line_option:copt",
    "//runtime/core:enable_event_tracer",
    "//runtime/platform:min_log_level",
    "//runtime/platform:pal",
    "@bazel_tools//tools/cpp:link_extra_libs",
]

_platform = transition(
    implementation = _platform_impl,
    inputs = _SETTINGS,
    outputs = _SETTINGS + ["//command_line_option:compilation_mode", "//command_line_option:platforms"],
)

_ATTRS = {
    "binary": attr.label(cfg = _platform, executable = True, mandatory = True),
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

# The bundled emulator runs with the bundled loader and libraries: nothing of the machine's is loaded.
_SYSTEM = """\
#!/bin/sh
cd "${{RUNFILES_DIR:-$0.runfiles}}/_main" 2>/dev/null || true
root={root}
exec "$root/lib/x86_64-linux-gnu/ld-linux-x86-64.so.2" \\
  --library-path "$root/lib/x86_64-linux-gnu:$root/usr/lib/x86_64-linux-gnu" \\
  "$root/usr/bin/{program}" -L "$root/usr/share/qemu" {options} {binary}
"""

_USER_MODE = """\
#!/bin/sh
cd "${{RUNFILES_DIR:-$0.runfiles}}/_main" 2>/dev/null || true
exec {emulator} {binary} "$@"
"""

def _emulated_impl(ctx):
    emulator = EMULATORS[ctx.attr.platform]
    info = _program(ctx)
    binary = info.files_to_run.executable
    script = ctx.actions.declare_file(ctx.label.name + ".sh")
    if emulator.program:
        text = _SYSTEM.format(binary = binary.short_path, options = emulator.options, program = emulator.program, root = ctx.file.emulator.short_path)
    else:
        text = _USER_MODE.format(binary = binary.short_path, emulator = ctx.file.emulator.short_path)
    ctx.actions.write(script, text, is_executable = True)
    runfiles = ctx.runfiles([binary, ctx.file.emulator]).merge(info.default_runfiles)
    return DefaultInfo(executable = script, runfiles = runfiles)

_EMULATED_ATTRS = dict(_ATTRS, emulator = attr.label(allow_single_file = True, mandatory = True))

_emulated_binary = rule(implementation = _emulated_impl, attrs = _EMULATED_ATTRS, executable = True)

_emulated_test = rule(implementation = _emulated_impl, attrs = _EMULATED_ATTRS, test = True)

# Not of //...: each of these fetches an emulator and compiles for another platform.
_TAGS = ["manual"]

def emulated_binary(name, binary, platform, **kwargs):
    """`bazel run` of a program for another platform, under the platform's emulator."""
    _emulated_binary(name = name, binary = binary, emulator = EMULATORS[platform].label, platform = platform, tags = _TAGS, **kwargs)

def emulated_test(name, binary, platform, **kwargs):
    """A test whose program is built for another platform and runs under the platform's emulator."""
    _emulated_test(name = name, binary = binary, emulator = EMULATORS[platform].label, platform = platform, tags = _TAGS, **kwargs)
