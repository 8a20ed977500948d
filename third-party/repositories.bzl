"""Repository rules: pinned packages become repositories.

`fetch/fetch.py` does the work with the host's python3 and the machine's own clients; a package that cannot
be had stops the build with its name and the way out.
"""

# Whose Python tools and tests run on: "machine", "own", or nothing for the first of these that will do.
_CHOICE = "EXECUTORCH_PYTHON"

# "files" makes every file of a directory of wheels, or of a bundle, an input of its own: Bazel before 8.3 gives a worker an empty
# directory for one that is in a program's runfiles. Otherwise a directory is one input, and one link instead of a forest.
_DIRECTORIES = "EXECUTORCH_DIRECTORIES"

def _python3(rctx):
    """What runs the programs of fetch/: the machine's interpreter, any that is alive; on a machine without one, ours."""
    return rctx.which("python3") or rctx.path(Label("@bundle_python//:site/usr/bin/python3"))

def _run(rctx, python, tool, arguments):
    """Runs a tool of fetch/ and returns what it prints; it says itself what went wrong."""
    done = rctx.execute([python, rctx.path(Label("//third-party/fetch:" + tool))] + arguments, timeout = 1800)
    if done.return_code != 0:
        fail("\n" + done.stderr)
    return done.stdout

def _bring_in(rctx, row):
    """Unpacks the rows under `site`; returns the digest of the first, and the interpreter there is after that."""
    if rctx.attr.bundle == "python" and not rctx.which("python3"):
        done = rctx.execute(["sh", rctx.path(Label("//third-party/fetch:python.sh")), "site"])
        if done.return_code != 0:
            fail("\nthird-party: there is no python3 on PATH, and none could be fetched:\n" + done.stderr)
        return row["sha256"][0], rctx.path("site/usr/bin/python3")
    python = _python3(rctx)
    locked = []
    if row["kind"] == "pip" and rctx.os.environ.get(_CHOICE) == "own":
        locked.append(str(rctx.path(Label("@bundle_python//:site/usr/bin/python3"))))
    return _run(rctx, python, "fetch.py", [rctx.attr.rows, "site"] + locked).strip(), python

_WHEEL_BUILD = """\
load("@rules_python//python:defs.bzl", "py_library")

package(default_visibility = ["//visibility:public"])

exports_files(["site", "licence.json"])

# One directory, so that the runfiles of a test hold one link and not a forest of them.
py_library(
    name = "pkg",
    data = ["site"],
    imports = ["site"],
    deps = {deps},
)
"""

def _package_impl(rctx):
    row = json.decode(rctx.attr.rows)[0]
    name = rctx.attr.bundle or row["package"]
    rctx.report_progress("bringing in {} {}".format(name, row["version"]))
    digest, python = _bring_in(rctx, row)
    rctx.file("licence.json", _run(rctx, python, "licence.py", [row["kind"], name, row["version"], digest, "site"]))
    if rctx.attr.bundle:
        # Nothing is read there, and links into packages that are not of the bundle are no inputs of anything.
        for directory in ["doc", "locale", "man"]:
            rctx.delete("site/usr/share/" + directory)
        done = rctx.execute(["find", "-L", "site", "-type", "l", "-delete"])
        if done.return_code != 0:
            fail("\n" + done.stderr)
    for source, path in rctx.attr.files.items():
        rctx.file("site/" + path, rctx.read(source), executable = True)
    build = 'exports_files(["licence.json"], visibility = ["//visibility:public"])\n'
    overlay = rctx.read(rctx.attr.overlay) if rctx.attr.overlay else ""
    if row["kind"] == "pip":
        build = _WHEEL_BUILD.format(deps = repr([str(dep) for dep in rctx.attr.deps])) + "\n" + overlay
    elif overlay:
        build = overlay
    if rctx.os.environ.get(_DIRECTORIES) == "files":
        for attribute in ["data", "srcs"]:
            build = build.replace(attribute + ' = ["site"]', attribute + ' = glob(["site/**"])')
    rctx.file("BUILD.bazel", build)

# What steers the ways to a package is no attribute and no `environ`: a digest is the same whatever way it came. Which
# Python wrote a wheel's bytecode is in its files, though.
package_repository = repository_rule(
    implementation = _package_impl,
    doc = "Pinned packages in one tree under `site`, with a BUILD file and a row of the licence table.",
    attrs = {
        "bundle": attr.string(doc = "name of a tree of several Debian packages, such as a program and the libraries it loads"),
        "deps": attr.label_list(doc = "py_library targets of the packages that this wheel imports"),
        "files": attr.label_keyed_string_dict(doc = "programs of ours to paths in the tree", allow_files = True),
        "overlay": attr.label(doc = "BUILD text: added to a wheel's, or the whole of another package's", allow_single_file = True),
        "rows": attr.string(mandatory = True, doc = "JSON: a list of rows of a lock file, with the fields of its head"),
    },
    environ = [
        _CHOICE,
        _DIRECTORIES,
    ],
)

