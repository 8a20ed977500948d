"""Chooses what becomes TOSA."""

from __future__ import annotations

import logging
import operator
from collections.abc import Callable, Iterable, Sequence

import torch
from torch.export import ExportedProgram
from torch.fx import Graph, GraphModule, Node
from torch.fx.passes.operator_support import OperatorSupportBase

from executorch.backends.arm.common.arm_compile_spec import ArmCompileSpec
from executorch.backends.arm.tosa.backend import TOSABackend
from executorch.backends.arm.tosa.compile_spec import TosaCompileSpec
from executorch.backends.arm.tosa.graph.constants import Constants, name_of
from executorch.backends.arm.tosa.graph.quantized import DEQUANTIZE, QUANTIZE, is_float
from executorch.backends.arm.tosa.graph.registry import OPERATORS
from executorch.backends.arm.tosa.support import extension_that_lacks, judge, result_tensors
from executorch.dialects import meta_keys
from executorch.dialects.torch_types import OpOverload
from executorch.partitioner import DelegationSpec, Partitioner, PartitionResult, tag_prepared_constants
from executorch.partitioner.selection.grouping import group_nodes
from executorch.partitioner.selection.reasons import format_reasons, note_reason

logger = logging.getLogger(__name__)

#: What no delegate is made of.
_NOTHING = {"dim_order_ops._clone_dim_order.default", QUANTIZE, DEQUANTIZE, "getitem"}
#: Operators that rename data only: a delegate of nothing else is not worth its call, unless there is nothing else in the program.
_IDLE = _NOTHING | {"aten.squeeze_copy.dims", "aten.unsqueeze_copy.default", "aten.view_copy.default"}


class TOSAPartitioner(Partitioner):
    """Delegates as much of a program as the compile spec's TOSA has.

    What is left has a reason: ``executorch.exir.backend.utils.print_reasons`` prints them, and at level INFO the log has the table.

    Args:
        compile_spec: which TOSA, and for which target.
        additional_checks: what they refuse is left.
    """

    #: The backend that makes bytes of what is tagged.
    backend = TOSABackend.__name__

    def __init__(
        self,
        compile_spec: TosaCompileSpec,
        additional_checks: Sequence[OperatorSupportBase] | None = None,
    ) -> None:
        super().__init__()
        self._start(compile_spec, additional_checks)

    def _start(self, compile_spec: ArmCompileSpec, checks: Sequence[OperatorSupportBase] | None) -> None:
        self.tosa_spec = compile_spec.tosa_spec
        self._leaves_borders = compile_spec.preserve_io_quantization
        self.additional_checks = list(checks or ())
        self.delegation_spec = DelegationSpec(self.backend, compile_spec.to_list())

    def ops_to_not_decompose(
        self, ep: ExportedProgram
    ) -> tuple[list[OpOverload], Callable[[Node], bool] | None]:
        """Operators that TOSA or this lowering has whole, kept where the checks pass."""

        def passes(node: Node) -> bool:
            row = OPERATORS.get(name_of(node))
            if row is None or not row.keeps_whole:
                return False
            kinds = {one.dtype for one in result_tensors([node, *node.all_input_nodes])}
            if not {one for one in kinds if one.is_floating_point} <= {*row.dtypes}:
                return False
            if extension_that_lacks(kinds, self.tosa_spec) is not None:
                return False
            if row.refusal(node) is not None:
                return False
            if row.plain is None and not _is_quantized(node):
                return False
            return (self.tosa_spec.support_float() and row.plain is not None) or _is_between_conversions(node)

        # What only integers have whole, a decomposition of a real operator may make as well: asked for where the program has it.
        present = {name_of(node) for node in ep.graph.nodes if node.op == "call_function" and passes(node)}
        kept = []
        for row in OPERATORS.values():
            if row.keeps_whole and (row.plain is not None or row.name in present):
                _, packet, overload = row.name.split(".")
                kept.append(getattr(getattr(torch.ops.aten, packet), overload))
        return kept, passes

    def partition(self, exported_program: ExportedProgram) -> PartitionResult:
        constants = Constants(exported_program)
        tags: dict[str, DelegationSpec] = {}
        for module in exported_program.graph_module.modules():
            if isinstance(module, GraphModule):
                self._tag(module, constants, tags)
        tag_prepared_constants(exported_program, constants.has)
        if logger.isEnabledFor(logging.INFO):
            logger.info("%s\n%s", type(self).__name__, format_reasons(exported_program.graph_module))
        return PartitionResult(exported_program, tags)

    def _tag(self, module: GraphModule, constants: Constants, tags: dict[str, DelegationSpec]) -> None:
        who = type(self).__name__
        submodules = dict(module.named_modules())
        groups: list[list[Node]] = []
        for node in module.graph.nodes:
            if node.op != "call_function" or constants.has(node) or node.target is operator.getitem:
                continue
            verdict = judge(node, constants, self.tosa_spec)
            why = verdict.why
            if why is None and self._leaves_borders and _is_border(node):
                why = "the conversion of an input or output, which the compile spec preserves"
            if why is None:
                why = self._refused(node, submodules)
            if why is None:
                groups.append(verdict.nodes)
            else:
                note_reason(node, who, why)
                for part in (user for user in node.users if user.target is operator.getitem):
                    note_reason(part, who, f"a result of {node.name}, which is left")
        if not self.tosa_spec.support_float():
            groups = _without_shared_floats(groups, who)
        self._group(module.graph, groups, tags, constants)

    def _refused(self, node: Node, submodules: dict[str, torch.nn.Module]) -> str | None:
        """Which additional check refuses a node."""
        for check in self.additional_checks:
            if not check.is_node_supported(submodules, node):
                return f"Rejected by {type(check).__name__}, an additional check"
        return None

    def _group(
        self, graph: Graph, groups: list[list[Node]], tags: dict[str, DelegationSpec], constants: Constants
    ) -> None:
        single = {nodes[0] for nodes in groups if len(nodes) == 1}
        taken = {node for nodes in groups for node in nodes}
        # A constant of a value's shape would stand between that value and its own readers.
        single.update(
            node
            for node in graph.nodes
            if constants.has(node) and taken & {*node.all_input_nodes} and taken.issuperset(node.users)
        )
        found = group_nodes(graph, lambda node: node in single, [one for one in groups if len(one) > 1])
        for nodes in _side_by_side(graph, found.partitions, constants):
            names = _names(nodes, constants)
            if names <= _NOTHING or (names <= _IDLE and not _names(graph.nodes, constants) <= _IDLE):
                for node in nodes:
                    note_reason(
                        node, type(self).__name__, "nothing is calculated where it stands; not worth a call"
                    )
                continue
            tag = f"tag{len(tags)}"
            tags[tag] = self.delegation_spec
            for node in nodes:
                node.meta[meta_keys.DELEGATION_TAG] = tag


