"""Exported programs written operator by operator, with parameters, buffers and what the outputs are.

::

    builder = ProgramBuilder()
    x = builder.placeholder("x", torch.randn(2, 3))
    w = builder.placeholder("w", torch.randn(2, 3), input_kind=InputKind.PARAMETER)
    builder.output([builder.call_operator(ops.edge.aten.add.Tensor, (x, w))])
    program = builder.get_program()
"""

from __future__ import annotations

import enum
from typing import Any

import torch
from torch.export import ExportedProgram
from torch.export.exported_program import ModuleCallEntry, ModuleCallSignature
from torch.export.graph_signature import (
    ExportGraphSignature,
    InputKind,
    InputSpec,
    OutputKind,
    OutputSpec,
    TensorArgument,
)
from torch.utils import _pytree as pytree

from executorch.backends.test.graph_builder import GraphBuilder
from executorch.dialects.edge_ops import edge_op
from executorch.dialects.torch_types import FakeTensorMode
from executorch.exir import EdgeCompileConfig, EdgeProgramManager
from executorch.exir.verification.verifier import EXIREdgeDialectVerifier
from executorch.passes.infrastructure.export_pass import NodeMetadata, ProxyValue

_IN_STATE_DICT = (InputKind.PARAMETER, InputKind.BUFFER)


class IrMode(enum.Enum):
    """Which operators a program is made of: those of the Edge dialect, or ATen's."""

    EXIR = 1
    ATEN = 2


class ProgramBuilder(GraphBuilder):
    """Collects the nodes of a program, and what its inputs and outputs are.

    Args:
        mode: ``EXIR`` by default; such a program is checked as an edge program, and operators of torch are written as edge operators.
        _core_aten_ops_exception_list: operators that the check lets pass.
        fake_tensor_mode: of the example values.
    """

    def __init__(
        self,
        mode: IrMode | None = None,
        _core_aten_ops_exception_list: list[torch._ops.OpOverload] | None = None,
        fake_tensor_mode: FakeTensorMode | None = None,
    ) -> None:
        super().__init__(fake_tensor_mode)
        self.mode = mode or IrMode.EXIR
        self.input_specs: list[InputSpec] = []
        self.output_specs: list[OutputSpec] = []
        self.state_dict: dict[str, torch.Tensor] = {}
        self.constants: dict[str, Any] = {}
        self._core_aten_ops_exception_list = list(_core_aten_ops_exception_list or [])

    def insert_input_spec(self, target: str, input_kind: InputKind, value: torch.Tensor) -> None:
        """Says what the input called ``target`` is, and keeps the value of a constant."""
        persistent = True if input_kind is InputKind.BUFFER else None
        named = None if input_kind is InputKind.USER_INPUT else target
        self.input_specs.append(InputSpec(input_kind, TensorArgument(target), named, persistent))
        if input_kind in _IN_STATE_DICT:
            self.state_dict[target] = value
        elif input_kind is InputKind.CONSTANT_TENSOR:
            self.constants[target] = value

    def placeholder(  # type: ignore[override]
        self,
        target: str,
        fake_tensor: torch.Tensor,
        input_kind: InputKind = InputKind.USER_INPUT,
    ) -> ProxyValue:
        """An input of the program.

        Args:
            target: its name; that of a parameter, buffer or constant too.
            fake_tensor: example value; for a parameter (an ``nn.Parameter``), buffer or constant, its value.
            input_kind: what it is.
        """
        made = super().placeholder(target, fake_tensor)
        self.insert_input_spec(made.node.name, input_kind, fake_tensor)
        return made

    def call_operator(
        self,
        op: Any,
        args: tuple[Any, ...],
        kwargs: dict[str, Any] | None = None,
        meta: NodeMetadata | None = None,
    ) -> ProxyValue:
        is_torchs = self.mode is IrMode.EXIR and isinstance(op, torch._ops.OpOverload)
        return super().call_operator(edge_op(op) if is_torchs else op, args, kwargs, meta)

    def output(  # type: ignore[override]
        self,
        results: list[ProxyValue],
        output_kinds: list[OutputKind] | None = None,
        output_targets: list[str | None] | None = None,
    ) -> ProxyValue:
        """The results of the program.

        Args:
            results: in order; those that are no user's outputs first.
            output_kinds: what each is, by default all are the user's.
            output_targets: buffer or input that each is the new value of.
        """
        kinds = output_kinds or [OutputKind.USER_OUTPUT] * len(results)
        targets = output_targets or [None] * len(results)
        for result, kind, target in zip(results, kinds, targets, strict=True):
            self.output_specs.append(OutputSpec(kind, TensorArgument(result.node.name), target))
        return super().output(results, NodeMetadata())

    def get_verifiers(self) -> list[Any] | None:
        """The classes that check the program: None for ATen's operators."""
        if self.mode is IrMode.ATEN:
            return None
        config = EdgeCompileConfig(_core_aten_ops_exception_list=self._core_aten_ops_exception_list)
        return [EXIREdgeDialectVerifier(edge_compile_config=config, class_only=True)]

    def get_program(self) -> ExportedProgram:
        """The program.

        Raises:
            torch._export.verifier.SpecViolationError: it is none of its dialect, or a parameter is no ``nn.Parameter``.
        """
        user = [spec for spec in self.input_specs if spec.kind is InputKind.USER_INPUT]
        results = [spec for spec in self.output_specs if spec.kind is OutputKind.USER_OUTPUT]
        taken = pytree.tree_structure((tuple(0 for _ in user), {}))
        given = pytree.tree_structure(tuple(0 for _ in results))
        call = ModuleCallSignature([], [], taken, given)
        return ExportedProgram(
            root=self.get_graph_module(),
            graph=self.tracer.graph,
            graph_signature=ExportGraphSignature(self.input_specs, self.output_specs),
            state_dict=self.state_dict,
            range_constraints={},
            module_call_graph=[ModuleCallEntry("", call)],
            constants=self.constants,
            verifiers=self.get_verifiers(),
        )

    def get_edge_program(self) -> EdgeProgramManager:
        """The program as ``to_edge`` would give it, with the one method ``forward``."""
        config = EdgeCompileConfig(_core_aten_ops_exception_list=self._core_aten_ops_exception_list)
        return EdgeProgramManager(self.get_program(), compile_config=config)
