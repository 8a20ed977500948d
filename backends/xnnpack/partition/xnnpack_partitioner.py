"""Chooses what XNNPACK runs."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

import torch
from torch.export import ExportedProgram
from torch.fx import Node
from torch.fx.passes.infra.partitioner import Partition

from executorch.backends.xnnpack.graph.constants import name_of, program_constants
from executorch.backends.xnnpack.graph.conversions import is_cast, is_qparam
from executorch.backends.xnnpack.graph.products import found_sizes, is_size, product_of, sizes_behind
from executorch.backends.xnnpack.partition.config import ALL_PARTITIONER_CONFIGS
from executorch.backends.xnnpack.partition.config.xnnpack_config import (
    ConfigPrecisionType,
    XNNPartitionerConfig,
    logger,
)
from executorch.backends.xnnpack.xnnpack_preprocess import FINAL_CONSTANTS, XnnpackBackend
from executorch.dialects import meta_keys
from executorch.dialects.torch_types import OpOverload
from executorch.partitioner import (
    CompileSpec,
    DelegationSpec,
    PartitionResult,
    PreprocessOnlySpec,
    tag_prepared_constants,
)
from executorch.partitioner.selection.config_partitioner import ConfigerationBasedPartitioner
from executorch.partitioner.selection.constants import ARGUMENTS_INSIDE, tag_copies
from executorch.partitioner.selection.partition_proposals import (
    generate_grouped_partitions_from_list_of_nodes,
)
from executorch.partitioner.selection.reasons import DELEGATION_REASONS, note_reason


class XnnpackPartitioner(ConfigerationBasedPartitioner):
    """Delegates as much of a program as XNNPACK can run.

    Args:
        configs: the operators to take, one class each; all by default.
        config_precisions: one precision or several in which they may be taken; all by default.
        per_op_mode: one delegate for each operator (less memory at once, a little more time).
        verbose: log every operator that is not taken, with the reason.
        force_non_static_weights_for_f32_linear: weights and biases of linear layers in floating point are arguments of
            the delegate, not part of it, so that they may change; they are packed whenever it runs.
        enable_bf16: linear layers in bfloat16 whose weights are constants are taken, too, also those that quantize their input
            at run time; all else in it stays outside.
        final_constants: nobody writes to the program's constants until it has been written: delegates refer to their memory, and do not copy
            it.
    """

    def __init__(
        self,
        configs: list[type[XNNPartitionerConfig]] | None = None,
        config_precisions: ConfigPrecisionType | list[ConfigPrecisionType] | None = None,
        per_op_mode: bool = False,
        verbose: bool = False,
        enable_bf16: bool = False,
        final_constants: bool = False,
        **kwargs: Any,
    ) -> None:
        if verbose:
            _show_refusals()
        precisions = (
            [config_precisions] if isinstance(config_precisions, ConfigPrecisionType) else config_precisions
        )
        options = {**kwargs, "enable_bf16": True} if enable_bf16 else kwargs
        made = []
        for config in configs or ALL_PARTITIONER_CONFIGS:
            made.append(config(**options))
            made[-1].set_enabled_precision_types(precisions)
        self.per_op_mode = per_op_mode
        self._linears_have_arguments = bool(kwargs.get("force_non_static_weights_for_f32_linear", False))
        self._was_asked = False
        specs: list[CompileSpec] = [PreprocessOnlySpec(FINAL_CONSTANTS, b"")] if final_constants else []
        super().__init__(DelegationSpec(XnnpackBackend.__name__, specs), made)

    def ops_to_not_decompose(
        self, ep: ExportedProgram
    ) -> tuple[list[OpOverload], Callable[[Node], bool] | None]:
        self._was_asked = True
        return super().ops_to_not_decompose(ep)

    def partition(self, exported_program: ExportedProgram) -> PartitionResult:
        """Tags what is taken.

        ``to_edge`` and ``to_backend`` one after the other decompose operators that XNNPACK has whole (linear layers,
        pooling, attention); that is noticed and warned of.
        """
        if not self._was_asked:
            logging.getLogger(__name__).warning(
                "DEPRECATION WARNING: the workflow to_edge() + to_backend() takes operators apart that XNNPACK has whole. "
                "Way out: to_edge_transform_and_lower() with partitioner=[XnnpackPartitioner()]"
            )
        result = super().partition(exported_program)
        # What prepares the constants that delegates read goes into these.
        program = result.tagged_exported_program
        _find_sizes(program)
        tag_prepared_constants(program, program_constants(program).has)
        if self._linears_have_arguments:
            _keep_weights_outside(result.tagged_exported_program)
        return result

    def generate_partitions(self, ep: ExportedProgram) -> list[Partition]:
        """What is taken, as large convex partitions, or one for each operator."""
        matched = self.get_matched_nodes_from_configs(ep)
        _log_unknown_operators(ep, matched, type(self).__name__)
        # What prepares constants ties nothing together: each partition gets its own copy.
        constants = program_constants(ep)
        matched = [[node for node in nodes if not constants.has(node)] for nodes in matched]
        if not self.per_op_mode:
            matched = _sizes_apart(matched)
        partitions = _without_sizes(_single(matched) if self.per_op_mode else self._grouped(ep, matched))
        return [one for one in partitions if not _is_only_cast(one)]

    def _grouped(self, ep: ExportedProgram, matched: list[list[Node]]) -> list[Partition]:
        partitions: list[Partition] = []
        for module in ep.graph_module.modules():
            if isinstance(module, torch.fx.GraphModule):
                here = [nodes for nodes in matched if nodes and nodes[0].graph is module.graph]
                for found in generate_grouped_partitions_from_list_of_nodes(module, here):
                    partitions.append(Partition(id=len(partitions), nodes=found.nodes))
        return partitions


def _show_refusals() -> None:
    """Lets the log show what is not taken, on the standard error stream unless the application has handlers."""
    logger.setLevel(logging.DEBUG)
    if not logger.hasHandlers():
        handler = logging.StreamHandler()
        handler.setFormatter(logging.Formatter("%(name)s: %(message)s"))
        logger.addHandler(handler)


def _log_unknown_operators(ep: ExportedProgram, matched: list[list[Node]], who: str) -> None:
    """Logs the operators for which there is no config; what a config refuses it logs itself."""
    if not logger.isEnabledFor(logging.DEBUG):
        return
    taken = {node for nodes in matched for node in nodes}
    for module in ep.graph_module.modules():
        for node in module.graph.nodes if isinstance(module, torch.fx.GraphModule) else ():
            reasons = node.meta.get(DELEGATION_REASONS, ())
            if node not in taken and len(reasons) == 1 and reasons[0][0] == who:
                logger.debug("not taking %s (%s): %s", node.name, name_of(node), reasons[0][1])


def _keep_weights_outside(program: ExportedProgram) -> None:
    """Takes the weights of linear layers in floating point out of the delegates that they were tagged for."""
    for node in program.graph.nodes:
        product = product_of(node)
        if (
            product is None
            or meta_keys.DELEGATION_TAG not in node.meta
            or name_of(node) == "aten.convolution.default"
        ):
            continue
        for one in (product.weight, product.bias):
            if one is not None and one.op == "placeholder":
                one.meta.pop(meta_keys.DELEGATION_TAG, None)


def _single(matched: list[list[Node]]) -> list[Partition]:
    """A partition for each operator: these first, then the conversions that none of them does."""
    taken: set[Node] = set()
    partitions: list[Partition] = []
    for nodes in sorted(_sharing_chains(matched), key=lambda found: len(found) == 1):
        left = [node for node in nodes if node not in taken]
        taken.update(left)
        if left:
            partitions.append(Partition(id=len(partitions), nodes=left))
    return partitions


def _sharing_chains(matched: list[list[Node]]) -> list[list[Node]]:
    """The same groups, but layers that read one input quantized at run time are one: that is quantized within."""
    groups: list[list[Node]] = []
    place: dict[Node, list[Node]] = {}
    for nodes in matched:
        chain = next((node for node in nodes if is_qparam(node)), None)
        if chain is not None and chain in place:
            place[chain] += [node for node in nodes if node not in place[chain]]
            continue
        groups.append(list(nodes))
        if chain is not None:
            place[chain] = groups[-1]
    return groups


def _sizes_apart(matched: list[list[Node]]) -> list[list[Node]]:
    """The same nodes, each size by itself: layers that ask for the same sizes need not be one group."""
    sizes = dict.fromkeys(node for nodes in matched for node in nodes if is_size(node))
    groups = [[node for node in nodes if node not in sizes] for nodes in matched]
    return [*groups, *([size] for size in sizes)]


def _without_sizes(partitions: list[Partition]) -> list[Partition]:
    """The same partitions without sizes, of which each gets the copies that it reads, and without those of sizes alone."""
    left = [(one.id, [node for node in one.nodes if not is_size(node)]) for one in partitions]
    return [Partition(id=number, nodes=nodes) for number, nodes in left if nodes]


def _is_only_cast(partition: Partition) -> bool:
    """Whether nothing is calculated between casts; notes why they stay outside then."""
    if not all(map(is_cast, partition.nodes)):
        return False
    for node in partition.nodes:
        note_reason(node, XnnpackPartitioner.__name__, "a cast by itself is done as well outside")
    return True


def _find_sizes(program: ExportedProgram) -> None:
    """Views inside find their symbolic sizes themselves; where an operator needs a size, it gets one of its own."""
    for module in program.graph_module.modules():
        for node in module.graph.nodes if isinstance(module, torch.fx.GraphModule) else ():
            found = found_sizes(node)
            if found is not None and sizes_behind(node) and meta_keys.DELEGATION_TAG in node.meta:
                node.meta[ARGUMENTS_INSIDE] = {1: found}
    tag_copies(program, is_size)


class XnnpackFloatingPointPartitioner(XnnpackPartitioner):
    """Only what is calculated in floating point."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(config_precisions=ConfigPrecisionType.FP32, **kwargs)


class XnnpackQuantizedPartitioner(XnnpackPartitioner):
    """Only what is quantized, with scales from calibration or found at run time."""

    def __init__(self, **kwargs: Any) -> None:
        both = [ConfigPrecisionType.STATIC_QUANT, ConfigPrecisionType.DYNAMIC_QUANT]
        super().__init__(config_precisions=both, **kwargs)


class XnnpackDynamicallyQuantizedPartitioner(XnnpackPartitioner):
    """Only linear layers whose inputs are quantized at run time."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(config_precisions=ConfigPrecisionType.DYNAMIC_QUANT, **kwargs)
