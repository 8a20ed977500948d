"""From a subgraph to the delegate's graph."""

from __future__ import annotations

import operator
from collections.abc import Iterable
from typing import Any

from torch.export import ExportedProgram
from torch.fx import Graph, Node
from torch.utils._pytree import tree_leaves

from executorch.backends.transforms.addmm_mm_to_linear import (
    replace_addmm_mm_with_linear,
    replace_linear_view_copy_input_output,
)
from executorch.backends.transforms.constants import Constants, external_tag, name_of
from executorch.backends.transforms.fuse_batch_norm_with_conv import FuseBatchNormWithConvPass
from executorch.backends.transforms.fuse_cascaded_transpose_or_permute_ops import (
    FuseCascadedTransposeOrPermuteOps,
)
from executorch.backends.transforms.operands import front, rank, tensor
from executorch.backends.transforms.safe_softmax import simplify_softmaxes
from executorch.backends.vulkan.graph.builder import GraphBuilder
from executorch.backends.vulkan.graph.call import Call, as_it_is, called
from executorch.backends.vulkan.graph.complex_numbers import Rewrite, replace_complex_numbers
from executorch.backends.vulkan.graph.fusions import clamp_limits, fused_calls, needed
from executorch.backends.vulkan.graph.int8 import Layer, int8_calls
from executorch.backends.vulkan.graph.int8 import weights_of as int8_weights_of
from executorch.backends.vulkan.graph.quantized import (
    Rows,
    Weights,
    packed,
    rows_of,
    sums,
    table_of,
    weights_of,
)
from executorch.backends.vulkan.graph.state import states_of
from executorch.backends.vulkan.graph.tokens import DEQUANTIZE, Tokens, exact_scales, floats_of, token_groups
from executorch.backends.vulkan.graph.tokens import UPDATE_CACHE as _UPDATE
from executorch.backends.vulkan.op_registry import SIZES, vulkan_supported_ops
from executorch.backends.vulkan.options import VulkanOptions
from executorch.dialects.errors import ExportError
from executorch.ir.graph import output_arguments
from executorch.ir.mutations import state_mutations
from executorch.ir.rewriter import arguments
from executorch.ir.signature import state_inputs, state_value

_CONVOLUTION = "aten.convolution.default"
#: What elements are put into lies where it is, as far as nobody reads what was there.
_PUTS = {"aten.index_put.default", "aten.scatter.src", "aten.scatter_add.default"}
_SPLITS = {"aten.split_with_sizes_copy.default", "aten.split_copy.Tensor", "aten.unbind_copy.int"}
#: With a constant of one element for the second operand -> the form that takes a number.
_WITH_NUMBER = {
    f"aten.{one}.Tensor": f"aten.{one}.Scalar"
    for one in ("add", "sub", "mul", "div", "eq", "ne", "lt", "le", "gt", "ge")
} | {
    "aten.pow.Tensor_Tensor": "aten.pow.Tensor_Scalar",
    "aten.div.Tensor_mode": "aten.div.Scalar_mode",
}
_COMMUTATIVE = {"aten.add.Tensor", "aten.mul.Tensor"}


