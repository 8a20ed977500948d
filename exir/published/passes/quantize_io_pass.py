"""Integer inputs and outputs: a quantized method takes and gives integers, and nothing is converted at its border.

A quantized model begins with ``quantize`` and ends with ``dequantize``. These passes take those steps out of the program
and tell the caller how to do them: scale, zero point, range and element type of each input and output become methods of
the program that return a constant, ``input0_scale`` and so on.
"""

import importlib
import itertools
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

import torch
from torch.export import ExportedProgram, ExportGraphSignature
from torch.fx import Graph, GraphModule, Node

from executorch.dialects import meta_keys
from executorch.dialects.edge_ops import aten_op, edge_op
from executorch.dialects.errors import ExportErrorType, PassError
from executorch.exir.tensor import scalar_type_enum
from executorch.ir.clone import clone_program, copy_signature
from executorch.ir.graph import output_arguments
from executorch.ir.signature import sync_signature
from executorch.ir.values import compute_value, value_of
from executorch.passes.infrastructure.pass_base import PassBase, PassResult

DEFAULT_METHOD: Final = "forward"


class QParams(NamedTuple):
    """How numbers ``x`` are kept as integers: ``clamp(round(x / scale) + zp, quant_min, quant_max)``."""

    scale: float
    zp: int
    quant_min: int
    quant_max: int
    dtype: torch.dtype

    def constants(self) -> dict[str, Any]:
        """What programs can return as constants; the element type is its number in programs."""
        return {**self._asdict(), "dtype": scalar_type_enum(self.dtype)}


class QuantizeIoError(PassError, ValueError):
    """An input or output cannot be made an integer one."""


def quantize_input(
    exported_program: ExportedProgram, input_index: int, qparams: "Mapping[str, Any] | None" = None
) -> QParams:
    """Makes a float input an integer one (in place).

    Args:
        exported_program: in the edge dialect.
        input_index: among the inputs of the caller.
        qparams: ``scale``, ``zp`` and ``dtype``, for an input that the program does not quantize itself; it is
            dequantized where it is read. ``quant_min`` and ``quant_max`` default to the range of ``dtype``.

    Returns:
        the parameters.

    Raises:
        QuantizeIoError: it is no tensor of the program, or read by something else than quantizers with equal parameters.
    """
    names = exported_program.graph_signature.user_inputs
    result = _quantize_input(exported_program.graph, names, input_index, qparams)
    exported_program.graph_module.recompile()
    return result


def quantize_output(exported_program: ExportedProgram, output_index: int) -> QParams:
    """Makes a float output, which a dequantizer gives, an integer one (in place).

    Args:
        exported_program: in the edge dialect.
        output_index: among the outputs for the caller.

    Returns:
        the parameters.

    Raises:
        QuantizeIoError: there is no such output, or no dequantizer gives it.
    """
    names = exported_program.graph_signature.user_outputs
    result = _quantize_output(exported_program.graph, names, output_index)
    sync_signature(exported_program)
    exported_program.graph_module.recompile()
    return result


def get_config_method_name(
    prefix: "str | None" = DEFAULT_METHOD, arg_type: str = "input", index: int = 0, key: str = "scale"
) -> str:
    """Name of the method that returns a parameter: ``forward_input0_scale``."""
    return f"{prefix}_{arg_type}{index}_{key}" if prefix is not None else f"{arg_type}{index}_{key}"


class _QuantizeBorder(PassBase):
    """What both passes share; see them."""

    _arg_type: str

    def __init__(self, manager: Any, method_name: "str | None", program: "ExportedProgram | None") -> None:
        self.edge_program_manager = manager
        self.method_name = method_name
        self.exported_program = program or manager.exported_program(method_name or DEFAULT_METHOD)
        self.quant_args: dict[int, QParams] = {}

    def edge_manager_update_quant_config_method(self, idx: int, qparams: QParams) -> None:
        """Gives the manager a constant method for each parameter of one input or output."""
        for key, value in qparams.constants().items():
            name = get_config_method_name(self.method_name, self._arg_type, idx, key)
            self.edge_program_manager._config_methods[name] = value

    def edge_manager_update_quant_config_methods_all(self) -> None:
        """Gives the manager the constant methods of all inputs or outputs that were made integers."""
        for index, qparams in self.quant_args.items():
            self.edge_manager_update_quant_config_method(index, qparams)

    def call(self, graph_module: GraphModule) -> PassResult:
        own = self.exported_program
        signature = copy_signature(own.graph_signature)
        if graph_module is not own.graph_module:
            # The manager gets the constants, so its program has to become what they say, too.
            self._change(own.graph_module, own.graph_signature)
            sync_signature(own)
        self._change(graph_module, signature)
        self.edge_manager_update_quant_config_methods_all()
        return PassResult(graph_module, bool(self.quant_args))

    def _change(self, graph_module: GraphModule, signature: ExportGraphSignature) -> None:
        """Changes one graph, whose inputs and outputs are called as in ``signature``."""
        raise NotImplementedError


