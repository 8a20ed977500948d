"""Files that the published package wrote, run by our runtime; the outputs are those that its runtime gave."""

import json
import pathlib

import numpy as np
import pytest

from executorch.emitter import deserialize_pte_binary, serialize_pte_binary
from executorch.runtime import Runtime

CORPUS = pathlib.Path(__file__).with_name("corpus")
MANIFEST = json.loads((CORPUS / "manifest.json").read_text())
#: Room for another order of additions; everything else is exact.
RTOL, ATOL = 1e-5, 1e-6


def _load(entry, data=None):
    program, *ptd = (CORPUS / name for name in entry["files"])
    return Runtime.get().load_program(
        str(program) if data is None else data, data_path=[str(file) for file in ptd]
    )


def _run(entry, name, program):
    arrays = np.load(CORPUS / f"{name}.npz")
    for method, cases in entry["cases"].items():
        loaded = program.load_method(method)
        for case in range(cases):
            prefix = f"{method}.{case}."
            count = sum(key.startswith(f"{prefix}in") for key in arrays.files)
            found = loaded.execute([arrays[f"{prefix}in{index}"] for index in range(count)])
            expected = [key for key in arrays.files if key.startswith(f"{prefix}et")]
            assert len(found) == len(expected)
            for index, output in enumerate(found):
                np.testing.assert_allclose(
                    np.asarray(output), arrays[f"{prefix}et{index}"], rtol=RTOL, atol=ATOL
                )
                assert np.asarray(output).dtype == arrays[f"{prefix}et{index}"].dtype


@pytest.mark.parametrize("name", MANIFEST)
def test_our_runtime_gives_the_stored_outputs(name):
    entry = MANIFEST[name]
    _run(entry, name, _load(entry))


@pytest.mark.parametrize("name", MANIFEST)
def test_methods_and_constants(name):
    entry = MANIFEST[name]
    program = _load(entry)
    assert sorted(program.method_names) == sorted(entry["methods"])
    for method, expected in entry.get("constant_method_values", {}).items():
        found = program.load_method(method).execute([])
        assert [
            np.asarray(value).tolist() if hasattr(value, "shape") else value for value in found
        ] == expected


@pytest.mark.parametrize("name", MANIFEST)
def test_a_file_read_and_written_again_is_the_same_program(name):
    """Our reader takes it, our writer puts it together, and our runtime finds nothing changed."""
    entry = MANIFEST[name]
    first = deserialize_pte_binary((CORPUS / entry["files"][0]).read_bytes())
    written = bytes(serialize_pte_binary(first, extract_delegate_segments=True))
    second = deserialize_pte_binary(written)
    assert second.program == first.program and second.mutable_data == first.mutable_data
    assert len(written) <= entry["bytes"][0]
    _run(entry, name, _load(entry, written))