def lower_graph(program: ExportedProgram, options: VulkanOptions) -> GraphBuilder:
    """The graph of a subgraph that the partitioner chose; the program is rewritten on the way.

    Raises:
        ExportError: it has an operator that the partitioner should not have chosen.
    """
    replace_complex_numbers(program, _on_pairs)
    FuseBatchNormWithConvPass(program)(program.graph_module)
    replace_addmm_mm_with_linear(program.graph)
    replace_linear_view_copy_input_output(program.graph)
    simplify_softmaxes(program.graph, Constants(program))
    _join_permutations(program.graph)
    builder = GraphBuilder(program, options)
    states = states_of(program)
    tokens = {one.nodes[-1]: one for one in token_groups(program.graph.nodes)}
    builder.keep_exact(exact_scales(program.graph.nodes, tokens.values()))
    _add_inputs(builder, program, states)
    clamps = fused_clamps(program, builder.constants)
    fused, layers = _fused(program, builder.constants)
    chains = [rows_of(node, builder.constants) for node in program.graph.nodes]
    done = {node for rows in chains if rows is not None for node in rows.nodes} | set(clamps.values())
    done.update(node for one in tokens.values() for node in one.nodes[:-1])
    read = needed(output_arguments(program.graph), fused)
    chosen: dict[Any, Rows] = {}
    returned = set(output_arguments(program.graph))
    for node in program.graph.nodes:
        is_stored = node in builder.constants and node not in returned
        if node.op != "call_function" or is_stored or node in done or node not in read:
            continue
        if node in tokens:
            _quantize_tokens(builder, tokens[node])
            continue
        if node in layers:
            _int8_layer(builder, node, layers[node])
            continue
        if node in fused:
            builder.call(fused[node].name, fused[node].args, builder.result(node), node)
            continue
        weights = weights_of(node, builder.constants)
        table = table_of(node, builder.constants)
        if table is not None:
            _quantized_embedding(builder, node, table)
        elif weights is None:
            _lower(builder, node, clamps.get(node))
        else:
            rows = rows_of(node, builder.constants)
            if rows is not None:
                _choose(builder, rows, chosen)
            _quantized_linear(builder, node, weights, rows)
    for state, value in states.items():
        builder.keep(value, state)
    written = {one.index for one in state_mutations(program.graph_signature)}
    for index, node in enumerate(output_arguments(program.graph)):
        if index not in written:
            builder.add_output(node)
    return builder


def _fused(program: ExportedProgram, constants: Constants) -> tuple[dict[Node, Call], dict[Node, Layer]]:
    """Node -> the call that it is the end of; and the layers of weights among these."""
    fused = fused_calls(program.graph.nodes, constants)
    fused |= {node: call for node in program.graph.nodes if (call := floats_of(node)) is not None}
    made = int8_calls(program.graph.nodes, constants)
    layers = {node: one for node, one in made.items() if isinstance(one, Layer)}
    return fused | {node: one.call if isinstance(one, Layer) else one for node, one in made.items()}, layers


def _on_pairs(node: Node) -> Rewrite:
    row = vulkan_supported_ops.get(called(node))
    if row is None or row.pairs is None:
        raise ExportError(f"Vulkan: {called(node)} (node {node.name}) has no form of complex numbers")
    return row.pairs


def _join_permutations(graph: Graph) -> None:
    """One for two that follow each other, none where the second undoes the first; what is returned keeps its node."""
    join = FuseCascadedTransposeOrPermuteOps()
    returned = set(output_arguments(graph))
    for node in list(graph.nodes):
        if node.target in join.targets and node not in returned:
            join.maybe_remove_or_replace(node)


def _add_inputs(builder: GraphBuilder, program: ExportedProgram, states: Iterable[Node]) -> None:
    names = state_inputs(program.graph_signature)
    for node in program.graph.find_nodes(op="placeholder"):
        if node in states:
            builder.add_state(node, state_value(program, names[node.name]).detach())
        elif node not in builder.constants:
            builder.add_input(node)


def fused_clamps(program: ExportedProgram, constants: Constants) -> dict[Node, Node]:
    """Convolution -> the clamp behind it that nothing else comes between."""
    found = {}
    for node in program.graph.nodes:
        if name_of(node) == _CONVOLUTION and node not in constants and len(node.users) == 1:
            (user,) = node.users
            if clamp_limits(user) is not None:
                found[node] = user
    return found


def _lower(builder: GraphBuilder, node: Node, clamp: Node | None) -> None:
    name = name_of(node)
    if node.target is operator.getitem:
        return
    if node.target in SIZES:
        builder.call(SIZES[node.target], node.args, builder.result(node), node)
    elif name == "aten.sym_size.int":
        source, dim = node.args
        builder.call("sym_size.int", (source, front(source, int(dim))), builder.result(node), node)  # type: ignore[arg-type]
    elif name in _SPLITS:
        _split(builder, node)
    elif called(node) == _UPDATE:
        _update_cache(builder, node)
    elif name in _PUTS:
        _put(builder, node)
    elif clamp is not None:
        call = vulkan_supported_ops[_CONVOLUTION].say(node)
        assert call is not None
        limits = clamp_limits(clamp)
        assert limits is not None
        builder.call("et_vk.conv_with_clamp.default", (*call.args, *limits), builder.result(clamp), node)
    elif name in vulkan_supported_ops:
        _plain(builder, node)
    else:
        raise ExportError(f"Vulkan: {name} (node {node.name}) is not in the table of operators")


