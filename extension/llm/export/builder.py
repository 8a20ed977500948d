"""From a decoder to a file, step by step: each step returns the manager, so that steps can be chained."""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Callable, Mapping, Sequence
from enum import Enum
from pathlib import Path
from typing import Any

import torch
from torch import nn
from torch.export import Dim, ExportedProgram
from torch.nn.attention import SDPBackend, sdpa_kernel

from executorch.exir import (
    EdgeCompileConfig,
    EdgeProgramManager,
    ExecutorchBackendConfig,
    ExecutorchProgramManager,
    to_edge,
    to_edge_transform_and_lower,
)
from executorch.extension.llm.export.export_passes import RemoveRedundantTransposes
from executorch.extension.llm.models.refusal import RefusalError
from executorch.memory_planning import MemoryPlanningPass
from executorch.passes.optimization.external_constants_pass import delegate_external_constants_pass_unlifted

_log = logging.getLogger(__name__)


class DType(Enum):
    """Of weights and activations, by the names of an export's configuration."""

    fp32 = "fp32"
    fp16 = "fp16"
    bf16 = "bf16"

    def to_torch_dtype(self) -> torch.dtype:
        """As PyTorch has it."""
        return _TORCH_DTYPES[self]

    @classmethod
    def from_torch_dtype(cls, dtype: torch.dtype) -> DType:
        """Of PyTorch's.

        Raises:
            ValueError: exports have no such dtype.
        """
        for one, torch_dtype in _TORCH_DTYPES.items():
            if torch_dtype == dtype:
                return one
        raise ValueError(f"exports are in {', '.join(one.value for one in cls)}, not in {dtype}")


_TORCH_DTYPES = {DType.fp32: torch.float32, DType.fp16: torch.float16, DType.bf16: torch.bfloat16}


