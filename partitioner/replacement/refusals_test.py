"""What ``to_backend`` refuses: of its caller, of a partitioner, of a backend."""

import pytest
import torch
from torch.export import export

from executorch.partitioner import (
    MethodProgramsPartitionerSpec,
    Partitioner,
    PartitionResult,
    PreprocessResult,
    to_backend,
    validation_disabled,
)
from executorch.partitioner.demo_for_tests import OpPartitioner, TextBackend
from executorch.partitioner.interface.errors import (
    BackendNotFoundError,
    PartitionerContractError,
    PreprocessError,
)

INPUTS = (torch.rand(2, 3),)


class Layers(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = torch.nn.Linear(3, 3)

    def forward(self, x):
        return self.fc(torch.relu(x))


def test_what_is_refused():
    program = export(Layers(), INPUTS)
    with pytest.raises(NotImplementedError, match=r"Backend Nowhere was not found.*TextBackend") as error:
        to_backend(program, OpPartitioner(["relu.default"], "Nowhere"))
    assert isinstance(error.value, BackendNotFoundError)
    with pytest.raises(TypeError, match="instance of a Partitioner"):
        to_backend(program, OpPartitioner)
    with pytest.raises(TypeError, match="first argument was a int"):
        to_backend(3)

    class Mutates(Partitioner):
        def partition(self, exported_program):
            exported_program.graph.find_nodes(op="call_function", target=torch.ops.aten.relu.default)[
                0
            ].target = torch.ops.aten.sigmoid.default
            return PartitionResult(exported_program, {})

    with pytest.raises(PartitionerContractError, match=r"Mutates.partition changed the graph"):
        to_backend(program, Mutates())
    with validation_disabled():
        to_backend(program, Mutates())

    class ReturnsProgram(Partitioner):
        def partition(self, exported_program):
            return exported_program

    with pytest.raises(PartitionerContractError, match="needs a `partition_tags` field"):
        to_backend(program, ReturnsProgram())


def test_tags_that_cannot_be_honoured_are_refused():
    program = export(Layers(), INPUTS)

    class Tags(OpPartitioner):
        def __init__(self, wanted):
            super().__init__(["relu.default"])
            self.wanted = wanted

        def partition(self, exported_program):
            result = super().partition(exported_program)
            for node in exported_program.graph.nodes:
                if node.name == self.wanted:
                    node.meta["delegation_tag"] = "t"
            if self.wanted != "linear":
                result.partition_tags["t"] = next(iter(result.partition_tags.values()))
            return result

    for wanted, message in (
        ("x", "an input of the graph"),
        ("output", "output"),
        ("linear", "does not name"),
    ):
        with pytest.raises(PartitionerContractError, match=message):
            to_backend(program, Tags(wanted))


def test_a_backend_must_return_a_result_with_bytes():
    class ReturnsText(TextBackend):
        @staticmethod
        def preprocess(edge_program, compile_specs):
            return PreprocessResult(processed_bytes="text")

    class Forgets(TextBackend):
        @classmethod
        def preprocess_multimethod(cls, edge_programs, compile_specs):
            return {}

    program = export(Layers(), INPUTS)
    with pytest.raises(PreprocessError, match="processed_bytes of type str"):
        to_backend("ReturnsText", program, [])
    with pytest.raises(PreprocessError, match="0 results for method 'm'"):
        to_backend(
            MethodProgramsPartitionerSpec({"m": program}, {"m": OpPartitioner(["relu.default"], "Forgets")})
        )
