"""Methods that share their weights, from capture to the functions of the one model."""

import json

import pytest
import torch
from torch.export import export

from executorch.backends.apple.coreml.compiler import CoreMLBackend
from executorch.backends.apple.coreml.compiler.coreml_preprocess import MULTIMETHOD_WEIGHT_SHARING_STRATEGY
from executorch.backends.apple.coreml.compiler.multifunction import read_reference
from executorch.backends.apple.coreml.compiler.package import unflatten
from executorch.backends.apple.coreml.compiler.toolbox import coremltools
from executorch.backends.apple.coreml.partition import CoreMLPartitioner
from executorch.backends.apple.coreml.test.lowered import LoweredProgram
from executorch.dialects.errors import ExportError
from executorch.exir import to_edge_transform_and_lower
from executorch.partitioner import get_lowered_submodules

POSITIONAL = MULTIMETHOD_WEIGHT_SHARING_STRATEGY.POSITIONAL
LENGTHS = {"forward": 1, "prefill": 8}


def specs(strategy=POSITIONAL, ios="iOS18"):
    ct = coremltools()
    made = CoreMLBackend.generate_compile_specs(
        minimum_deployment_target=ct.target[ios], compute_precision=ct.precision.FLOAT32
    )
    return [*made, CoreMLBackend.generate_multimethod_weight_sharing_strategy_compile_spec(strategy)]


def lowered(model, inputs, compile_specs):
    programs = {name: export(model, given) for name, given in inputs.items()}
    return to_edge_transform_and_lower(programs, partitioner=[CoreMLPartitioner(compile_specs=compile_specs)])


@pytest.fixture(scope="module")
def case():
    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Linear(64, 64), torch.nn.ReLU()).eval()
    inputs = {name: (torch.randn(1, length, 64),) for name, length in LENGTHS.items()}
    return model, inputs, lowered(model, inputs, specs())


def test_each_method_is_a_function_of_the_model(case):
    model, inputs, edge = case
    for name, given in inputs.items():
        (got,) = LoweredProgram(edge.exported_program(name))(*given)
        torch.testing.assert_close(got, model(*given))


def shared_by(edge):
    """What each method's delegate refers to, and the data by name."""
    found, named = {}, {}
    for name in LENGTHS:
        ((_, module, _),) = get_lowered_submodules(edge.exported_program(name).graph_module)
        found[name] = read_reference(module.processed_bytes)
        store = module.named_data_store_output
        named |= {key: bytes(store.buffers[one.buffer_index]) for key, one in store.pte_data.items()}
    return found, named


def test_weights_are_in_the_file_once(case):
    model, inputs, edge = case
    shared = edge.to_executorch().buffer
    apart = lowered(model, inputs, specs(MULTIMETHOD_WEIGHT_SHARING_STRATEGY.DISABLED)).to_executorch().buffer
    weights = 64 * 64 * 4
    assert len(apart) > 2 * weights and len(shared) < 2 * weights
    references, named = shared_by(edge)
    ((key, data),) = named.items()
    assert references == {name: (key, name) for name in LENGTHS}
    page = json.loads(unflatten(data)["metadata.json"])
    assert key == f"coreml_{page['identifier']}" and set(page["methods"]) == set(LENGTHS)


def test_equal_programs_have_equal_names(case):
    model, inputs, edge = case
    assert shared_by(lowered(model, inputs, specs())) == shared_by(edge)


def test_methods_that_do_not_fit_together_are_refused():
    model = torch.nn.Linear(4, 4).eval()
    inputs = {name: (torch.randn(length, 4),) for name, length in LENGTHS.items()}
    with pytest.raises(ExportError, match="from iOS 18 and macOS 15"):
        lowered(model, inputs, specs(ios="iOS17"))
    programs = {name: export(model, given) for name, given in inputs.items()}
    other = CoreMLPartitioner(compile_specs=specs()[1:])
    with pytest.raises(ExportError, match="other compile specs"):
        to_edge_transform_and_lower(
            programs,
            partitioner={"forward": [CoreMLPartitioner(compile_specs=specs())], "prefill": [other]},
        )


def test_methods_with_other_numbers_of_subgraphs_are_refused():
    class Parted(torch.nn.Module):
        def forward(self, x):
            return torch.relu(torch.relu(x).cumsum(1)) if x.shape[0] > 1 else torch.relu(x)

    inputs = {"forward": (torch.randn(1, 4),), "prefill": (torch.randn(2, 4),)}
    partitioner = CoreMLPartitioner(
        compile_specs=specs(), skip_ops_for_coreml_delegation=["aten.cumsum.default"]
    )
    programs = {name: export(Parted(), given) for name, given in inputs.items()}
    with pytest.raises(ExportError, match=r"1 \(forward\), 2 \(prefill\)"):
        to_edge_transform_and_lower(programs, partitioner=[partitioner])


def test_references_that_are_none():
    assert read_reference(b"bytes") is None
    with pytest.raises(ExportError, match="refer to no model"):
        read_reference(b"CMJR{}")
