"""What shared libraries for Android are linked with: stubs that say what the system's libraries define, libc++, start code.

An NDK has these. Here the C++ library is compiled out of Zig's wheel, with the headers that all code for Android is compiled
with, and a stub is made of each system library's names in `bionic.txt`: a link that needs another name fails and says which.
"""

# Of libc++, what a library without terminal, files by path, and random devices has.
_LIBCXX = [
    "algorithm",
    "any",
    "bind",
    "call_once",
    "charconv",
    "chrono",
    "condition_variable",
    "condition_variable_destructor",
    "error_category",
    "exception",
    "fstream",
    "functional",
    "future",
    "hash",
    "ios",
    "ios.instantiations",
    "iostream",
    "locale",
    "memory",
    "memory_resource",
    "mutex",
    "mutex_destructor",
    "new",
    "new_handler",
    "new_helpers",
    "optional",
    "ostream",
    "random",
    "regex",
    "shared_mutex",
    "stdexcept",
    "string",
    "system_error",
    "thread",
    "typeinfo",
    "valarray",
    "variant",
    "vector",
    "verbose_abort",
]

# The C++ ABI: exceptions, types, construction of statics.
_LIBCXXABI = [
    "abort_message",
    "cxa_aux_runtime",
    "cxa_default_handlers",
    "cxa_demangle",
    "cxa_exception",
    "cxa_exception_storage",
    "cxa_guard",
    "cxa_handlers",
    "cxa_personality",
    "cxa_thread_atexit",
    "cxa_vector",
    "cxa_virtual",
    "fallback_malloc",
    "private_typeinfo",
    "stdlib_exception",
    "stdlib_stdexcept",
    "stdlib_typeinfo",
]

_UNWIND = [
    "Unwind-EHABI.cpp",
    "UnwindLevel1-gcc-ext.c",
    "UnwindLevel1.c",
    "UnwindRegistersRestore.S",
    "UnwindRegistersSave.S",
    "libunwind.cpp",
]

# One job a line, two at a time: this is an action of a build that runs others as well.
_SCRIPT = """\
set -eu
out={out} lib={lib} zig={zig}
mkdir -p "$out/.work"
export ZIG_GLOBAL_CACHE_DIR="$PWD/$out/.work" ZIG_LOCAL_CACHE_DIR="$PWD/$out/.work"
c='{c_flags}' cxx='{cxx_flags}' headers='{headers}'
building='-fvisibility=hidden -fvisibility-inlines-hidden -D_LIBCPP_BUILDING_LIBRARY -DLIBCXX_BUILDING_LIBCXXABI'
building="$building -D_LIBCXXABI_BUILDING_LIBRARY -DHAVE___CXA_THREAD_ATEXIT_IMPL"
building="$building -I$lib/libcxx/src -I$lib/libcxx/src/include -I$lib/libcxx/libc -I$lib/libcxxabi/src -I$lib/libunwind/include"
{{
  for name in {libcxx}; do
    echo "$c $cxx $building $headers -c $lib/libcxx/src/$name.cpp -o $out/.work/c++.$name.o"
  done
  for name in {libcxxabi}; do
    echo "$c $cxx $building $headers -c $lib/libcxxabi/src/$name.cpp -o $out/.work/c++abi.$name.o"
  done
  unwind='-D_LIBUNWIND_HIDE_SYMBOLS -D_LIBUNWIND_IS_NATIVE_ONLY -fvisibility=hidden'
  for name in {unwind}; do
    case $name in
      *.cpp) language="$cxx -fno-exceptions -fno-rtti" ;;
      *) language='-fexceptions -funwind-tables' ;;
    esac
    echo "$c $language $unwind -I$lib/libunwind/include $headers -c $lib/libunwind/src/$name -o $out/.work/unwind.$name.o"
  done
  echo "$c -Wall -Wextra -Werror $headers -c {start} -o $out/android_start.o"
}} | xargs -P 2 -I '{{}}' sh -c "'$zig' clang {{}}"
for name in c++ c++abi unwind; do
  "$zig" ar qcsD "$out/lib$name.a" "$out/.work/$name".*.o
done
"$zig" build-lib "$lib/compiler_rt.zig" -target {zig_target} -O ReleaseSmall -fPIC -fno-stack-check -fsingle-threaded -fstrip \\
  -ffunction-sections -fdata-sections --name compiler_rt "-femit-bin=$out/libcompiler_rt.a"
for library in $(cut -d ' ' -f 1 {symbols} | grep '^lib' | sort -u); do
  # A name is a label in an empty section: a stub is asked for nothing but that it has it. (On Arm, @ begins a comment.)
  grep "^$library " {symbols} | cut -d ' ' -f 2- | tr ' ' '\\n' |
    sed 's/.*/.globl &\\n.type &,%function\\n&:/; 1i .text' >"$out/.work/stub.s"
  "$zig" clang --target={clang_target} -c "$out/.work/stub.s" -o "$out/.work/stub.o"
  "$zig" ld.lld -shared -soname "$library" -z max-page-size=16384 "$out/.work/stub.o" -o "$out/$library"
done
# Libraries of other systems whose contents are bionic's libc.so.
for name in pthread rt; do
  printf '!<arch>\\n' >"$out/lib$name.a"
done
rm -rf "$out/.work"
"""

