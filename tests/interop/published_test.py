"""Programs of this project run by the published package, and the other way round; the oracle is eager PyTorch."""

import functools

import pytest
import torch

from executorch.emitter import ExtendedHeader, deserialize_pte_binary
from executorch.runtime import Runtime
from executorch.tests.interop import compiled, programs
from executorch.tests.interop.published_jobs import Job, run_jobs, why_not, write_programs
from executorch.tests.interop.specimen import check

pytestmark = pytest.mark.skipif(why_not() is not None, reason=str(why_not()))

#: What the published compiler is asked to write. It has no while loops, its map does not lower with a dynamic number of
#: rows, text cannot be an output, and initial values of mutable buffers are dropped; the corpus has the rest.
WRITTEN = (
    "constants_of_all_dtypes",
    "containers",
    "dtypes",
    "dynamic_shapes",
    "external_weights",
    "key_value_cache",
    "lists_of_tensors",
    "mlp",
    "nested_condition",
    "scan_rows",
)


def _leaves(inputs):
    return list(torch.utils._pytree.tree_leaves(inputs))


@functools.cache
def _our_files(name):
    return compiled.compile_specimen(programs.make(name))


@pytest.fixture(scope="module")
def run_by_published(tmp_path_factory):
    """Name -> outputs (or error) of our programs in the published runtime."""
    jobs, results = {}, {}
    for name in programs.SPECIMENS:
        try:
            files = _our_files(name)
        except Exception as error:  # the test of this specimen reports it, not all of them
            results[name] = f"does not compile: {error}"
            continue
        calls = [(method, _leaves(inputs)) for method, inputs in programs.make(name).calls]
        jobs[name] = Job(files.pte, calls, next(iter(files.ptd.values()), None))
    return results | run_jobs(jobs, tmp_path_factory.mktemp("ours"))


@pytest.fixture(scope="module")
def written_by_published(tmp_path_factory):
    """A directory with what the published compiler made of the specimens."""
    directory = tmp_path_factory.mktemp("theirs")
    write_programs(WRITTEN, directory)
    return directory


@pytest.mark.parametrize("name", programs.SPECIMENS)
def test_the_published_runtime_runs_our_program(name, run_by_published):
    specimen = programs.make(name)
    found = run_by_published[name]
    assert not isinstance(found, str), found
    for call, expected in enumerate(specimen.expected()):
        check(specimen, call, found[call], expected)


@pytest.mark.parametrize("name", WRITTEN)
def test_our_runtime_runs_a_program_of_the_published_compiler(name, written_by_published):
    specimen = programs.make(name)
    error = written_by_published / f"{name}.error"
    assert not error.exists(), error.read_text()
    data = written_by_published / f"{name}.data"
    source = (written_by_published / f"{name}.pte").read_bytes()
    program = Runtime.get().load_program(source, data_path=str(data) if data.exists() else None)
    methods = {method: program.load_method(method) for method, _ in specimen.calls}
    for call, expected in enumerate(specimen.expected()):
        method, inputs = specimen.calls[call]
        check(specimen, call, methods[method].execute(_leaves(inputs)), expected)


@pytest.mark.parametrize("name", WRITTEN)
def test_our_files_are_not_larger(name, written_by_published):
    """Flatbuffer and constants; initial states of mutable buffers come on top, which the other file lacks."""
    ours, theirs = _sizes(_our_files(name).pte), _sizes((written_by_published / f"{name}.pte").read_bytes())
    assert ours[0] <= theirs[0] and ours[1] <= theirs[1]


def _sizes(pte):
    header = ExtendedHeader.from_file(pte)
    program = deserialize_pte_binary(pte).program
    # A buffer ends where the next one begins; which of them is the last, and so without padding, is a matter of order.
    constants = sum(-(-len(buffer.storage) // 16) * 16 for buffer in program.constant_buffer)
    return len(pte) if header is None else header.program_size, constants
