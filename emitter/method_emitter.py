"""Turns the graph of one method into an `ExecutionPlan`."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
from torch.export import ExportedProgram
from torch.export.graph_signature import InputKind
from torch.fx import Node

from executorch.dialects import meta_keys
from executorch.dialects.control_flow import CONTROL_FLOW, control_flow_name, loop_of
from executorch.dialects.errors import ExportError, InternalError, describe_node, describe_target
from executorch.dialects.execution import (
    flatten_specs,
    is_alloc,
    is_delegate_call,
    is_free,
    is_getitem,
    is_higher_order,
    is_in_place,
    is_out_variant,
    is_primitive,
    is_view,
)
from executorch.dialects.out_variants import is_scratch
from executorch.dialects.tensor_spec import TensorShapeDynamism, TensorSpec
from executorch.dialects.torch_types import OpOverload
from executorch.emitter import arena_text, dim_marks
from executorch.emitter.arguments import argument_value, call_arguments
from executorch.emitter.constants import ProgramData
from executorch.emitter.containers import container_string
from executorch.emitter.control_flow import ControlFlow
from executorch.emitter.delegates import DelegateTable
from executorch.emitter.errors import EmissionError, InternalNodeError, NodeEmissionError
from executorch.emitter.instructions import InstructionList, Scope, operator_key
from executorch.emitter.values import ValueTable, dynamism
from executorch.ir.mutations import is_returned
from executorch.ir.signature import STATE_KINDS
from executorch.memory_planning import ARENA_FUNCTIONS, BUFFER_DEVICES, BUFFER_SIZES, ArenaFunctions
from executorch.schema.program import (
    Chain,
    ContainerMetadata,
    DelegateCall,
    DeviceType,
    EValue,
    ExecutionPlan,
    FreeCall,
    NonConstBufferDevice,
    Operator,
    TensorList,
)

_VIEW = ("executorch_prim::et_view", "default")


@dataclass
class EmittedMethod:
    """A method in the form of the file, with what tools want to know about its instructions.

    Attributes:
        plan: the method.
        debug_handles: number of an instruction -> debug handle of the node that it comes from.
        delegate_debug_ids: number of a delegate call -> its backend (`name`) and the backend's own map from its
            debug identifiers to debug handles (`delegate_map`).
        num_outputs: number of an instruction -> how many results it has.
    """

    plan: ExecutionPlan
    debug_handles: dict[int, int | tuple[int, ...]] = field(default_factory=dict)
    delegate_debug_ids: dict[int, dict[str, Any]] = field(default_factory=dict)
    num_outputs: dict[int, int] = field(default_factory=dict)


class MethodEmitter:
    """Walks a graph in execution form once, in order."""

    def __init__(
        self, name: str, program: ExportedProgram, data: ProgramData, delegates: DelegateTable
    ) -> None:
        self.program = program
        self.values = ValueTable(data)
        self.delegates = delegates.for_method()
        self.code = InstructionList(self.values)
        self.control_flow = ControlFlow(self.code, self._nodes)
        self.redirected: set[TensorSpec] = set()
        self.static_dims: dict[int, set[int]] = {}
        self.emitted = EmittedMethod(ExecutionPlan(name=name))

    def emit(self, emit_stacktrace: bool = False) -> EmittedMethod:
        """Does the work.

        Raises:
            EmissionError: a node cannot be written; the message names it and its source line.
        """
        module = self.program.graph_module
        if BUFFER_SIZES not in module.meta:
            raise EmissionError(
                f"method {self.emitted.plan.name!r} has no memory plan. Way out: run MemoryPlanningPass first, "
                "or use to_executorch, which does."
            )
        scope = Scope(module)
        plan = self.emitted.plan
        plan.inputs = self._inputs(scope)
        self._nodes(scope)
        plan.outputs = self._outputs(scope)
        marks = [
            dim_marks.encode(dim_marks.STATIC_DIMS, self.values.values, self.static_dims),
            dim_marks.encode(dim_marks.UNBOUNDED_DIMS, self.values.values, self.values.unbounded_dims),
            self._arena_text(module.meta.get(ARENA_FUNCTIONS)),
        ]
        plan.values = [*self.values.values, *(mark for mark in marks if mark is not None)]
        plan.chains = [
            Chain(
                instructions=self.code.instructions, stacktrace=self.code.frames if emit_stacktrace else None
            )
        ]
        plan.operators = [Operator(name, overload) for name, overload in self.code.operators]
        self.emitted.debug_handles = self.code.debug_handles
        self.emitted.num_outputs = self.code.num_outputs
        plan.delegates = self.delegates.entries
        plan.non_const_buffer_sizes = list(module.meta[BUFFER_SIZES])
        plan.non_const_buffer_device = [
            NonConstBufferDevice(memory.mem_id, DeviceType(memory.device), memory.device_index)
            for memory in module.meta.get(BUFFER_DEVICES, ())
        ] or None
        call = self.program.call_spec
        plan.container_meta_type = ContainerMetadata(
            container_string(call.in_spec), container_string(call.out_spec)
        )
        return self.emitted

    def _arena_text(self, functions: ArenaFunctions | None) -> EValue | None:
        """What says where values lie for other sizes, if memory was planned for that."""
        if functions is None:
            return None
        block_of = {spec: index for index, block in enumerate(functions.blocks) for spec in block.specs}
        numbers = {
            number: block_of[spec.root]
            for spec, number in self.values.numbers_of_tensors()
            if spec.root in block_of
        }
        return arena_text.encode(functions, self.values.values, numbers)

    # Inputs and outputs.

    def _inputs(self, scope: Scope) -> list[int]:
        placeholders = [node for node in scope.module.graph.nodes if node.op == "placeholder"]
        numbers = []
        for node, spec in zip(placeholders, self.program.graph_signature.input_specs, strict=True):
            if spec.kind not in (InputKind.USER_INPUT, *STATE_KINDS):
                raise EmissionError(f"input {node.name!r}: a program has no inputs of kind {spec.kind.name}")
            scope.numbers[node] = self._placeholder(node)
            if spec.kind is InputKind.USER_INPUT:
                numbers.append(scope.numbers[node])
                self._note_static_dims(scope.numbers[node], node)
        return numbers

    def _note_static_dims(self, number: int, node: Node) -> None:
        """Keeps which sizes of an input are fixed: those of a tensor in the file are all bounds, or none is."""
        value = node.meta.get("val")
        if isinstance(value, torch.Tensor) and not self.values.is_static(number):
            fixed = {dim for dim, size in enumerate(value.shape) if isinstance(size, int)}
            self.static_dims.setdefault(number, fixed).intersection_update(fixed)

    def _placeholder(self, node: Node) -> int:
        spec = node.meta.get(meta_keys.SPEC)
        if isinstance(spec, TensorSpec):
            return self.values.tensor(spec)
        if isinstance(spec, (torch.SymInt, torch.SymFloat, torch.SymBool)):
            return self.values.result(spec)
        if spec is None or isinstance(spec, (bool, int, float, str)):
            # The caller may hand in another number, so an input shares its value with no constant.
            return self.values.constant(spec) if spec is None or isinstance(spec, str) else self._number(spec)
        raise EmissionError(f"{describe_node(node)}: a program has no inputs like {spec!r}")

    def _number(self, value: bool | int | float) -> int:
        number = self.values.result(value)
        held = self.values.values[number].val
        name = {bool: "bool_val", int: "int_val", float: "double_val"}[type(value)]
        setattr(held, name, value)
        return number

    def _outputs(self, scope: Scope) -> list[int]:
        results: Any = scope.module.graph.output_node().args[0]
        numbers = []
        signature = self.program.graph_signature
        for result, spec in zip(results, signature.output_specs, strict=True):
            if is_returned(spec, signature):
                numbers.append(scope[result] if isinstance(result, Node) else self.values.constant(result))
        return numbers

    # Nodes.

    def _nodes(self, scope: Scope) -> None:
        for node in scope.module.graph.nodes:
            if node.op in ("placeholder", "output"):
                continue
            try:
                scope.numbers[node] = self._node(scope, node)
            except NodeEmissionError:
                raise
            except ExportError as error:
                kind = InternalNodeError if isinstance(error, InternalError) else NodeEmissionError
                raise kind(f"{describe_node(node)}: {error.message}") from error

    def _node(self, scope: Scope, node: Node) -> Any:
        if node.op == "get_attr":
            return operator.attrgetter(str(node.target))(scope.module)
        if node.op != "call_function":
            raise EmissionError(f"a {node.op} node has no place in execution form")
        if is_alloc(node):
            return self._specs(node)
        if is_getitem(node):
            return scope[node.args[0]][node.args[1]]  # type: ignore[index]
        if is_view(node):
            return self._view(scope, node)
        if is_free(node):
            return self.code.add(node, FreeCall(scope[node.args[0]]), 0)  # type: ignore[index]
        if is_delegate_call(node):
            return self._delegate(scope, node)
        if is_higher_order(node):
            return self._control_flow(scope, node)
        if isinstance(node.target, OpOverload):
            return self._operator(scope, node, node.target)
        if node.target in _PYTHON_PRIMITIVES:
            return self._primitive(scope, node, _PYTHON_PRIMITIVES[node.target], node.args)
        raise EmissionError(
            f"{describe_target(node.target)} has no counterpart in a program. Way out: run the passes of "
            "to_executorch, which bring a graph into execution form."
        )

    def _specs(self, node: Node) -> Any:
        """Values for the specs of a node: a number, or a list of numbers for several results."""
        spec = node.meta.get(meta_keys.SPEC)
        if isinstance(spec, TensorSpec):
            return self.values.tensor(spec)
        if isinstance(spec, (tuple, list)):
            return [
                self.values.tensor(s) if isinstance(s, TensorSpec) else self.values.result(s) for s in spec
            ]
        raise EmissionError("it has no tensor spec; run spec propagation before emission")

    # Operators.

    def _operator(self, scope: Scope, node: Node, op: OpOverload) -> Any:
        arguments = call_arguments(node, op)
        numbers = [
            argument_value(value, kind.type, self.values, scope.__getitem__) for value, kind in arguments
        ]
        if is_out_variant(op):
            is_result = [kind.is_out and not is_scratch(kind.name) for _, kind in arguments]
            written = [number for number, writes in zip(numbers, is_result, strict=True) if writes]
        elif is_in_place(node):
            is_written = [kind.alias_info is not None and kind.alias_info.is_write for _, kind in arguments]
            written = [number for number, writes in zip(numbers, is_written, strict=True) if writes]
        elif is_primitive(node):
            return self._primitive(scope, node, operator_key(op), [value for value, _ in arguments])
        else:
            raise EmissionError(
                f"{op.name()} has no out argument. Way out: run the to-out-variant pass, or register an out variant."
            )
        if not (op._schema.returns or is_out_variant(op)):
            self.code.kernel(node, operator_key(op), numbers, len(written))
            return written
        returned = written[0] if len(written) == 1 else self.values.tensor_list(written)
        self.code.kernel(node, operator_key(op), [*numbers, returned], len(written))
        held = self.values.values[returned].val
        return list(held.items) if isinstance(held, TensorList) else returned

    def _primitive(self, scope: Scope, node: Node, name: tuple[str, str], arguments: Sequence[Any]) -> int:
        """An operator of the executor that computes a number: its arguments, then a place for the result."""
        numbers = [self.code.argument(scope, value) for value in arguments]
        example = node.meta.get(meta_keys.SPEC, node.meta.get(meta_keys.VAL))
        result = self.values.result(example)
        self.code.kernel(node, name, [*numbers, result])
        return result

    def _view(self, scope: Scope, node: Node) -> int:
        """A view with a fixed place is a second name for it; any other is computed when the program runs."""
        spec = node.meta[meta_keys.SPEC]
        base, sizes = node.args[0], node.args[1]
        result = self.values.tensor(spec)
        root = spec.root
        has_place = spec.const or (root.mem_offset is not None and root not in self.redirected)
        if has_place and dynamism(spec) is TensorShapeDynamism.STATIC:
            return result
        size_list = argument_value(sizes, torch.ListType(torch.IntType.get()), self.values, scope.__getitem__)
        self.code.kernel(node, _VIEW, [scope[base], size_list, result])  # type: ignore[index]
        return result

    def _delegate(self, scope: Scope, node: Node) -> Any:
        lowered = scope[node.args[0]]  # type: ignore[index]
        index = self.delegates.index(lowered)
        inputs = [self._delegate_input(scope, arg) for arg in node.args[1:]]
        results = self._specs(node)
        outputs = results if isinstance(results, list) else [results]
        number = len(self.code)
        self.code.add(node, DelegateCall(index, [*inputs, *outputs]), len(outputs))
        debug_map = getattr(lowered, "meta", {}).get("debug_handle_map")
        self.emitted.delegate_debug_ids[number] = {"name": lowered.backend_id, "delegate_map": debug_map}
        return results

    def _delegate_input(self, scope: Scope, value: Any) -> int:
        """A lowered module that takes a list of tensors is passed one, as an operator would be."""
        if isinstance(value, (list, tuple)) and value and all(isinstance(item, Node) for item in value):
            kind = torch.ListType(torch.TensorType.get())
            return argument_value(value, kind, self.values, scope.__getitem__)
        return self.code.argument(scope, value)

    def _control_flow(self, scope: Scope, node: Node) -> Any:
        name = control_flow_name(node)
        if name is None:
            raise EmissionError(
                f"the control-flow operator {describe_target(node.target)!r} cannot be written. Way out: express it "
                f"with one of {', '.join(sorted(CONTROL_FLOW))}, or unroll it before export."
            )
        found = self._specs(node)
        results = found if isinstance(found, list) else [found]
        loop = loop_of(node)
        if loop is not None:
            self.control_flow.loop(scope, loop, results)
        else:
            self.redirected.update(flatten_specs(node.meta[meta_keys.SPEC]))
            self.control_flow.condition(scope, node, results)
        return found


_PYTHON_PRIMITIVES: dict[Any, tuple[str, str]] = {
    operator.add: ("executorch_prim::add", "Scalar"),
    operator.sub: ("executorch_prim::sub", "Scalar"),
    operator.mul: ("executorch_prim::mul", "Scalar"),
    operator.floordiv: ("executorch_prim::floordiv", "Scalar"),
    operator.truediv: ("executorch_prim::truediv", "Scalar"),
    operator.mod: ("executorch_prim::mod", "Scalar"),
    operator.eq: ("executorch_prim::eq", "Scalar"),
    operator.gt: ("executorch_prim::gt", "Scalar"),
    operator.lt: ("executorch_prim::lt", "Scalar"),
    operator.ge: ("executorch_prim::ge", "Scalar"),
    operator.le: ("executorch_prim::le", "Scalar"),
    operator.neg: ("executorch_prim::neg", "Scalar"),
}
"""Python operators on symbolic numbers, for graphs in which no pass has replaced them."""
