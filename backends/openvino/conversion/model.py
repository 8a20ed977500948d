"""What is asked of OpenVINO: to decode a graph, to compile it, and to export what it compiled."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import Any

import torch
from torch.export import ExportedProgram

from executorch.backends.openvino.conversion.compression import (
    GROUP_SIZE,
    MODE,
    Compression,
    compress,
    narrow,
)
from executorch.backends.openvino.conversion.rewrite import DecodableGraph, decodable_graph
from executorch.backends.openvino.conversion.sharing import SHARE, with_shared_weights
from executorch.dialects import meta_keys
from executorch.dialects.errors import ExportError
from executorch.ir.graph import output_arguments
from executorch.partitioner import CompileSpec, NamedDataStore

#: Calculated in float32, as everywhere else, unless somebody asks for less: a processor with instructions for bfloat16
#: would use them unasked (differences of some percent). The run-time half asks for the same when it reads the bytes.
DEFAULTS = {"INFERENCE_PRECISION_HINT": "f32", "PERFORMANCE_HINT": "LATENCY"}


def openvino() -> Any:
    """The module ``openvino``.

    Raises:
        ExportError: it is not installed.
    """
    try:
        import openvino as found
    except ImportError as error:
        raise ExportError(
            f"OpenVINO compiles ahead of time with its own package, which cannot be imported ({error}). Way out: "
            "pip install openvino"
        ) from error
    return found


def model_of(program: ExportedProgram) -> Any:
    """The subgraph as a model of OpenVINO, with the sizes that its inputs may have.

    Raises:
        ExportError: OpenVINO is not installed or cannot convert a node.
    """
    ov = openvino()
    from openvino.frontend import FrontEndManager
    from openvino.frontend.pytorch.fx_decoder import TorchFXPythonDecoder

    graph = decodable_graph(program)
    shapes = [ov.PartialShape([_dimension(ov, size) for size in shape]) for shape in graph.shapes]
    decoder = TorchFXPythonDecoder(
        graph.module,
        input_shapes=[[size if isinstance(size, int) else -1 for size in shape] for shape in graph.shapes],
        input_types=graph.dtypes,
    )
    front = FrontEndManager().load_by_framework("pytorch")
    try:
        model = _with_all_inputs(ov, front.convert(front.load(decoder)), len(shapes))
        for parameter, shape, dtype in zip(model.get_parameters(), shapes, graph.dtypes, strict=True):
            parameter.set_partial_shape(shape)
            parameter.set_element_type(_element_type(ov, dtype))
        model.validate_nodes_and_infer_types()
    except Exception as error:
        raise ExportError(f"OpenVINO cannot convert a subgraph: {error}\n{_listing(graph)}") from error
    return _with_output_types(ov, model, program)


def _with_all_inputs(ov: Any, model: Any, count: int) -> Any:
    """The same model with one parameter for each input; the decoder leaves out those that nothing reads."""
    found = {parameter.get_friendly_name(): parameter for parameter in model.get_parameters()}
    if len(found) == count:
        return model
    every = []
    for index in range(count):
        name = f"input_{index}"
        parameter = found.get(name) or ov.opset13.parameter(ov.PartialShape.dynamic(), ov.Type.f32, name=name)
        every.append(parameter)
    return ov.Model(model.get_results(), every)


def _listing(graph: DecodableGraph) -> str:
    return "The subgraph: " + ", ".join(
        str(node.target) for node in graph.module.graph.nodes if node.op == "call_function"
    )


def _dimension(ov: Any, size: Any) -> Any:
    if isinstance(size, int):
        return ov.Dimension(size)
    bounds = size.node.shape_env.bound_sympy(size.node.expr)
    # torch.export reasons about sizes from 2 on and lets 1 in as well.
    low = int(bounds.lower) if bounds.lower.is_Integer and bounds.lower > 2 else 1
    return ov.Dimension(low, int(bounds.upper) if bounds.upper.is_Integer else -1)


def _element_type(ov: Any, dtype: torch.dtype) -> Any:
    from openvino.frontend.pytorch.utils import pt_to_ov_type_map

    if str(dtype) not in pt_to_ov_type_map:
        raise ExportError(f"OpenVINO has no elements of {dtype}")
    return pt_to_ov_type_map[str(dtype)]


def _with_output_types(ov: Any, model: Any, program: ExportedProgram) -> Any:
    """The same model; a result that came out in another type than the program says is converted."""
    for result, node in zip(model.get_results(), output_arguments(program.graph), strict=True):
        wanted = _element_type(ov, node.meta[meta_keys.VAL].dtype)
        source = result.input_value(0)
        if source.get_element_type() != wanted:
            converted = ov.opset13.convert(source, wanted)
            result.input(0).replace_source_output(converted.output(0))
    model.validate_nodes_and_infer_types()
    return model


def device_and_properties(specs: Sequence[CompileSpec]) -> tuple[str, dict[str, str]]:
    """The device, and what is asked of it.

    Raises:
        ExportError: a value is no text.
    """
    device, properties = "CPU", dict(DEFAULTS)
    for spec in specs:
        try:
            text = bytes(spec.value).rstrip(b"\0").decode()
        except UnicodeDecodeError as error:
            raise ExportError(f"OpenVINO: the value of the compile spec {spec.key!r} is no text") from error
        if spec.key == "device":
            device = text
        else:
            properties[spec.key] = text
    return device, properties


def compile_model(model: Any, specs: Sequence[CompileSpec]) -> tuple[bytes, NamedDataStore]:
    """What the device compiled, as it exports it, or the model as text; and the weights that are kept beside it.

    Raises:
        ExportError: there is no such device, property or compression, or it cannot compile the model.
    """
    ov = openvino()
    device, properties = device_and_properties(specs)
    asked = Compression.of({key: properties.pop(key) for key in (MODE, GROUP_SIZE) if key in properties})
    narrow(ov, model)
    if asked is not None:
        compress(ov, model, asked)
    if SHARE in properties:
        return with_shared_weights(ov, model, properties[SHARE])
    try:
        compiled = ov.Core().compile_model(model, device, properties)
        exported = compiled.export_model()
    except RuntimeError as error:
        raise ExportError(
            f"OpenVINO cannot compile for the device {device!r} with {properties}: {error}. Way out: a device that this "
            f"machine has ({', '.join(ov.Core().available_devices) or 'none'}) and properties that it knows"
        ) from error
    data = exported.getvalue() if isinstance(exported, io.BytesIO) else bytes(exported)
    return data, NamedDataStore()
