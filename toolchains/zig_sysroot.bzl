"""A sysroot out of Zig's wheel: start files, C library stubs, libc++ and the compiler runtime of a target.

Zig compiles these libraries the first time it links for a target and keeps them in a cache of its own. Here
that happens once, as an action: the result is an ordinary output, shared through Bazel's caches, and every
later compile and link uses Clang and LLD directly with no cache outside the sandbox.
"""

_SCRIPT = """\
set -eu
export ZIG_GLOBAL_CACHE_DIR="$PWD/{out}.cache/global" ZIG_LOCAL_CACHE_DIR="$PWD/{out}.cache/local"
mkdir -p "$ZIG_GLOBAL_CACHE_DIR" "$ZIG_LOCAL_CACHE_DIR" "{out}"
root=$PWD
# Assembly sources record the directory they were assembled in: one that is the same everywhere.
(cd / && "$root/{zig}" c++ -target {target} -O2 -g0 -s "$root/{source}" -o "$root/{out}.cache/probe") 2>"{out}.cache/log" || {{
  cat "{out}.cache/log" >&2
  echo "toolchains: Zig could not build the libraries of {target}" >&2
  exit 1
}}
find "$ZIG_GLOBAL_CACHE_DIR/o" -type f \\( {found} \\) | while read -r file; do
  name=$(basename "$file")
  # The linker's -lNAME looks for libNAME.so; the recorded soname keeps its number.
  case $name in lib*.so.*) name=${{name%%.so.*}}.so ;; esac
  cp "$file" "{out}/$name"
done
rm -rf "{out}.cache"
{empty}"""

def _zig_sysroot_impl(ctx):
    out = ctx.actions.declare_directory(ctx.label.name)
    ctx.actions.run_shell(
        command = _SCRIPT.format(
            empty = "".join(["printf '!<arch>\\n' >'{}/lib{}.a'\n".format(out.path, name) for name in ctx.attr.empty]),
            found = " -o ".join(["-name '{}'".format(pattern) for pattern in ctx.attr.libraries]),
            out = out.path,
            source = ctx.file.source.path,
            target = ctx.attr.zig_target,
            zig = ctx.file._zig.path,
        ),
        env = {"HOME": "/nonexistent"},
        inputs = [ctx.file._zig, ctx.file._zig_lib, ctx.file.source],
        mnemonic = "ZigSysroot",
        outputs = [out],
        progress_message = "Building the C and C++ libraries of " + ctx.attr.zig_target,
    )
    return DefaultInfo(files = depset([out]))

zig_sysroot = rule(
    implementation = _zig_sysroot_impl,
    attrs = {
        "empty": attr.string_list(doc = "libraries that programs name and whose contents are in the C library"),
        "libraries": attr.string_list(default = ["*crt*.o", "lib*.a", "lib*.so.*"], doc = "of Zig's cache, what a link needs"),
        "source": attr.label(allow_single_file = True, doc = "a program that uses all that others may use"),
        "zig_target": attr.string(mandatory = True),
        "_zig": attr.label(default = "@pip_ziglang//:site/ziglang/zig", allow_single_file = True),
        "_zig_lib": attr.label(default = "@pip_ziglang//:site/ziglang/lib", allow_single_file = True),
    },
)

_RUNTIME_SCRIPT = """\
set -eu
export ZIG_GLOBAL_CACHE_DIR="$PWD/{out}.cache" ZIG_LOCAL_CACHE_DIR="$PWD/{out}.cache"
mkdir -p "$ZIG_GLOBAL_CACHE_DIR" "{out}"
'{zig}' build-lib '{lib}/compiler_rt.zig' -target {target} -O ReleaseSmall -fno-stack-check -fsingle-threaded -fstrip \
  -ffunction-sections -fdata-sections -fno-unwind-tables --name compiler_rt "-femit-bin={out}/libcompiler_rt.a"
rm -rf "{out}.cache" "{out}/libcompiler_rt.a.o"
"""

def _zig_compiler_runtime_impl(ctx):
    out = ctx.actions.declare_directory(ctx.label.name)
    ctx.actions.run_shell(
        command = _RUNTIME_SCRIPT.format(
            lib = ctx.file._zig_lib.path,
            out = out.path,
            target = ctx.attr.zig_target,
            zig = ctx.file._zig.path,
        ),
        env = {"HOME": "/nonexistent"},
        inputs = [ctx.file._zig, ctx.file._zig_lib],
        mnemonic = "ZigCompilerRuntime",
        outputs = [out],
        progress_message = "Building the compiler's library of " + ctx.attr.zig_target,
    )
    return DefaultInfo(files = depset([out]))

zig_compiler_runtime = rule(
    implementation = _zig_compiler_runtime_impl,
    doc = "What compiled code calls where the processor has no instruction: all of a sysroot that bare metal has.",
    attrs = {
        "zig_target": attr.string(mandatory = True, doc = "Zig's target, and -mcpu with the FPU spelled out"),
        "_zig": attr.label(default = "@pip_ziglang//:site/ziglang/zig", allow_single_file = True),
        "_zig_lib": attr.label(default = "@pip_ziglang//:site/ziglang/lib", allow_single_file = True),
    },
)