def _without_shared_floats(groups: list[list[Node]], who: str) -> list[list[Node]]:
    """Those that leave no floating-point number to be read outside: a delegate of integers cannot return one."""
    while True:
        taken = {node for nodes in groups for node in nodes}
        kept = []
        for nodes in groups:
            shared = next((one for one in nodes if is_float(one) and not taken.issuperset(one.users)), None)
            if shared is None:
                kept.append(nodes)
                continue
            for node in nodes:
                note_reason(node, who, f"{shared.name} is read in floating point by what is left as well")
        if len(kept) == len(groups):
            return kept
        groups = kept


def _names(nodes: Iterable[Node], constants: Constants) -> set[str]:
    return {name_of(node) for node in nodes if node.op == "call_function" and not constants.has(node)}


def _side_by_side(graph: Graph, partitions: list[list[Node]], constants: Constants) -> list[list[Node]]:
    """Partitions that read one value and do not wait for each other are one: a call less."""
    owner = {node: i for i, nodes in enumerate(partitions) for node in nodes}
    levels = _levels(graph, owner, len(partitions))
    joined: dict[int, int] = {}

    def root(one: int) -> int:
        while one in joined:
            one = joined[one]
        return one

    first: dict[tuple[Node, int], int] = {}
    for i, nodes in enumerate(partitions):
        for source in {one for node in nodes for one in node.all_input_nodes if owner.get(one) != i}:
            if not constants.has(source):
                other = root(first.setdefault((source, levels[i]), i))
                if other != root(i):
                    joined[root(i)] = other
    together: dict[int, set[Node]] = {}
    for i, nodes in enumerate(partitions):
        together.setdefault(root(i), set()).update(nodes)
    return [[node for node in graph.nodes if node in nodes] for nodes in together.values()]


def _levels(graph: Graph, owner: dict[Node, int], count: int) -> list[int]:
    """How many partitions each waits for, one after the other: those of one level do not wait for each other."""
    levels, changed = [0] * count, True
    while changed:
        changed = False
        waits: dict[Node, int] = {}
        for node in graph.nodes:
            mine = owner.get(node)
            depth = 0
            for one in node.all_input_nodes:
                theirs = owner.get(one)
                depth = max(depth, waits[one] + (theirs is not None and theirs != mine))
            if mine is not None:
                changed |= depth > levels[mine]
                levels[mine] = depth = max(depth, levels[mine])
            waits[node] = depth
    return levels


def _is_border(node: Node) -> bool:
    """Whether a node quantizes an input of the program or dequantizes an output."""
    if name_of(node) == QUANTIZE:
        return node.args[0].op == "placeholder"  # type: ignore[union-attr]
    return name_of(node) == DEQUANTIZE and all(user.op == "output" for user in node.users)


def _is_between_conversions(node: Node) -> bool:
    """Whether an operator of a captured graph reads what was dequantized."""
    return any("dequantize" in str(one.target) for one in node.all_input_nodes)


def _is_quantized(node: Node) -> bool:
    """Whether everybody who reads an operator of a captured graph quantizes it."""
    return all("quantized_decomposed.quantize" in str(user.target) for user in node.users)
