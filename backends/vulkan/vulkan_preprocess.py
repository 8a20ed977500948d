"""Compiles a subgraph into the blob that the run-time half of the backend reads."""

from __future__ import annotations

from typing import final

from torch.export import ExportedProgram

from executorch.backends.vulkan.graph.lowering import lower_graph
from executorch.backends.vulkan.options import VulkanOptions, parse_compile_spec
from executorch.backends.vulkan.serialization.blob import pack
from executorch.dialects import meta_keys
from executorch.partitioner import BackendDetails, CompileSpec, PreprocessResult


@final
class VulkanBackend(BackendDetails):
    """A GPU through Vulkan. The name is the backend id in the program."""

    @staticmethod
    def preprocess(edge_program: ExportedProgram, module_compile_spec: list[CompileSpec]) -> PreprocessResult:
        """The subgraph as a blob; weights go to the program's named data, where equal ones are one.

        Args:
            edge_program: the subgraph.
            module_compile_spec: options, see :class:`VulkanOptions`.

        Raises:
            ExportError: an operator that the delegate has not, or a constant that does not fit its types.
            ValueError: no such option.
        """
        handles = {
            node.meta[meta_keys.DEBUG_HANDLE]
            for node in edge_program.graph.nodes
            if meta_keys.DEBUG_HANDLE in node.meta
        }
        options = VulkanOptions.of(parse_compile_spec(module_compile_spec))
        builder = lower_graph(edge_program, options)
        if options.external_constants_max_data_bytes > 0:
            builder.named_data.externalize_pte_data(
                options.external_constants_max_data_bytes, "vulkan_constants"
            )
        return PreprocessResult(
            processed_bytes=pack(builder.graph()),
            debug_handle_map={handle: (handle,) for handle in sorted(handles)},
            data_store_output=builder.named_data.get_named_data_store_output(),
        )