_PYTHON_BUILD = """\
load("@rules_cc//cc:defs.bzl", "cc_library")
load("@rules_python//python:defs.bzl", "py_runtime", "py_runtime_pair")

package(default_visibility = ["//visibility:public"])

py_runtime(
    name = "runtime",
    {runtime},
    python_version = "PY3",
    stub_shebang = {shebang},
)

py_runtime_pair(
    name = "pair",
    py3_runtime = ":runtime",
)

{headers}
"""

_MACHINES_HEADERS = """\
cc_library(
    name = "headers",
    hdrs = glob(["include/**/*.h", "multiarch/**/*.h"], allow_empty = True),
    includes = ["include", "multiarch"],
)
"""

_OWN_HEADERS = """\
alias(
    name = "headers",
    actual = "@bundle_python//:headers",
)
"""

# The first lines of each Python program: a shell finds the interpreter in the program's runfiles (a tool's lie in its
# user's) or at the execution root. A path of this machine would be none of another that runs the program, and part of
# what the program's cache key covers. Python reads these lines as a string.
_OWN_SHEBANG = """\
#!/bin/sh
''':'
for root in "$0.runfiles" "${{0%.runfiles/*}}.runfiles" "$RUNFILES_DIR" external "$(readlink -f "$0").runfiles"; do
  [ -x "$root/{interpreter}" ] && exec "$root/{interpreter}" "$0" "$@"
done
echo "$0: {interpreter} is not in its runfiles" >&2
exit 1
'''"""

_PROBE = """
import sys, sysconfig
print(sys.executable, '%d.%d' % sys.version_info[:2], sysconfig.get_path('include'), sep='\\n')
print(sysconfig.get_config_var('MULTIARCH') or '-')
"""

def _machines_python(rctx):
    """Describes the machine's Python; returns why not, where it is none that the locked wheels are for."""
    python = rctx.which("python3")
    if not python:
        return "there is no python3 on PATH"
    done = rctx.execute([python, "-c", _PROBE])
    if done.return_code != 0:
        return "python3 does not run:\n" + done.stderr
    interpreter, version, include, multiarch = done.stdout.strip().split("\n")
    if version != rctx.attr.version:
        return "the locked wheels are for Python {}, python3 on PATH is {} ({})".format(rctx.attr.version, version, interpreter)
    if not rctx.path(include + "/Python.h").exists:
        return "Python.h is not in " + include
    rctx.symlink(include, "include")

    # Debian's pyconfig.h is one for all architectures and includes <TRIPLET/pythonX.Y/pyconfig.h>.
    own = rctx.path(include).dirname.get_child(multiarch, "python" + version)
    if own.exists:
        rctx.symlink(own, "multiarch/{}/python{}".format(multiarch, version))

    # Without site-packages: what a test imports comes from the lock file or not at all.
    rctx.file("python3", '#!/bin/sh\nexec "{}" -S "$@"\n'.format(interpreter), executable = True)
    rctx.file("BUILD.bazel", _PYTHON_BUILD.format(
        headers = _MACHINES_HEADERS,
        runtime = 'interpreter = "python3"',
        shebang = repr("#!" + interpreter),
    ))
    return None

def _own_python(rctx):
    interpreter = Label("@bundle_python//:site/usr/bin/python3")
    shebang = _OWN_SHEBANG.format(interpreter = "{}/{}".format(interpreter.workspace_name, interpreter.name))
    rctx.file("BUILD.bazel", _PYTHON_BUILD.format(
        headers = _OWN_HEADERS,
        runtime = 'interpreter = "@bundle_python//:site/usr/bin/python3",\n    files = ["@bundle_python//:tree"]',
        shebang = repr(shebang),
    ))

def _host_python_impl(rctx):
    choice = rctx.os.environ.get(_CHOICE, "")
    if choice not in ["", "machine", "own"]:
        fail("{} is '{}': it may be 'machine', 'own' or nothing".format(_CHOICE, choice))
    reason = _machines_python(rctx) if choice != "own" else _CHOICE + " asks for another"
    if reason and choice == "machine":
        fail("third-party: " + reason)
    if reason:
        _own_python(rctx)

host_python = repository_rule(
    implementation = _host_python_impl,
    doc = """Python for what runs here: interpreter for py_test, headers for the bindings.

The machine's where it is of the version that the locked wheels are for and has headers; else our own.""",
    attrs = {"version": attr.string(mandatory = True)},
    environ = [
        "PATH",
        _CHOICE,
    ],
    local = True,
    configure = True,
)

def _licence_hub_impl(rctx):
    rctx.file("BUILD.bazel", """\
filegroup(
    name = "rows",
    srcs = {rows},
    visibility = ["//visibility:public"],
)
""".format(rows = repr(["@{}//:licence.json".format(name) for name in rctx.attr.repositories])))

licence_hub = repository_rule(
    implementation = _licence_hub_impl,
    doc = "A repository that knows every other one: the rows of the licence table.",
    attrs = {"repositories": attr.string_list(mandatory = True)},
)
