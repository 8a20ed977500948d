"""The macros that BUILD files use; `microlibrary` declares a library, the others its parts.

C++ headers are included as `<executorch/PACKAGE/HEADER>`, Python modules imported as
`executorch.PACKAGE.MODULE`: the label, the include and the import spell the same path.
"""

load("@rules_cc//cc:defs.bzl", "cc_binary", "cc_library", "cc_test")
load("@rules_python//python:defs.bzl", "py_binary", "py_library", "py_test")
load("//bazel/release:libraries.bzl", "LIBRARIES")
load("//toolchains:cross.bzl", "cross_files")
load(":compatibility.bzl", "EXTENSION_MODULES", "HOST", "PROGRAMS")
load(":dist.bzl", "cc_dist")
load(":edges.bzl", "EDGES")
load(":headers.bzl", "headers_compile_alone")
load(":layers.bzl", "cc_layers")
load(":wheel.bzl", "CROSS_WHEELS", "py_wheel")

_PUBLIC = ["//visibility:public"]

# The core and the portable kernels run where there is neither unwinder nor typeinfo.
_FREESTANDING_COPTS = [
    "-fno-exceptions",
    "-fno-rtti",
    "-fno-threadsafe-statics",
]

# In builds for size (--config=size) the least code, which GCC and Clang have a level of their own for.
_COLD_COPTS = select({
    Label("//bazel:for_size"): ["-Oz"],
    "//conditions:default": [],
})

_IMPORT_ROOT = Label("//bazel:import_root")
_PYTEST_MAIN = Label("//bazel:pytest_main.py")
_PYTEST_DEPS = [
    Label("//third-party:pytest"),
    Label("//third-party:hypothesis"),
]
_PYTEST_NAMES = [
    "//third-party:hypothesis",
    "//third-party:pytest",
]
_GOOGLETEST = Label("//third-party:googletest")

def _private_headers(name, srcs):
    """Headers among the sources are included by their full path as well; returns the sources and what they need."""
    headers = [src for src in srcs if src.endswith(".h")]
    if not headers:
        return srcs, []
    cc_library(
        name = name + "_private_headers",
        hdrs = headers,
        include_prefix = "executorch/" + native.package_name(),
        visibility = ["//visibility:private"],
    )
    return [src for src in srcs if src not in headers], [name + "_private_headers"]

def cc_lib(
        name,
        srcs = [],
        hdrs = [],
        cold = False,
        copts = [],
        freestanding = False,
        implementation_deps = [],
        visibility = _PUBLIC,
        **kwargs):
    """A cc_library whose headers are included as <executorch/PACKAGE/HEADER>.

    Args:
      name: of the target.
      srcs: sources and private headers.
      hdrs: public headers, relative to the package.
      cold: nothing of it runs while a method is executed; a build for size makes it smaller than the rest.
      copts: added to the compile of this target.
      freestanding: compile without exceptions, RTTI and guarded statics.
      implementation_deps: what only the sources include.
      visibility: public unless a target is truly private; edges are checked by //tests/architecture.
      **kwargs: as for cc_library.
    """
    sources, private = _private_headers(name, srcs)
    cc_library(
        name = name,
        srcs = sources,
        hdrs = hdrs,
        copts = copts + (_FREESTANDING_COPTS if freestanding else []) + (_COLD_COPTS if cold else []),
        implementation_deps = implementation_deps + private,
        include_prefix = "executorch/" + native.package_name(),
        visibility = visibility,
        **kwargs
    )

# Tests are built for other platforms as well, and run there.
_TEST_USERS = ["//tests/cross:__pkg__"]

# A test's own code runs for milliseconds and is compiled often; what it tests is compiled as it ships.
_TEST_COPTS = ["-O0"]