def _plain(builder: GraphBuilder, node: Node) -> None:
    call = vulkan_supported_ops[name_of(node)].say(node)
    if call is None:
        source: Any = node.args[0]
        if builder.is_inner(source) and not builder.is_state(source):
            builder.alias(node, source)
        else:
            builder.call("aten.clone.default", (source, None), builder.result(node), node)
        return
    name, args = with_number(call.name, list(call.args), builder.constants)
    builder.call(name, args, _results(builder, node), node)


def with_number(name: str, args: list[Any], constants: Constants) -> tuple[str, list[Any]]:
    """The form that takes a number, where one operand is a constant of one element."""
    if name not in _WITH_NUMBER:
        return name, args
    if name in _COMMUTATIVE and args[0] in constants and args[2:] in ([], [1]):
        args = [args[1], args[0], *args[2:]]
    number = constants.number(args[1])
    if number is None or args[0] in constants or rank(args[1]) > rank(args[0]):
        return name, args
    kind = float if tensor(args[0]).dtype.is_floating_point else int
    return _WITH_NUMBER[name], [args[0], kind(number), *args[2:]]


def _results(builder: GraphBuilder, node: Node) -> int:
    """A new value for the result, or a list with a value for each result that is read."""
    value = node.meta["val"]
    if not isinstance(value, tuple | list):
        return builder.result(node)
    made: list[int] = []
    for position in range(len(value)):
        readers = [user for user in node.users if user.args[1] == position and user.users]
        made.append(builder.result(readers[0]) if readers else builder.result(None))
        for reader in readers[1:]:
            builder.alias(reader, readers[0])
    return builder.values(made)


def _split(builder: GraphBuilder, node: Node) -> None:
    """A slice for each part that is read."""
    named = arguments(node)
    source = named["self"]
    dim = front(source, named["dim"])
    is_unbind = name_of(node) == "aten.unbind_copy.int"
    parts: list[Any] = node.meta["val"]
    starts = [0]
    for part in parts:
        starts.append(starts[-1] + (1 if is_unbind else part.shape[dim]))
    for user in node.users:
        position: Any = user.args[1]
        if is_unbind:
            builder.call("aten.select_copy.int", (source, dim, position), builder.result(user), node)
            continue
        begin, end = starts[position], starts[position + 1]
        if not isinstance(begin, int) or not isinstance(end, int):
            raise ExportError(f"Vulkan: {node.name} splits at a place that changes from run to run")
        builder.call("aten.slice_copy.Tensor", (source, dim, begin, end, 1), builder.result(user), node)


def _update_cache(builder: GraphBuilder, node: Node) -> None:
    named: Any = node.kwargs
    (cache,) = named["_all_bases"]
    results = [user for user in node.users if user.args[1] == 1]
    target = _target(builder, cache, node, results[0])
    builder.write_into(_UPDATE, (named["value"], target, named["start_pos"]), target, node)
    for user in results:
        builder.alias(user, target)


def _put(builder: GraphBuilder, node: Node) -> None:
    call = vulkan_supported_ops[name_of(node)].say(node)
    assert call is not None
    source, *given = call.args
    target = _target(builder, source, node, node)
    builder.write_into(call.name, (target, *given), target, node)
    if target is not node:
        builder.alias(node, target)


def _target(builder: GraphBuilder, source: Node, node: Node, result: Node) -> Node:
    """What a call writes to: where its source lies, if it is the program's own, is no other operand and is read as it was by nothing that comes later; else a copy."""
    if _operands(node).count(source) == 1 and _may_write(builder, source, node):
        return source
    builder.call("aten.clone.default", (source, None), builder.result(result), node)
    return result


