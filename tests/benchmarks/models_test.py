"""The models of the comparison: everything that XNNPACK has is delegated, and programs of both kinds run."""

import json

import pytest
import torch

from executorch.backends.xnnpack import XnnpackPartitioner
from executorch.dialects.edge_ops import aten_op
from executorch.exir import to_edge_transform_and_lower
from executorch.exir.lowered_backend_module import get_lowered_submodules
from executorch.tests.benchmarks import models_worker
from executorch.tests.benchmarks.peer_models import MODELS

#: What XNNPACK has no operator for: to look up and to write by index.
_BY_INDEX = {"embedding", "index", "index_put"}
#: Delegates of each model; the caches of a decoder's layers are written between its delegates.
_DELEGATES = {"mlp": 1, "mnv2": 1, "resnet18": 1, "vit": 1, "bert": 1, "llama": 7}


@pytest.mark.parametrize("name", _DELEGATES)
def test_every_operator_that_xnnpack_has_is_delegated(name):
    model, inputs = MODELS[name].build()
    edge = to_edge_transform_and_lower(torch.export.export(model, inputs), partitioner=[XnnpackPartitioner()])
    module = edge.exported_program().graph_module
    left = {aten_op(node.target) for node in module.graph.nodes} - {None}
    assert {op._schema.name.partition("::")[2] for op in left} <= _BY_INDEX
    assert len(get_lowered_submodules(module)) == _DELEGATES[name]


@pytest.mark.parametrize("ending", ["xnnpack", "undelegated"])
def test_a_process_measures(tmp_path, capsys, ending):
    program = tmp_path / f"mlp.ours.{ending}.pte"
    assert models_worker.main(["ours", "mlp", "1", "0.01", str(program)]) == 0
    assert json.loads(capsys.readouterr().out.splitlines()[-1])["us"] > 0
    assert (b"XnnpackBackend" in program.read_bytes()) == (ending == "xnnpack")


def test_peers_are_not_asked_for_int8():
    arguments = ["torch", "mnv2_int8", "1", "0.01", "unused"]
    assert models_worker.main(arguments) == models_worker.UNSUPPORTED