class QuantizeInputs(_QuantizeBorder):
    """Makes inputs integers: ``edge = edge.transform([QuantizeInputs(edge, [0])])``.

    Args:
        edge_program_manager: receives the parameters as constant methods.
        quantized_inputs_idx: which inputs; or a mapping of these to parameters, for inputs that the program does not
            quantize itself (see :func:`quantize_input`).
        method_name: default ``forward``.
        exported_program: default the manager's program of that method.
    """

    _arg_type = "input"

    def __init__(
        self,
        edge_program_manager: Any,
        quantized_inputs_idx: "Mapping[int, Mapping[str, Any]] | Sequence[int]",
        method_name: "str | None" = None,
        exported_program: "ExportedProgram | None" = None,
    ) -> None:
        super().__init__(edge_program_manager, method_name, exported_program)
        given = quantized_inputs_idx if isinstance(quantized_inputs_idx, Mapping) else {}
        self.quantized_inputs_idx_dict = {index: given.get(index) for index in quantized_inputs_idx}

    def _change(self, graph_module: GraphModule, signature: ExportGraphSignature) -> None:
        for index, qparams in self.quantized_inputs_idx_dict.items():
            self.quant_args[index] = _quantize_input(
                graph_module.graph, list(signature.user_inputs), index, qparams
            )
        graph_module.recompile()


class QuantizeOutputs(_QuantizeBorder):
    """Makes outputs integers: ``edge = edge.transform([QuantizeOutputs(edge, [0])])``; see :class:`QuantizeInputs`."""

    _arg_type = "output"

    def __init__(
        self,
        edge_program_manager: Any,
        quantized_outputs_idx_list: Sequence[int],
        method_name: "str | None" = None,
        exported_program: "ExportedProgram | None" = None,
    ) -> None:
        super().__init__(edge_program_manager, method_name, exported_program)
        self.quantized_outputs_idx_list = list(quantized_outputs_idx_list)

    def _change(self, graph_module: GraphModule, signature: ExportGraphSignature) -> None:
        for index in self.quantized_outputs_idx_list:
            self.quant_args[index] = _quantize_output(graph_module.graph, list(signature.user_outputs), index)
        graph_module.recompile()


def extract_io_quant_params(
    edge_prog: Any, *, input_idxs: Sequence[int] = (0,), output_idxs: Sequence[int] = (0,)
) -> dict[str, dict[str, dict[str, Any]]]:
    """How a caller has to quantize inputs and dequantize outputs once they are integers.

    Args:
        edge_prog: an ``EdgeProgramManager``; not changed.
        input_idxs, output_idxs: which inputs and outputs of ``forward``.

    Returns:
        ``{"inputs": {name: parameters}, "outputs": {name: parameters}}``.

    Raises:
        QuantizeIoError: as :func:`quantize_input` and :func:`quantize_output` do.
    """
    program = clone_program(edge_prog.exported_program())
    found: dict[str, dict[str, dict[str, Any]]] = {"inputs": {}, "outputs": {}}
    for index in input_idxs:
        name = _named(program.graph_signature.user_inputs, index, "input")
        found["inputs"][name] = _spelled_out(quantize_input(program, index))
    for index in output_idxs:
        params = quantize_output(program, index)
        found["outputs"][str(program.graph_signature.user_outputs[index])] = _spelled_out(params)
    return found


def _spelled_out(params: QParams) -> dict[str, Any]:
    constants = params.constants()
    return {"zero_point" if key == "zp" else key: constants[key] for key in constants}


def _named(names: Sequence[Any], index: int, kind: str) -> str:
    if not 0 <= index < len(names):
        raise QuantizeIoError(
            ExportErrorType.INVALID_INPUT_TYPE, f"no {kind} {index}: there are {len(names)}"
        )
    return str(names[index])


