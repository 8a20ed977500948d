"""A FlatBuffer schema, written once, as C++ and Python."""

load("//bazel:defs.bzl", "cc_lib", "py_lib")

_FLATC = "//third-party:flatc"

# Copied together first: flatc writes the paths of its sources into a compiled schema, and those differ between
# sandboxes. The schemas are named by what `-I .` finds.
_COMPILE = " && ".join([
    "dir=$$(mktemp -d)",
    "cp -L $(SRCS) $$dir",
    "flatc=$$PWD/$(execpath {flatc})",
    "out=$$PWD/$@",
    "cd $$dir",
    "$$flatc --binary --schema --bfbs-comments --bfbs-builtins --bfbs-filenames . {name}.fbs",
    "cp {name}.bfbs $$out",
])

def _python(name, sources, deps):
    native.genrule(
        name = name + "_bfbs",
        srcs = sources,
        outs = [name + ".bfbs"],
        cmd = _COMPILE.format(flatc = _FLATC, name = name),
        tools = [_FLATC],
        visibility = ["//visibility:public"],
    )
    native.genrule(
        name = name + "_py",
        srcs = [name + ".bfbs"],
        outs = [name + ".py"],
        cmd = "$(execpath //schema/codegen:generate) $(SRCS) $@",
        tools = ["//schema/codegen:generate"],
    )
    py_lib(
        name = name,
        srcs = [name + ".py"],
        deps = ["//schema:package", "//schema:wire"] + deps,
    )

def flatbuffer_schema(name, deps = [], has_python = True):
    """Makes `:NAME` (executorch.PACKAGE.NAME in Python) and `:NAME_cc` (<executorch/PACKAGE/NAME_generated.h>).

    Args:
      name: of the schema; NAME.fbs is its source.
      deps: schemas that it includes.
      has_python: False for what only C++ reads.
    """
    sources = [name + ".fbs"] + [dep + ".fbs" for dep in deps]
    if has_python:
        _python(name, sources, deps)

    # Scoped enums and mutable accessors are what users of the generated header expect.
    native.genrule(
        name = name + "_header",
        srcs = sources,
        outs = [name + "_generated.h"],
        cmd = "$(execpath {flatc}) --cpp --cpp-std c++17 --scoped-enums --gen-mutable".format(flatc = _FLATC) +
              " --include-prefix executorch/{} -o $(RULEDIR) $(execpath {}.fbs)".format(native.package_name(), name),
        tools = [_FLATC],
    )
    cc_lib(
        name = name + "_cc",
        hdrs = [name + "_generated.h"],
        deps = ["//third-party:flatbuffers"] + [dep + "_cc" for dep in deps],
    )
