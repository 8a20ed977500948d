"""Runs models on the GPU and says what each of its shaders takes.

    ./bazelw run //examples/vulkan -- --models mobilenet_v2,language_model

MobileNetV2 and a small language model (random weights) are lowered for Vulkan, run with an event tracer and compared with eager PyTorch; the
Inspector's events become a table of shaders. Without a GPU of its own, a driver that runs on the processor does, as `VK_ICD_FILENAMES` names it.
"""

from __future__ import annotations

import argparse
import pathlib
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch.utils import _pytree as pytree

from executorch.backends.vulkan.partitioner.vulkan_partitioner import VulkanPartitioner
from executorch.devtools.inspector import Inspector
from executorch.examples.quantize.model import mobilenet
from executorch.exir import to_edge_transform_and_lower
from executorch.extension.llm.cache.replacements import replace_kv_cache_with_custom_kv_cache
from executorch.extension.llm.models.model_args import ModelArgs
from executorch.extension.llm.models.sdpa import replace_sdpa_with_custom_op
from executorch.extension.llm.models.transformer import construct_transformer
from executorch.extension.pybindings.portable_lib import _load_for_executorch_from_buffer
from executorch.partitioner import get_lowered_submodules
from executorch.runtime import Runtime

Model = tuple[torch.nn.Module, tuple[Any, ...]]


def mobilenet_v2() -> Model:
    """The published widths, for images of one channel."""
    model = mobilenet(width=1.0).eval()
    for layer in model.modules():
        if isinstance(layer, torch.nn.Conv2d):
            # Activations neither vanish nor grow from layer to layer.
            torch.nn.init.kaiming_normal_(layer.weight)
    return model, (torch.randn(1, 1, 96, 96),)


def language_model() -> Model:
    """Four layers of Llama's kind, with caches of keys and values that the delegate keeps; eight tokens at once."""
    sizes = {"dim": 128, "n_layers": 4, "n_heads": 4, "n_kv_heads": 2, "hidden_dim": 256, "vocab_size": 512}
    args = ModelArgs(
        **sizes, max_seq_len=8, max_context_len=64, use_kv_cache=True, use_sdpa_with_kv_cache_op=True
    )
    args.enable_dynamic_shape = True
    model = replace_kv_cache_with_custom_kv_cache(construct_transformer(args).eval())
    inputs = (torch.randint(0, 512, (1, 8)), {"input_pos": torch.tensor([0])})
    return replace_sdpa_with_custom_op(model), inputs


MODELS: dict[str, Callable[[], Model]] = {one.__name__: one for one in (mobilenet_v2, language_model)}


@dataclass
class Row:
    """A shader: how often it ran in one call of the model, and how long in all."""

    shader: str
    runs: int = 0
    milliseconds: float = 0.0


def rows_of(inspector: Inspector) -> list[Row]:
    """The shaders of a run, the longest first. The events' names are those of shaders and the number of a dispatch."""
    rows: dict[str, Row] = {}
    for block in inspector.event_blocks:
        for event in block.events:
            if not event.is_delegated_op or event.perf_data is None:
                continue
            shader = event.name.rpartition("_")[0]
            row = rows.setdefault(shader, Row(shader))
            row.runs += 1
            row.milliseconds += event.perf_data.avg
    return sorted(rows.values(), key=lambda row: -row.milliseconds)


def run(name: str) -> tuple[list[Row], int, float]:
    """Shaders of a model, the number of its delegates, and the largest difference from eager PyTorch, of the largest result."""
    torch.manual_seed(0)
    model, inputs = MODELS[name]()
    with torch.no_grad():
        captured = torch.export.export(model, inputs)
        expected = model(*inputs)
    edge = to_edge_transform_and_lower(captured, partitioner=[VulkanPartitioner()])
    num_delegates = len(get_lowered_submodules(edge.exported_program().graph_module))
    module = _load_for_executorch_from_buffer(edge.to_executorch().buffer, enable_etdump=True)
    (got,) = module.forward(pytree.tree_leaves(inputs))
    with tempfile.TemporaryDirectory() as directory:
        path = str(pathlib.Path(directory) / "run.etdump")
        module.write_etdump_result_to_file(path)
        rows = rows_of(Inspector(etdump_path=path))
    return rows, num_delegates, float((got - expected).abs().max() / expected.abs().max())


def table(rows: Sequence[Row]) -> str:
    """One line a shader, and what they take together."""
    total = sum(row.milliseconds for row in rows) or 1.0
    width = max(len(row.shader) for row in rows)
    lines = [f"{'shader':{width}}  runs        ms  share"]
    lines += [
        f"{row.shader:{width}}  {row.runs:4}  {row.milliseconds:8.3f}  {row.milliseconds / total:5.1%}"
        for row in rows
    ]
    lines.append(f"{'all':{width}}  {sum(row.runs for row in rows):4}  {total:8.3f}")
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command line; returns the process's exit status."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--models", default=",".join(MODELS), help=", ".join(MODELS))
    names = parser.parse_args(arguments).models.split(",")
    unknown = [name for name in names if name not in MODELS]
    if unknown:
        print(f"there is no model {unknown[0]}; there are {', '.join(MODELS)}", file=sys.stderr)
        return 1
    if not Runtime.get().backend_registry.is_available("VulkanBackend"):
        print("no driver offers a device with Vulkan 1.1; the log says what is missing", file=sys.stderr)
        return 1
    for name in names:
        rows, num_delegates, difference = run(name)
        print(
            f"\n{name}: {num_delegates} delegate(s), differs from eager by {difference:.1e} of the largest result\n{table(rows)}"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
