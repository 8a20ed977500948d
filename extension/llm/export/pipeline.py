"""A whole export, from a configuration to files."""

from __future__ import annotations

import argparse
import contextlib
import logging
import os
import tempfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import torch
from tqdm import tqdm

from executorch.extension.llm.export import decoder, partitioner_lib
from executorch.extension.llm.export.builder import LLMEdgeManager
from executorch.extension.llm.export.config.llm_config import LlmConfig
from executorch.extension.llm.export.config.reading import from_mapping
from executorch.extension.llm.export.methods import method_configs
from executorch.extension.llm.export.quantizers import quantize
from executorch.extension.llm.models.lora import is_adapter, name_as_without_adapters
from executorch.extension.llm.models.memory import large_blocks_apart
from executorch.extension.llm.models.refusal import MissingBackendError, refusals

#: ``qmode`` of linear layers whose inputs are quantized at run time.
_DYNAMIC = ("8da4w", "8da4w-gptq")

_log = logging.getLogger(__name__)


def export_llama(export_options: LlmConfig | Mapping[str, Any] | argparse.Namespace) -> str:
    """Exports a language model.

    Args:
        export_options: a configuration; groups of values, OmegaConf's too; or the flags of the documented command.

    Returns:
        The file that was written.

    Raises:
        ValueError: the configuration contradicts itself or asks for what is not there.
        FileNotFoundError: there is no such checkpoint.
        NotImplementedError: there is no such backend.
    """
    config = _config(export_options)
    if config.debug.profile_path is None:
        return _run(config)
    from executorch.util.python_profiler import CProfilerFlameGraph

    with CProfilerFlameGraph(config.debug.profile_path):
        return _run(config)


def _config(options: LlmConfig | Mapping[str, Any] | argparse.Namespace) -> LlmConfig:
    if isinstance(options, LlmConfig):
        return options
    if isinstance(options, argparse.Namespace):
        return LlmConfig.from_args(options)
    return from_mapping(options)


def _run(config: LlmConfig) -> str:
    path = lowered(config).get_saved_pte_filename()
    assert path is not None
    return path


def lowered(
    config: LlmConfig, prepare: Callable[[LlmConfig], LLMEdgeManager] | None = None
) -> LLMEdgeManager:
    """What :func:`export_llama` does, with all that the steps made; the file is written.

    Args:
        prepare: makes the decoder of a configuration, to be exported; by default those of all methods have their weights in common.

    Raises:
        ValueError, FileNotFoundError, NotImplementedError: as of :func:`export_llama`.
    """
    methods = method_configs(config)
    if config.export.so_library:
        torch.ops.load_library(config.export.so_library)
    # Before the weights: a backend that is missing is known at once.
    backends = {name: _partitioners(one) for name, one in methods.items()}
    tag = _tag(config)
    with large_blocks_apart(), _steps(4 * len(methods) + 2) as step:
        prepare = prepare or decoder.Decoders()
        made = {name: _captured(one, prepare, tag, step) for name, one in methods.items()}
        del prepare
        first = next(iter(made.values()))
        if config.export.export_only:
            first.save_exported(config.export.output_name or first.modelname)
            return first
        step("lower", lambda: first.to_edge_transform_and_lower(backends, methods=made))
        shares = config.multimethod.share_mutable_buffers
        step("to_executorch", lambda: first.to_executorch(None, tag, shares))
    first.save_to_pte(config.export.output_name or first.modelname)
    _write_records(config, first)
    return first


def _captured(
    config: LlmConfig,
    prepare: Callable[[LlmConfig], LLMEdgeManager],
    tag: Callable[[torch.fx.Node], str | None] | None,
    step: Any,
) -> LLMEdgeManager:
    """The graph of one method, quantized and tagged."""
    made: LLMEdgeManager = step("load and quantize", lambda: prepare(config))
    made.generate_etrecord = config.debug.generate_etrecord
    step("torch.export", made.export)
    step("optimize", made.run_canonical_optimizations)
    if not config.export.export_only:
        step("PT2E", lambda: quantize(made, config))
        if tag is not None:
            made.tag_weights(tag, name_as_without_adapters)
    return made


