"""Linkers of Zig's wheel that are not the ELF one; each takes Bazel's words for a link.

Each is a tool of its own, so that it is no input of the other rows' actions.
"""

# Clang would go and look for a linker on the machine.
def _no_linker_impl(ctx):
    tool = ctx.actions.declare_file("{}/link".format(ctx.label.name))
    script = "#!/bin/sh\necho 'toolchains: objects and static libraries only here: linking {}' >&2\nexit 1\n".format(ctx.attr.reason)
    ctx.actions.write(tool, script, is_executable = True)
    return DefaultInfo(files = depset([tool]))

no_linker = rule(
    implementation = _no_linker_impl,
    doc = "In the place of a linker that only a vendor's SDK has: says so.",
    attrs = {"reason": attr.string(mandatory = True)},
)

# Clang finds this linker by its name.
def _zig_wasm_ld_impl(ctx):
    tool = ctx.actions.declare_file("{}/wasm-ld".format(ctx.label.name))
    script = "#!/bin/sh\nexec '{}' wasm-ld \"$@\"\n".format(ctx.file._zig.path)
    ctx.actions.write(tool, script, is_executable = True)
    return DefaultInfo(files = depset([tool]))

zig_wasm_ld = rule(
    implementation = _zig_wasm_ld_impl,
    attrs = {
        "_zig": attr.label(default = "@pip_ziglang//:site/ziglang/zig", allow_single_file = True),
    },
)

# Bazel's words for a link, which are those of a Unix compiler, in the words of the linker for Windows. Objects between
# --start-lib and --end-lib mean the same to both; what is left out has no counterpart.
_COFF_LINK = """\
#!/bin/sh
set -eu
response=$(mktemp)
trap 'rm -f "$response"' EXIT
whole=
out=
case $1 in @*) cat "${{1#@}}" ;; *) printf '%s\\n' "$@" ;; esac | while IFS= read -r word; do
  case $out$word in
    out*) echo "-out:$word" && out= ;;
    -o) out=out ;;
    -Wl,-whole-archive) whole=-wholearchive: ;;
    -Wl,-no-whole-archive) whole= ;;
    -Wl,--start-lib) echo -start-lib ;;
    -Wl,--end-lib) echo -end-lib ;;
    -lldmingw) echo "$word" ;;
    -Wl,* | -l* | -pthread) ;;
    *) echo "$whole$word" ;;
  esac
done >"$response"
'{zig}' lld-link "@$response"
"""

# The same for Zig's own linker of Mach-O programs. It knows no --start-lib: what stands there becomes one archive. It is
# told to leave debug information in the objects, since all it would write is the directories in which it found them.
_MACH_LINK = """\
#!/bin/sh
set -eu
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
case $1 in @*) cat "${{1#@}}" ;; *) printf '%s\\n' "$@" ;; esac >"$scratch/given"
into=words
: >"$scratch/lazy"
while IFS= read -r word; do
  case $into,$word in
    out,*) echo "-femit-bin=$word" >>"$scratch/words" && into=words ;;
    *,-o) into=out ;;
    *,-Wl,--start-lib)
      [ -s "$scratch/lazy" ] || echo "$scratch/lazy.a" >>"$scratch/words"
      into=lazy
      ;;
    *,-Wl,--end-lib) into=words ;;
    *,-Wl,-force_load,*.o) echo "${{word##*,}}" >>"$scratch/words" ;;
    *,-Wl,-force_load,*) echo "toolchains: ${{word##*,}} cannot be taken whole: link its objects" >&2 && exit 1 ;;
    *,-Wl,* | *,-l* | *,-pthread) ;;
    *) echo "$word" >>"$scratch/$into" ;;
  esac
done <"$scratch/given"
[ ! -s "$scratch/lazy" ] || '{zig}' ar qcsD "$scratch/lazy.a" "@$scratch/lazy"
export ZIG_GLOBAL_CACHE_DIR="$scratch" ZIG_LOCAL_CACHE_DIR="$scratch"
'{zig}' build-exe -lc -dead_strip -fstrip -fno-compiler-rt -fno-ubsan-rt "@$scratch/words"
"""

def _translator(ctx, script):
    tool = ctx.actions.declare_file("{}/link".format(ctx.label.name))
    ctx.actions.write(tool, script.format(zig = ctx.file._zig.path), is_executable = True)
    return DefaultInfo(files = depset([tool]))

def _zig_coff_ld_impl(ctx):
    return _translator(ctx, _COFF_LINK)

def _zig_mach_ld_impl(ctx):
    return _translator(ctx, _MACH_LINK)

zig_coff_ld = rule(
    implementation = _zig_coff_ld_impl,
    doc = "For Windows.",
    attrs = {
        "_zig": attr.label(default = "@pip_ziglang//:site/ziglang/zig", allow_single_file = True),
    },
)

zig_mach_ld = rule(
    implementation = _zig_mach_ld_impl,
    doc = "For macOS. Zig finds what the system's library defines in its own wheel.",
    attrs = {
        "_zig": attr.label(default = "@pip_ziglang//:site/ziglang/zig", allow_single_file = True),
    },
)