class LLMEdgeManager:
    """A language model on its way to a program.

    Args:
        model: takes tokens ``[1, n]`` and, if it has a cache, ``{"input_pos": positions}``; gives logits.
        modelname: of the file.
        max_seq_len: the most tokens of a call.
        use_kv_cache: whether it has a cache.
        example_inputs, example_kwarg_inputs: for ``torch.export``.
        dtype: of its weights.
        enable_dynamic_shape: a call takes any number of tokens; without a cache it always does.
        generate_full_logits: the program gives the logits of all tokens. What the model does is its business; this is for readers.
        calibration_tasks, calibration_limit, calibration_seq_length, calibration_data, tokenizer_path: of PT2E.
        verbose: logs the graph, and the table of what was delegated.
        metadata: methods that give constants.
        dynamic_shapes: in place of those that the other arguments make.
        save_exported_program: writes what ``torch.export`` gave, beside the program.
        generate_etrecord: keeps what the developer tools want; ``export_program.get_etrecord()`` of what is made last.
        skip_dim_order: the program says nothing of orders of dimensions.

    Attributes:
        pre_autograd_graph_module, edge_manager, export_program: what the steps made, None before; ``export_program`` has the buffer.
    """

    def __init__(
        self,
        model: nn.Module,
        modelname: str,
        max_seq_len: int,
        use_kv_cache: bool,
        example_inputs: tuple[torch.Tensor, ...],
        dtype: DType | None = None,
        example_kwarg_inputs: dict[str, Any] | None = None,
        enable_dynamic_shape: bool = False,
        generate_full_logits: bool = False,
        calibration_tasks: list[str] | None = None,
        calibration_limit: int | None = None,
        calibration_seq_length: int | None = None,
        calibration_data: str | None = None,
        tokenizer_path: str | None = None,
        verbose: bool = False,
        metadata: dict[str, Any] | None = None,
        dynamic_shapes: Any = None,
        save_exported_program: bool = False,
        generate_etrecord: bool = False,
        skip_dim_order: bool = True,
    ) -> None:
        self.model, self.modelname, self.max_seq_len = model, modelname, max_seq_len
        self.use_kv_cache, self.enable_dynamic_shape = use_kv_cache, enable_dynamic_shape
        self.example_inputs, self.example_kwarg_inputs = example_inputs, example_kwarg_inputs
        self.dtype = DType.fp32 if dtype is None else dtype
        self.generate_full_logits, self.verbose = generate_full_logits, verbose
        self.calibration_tasks, self.calibration_limit = calibration_tasks, calibration_limit
        self.calibration_seq_length, self.calibration_data = calibration_seq_length, calibration_data
        self.tokenizer_path = tokenizer_path
        self.metadata, self.dynamic_shapes = metadata, dynamic_shapes
        self.save_exported_program, self.generate_etrecord = save_exported_program, generate_etrecord
        self.skip_dim_order, self.output_dir = skip_dim_order, "."
        self._module: Any = None
        self.edge_manager: EdgeProgramManager | None = None
        self.export_program: ExecutorchProgramManager | None = None
        self._exported: ExportedProgram | None = None
        self._saved_pte_filename: str | None = None

    @property
    def pre_autograd_graph_module(self) -> Any:
        """The graph as it is now; a caller may give another one, which is exported again."""
        return self._module

    @pre_autograd_graph_module.setter
    def pre_autograd_graph_module(self, module: Any) -> None:
        self._module, self._exported = module, None

    def set_output_dir(self, output_dir: str) -> LLMEdgeManager:
        """Where files go."""
        self.output_dir = output_dir
        return self

    def to_dtype(self, dtype_override: DType | None) -> LLMEdgeManager:
        """Turns weights, tables and caches into a dtype; None: they stay.

        Raises:
            ValueError: it is none of :class:`DType`.
        """
        if dtype_override is None:
            return self
        if not isinstance(dtype_override, DType):
            raise ValueError(f"dtype_override is a DType, not {dtype_override!r}")
        self.dtype = dtype_override
        self.model = self.model.to(dtype=dtype_override.to_torch_dtype())
        return self

    def source_transform(self, transforms: Sequence[Callable[[nn.Module], nn.Module]]) -> LLMEdgeManager:
        """Changes the model before it is exported, one transform after the other."""
        for transform in transforms:
            self.model = transform(self.model)
        return self

    def export(self) -> LLMEdgeManager:
        """``torch.export``."""
        self._exported = self._export(self.model)
        self._module = self._exported.module()
        if self.verbose:
            _log.info("exported graph:\n%s", self._exported.graph)
        if self.save_exported_program:
            os.makedirs(self.output_dir, exist_ok=True)
            torch.export.save(self._exported, os.path.join(self.output_dir, f"{self.modelname}.pt2"))
        return self

    def run_canonical_optimizations(self) -> LLMEdgeManager:
        """Removes transpositions that undo each other, which would copy whole caches in each call."""
        if self._exported is None:
            self.pre_autograd_graph_module = RemoveRedundantTransposes()(self._graph()).graph_module
        else:  # In place: the graph need not be exported again.
            RemoveRedundantTransposes()(self._exported.graph_module)
            self._module = self._exported.module()
        return self

    def tag_weights(
        self,
        tag: Callable[[torch.fx.Node], str | None],
        rename: Callable[[torch.fx.GraphModule], None] | None = None,
    ) -> LLMEdgeManager:
        """Says which `.ptd` file each weight goes to, those that backends take too; None keeps one in the program.

        Args:
            rename: changes the names that weights have there, before.
        """
        module = self._graph()
        if rename is not None:
            rename(module)
        delegate_external_constants_pass_unlifted(module, tag)
        self.pre_autograd_graph_module = module
        return self

    def pt2e_calibrate(
        self,
        prepared_module: Any,
        calibration_tasks: list[str] | None,
        calibration_limit: int | None,
        calibration_seq_length: int | None,
        calibration_data: str | None,
        tokenizer_path: str | None,
    ) -> None:
        """Shows observers some text, token by token.

        Args:
            prepared_module: of ``prepare_pt2e``.
            calibration_tasks, calibration_limit: of an evaluation harness, which is none of this library's.
            calibration_seq_length: the most tokens.
            calibration_data: the text.
            tokenizer_path: the tokenizer's file.

        Raises:
            ValueError: tasks are named, or there is no tokenizer that reads the text.
        """
        if calibration_tasks:
            raise RefusalError(
                "calibration_tasks come of an evaluation harness, which this library has not: give calibration_data, a text"
            )
        del calibration_limit
        for tokens in self._calibration_calls(calibration_data, calibration_seq_length, tokenizer_path):
            prepared_module(*tokens)

    def pt2e_quantize(self, quantizers: Sequence[Any] | None) -> LLMEdgeManager:
        """Quantizes the exported graph, by all the quantizers at once; calibrated if there is a tokenizer, else by the example inputs."""
        if not quantizers:
            return self
        from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e, prepare_pt2e
        from torchao.quantization.pt2e.quantizer import ComposableQuantizer

        quantizer = quantizers[0] if len(quantizers) == 1 else ComposableQuantizer(list(quantizers))
        prepared = prepare_pt2e(self._graph(), quantizer)
        if self.tokenizer_path:
            self.pt2e_calibrate(
                prepared,
                self.calibration_tasks,
                self.calibration_limit,
                self.calibration_seq_length,
                self.calibration_data,
                self.tokenizer_path,
            )
        else:
            prepared(*self.example_inputs, **(self.example_kwarg_inputs or {}))
        self.pre_autograd_graph_module = convert_pt2e(prepared)
        return self

    def export_to_edge(self) -> LLMEdgeManager:
        """To the edge dialect, with nothing delegated."""
        self.edge_manager = to_edge(
            self._program(), compile_config=self._get_edge_config(), constant_methods=self.metadata
        )
        return self

    def to_backend(self, partitioners: Sequence[Any] | None) -> LLMEdgeManager:
        """Hands parts of the edge program to backends, one after the other; None: nothing.

        Raises:
            RuntimeError: there is no edge program yet.
        """
        if self.edge_manager is None:
            raise RuntimeError("there is no edge program to take parts of: call export_to_edge() first")
        for partitioner in partitioners or ():
            if partitioner is not None:
                self.edge_manager = self.edge_manager.to_backend(partitioner)
        self._show_delegation()
        return self

    def to_edge_transform_and_lower(
        self,
        partitioners: Sequence[Any] | Mapping[str, Sequence[Any]] | None,
        transform_passes: list[Any] | None = None,
        methods: Mapping[str, LLMEdgeManager] | None = None,
    ) -> LLMEdgeManager:
        """Both steps in one, with operators kept whole that a backend wants so.

        Args:
            partitioners: in order of preference; of each method by its name where they are not for all.
            transform_passes: over the edge graph before.
            methods: name to the model that it is of; by default `forward` alone, of this one, whose metadata the program has.
        """
        if not isinstance(partitioners, Mapping):
            partitioners = dict.fromkeys(methods or ("forward",), partitioners or ())
        self.edge_manager = to_edge_transform_and_lower(
            {name: one._program() for name, one in (methods or {"forward": self}).items()},
            partitioner={
                name: [one for one in given if one is not None] for name, given in partitioners.items()
            },
            transform_passes=transform_passes,
            compile_config=self._get_edge_config(),
            constant_methods=self.metadata,
            generate_etrecord=self.generate_etrecord,
        )
        self._show_delegation()
        return self

    def to_executorch(
        self,
        passes: list[Any] | None = None,
        external_constants_tag: Callable[[torch.fx.Node], str | None] | None = None,
        share_mutable_buffers: bool = False,
    ) -> LLMEdgeManager:
        """To a program.

        Args:
            passes: of one's own, over the edge graph before it is planned.
            external_constants_tag: the `.ptd` file of a weight, None for the program itself.
            share_mutable_buffers: methods have caches in common.

        Raises:
            RuntimeError: there is no edge program yet.
        """
        if self.edge_manager is None:
            raise RuntimeError(
                "there is no edge program: call export_to_edge() or to_edge_transform_and_lower() first"
            )
        planning = MemoryPlanningPass(alloc_graph_input=False, share_mutable_buffers=share_mutable_buffers)
        named: dict[str, Any] = {"passes": passes} if passes else {}
        self.export_program = self.edge_manager.to_executorch(
            ExecutorchBackendConfig(
                memory_planning_pass=planning,
                external_constants=external_constants_tag or False,
                do_quant_fusion_and_const_prop=True,
                **named,
            )
        )
        return self

    def save_to_pte(self, output_name: str) -> None:
        """Writes the program, and its `.ptd` files beside it; a name without a suffix is one in the output directory.

        Raises:
            RuntimeError: there is no program yet.
        """
        if self.export_program is None:
            raise RuntimeError("there is no program to be saved: call to_executorch() first")
        path = Path(output_name)
        if path.suffix != ".pte":
            path = Path(self.output_dir) / f"{path.name}.pte"
        path.parent.mkdir(parents=True, exist_ok=True)
        self.export_program.save(str(path))
        if self.export_program._tensor_data:
            self.export_program.write_tensor_data_to_file(str(path.parent))
        self._saved_pte_filename = str(path)
        _log.info("saved %s", path)

    def save_exported(self, output_name: str) -> None:
        """Writes what ``torch.export`` gave, as ``.pt2`` in the output directory."""
        os.makedirs(self.output_dir, exist_ok=True)
        path = os.path.join(self.output_dir, f"{Path(output_name).name.removesuffix('.pte')}.pt2")
        torch.export.save(self._program(), path)
        self._saved_pte_filename = path

    def get_saved_pte_filename(self) -> str | None:
        """The file that was written last."""
        return self._saved_pte_filename

    def _get_dynamic_shape(self) -> Any:
        if self.dynamic_shapes is not None:
            return self.dynamic_shapes
        if not self.use_kv_cache:
            return ({1: Dim("token_dim", max=self.max_seq_len)},)
        if self.enable_dynamic_shape:
            return ({1: Dim("token_dim", max=self.max_seq_len)}, {"input_pos": {}})
        return None

    def _get_edge_config(self) -> EdgeCompileConfig:
        return EdgeCompileConfig(_check_ir_validity=False, _skip_dim_order=self.skip_dim_order)

    def _export(self, module: nn.Module | None = None) -> ExportedProgram:
        # The sum of products is the one form of attention that every backend knows parts of.
        with sdpa_kernel([SDPBackend.MATH]), torch.no_grad():
            return torch.export.export(
                self.model if module is None else module,
                self.example_inputs,
                kwargs=self.example_kwarg_inputs,
                dynamic_shapes=self._get_dynamic_shape(),
            )

    def _graph(self) -> Any:
        if self._module is None:
            self.export()
        return self._module

    def _program(self) -> ExportedProgram:
        if self._exported is None:
            self._exported = self._export(self._graph())
        return self._exported

    def _calibration_calls(
        self, text: str | None, most: int | None, path: str | None
    ) -> list[tuple[Any, ...]]:
        if not text or path is None:
            raise RefusalError(
                "calibration wants a text and a tokenizer: give calibration_data and tokenizer_path"
            )
        tokens = tokens_of(text, path)[: most or self.max_seq_len]
        if not self.use_kv_cache:
            return [(torch.tensor([tokens]),)]
        return [
            (torch.tensor([[token]]), {"input_pos": torch.tensor([position])})
            for position, token in enumerate(tokens)
        ]

    def _show_delegation(self) -> None:
        if not self.verbose or self.edge_manager is None:
            return
        from executorch.devtools.backend_debug import get_delegation_info

        for method in self.edge_manager.methods:
            info = get_delegation_info(self.edge_manager.exported_program(method).graph_module)
            print(info.get_summary())
            print(info.get_operator_delegation_dataframe().to_string())


def tokens_of(text: str, path: str) -> list[int]:
    """The tokens of a text by a file ``tokenizer.json``.

    Raises:
        ValueError: it is none.
    """
    from tokenizers import Tokenizer

    try:
        found: list[int] = Tokenizer.from_file(path).encode(text).ids
    except Exception as error:  # the package raises Exception itself
        raise RefusalError(f"{path} is no tokenizer.json: {error}") from error
    return found


def metadata_of(text: str | None, **known: Any) -> Mapping[str, Any]:
    """Constant methods: ``known``, and those of a JSON text, which win.

    Raises:
        ValueError: the text is no JSON object.
    """
    if not text:
        return known
    try:
        given = json.loads(text)
    except json.JSONDecodeError as error:
        raise RefusalError(f"base.metadata is no JSON: {error}: {text}") from error
    if not isinstance(given, dict):
        raise RefusalError(f"base.metadata is no JSON object of names and values: {text}")
    return {**known, **given}
