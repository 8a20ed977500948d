"""From a subgraph to bytes: what OpenVINO compiled, as it exports it."""

from __future__ import annotations

from typing import final

from torch.export import ExportedProgram

from executorch.backends.openvino.conversion.model import compile_model, model_of
from executorch.partitioner import BackendDetails, CompileSpec, PreprocessResult


@final
class OpenvinoBackend(BackendDetails):
    """OpenVINO on the CPU, GPU or NPU. The name is the backend id in the program."""

    @staticmethod
    def preprocess(edge_program: ExportedProgram, module_compile_spec: list[CompileSpec]) -> PreprocessResult:
        """Converts and compiles the subgraph.

        Args:
            edge_program: the subgraph.
            module_compile_spec: ``device`` (``CPU``, ``GPU``, ``NPU``, ``AUTO:...``; by default the CPU); ``compress_weights``,
                ``group_size`` and ``share_weights``; any other key is a property of OpenVINO, with its value as text.

        Raises:
            ExportError: OpenVINO is not installed, cannot convert a node, or knows no such device or property.
        """
        data, shared = compile_model(model_of(edge_program), module_compile_spec)
        return PreprocessResult(processed_bytes=data, data_store_output=shared.get_named_data_store_output())