@contextlib.contextmanager
def _steps(count: int) -> Iterator[Any]:
    """A bar that names each step as it begins; on a terminal only."""
    with tqdm(total=count, disable=None, unit="step") as bar:

        def step(name: str, run: Any) -> Any:
            bar.set_description(name)
            _log.info("%s", name)
            result = run()
            bar.update()
            return result

        yield step


def _partitioners(config: LlmConfig) -> list[Any]:
    """In the order in which they take their parts."""
    backend, lib = config.backend, partitioner_lib
    ethosu = backend.ethosu
    asked: list[tuple[bool, Callable[[], Any]]] = [
        (backend.qnn.enabled, lambda: lib.get_qnn_partitioner(config.model.use_kv_cache)),
        (backend.coreml.enabled, lambda: _coreml(config)),
        (
            backend.vulkan.enabled,
            lambda: lib.get_vulkan_partitioner(
                config.model.dtype_override.value,
                config.model.enable_dynamic_shape,
                backend.vulkan.force_fp16,
            ),
        ),
        (backend.mps.enabled, lib.get_mps_partitioner),
        (backend.openvino.enabled, lambda: lib.get_openvino_partitioner(backend.openvino.device)),
        (backend.tosa.enabled, lambda: lib.get_tosa_partitioner(backend.tosa.version)),
        (
            ethosu.enabled,
            lambda: lib.get_ethosu_partitioner(
                ethosu.target, ethosu.system_config, ethosu.memory_mode, ethosu.extra_flags
            ),
        ),
        (
            backend.vgf.enabled,
            lambda: lib.get_vgf_partitioner(backend.vgf.compile_spec, backend.vgf.compiler_flags),
        ),
        (backend.xnnpack.enabled, lambda: _xnnpack(config)),
    ]
    if backend.mlx.enabled:
        raise MissingBackendError("no backend mlx comes with this release: use backend.xnnpack")
    with refusals():
        return [make() for is_enabled, make in asked if is_enabled]


def _coreml(config: LlmConfig) -> Any:
    options, weights = config.backend.coreml, config.backend.coreml.quantize
    return partitioner_lib.get_coreml_partitioner(
        options.ios,
        coreml_quantize=None if weights is None else weights.value,
        coreml_compute_units=options.compute_units.value,
    )


def _xnnpack(config: LlmConfig) -> Any:
    # What is not quantized at run time would be left out by the partitioner for that: then all that XNNPACK can goes there.
    quantization = config.quantization
    is_dynamic = quantization.qmode in _DYNAMIC or quantization.pt2e_quantize is not None
    is_dynamic = is_dynamic or config.base.preq_mode is not None
    options = config.backend.xnnpack
    return partitioner_lib.get_xnnpack_partitioner(
        is_dynamic and not options.extended_ops, options.enable_bf16, final_constants=True
    )


def _tag(config: LlmConfig) -> Callable[[torch.fx.Node], str | None] | None:
    """Where weights go that lie outside the program: an adapter's into one file, all others into another."""
    foundation, adapter = (
        None if file is None else Path(file).name.removesuffix(".ptd")
        for file in (config.export.foundation_weights_file, config.export.lora_weights_file)
    )
    if foundation is None and adapter is None:
        return None
    return lambda node: adapter if _is_adapters(node) else foundation


def _is_adapters(node: torch.fx.Node) -> bool:
    # Of a graph whose weights are attributes, or placeholders in which dots are underscores.
    return is_adapter(str(node.target)) or "_lora_a_" in node.name or "_lora_b_" in node.name


def _write_records(config: LlmConfig, made: LLMEdgeManager) -> None:
    path, program = made.get_saved_pte_filename(), made.export_program
    assert path is not None and program is not None
    if config.debug.generate_etrecord:
        _write_etrecord(program, Path(path).parent / "etrecord.bin")
    if config.debug.profile_memory:
        from executorch.util.activation_memory_profiler import generate_memory_trace

        generate_memory_trace(program, f"{path.removesuffix('.pte')}_memory.json")


def _write_etrecord(program: Any, path: Path) -> None:
    """As a whole or not at all: what is for the developer tools does not cost the program that is written already."""
    handle, staged = tempfile.mkstemp(dir=path.parent, prefix=path.name)
    os.close(handle)
    try:
        program.get_etrecord().save(staged)
        os.replace(staged, path)
    except Exception as error:
        Path(staged).unlink(missing_ok=True)
        _log.warning("Could not write %s, which the program does not need: %s", path, error)
