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


@pytest.mark.parametrize("name", _DELEGATES)
def test_results_follow_from_the_inputs(name):
    model, inputs = MODELS[name].build()
    others = tuple(one.flip(-1) if one.numel() > 1 else one + 1 for one in inputs)
    with torch.no_grad():
        result, other = (torch.utils._pytree.tree_leaves(model(*given))[0] for given in (inputs, others))
    assert float((result - other).abs().max()) > 0.01 * float(result.abs().max())


@pytest.mark.parametrize("ending", ["xnnpack", "undelegated"])
def test_processes_make_and_measure(tmp_path, capsys, ending):
    program = tmp_path / f"mlp.ours.{ending}.pte"
    assert models_worker.main(["make", "torch", "mlp", str(models_worker.reference_file(program))]) == 0
    assert models_worker.main(["make", "ours", "mlp", str(program)]) == 0
    assert (b"XnnpackBackend" in program.read_bytes()) == (ending == "xnnpack")
    for engine in ("ours", "torch"):
        assert models_worker.main(["run", engine, "mlp", str(program), "1,2", "0.01"]) == 0
        figures = json.loads(capsys.readouterr().out.splitlines()[-1])
        assert set(figures["us"]) == {"1", "2"} and min(figures["us"].values()) > 0
        assert figures["difference"] < 1e-5


def test_who_takes_no_part_says_so(monkeypatch):
    assert (
        models_worker.main(["run", "torch", "mnv2_int8", "unused", "1", "0.01"]) == models_worker.UNSUPPORTED
    )
    monkeypatch.setattr(models_worker.importlib.util, "find_spec", lambda name: None)
    for engine in models_worker.PEERS:
        assert models_worker.main(["make", engine, "mlp", "unused"]) == models_worker.ABSENT
