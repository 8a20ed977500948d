"""The static libraries by their documented names, as bindings and build scripts link them without CMake: by hand, and whole."""

import os
import pathlib
import re

import pytest

from executorch.tests.consume.cmake.native_tools import compiler, install, run

PROGRAMS = pathlib.Path(__file__).absolute().parents[1] / "programs"

pytestmark = pytest.mark.skipif(
    "CONSUME_CMAKE" not in os.environ,
    reason="needs what Bazel builds: ./bazelw test //tests/consume/cmake:all",
)

DISTRIBUTIONS = (
    "runtime",
    "kernels",
    "extension",
    "extension/llm/custom_ops",
    "backends/xnnpack",
    "devtools",
)

# What the bindings for Rust link, each of them whole.
RUST = [
    "executorch",
    "executorch_core",
    "portable_kernels",
    "portable_ops_lib",
    "extension_data_loader",
    "extension_module_static",
    "extension_named_data_map",
    "extension_flat_tensor",
    "extension_tensor",
    "etdump",
]

XNNPACK = [
    "xnnpack_backend",
    "XNNPACK",
    "xnnpack-microkernels-prod",
    "extension_threadpool",
    "pthreadpool",
    "cpuinfo",
]

# Names that stand for others, of which a program links one.
ALTERNATIVES = {"extension_module", "optimized_native_cpu_ops_lib", "optimized_ops_lib"}

# Code that lies in another archive; there so that a link line that names it is right.
EMPTY = {
    "cpublas",
    "eigen_blas",
    "extension_memory_allocator",
    "flatccrt",
    "kernels_util_all_deps",
    "kleidiai",
    "optimized_kernels",
    "optimized_portable_kernels",
    "re2",
    "regex_lookahead",
    "sentencepiece",
    "xnnpack-microkernels-prod",
}

# As the frameworks of released packages are put together, and what applications link by name.
DOCUMENTED = {
    *RUST,
    *XNNPACK,
    *ALTERNATIVES,
    *EMPTY,
    "bundled_program",
    "custom_ops",
    "extension_asr_runner",
    "extension_evalue_util",
    "extension_llm_runner",
    "extension_runner_util",
    "extension_training",
    "pcre2-8",
    "quantized_kernels",
    "quantized_ops_lib",
    "tokenizers",
}


@pytest.fixture(scope="module")
def prefix(tmp_path_factory):
    return install(DISTRIBUTIONS, tmp_path_factory.mktemp("prefix"))


@pytest.fixture(scope="module")
def cxx(tmp_path_factory):
    return compiler(tmp_path_factory.mktemp("compiler"))


def archives(prefix):
    return {path.stem.removeprefix("lib"): path for path in (prefix / "lib").glob("lib*.a")}


def link(cxx, prefix, program, names, out):
    whole = [f"-Wl,--whole-archive {name} -Wl,--no-whole-archive".split() for name in names]
    flags = [f"-l{flag}" if not flag.startswith("-") else flag for flags in whole for flag in flags]
    include, library = f"-I{prefix / 'include'}", f"-L{prefix / 'lib'}"
    run(
        [
            cxx,
            "-std=c++17",
            "-O2",
            include,
            PROGRAMS / f"{program}.cc",
            library,
            *flags,
            "-lpthread",
            "-o",
            out,
        ]
    )
    return run([out])


def test_every_documented_name_is_there(prefix):
    there = archives(prefix)
    assert not DOCUMENTED - set(there)
    assert {name for name, path in there.items() if path.read_bytes() == b"!<arch>\n"} == EMPTY


def test_linked_as_bindings_do(prefix, cxx, tmp_path):
    quantized = ["quantized_kernels", "quantized_ops_lib"]
    assert re.match("kernels: 21 42", link(cxx, prefix, "kernels", RUST + quantized, tmp_path / "kernels"))
    assert re.match("extension: 6", link(cxx, prefix, "extension", RUST, tmp_path / "extension"))
    said = link(cxx, prefix, "backends_xnnpack", RUST + XNNPACK, tmp_path / "xnnpack")
    assert re.match("backends_xnnpack: available", said)


def test_no_code_is_in_two_archives(prefix, cxx, tmp_path):
    """All of them whole: a second definition of anything would end the link."""
    names = [name for name in archives(prefix) if name not in ALTERNATIVES]
    assert re.match("kernels: 21 42", link(cxx, prefix, "kernels", names, tmp_path / "all"))
