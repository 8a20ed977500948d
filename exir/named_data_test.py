"""What delegates keep beside their blobs, seen from the manager."""

import torch

from executorch.exir import to_edge
from executorch.partitioner import (
    BackendDetails,
    DelegationSpec,
    NamedDataStore,
    Partitioner,
    PartitionResult,
    PreprocessResult,
)


class KeepsWeights(BackendDetails):
    @staticmethod
    def preprocess(edge_program, compile_specs):
        store = NamedDataStore()
        op = next(node for node in edge_program.graph.nodes if node.op == "call_function")
        store.add_named_data(f"data of {op.target._op.overloadpacket.__name__}", b"weights", 8)
        return PreprocessResult(b"blob", data_store_output=store.get_named_data_store_output())


class Takes(Partitioner):
    def __init__(self, name):
        self.name = name

    def partition(self, exported_program):
        tags = {}
        programs = [m for m in exported_program.graph_module.modules() if isinstance(m, torch.fx.GraphModule)]
        for node in (node for program in programs for node in program.graph.nodes):
            if node.op == "call_function" and f".{self.name}." in f".{node.target}.":
                node.meta["delegation_tag"] = node.name
                tags[node.name] = DelegationSpec("KeepsWeights", [])
        return PartitionResult(exported_program, tags)


class Branches(torch.nn.Module):
    def forward(self, flag, x):
        return torch.cond(flag, lambda x: x * 2, lambda x: x + 2, (x,)).sin()


def test_named_data_of_all_delegates():
    edge = to_edge(torch.export.export(Branches(), (torch.tensor(True), torch.rand(2))))
    assert edge._named_data_store.get_named_data_store_output().pte_data == {}
    lowered = edge.to_backend(Takes("sin")).to_backend(Takes("mul"))
    found = lowered._named_data_store.get_named_data_store_output()
    # Equal bytes are kept once, under both keys; the second delegate is in a branch.
    assert found.buffers == [b"weights"]
    assert {key: entry.alignment for key, entry in found.pte_data.items()} == {
        "data of sin": 8,
        "data of mul": 8,
    }
