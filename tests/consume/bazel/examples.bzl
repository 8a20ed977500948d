"""What is declared for each library: its example as a test."""

load("@rules_cc//cc:defs.bzl", "cc_test")
load("@rules_python//python:defs.bzl", "py_test")

_PROGRAMS = "@executorch//tests/consume/programs:"

def _name(library):
    return library.replace("/", "_")

def _readme_program(library):
    """The first Python example of a library's README, as a source file.

    Args:
      library: its directory.

    Returns:
      The file's name.
    """
    source = _name(library) + "_example.py"
    native.genrule(
        name = _name(library) + "_source",
        srcs = ["@executorch//{}:README.md".format(library)],
        outs = [source],
        cmd = "awk '/^```python$$/ { on = 1; next } /^```/ { if (on) exit } on' $< > $@",
    )
    return source

def python_example(library, deps, program = None, **kwargs):
    """A test that runs an example.

    Args:
      library: directory of the library.
      deps: the targets of it that the example imports, and nothing else.
      program: name of a program that stands for the README's example.
      **kwargs: as for py_test.
    """
    source = program and _PROGRAMS + program or _readme_program(library)
    py_test(
        name = _name(library) + "_py_test",
        size = "medium",
        srcs = [source],
        main = source,
        deps = deps,
        **kwargs
    )

def cc_example(library, deps):
    """A test that runs a program of one library.

    Args:
      library: directory of the library.
      deps: the targets of it that the program includes.
    """
    cc_test(
        name = _name(library) + "_cc_test",
        size = "small",
        srcs = ["{}{}.cc".format(_PROGRAMS, _name(library))],
        deps = deps,
    )