def _operands(node: Node) -> list[Any]:
    return tree_leaves((node.args, node.kwargs))


def _may_write(builder: GraphBuilder, source: Node, node: Node) -> bool:
    """Whether what a source was is read before ``node`` or not at all, and it is state, floats made of state, or such written before."""
    while True:
        if not all(user is node or user < node for user in source.users):
            return False
        if source.op == "placeholder":
            return builder.is_state(source)
        writer = source.args[0] if source.target is operator.getitem else source
        assert isinstance(writer, Node)
        if called(writer) == DEQUANTIZE:
            return True
        if called(writer) not in (_UPDATE, *_PUTS):
            return False
        node, source = writer, _written(writer)


def _written(writer: Node) -> Node:
    """What a call writes over."""
    given: Any = arguments(writer)["self"] if called(writer) in _PUTS else writer.kwargs["_all_bases"]
    (source,) = [given] if isinstance(given, Node) else given
    return source


def _choose(builder: GraphBuilder, rows: Rows, chosen: dict[Any, Rows]) -> None:
    """Scales and zero points of rows, found once for all layers that quantize the same in the same way."""
    if builder.has(rows.results[0]):
        return
    source, *how = as_it_is(rows.choose).args
    first = chosen.setdefault((source, str(how)), rows)
    if first is not rows:
        for result, other in zip(rows.results, first.results, strict=True):
            builder.alias(result, other)
        return
    results = builder.values([builder.result(one, exact=True) for one in rows.results])
    builder.call(name_of(rows.choose), (source, *how), results, rows.choose)


def _quantize_tokens(builder: GraphBuilder, tokens: Tokens) -> None:
    integers, scales, zeros = tokens.results
    results = [builder.result(integers), builder.result(scales, exact=True), builder.result(zeros)]
    builder.call("et_vk.quantize_per_token.default", (tokens.source,), builder.values(results), integers)


def _quantized_linear(builder: GraphBuilder, node: Node, weights: Weights, rows: Rows | None) -> None:
    named = arguments(node)
    tag = external_tag(weights.stored)
    integers, scales = (builder.constant(one, tag) for one in packed(weights, builder.constants))
    bias = builder.value(named["bias"])
    if rows is None and weights.bits == 8 and weights.is_whole:
        given = [builder.value(named["input"]), integers, scales, bias]
        builder.call_by_values("et_vk.linear_q8csw.default", given, node)
        return
    group = builder.value(weights.group_size)
    if rows is None:
        given = [builder.value(named["input"]), integers, scales, group, bias]
        builder.call_by_values(f"et_vk.linear_q{weights.bits}gsw.default", given, node)
        return
    given = [builder.value(one) for one in (rows.source, *rows.results)]
    total = builder.constant(sums(weights, builder.constants), tag)
    builder.call_by_values(
        f"et_vk.linear_dq8ca_q{weights.bits}gsw.default",
        [*given, integers, total, scales, group, bias],
        node,
    )


def _quantized_embedding(builder: GraphBuilder, node: Node, table: Weights) -> None:
    tag = external_tag(table.stored)
    given = [builder.constant(one, tag) for one in packed(table, builder.constants)]
    indices = builder.value(arguments(node)["indices"])
    if table.bits == 8:
        builder.call_by_values("et_vk.embedding_q8csw.default", [*given, indices], node)
        return
    group, is_linear = builder.value(table.group_size), builder.value(True)
    builder.call_by_values("et_vk.embedding_q4gsw.default", [*given, group, indices, is_linear], node)


def _int8_layer(builder: GraphBuilder, node: Node, layer: Layer) -> None:
    tag = external_tag(layer.weight)
    source, zero, *rest = (builder.value(one) for one in layer.call.args)
    weights, factors, bias = int8_weights_of(layer, builder.constants)
    given = [builder.constant(one, tag, exact=True) for one in (weights, factors)]
    given.append(builder.value(None) if bias is None else builder.constant(bias, tag, exact=True))
    builder.call_by_values(layer.call.name, [source, zero, *given, *rest], node)