def cc_unit_test(
        name,
        srcs,
        deps = [],
        copts = [],
        size = "small",
        target_compatible_with = [],
        visibility = _TEST_USERS,
        **kwargs):
    """A googletest program (gmock and main included).

    Args:
      name: of the target.
      srcs: sources and headers of the test.
      deps: what is tested.
      copts: added to the compile of the test.
      size: as for cc_test.
      target_compatible_with: besides what every test asks.
      visibility: as for cc_test.
      **kwargs: as for cc_test.
    """
    sources, private = _private_headers(name, srcs)
    cc_test(
        name = name,
        size = size,
        srcs = sources,
        copts = _TEST_COPTS + copts,
        target_compatible_with = PROGRAMS + target_compatible_with,
        visibility = visibility,
        deps = deps + private + [_GOOGLETEST] + select({
            "//toolchains:sanitizer_none": [],
            "//conditions:default": ["//toolchains:sanitizer_suppressions"],
        }),
        **kwargs
    )

def cc_bin(name, linkshared = False, shared_for = EXTENSION_MODULES, target_compatible_with = [], visibility = _PUBLIC, **kwargs):
    """A program, or what is shared: an extension module of Python, unless `shared_for` says what else."""
    cc_binary(
        name = name,
        linkshared = linkshared,
        target_compatible_with = (shared_for if linkshared else PROGRAMS) + target_compatible_with,
        visibility = visibility,
        **kwargs
    )

def py_lib(name, deps = [], target_compatible_with = [], visibility = _PUBLIC, **kwargs):
    """A py_library importable as executorch.PACKAGE.MODULE."""
    py_library(
        name = name,
        target_compatible_with = HOST + target_compatible_with,
        visibility = visibility,
        deps = deps + [_IMPORT_ROOT],
        **kwargs
    )

def py_unit_test(name, srcs, deps = [], args = [], size = "small", target_compatible_with = [], **kwargs):
    """Tests run by pytest, with Hypothesis at hand.

    Args:
      name: of the target.
      srcs: test files; all of them are collected.
      deps: what is tested.
      args: further arguments of pytest.
      size: as for py_test.
      target_compatible_with: besides what all Python asks.
      **kwargs: as for py_test.
    """
    py_test(
        name = name,
        size = size,
        srcs = srcs + [_PYTEST_MAIN],
        args = ["$(location {})".format(src) for src in srcs if not src.endswith("conftest.py")] + args,
        main = _PYTEST_MAIN,
        target_compatible_with = HOST + target_compatible_with,
        deps = [dep for dep in deps if dep not in _PYTEST_NAMES] + [_IMPORT_ROOT] + _PYTEST_DEPS,
        **kwargs
    )

def py_bin(name, srcs, deps = [], target_compatible_with = [], visibility = _PUBLIC, **kwargs):
    py_binary(
        name = name,
        srcs = srcs,
        target_compatible_with = HOST + target_compatible_with,
        visibility = visibility,
        deps = deps + [_IMPORT_ROOT],
        **kwargs
    )

# The schema's C++ ships with the runtime: its header parser returns the runtime's Result, and the executor reads
# programs through it, so neither could be installed without the other. The thread pool needs a third-party library, which
# the rest of `extension` does without; it ships with its one user among the distributions.
_CC_SHIPS_WITH = {
    "extension/threadpool": "backends/xnnpack",
    "schema": "runtime",
}

def _shipped_in(directory, kind):
    """The library whose artefact holds a directory: the nearest one above that ships as this kind."""
    parts = directory.split("/")
    for end in range(len(parts), 0, -1):
        library = "/".join(parts[:end])
        if kind in LIBRARIES.get(library, []):
            return library
    fail("no library ships {} as a {}".format(directory, kind))

def _siblings(package, language, rows = []):
    """VERSION label -> distribution name of the libraries that a row of the edge table names, and `rows` below it."""
    siblings = {}
    for edge in depset(transitive = [depset(EDGES[row][language]) for row in [package] + rows]).to_list():
        if language == "cc":
            library = _shipped_in(_CC_SHIPS_WITH.get(edge, edge), "dist")
        else:
            library = _shipped_in(edge, "wheel")
        if library != package:
            siblings["//{}:VERSION".format(library)] = "executorch_" + library.replace("/", "_")
    return siblings

# What is required by name alone, at the releases that //tests/torch_versions was run with, the first and the last of them.
_PROVEN = {"torch": "torch>=2.13,<2.15"}

