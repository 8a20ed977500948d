"""The delegate in Objective-C++, against the stand-in for MPSGraph: what it calls calculates what the model does."""

import os
import pathlib

import pytest
import torch

from executorch.backends.apple.mps.serialization import schema
from executorch.backends.apple.mps.serialization.blob import pack, unpack
from executorch.backends.apple.mps.test import cases
from executorch.backends.apple.mps.test.harness import FULL, lower, only
from executorch.backends.apple.mps.test.interpreter import Interpreter
from executorch.backends.apple.mps.test.published import published_blob
from executorch.backends.apple.mps.test.recording import Recording, record
from executorch.backends.test.models_for_tests import SMALL, trained
from executorch.partitioner import get_lowered_submodules

PROGRAM = pathlib.Path(os.environ["MPS_RECORD"]).resolve()
MODELS = ["mobilenet_v2", "resnet18", "keyword_net", "encoder"]


def blob_of(module, inputs, specs):
    """The bytes of the one delegate, and an interpreter of them."""
    edge = lower(module, inputs, specs)
    ((_, submodule, _),) = get_lowered_submodules(edge.exported_program().graph_module)
    return submodule.processed_bytes, only(edge)


def check(recording: Recording, interpreter: Interpreter, inputs, tolerance: float) -> None:
    """Both calculate the same, of the shapes that the file says; scalars have one dimension."""
    for got, want in zip(recording(*inputs), interpreter(*inputs), strict=True):
        shaped = want.reshape(want.shape or [1])
        assert got.shape == shaped.shape
        torch.testing.assert_close(got, shaped, atol=tolerance, rtol=tolerance, equal_nan=True)


def recorded(blob, folder) -> Recording:
    (found,) = record(PROGRAM, [blob], folder)
    return found


@pytest.mark.parametrize("name", cases.GROUPS)
def test_the_calls_of_each_group_are_the_graph(name, tmp_path):
    module, inputs = cases.make(name)
    blob, interpreter = blob_of(module, inputs, FULL)
    check(recorded(blob, tmp_path), interpreter, inputs, 1e-5)


@pytest.mark.parametrize("name", ["products", "convolutions", "normalizations", "moves"])
def test_half_precision(name, tmp_path):
    module, inputs = cases.make(name)
    blob, interpreter = blob_of(module, inputs, None)
    check(recorded(blob, tmp_path), interpreter, inputs, 1e-2)


@pytest.mark.parametrize("name", MODELS)
def test_models(name, tmp_path):
    model, inputs = trained(SMALL[name])
    blob, interpreter = blob_of(model, inputs, FULL)
    check(recorded(blob, tmp_path), interpreter, inputs, 1e-4)


def test_files_of_released_versions(tmp_path):
    x = torch.randn(1, 3, 8, 8)
    check(recorded(published_blob(), tmp_path), Interpreter(published_blob()), (x,), 1e-2)


def test_nodes_that_only_other_files_have(tmp_path):
    """``MPSMin`` and pixels of channels are in no file of this version."""
    module = torch.nn.Sequential(torch.nn.ReLU(), torch.nn.PixelShuffle(2))
    inputs = (torch.randn(2, 8, 3, 5),)
    blob, _ = blob_of(module, inputs, FULL)
    graph, constants = unpack(blob)
    (relu,) = [one for one in graph.mps_nodes if isinstance(one.mpsnode_union, schema.MPSReLU)]
    made = graph.output_ids[0]
    shuffle = schema.MPSPixelShuffle(relu.mpsnode_union.output_id, made, 2)
    graph.mps_nodes = [relu, schema.MPSNode(shuffle, None)]
    (found,) = recorded(pack(graph, bytes(constants)), tmp_path)(*inputs)
    torch.testing.assert_close(found, module(*inputs))


def test_damaged_references_are_refused(tmp_path):
    module, inputs = cases.make("products")
    blob, _ = blob_of(module, inputs, FULL)
    for number in range(3):
        graph, constants = unpack(blob)
        if number == 0:
            graph.mps_nodes[0].mpsnode_union.input1_id = len(graph.mps_values) - 1
        elif number == 1:
            graph.mps_values[graph.output_ids[0]].dims[0] += 1
        else:
            graph.mps_nodes.reverse()
        with pytest.raises(AssertionError, match="has no graph"):
            record(PROGRAM, [pack(graph, bytes(constants))], tmp_path)