def _quantize_input(
    graph: Graph, names: Sequence[Any], index: int, given: "Mapping[str, Any] | None"
) -> QParams:
    name = _named(names, index, "input")
    node = next((item for item in graph.find_nodes(op="placeholder") if item.name == name), None)
    value = value_of(node) if node is not None else None
    if node is None or not isinstance(value, torch.Tensor) or not value.is_floating_point():
        raise _refused(f"input {index}, {name}, is no tensor of floats")
    quantizers = [user for user in node.users if _is_op(user, "quantize_per_tensor")]
    if given is not None:
        params = _complete(given)
        _set_integer(node, params.dtype)
        _dequantize_readers(node, params)
        return params
    if not quantizers or len(quantizers) < len(node.users):
        raise _refused(f"input {index}, {name}, is read by more than quantizers: {list(node.users)}")
    params = _params_of(quantizers[0])
    if any(_params_of(other) != params for other in quantizers):
        raise _refused(f"input {index}, {name}, is quantized with different parameters by {quantizers}")
    _set_integer(node, params.dtype)
    for quantizer in quantizers:
        quantizer.replace_all_uses_with(node, propagate_meta=False)
        graph.erase_node(quantizer)
    return params


def _quantize_output(graph: Graph, names: Sequence[Any], index: int) -> QParams:
    name = _named(names, index, "output")
    output, results = graph.output_node(), list(output_arguments(graph))
    # Values that are written back stand before those for the caller.
    position = len(results) - len(names) + index
    node = results[position]
    if not isinstance(node, Node) or not _is_op(node, "dequantize_per_tensor"):
        raise _refused(f"output {index}, {name}, is not given by a dequantizer")
    params = _params_of(node)
    results[position] = node.args[0]
    output.args = (tuple(results),)
    if not node.users:
        graph.erase_node(node)
    return params


def _refused(reason: str) -> QuantizeIoError:
    return QuantizeIoError(
        ExportErrorType.NOT_SUPPORTED,
        f"{reason}\nWay out: quantize this value per tensor, or leave it out of the list",
    )


def _is_op(node: Node, name: str) -> bool:
    op = aten_op(node.target)
    return op is not None and op.name() == f"quantized_decomposed::{name}"


def _dequantize_op() -> Any:
    # Defines the operators, and takes long.
    importlib.import_module("torch.ao.quantization.fx._decomposed")
    return torch.ops.quantized_decomposed.dequantize_per_tensor.default


def _params_of(node: Node) -> QParams:
    names = [argument.name for argument in aten_op(node.target)._schema.arguments]  # type: ignore[union-attr]
    later = (node.kwargs[name] for name in names[len(node.args) :] if name in node.kwargs)
    return QParams(*itertools.islice((*node.args[1:], *later), len(QParams._fields)))  # type: ignore[arg-type]


def _complete(given: Mapping[str, Any]) -> QParams:
    """``given`` with the range of the element type where it says none."""
    params = {"zp" if key == "zero_point" else key: value for key, value in given.items()}
    missing = {"scale", "zp", "dtype"} - set(params)
    if missing:
        raise _refused(f"quantization parameters lack {sorted(missing)}")
    limits = torch.iinfo(params["dtype"])
    return QParams(
        float(params["scale"]),
        int(params["zp"]),
        params.get("quant_min", limits.min),
        params.get("quant_max", limits.max),
        params["dtype"],
    )


def _set_integer(node: Node, dtype: torch.dtype) -> None:
    value = value_of(node)
    with value.fake_mode:
        node.meta[meta_keys.VAL] = torch.empty_strided(
            value.shape, value.stride(), dtype=dtype, device=value.device
        )
    node.meta.pop("tensor_meta", None)


def _dequantize_readers(node: Node, params: QParams) -> None:
    """Lets quantizers with these very parameters read the integers, and everything else a dequantized copy."""
    readers = []
    for user in list(node.users):
        if _is_op(user, "quantize_per_tensor") and _params_of(user) == params:
            user.replace_all_uses_with(node, propagate_meta=False)
            user.graph.erase_node(user)
        else:
            readers.append(user)
    if not readers:
        return
    args = (node, *params)
    target = edge_op(_dequantize_op())
    with node.graph.inserting_after(node):
        copy = node.graph.call_function(target, args)
    copy.meta[meta_keys.VAL] = compute_value(target, args, {}, node.graph.nodes)
    for reader in readers:
        reader.replace_input_with(node, copy)
