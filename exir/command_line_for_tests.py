"""Factories that the command line's test names."""

import torch

from executorch.exir.command_line import Recipe
from executorch.partitioner import DelegationSpec, Partitioner, PartitionResult, PreprocessResult
from executorch.partitioner.interface.backend_details import BackendDetails


def make_linear():
    """A model with a batch of any size."""
    shapes = ({0: torch.export.Dim("batch", max=8)},)
    return torch.nn.Sequential(torch.nn.Linear(4, 3), torch.nn.ReLU()), (torch.rand(2, 4),), shapes


def make_nothing():
    return None


class CommandLineBackend(BackendDetails):
    """Compiles to the names of the operators."""

    @staticmethod
    def preprocess(edge_program, compile_specs):
        return PreprocessResult(processed_bytes=b"compiled")


class TakeRelu(Partitioner):
    """Takes activations."""

    def partition(self, exported_program):
        for node in exported_program.graph.nodes:
            if "relu" in str(node.target):
                node.meta["delegation_tag"] = "relu"
        return PartitionResult(exported_program, {"relu": DelegationSpec("CommandLineBackend", [])})


def with_version() -> Recipe:
    """A recipe with a constant method."""
    return Recipe(constant_methods={"version": 7})
