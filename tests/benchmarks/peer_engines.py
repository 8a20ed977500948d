"""Other engines for the comparison of models: how each gets its file from a PyTorch module, and how it is called.

Imports an engine only in the functions that need it: each has processes of its own, in which the others may be absent.
Making a file needs PyTorch, running one does not.
"""

from __future__ import annotations

import pathlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

Call = Callable[[], Sequence[Any]]
"""Runs a model once; its outputs are arrays."""


@dataclass(frozen=True)
class Engine:
    """One engine.

    Attributes:
        packages: What has to be importable.
        ending: Of its files.
        make: Writes the file of a module with its example inputs, in int8 if the flag says so.
        load: From a file, a number of threads and inputs to a call.
    """

    packages: tuple[str, ...]
    ending: str
    make: Callable[[Any, tuple[Any, ...], bool, pathlib.Path], None]
    load: Callable[[pathlib.Path, int, Sequence[Any]], Call]


def _write_onnx(module: Any, inputs: tuple[Any, ...], int8: bool, file: pathlib.Path) -> None:
    """ONNX by PyTorch's own exporter; int8 by ONNX Runtime's static quantization, with the inputs as calibration.

    Weights are signed and scaled by channel, activations unsigned, as ONNX Runtime recommends for this processor.
    """
    import torch

    if not int8:
        torch.onnx.export(module, inputs, file, dynamo=False)
        return
    from onnxruntime import quantization

    plain = file.with_suffix(".float.onnx")
    prepared = file.with_suffix(".prepared.onnx")
    torch.onnx.export(module, inputs, plain, dynamo=False, input_names=["input"])
    quantization.quant_pre_process(str(plain), str(prepared), skip_symbolic_shape=True)

    class Calibration(quantization.CalibrationDataReader):  # type: ignore[misc]
        left = [{"input": inputs[0].numpy()}]

        def get_next(self) -> Any:
            return self.left.pop() if self.left else None

    quantization.quantize_static(
        str(prepared),
        str(file),
        Calibration(),
        quant_format=quantization.QuantFormat.QDQ,
        per_channel=True,
        activation_type=quantization.QuantType.QUInt8,
        weight_type=quantization.QuantType.QInt8,
    )


def _load_onnxruntime(file: pathlib.Path, threads: int, inputs: Sequence[Any]) -> Call:
    import onnxruntime as engine

    options = engine.SessionOptions()
    options.intra_op_num_threads = threads
    session = engine.InferenceSession(file.read_bytes(), options, providers=["CPUExecutionProvider"])
    feed = {i.name: array for i, array in zip(session.get_inputs(), inputs, strict=True)}
    return lambda: session.run(None, feed)


def _load_openvino(file: pathlib.Path, threads: int, inputs: Sequence[Any]) -> Call:
    """From the ONNX file, in single precision where the file has that."""
    import openvino as engine

    config = {
        "INFERENCE_NUM_THREADS": threads,
        "INFERENCE_PRECISION_HINT": "f32",
        "PERFORMANCE_HINT": "LATENCY",
    }
    compiled = engine.compile_model(engine.convert_model(file), "CPU", config)
    request = compiled.create_infer_request()
    tensors = [engine.Tensor(array) for array in inputs]
    for index, tensor in enumerate(tensors):
        request.set_input_tensor(index, tensor)

    def call() -> list[Any]:
        request.infer()
        return [request.get_output_tensor(index).data for index in range(len(compiled.outputs))]

    return call


def _write_litert(module: Any, inputs: tuple[Any, ...], int8: bool, file: pathlib.Path) -> None:
    """By LiteRT's converter for PyTorch; int8 by its quantizer, with the inputs as calibration."""
    import litert_torch

    converted = litert_torch.convert(module, inputs)
    if not int8:
        converted.export(str(file))
        return
    from ai_edge_quantizer import quantizer, recipe

    plain = file.with_suffix(".float.tflite")
    converted.export(str(plain))
    tool = quantizer.Quantizer(str(plain))
    tool.load_quantization_recipe(recipe.static_wi8_ai8())
    feed = {f"args_{index}": value.numpy() for index, value in enumerate(inputs)}
    ranges = tool.calibrate({"serving_default": [feed]})
    tool.quantize(ranges).export_model(str(file), overwrite=True)


def _load_litert(file: pathlib.Path, threads: int, inputs: Sequence[Any]) -> Call:
    """An interpreter with its XNNPACK delegate, which is what it uses by itself.

    Inputs of an int8 file are integers: quantizing them is left to the caller, and not measured.
    """
    import numpy
    from ai_edge_litert.interpreter import Interpreter

    interpreter = Interpreter(model_path=str(file), num_threads=threads)
    interpreter.allocate_tensors()
    details = interpreter.get_input_details()
    fed = []
    for detail, array in zip(details, inputs, strict=True):
        scale, zero_point = detail["quantization"]
        if scale:
            limits = numpy.iinfo(detail["dtype"])
            array = numpy.clip(numpy.round(array / scale) + zero_point, limits.min, limits.max)
        fed.append((detail["index"], array.astype(detail["dtype"])))
    outputs = [detail["index"] for detail in interpreter.get_output_details()]

    def call() -> list[Any]:
        for index, array in fed:
            interpreter.set_tensor(index, array)
        interpreter.invoke()
        return [interpreter.get_tensor(index) for index in outputs]

    return call


ENGINES = {
    "onnxruntime": Engine(("onnx", "onnxruntime"), ".onnx", _write_onnx, _load_onnxruntime),
    "openvino": Engine(("onnx", "onnxruntime", "openvino"), ".onnx", _write_onnx, _load_openvino),
    "litert": Engine(("litert_torch", "ai_edge_litert"), ".tflite", _write_litert, _load_litert),
}
