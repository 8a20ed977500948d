"""Puts operators of ``et_vk`` where a program has what they stand for, by the matches that the delegate is lowered with."""

from __future__ import annotations

import operator
from typing import Any

import torch
from torch.export import ExportedProgram
from torch.export.graph_signature import InputKind
from torch.fx import GraphModule, Node
from torch.fx.passes.infra.pass_base import PassResult

import executorch.backends.vulkan.custom_ops_lib  # noqa: F401 - the operators of et_vk.
from executorch.backends.transforms.addmm_mm_to_linear import replace_addmm_mm_with_linear
from executorch.backends.transforms.constants import Constants, name_of
from executorch.backends.transforms.operands import rank, tensor
from executorch.backends.transforms.utils import create_constant_placeholder
from executorch.backends.vulkan.graph.fusions import rotated
from executorch.backends.vulkan.graph.int8 import DEQUANTIZE, QUANTIZE, Layer, int8_calls, weights_of
from executorch.backends.vulkan.graph.quantized import packed, table_of
from executorch.dialects import meta_keys
from executorch.dialects.edge_ops import edge_op
from executorch.ir.rewriter import arguments

#: What tables of four bits have a multiple of.
_TABLE_COLUMNS = 32
#: Scales, sums and biases are filled up to a multiple of so many.
_OUTPUTS = 4


class FusePatternsPass:
    """Linear layers, pixel shuffles and embeddings of quantized tensors, and rotary embeddings, become ``et_vk``'s, in place.

    ``_exported_program`` is the program that the graph is of; it gets the constants in the form in which these operators read them.
    """

    def __init__(self) -> None:
        self._exported_program: ExportedProgram | None = None

    def __call__(self, graph_module: GraphModule) -> PassResult:
        """As ``call``."""
        return self.call(graph_module)

    def call(self, graph_module: GraphModule) -> PassResult:
        """Rewrites the graph.

        Raises:
            ValueError: ``_exported_program`` is not set.
        """
        if self._exported_program is None:
            raise ValueError(
                "FusePatternsPass has no program. Way out: set _exported_program before the call"
            )
        is_changed = _Rewrite(self._exported_program).run()
        if is_changed:
            graph_module.graph.eliminate_dead_code()
            graph_module.recompile()
        return PassResult(graph_module, is_changed)


class _Rewrite:
    """One run over a program."""

    def __init__(self, program: ExportedProgram) -> None:
        self._program, self._graph = program, program.graph
        self._constants = Constants(program)
        self._replaced: dict[Node, Node] = {}
        self._pairs: dict[tuple[Node, Node], tuple[Node, Node]] = {}

    def run(self) -> bool:
        """Whether anything changed."""
        replace_addmm_mm_with_linear(self._graph)
        layers = int8_calls(self._graph.nodes, self._constants)
        for node in list(self._graph.nodes):
            made = layers.get(node)
            if isinstance(made, Layer) and made.call.name == "et_vk.linear_int8.default":
                self._linear(node, made)
            elif name_of(node) == QUANTIZE:
                self._pixel_shuffle(node)
            else:
                self._embedding(node)
                self._rotary(node)
        return bool(self._replaced)

    def _put(self, before: Node, name: str, args: tuple[Any, ...], result: Any) -> Node:
        op = getattr(torch.ops.et_vk, name).default
        with self._graph.inserting_before(before):
            node: Node = self._graph.call_function(edge_op(op), args)
        node.meta = dict(before.meta)
        node.meta[meta_keys.VAL] = result
        return node

    def _replace(self, node: Node, name: str, args: tuple[Any, ...]) -> None:
        made = self._put(node, name, args, node.meta[meta_keys.VAL])
        node.replace_all_uses_with(made)
        self._replaced[node] = made

    def _constant(self, source: Node, suffix: str, value: torch.Tensor) -> Node:
        """A constant that is made of what a placeholder holds, once."""
        name = f"{source.name}_{suffix}"
        made: Node = create_constant_placeholder(
            self._program, self._graph, name, InputKind.CONSTANT_TENSOR, value.contiguous()
        )
        return made

    def _linear(self, node: Node, layer: Layer) -> None:
        source, zero, scale, zero_point, least, most = layer.call.args
        is_plain, is_relu = least <= -127, least == zero_point
        if most != 127 or not (is_plain or is_relu):
            return
        weights, factors, bias = weights_of(layer, self._constants)
        stored = arguments(layer.weight)["input"]

        def filled(suffix: str, value: torch.Tensor) -> Node:
            whole = torch.nn.functional.pad(value, (0, -len(value) % _OUTPUTS))
            return self._constant(stored, suffix, whole)

        one = tensor(source).numel() == weights.shape[1]
        args = (
            self._replaced.get(source, source),
            layer.scale,
            zero,
            stored,
            filled("sums", weights.sum(1, dtype=torch.int32)),
            filled("scales", factors / layer.scale),
            scale,
            zero_point,
            None if bias is None else filled("bias", bias),
            "none" if is_plain and not is_relu else "relu",
        )
        self._replace(node, "q8ta_linear_gemv" if one is True else "q8ta_linear", args)

    def _pixel_shuffle(self, node: Node) -> None:
        how = arguments(node)
        shuffle = how["input"]
        if name_of(shuffle) != "aten.pixel_shuffle.default" or len(shuffle.users) != 1:
            return
        back, factor = shuffle.args
        if name_of(back) != DEQUANTIZE or len(back.users) != 1:
            return
        given = arguments(back)
        if tensor(node).dtype is not torch.int8 or tensor(given["input"]).dtype is not torch.int8:
            return
        self._replace(
            node,
            "q8ta_pixel_shuffle",
            (
                given["input"],
                given["scale"],
                given["zero_point"],
                1 / how["scale"],
                how["zero_point"],
                factor,
            ),
        )

    def _embedding(self, node: Node) -> None:
        table = table_of(node, self._constants)
        if table is None or table.bits != 4 or tensor(node).shape[-1] % _TABLE_COLUMNS:
            return
        weights, scales = packed(table, self._constants)
        args = (
            self._constant(table.stored, "packed", weights),
            self._constant(table.stored, "scales", scales),
            table.group_size,
            arguments(node)["indices"],
            True,
        )
        self._replace(node, "embedding_q4gsw", args)

    def _rotary(self, node: Node) -> None:
        """Queries and keys that are turned by the same angles, where both are there before either is turned."""
        found = rotated(node)
        if found is None:
            return
        x, *angles = found
        cosines, sines = angles
        if (cosines, sines) not in self._pairs:
            self._pairs[cosines, sines] = node, x
            return
        first, queries = self._pairs.pop((cosines, sines))
        if rank(x) != 4 or any(not one < first for one in (x, queries, cosines, sines)):
            return
        results = tuple(one.meta[meta_keys.VAL] for one in (first, node))
        made = self._put(first, "apply_rotary_emb", (queries, x, cosines, sines), results)
        for position, one in enumerate((first, node)):
            with self._graph.inserting_before(first):
                part = self._graph.call_function(operator.getitem, (made, position))
            part.meta = dict(one.meta)
            one.replace_all_uses_with(part)
            self._replaced[one] = part