def _wheels(package, name, python, rows, requires, extension_modules, import_root):
    """The wheel for this build's platform, and where there is something compiled in it, for others."""
    platforms = {"wheel": None} | ({
        "wheel_" + machine: platform
        for machine, platform in CROSS_WHEELS.items()
    } if extension_modules else {})
    for target, platform in platforms.items():
        modules = []
        if platform:
            modules = [target + "_modules"]
            cross_files(
                name = modules[0],
                srcs = extension_modules,
                platform = platform,
            )
        py_wheel(
            name = target,
            distribution = "executorch_" + name,
            extension_modules = modules,
            import_root = import_root,
            platform = platform or "linux_x86_64",
            readme = "README.md",
            requires = [_PROVEN.get(requirement, requirement) for requirement in requires],
            siblings = _siblings(package, "py", rows),
            tags = ["manual"] if platform else [],
            version = "VERSION",
            visibility = _PUBLIC,
            deps = python,
        )

def microlibrary(
        name,
        python = [],
        rows = [],
        cc = [],
        requires = [],
        bundles = [],
        bundled_licences = [],
        extension_modules = [],
        import_root = "",
        archives = {},
        registrations = {},
        further_names = {}):
    """Declares the library of this package: `:wheel` and/or `:dist`, its VERSION and its edges.

    Args:
      name: the library's name, which is its directory.
      python: py_lib targets that make up the wheel, which installs only executorch/PACKAGE.
      rows: directories below with rows of their own in bazel/edges.bzl that the wheel holds: it requires what they import, too.
      cc: cc_lib targets that make up the distribution.
      requires: requirement strings of what the wheel imports besides its siblings; "torch" alone is in the range that is proven.
      bundles: third-party C++ libraries that the distribution carries, with what they stand on.
      bundled_licences: the licences of all of them.
      extension_modules: in the wheel, on CPython's stable interface; it has builds for other platforms then
        (`:wheel_aarch64`, manual).
      archives: the documented static libraries, as cc_dist has them.
      registrations: those of them that are linked whole.
      further_names: further names of them.
      import_root: the directory that the wheel's documented import path is relative to, if it is not executorch.LIBRARY.
    """
    package = native.package_name()
    if package not in EDGES:
        fail("{} is not in bazel/edges.bzl: a library declares its edges there first.".format(package))
    native.exports_files(["VERSION", "CHANGELOG.md", "README.md"], visibility = _PUBLIC)
    if python:
        _wheels(package, name, python, rows, requires, extension_modules, import_root)
    if cc:
        cc_dist(
            name = "dist",
            archives = archives,
            bundled_licences = bundled_licences,
            bundles = bundles,
            further_names = further_names,
            library = "executorch_" + name,
            packages = [package] + [guest for guest, host in _CC_SHIPS_WITH.items() if host == package],
            registrations = registrations,
            siblings = _siblings(package, "cc"),
            version = "VERSION",
            visibility = _PUBLIC,
            deps = cc,
        )

        # Every header by itself, some hundred compiles: ./bazelw build //runtime:headers_alone
        headers_compile_alone(
            name = "headers_alone",
            tags = ["manual"],
            deps = cc,
        )

        # What //tests/architecture:layering_test reads.
        cc_layers(
            name = "layers",
            deps = cc,
            visibility = ["//tests/architecture:__pkg__"],
        )

def sources(ignored = []):
    """Once in every package: `:sources`, its files for the checks that read the whole tree (//bazel/lint, ...).

    Args:
      ignored: directories below that are workspaces of their own (they stand in .bazelignore).
    """
    native.filegroup(
        name = "sources",
        srcs = native.glob(
            ["**"],
            exclude = [
                "**/__pycache__/**",
                "bazel-*/**",
                ".*/**",
            ],
            allow_empty = True,
        ) + [
            # Packages right below this one; each hands on what is below it.
            "//{}/{}:sources".format(native.package_name(), package)
            for package in native.subpackages(include = ["**"], exclude = ignored, allow_empty = True)
        ],
        visibility = _PUBLIC,
    )