def _android_sysroot_impl(ctx):
    out = ctx.actions.declare_directory(ctx.label.name)
    lib = ctx.file._zig_lib.path
    flags = ctx.attr.flags + [
        "--target=" + ctx.attr.clang_target,
        "-O2 -g0 -DNDEBUG -w -fPIC -ffunction-sections -fdata-sections -nostdinc -no-canonical-prefixes",
        "-ffile-prefix-map=/proc/self/cwd=.",
    ]
    cxx = ["-nostdinc++", "-std=c++23"] + ["-D" + define for define in ctx.attr.libcxx_defines]
    cxx += ["-isystem {}/{}".format(lib, directory) for directory in ["libcxx/include", "libcxxabi/include"]]
    headers = [lib + "/include", ctx.file.shim.path] + [lib + "/libc/include/" + name for name in ctx.attr.libc_headers]
    ctx.actions.run_shell(
        command = _SCRIPT.format(
            c_flags = " ".join(flags + ["-D" + define for define in ctx.attr.defines]),
            clang_target = ctx.attr.clang_target,
            cxx_flags = " ".join(cxx),
            headers = " ".join(["-isystem " + directory for directory in headers]),
            lib = lib,
            libcxx = " ".join(_LIBCXX),
            libcxxabi = " ".join(_LIBCXXABI),
            out = out.path,
            start = ctx.file._start.path,
            symbols = ctx.file._symbols.path,
            unwind = " ".join(_UNWIND),
            zig = ctx.file._zig.path,
            zig_target = ctx.attr.zig_target,
        ),
        env = {"HOME": "/nonexistent"},
        inputs = [ctx.file._start, ctx.file._symbols, ctx.file._zig, ctx.file._zig_lib, ctx.file.shim],
        mnemonic = "AndroidSysroot",
        outputs = [out],
        progress_message = "Building the C++ library of {} and stubs of the system's".format(ctx.attr.clang_target),
    )
    return DefaultInfo(files = depset([out]))

android_sysroot = rule(
    implementation = _android_sysroot_impl,
    attrs = {
        "clang_target": attr.string(mandatory = True),
        "defines": attr.string_list(doc = "for every compile"),
        "flags": attr.string_list(doc = "for every compile, such as the processor"),
        "libc_headers": attr.string_list(doc = "directories below the wheel's lib/libc/include, first match first"),
        "libcxx_defines": attr.string_list(doc = "how libc++ is configured, NAME or NAME=VALUE"),
        "shim": attr.label(allow_single_file = True, mandatory = True, doc = "directory of headers that are searched first"),
        "zig_target": attr.string(mandatory = True),
        "_start": attr.label(default = "//toolchains:android_start.c", allow_single_file = True),
        "_symbols": attr.label(default = "//toolchains:bionic.txt", allow_single_file = True),
        "_zig": attr.label(default = "@pip_ziglang//:site/ziglang/zig", allow_single_file = True),
        "_zig_lib": attr.label(default = "@pip_ziglang//:site/ziglang/lib", allow_single_file = True),
    },
)
