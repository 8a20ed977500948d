"""Adapters of low rank (https://arxiv.org/abs/2106.09685): beside a linear layer, two small ones whose product is added.

An adapter is what PEFT writes: ``adapter_model.safetensors`` and ``adapter_config.json`` with ``r``, ``lora_alpha`` and ``target_modules``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import torch
from torch import nn

from executorch.extension.llm.models.lora_linear import LoRALinear
from executorch.extension.llm.models.refusal import RefusalError
from executorch.extension.llm.models.transformer import Transformer

#: Modules by the adapter's names to ours, in a layer. Ours are taken too, and say that rows are in the decoder's order.
_MODULES = {
    "q_proj": "attention.wq",
    "k_proj": "attention.wk",
    "v_proj": "attention.wv",
    "o_proj": "attention.wo",
    "output_proj": "attention.wo",
    "gate_proj": "feed_forward.w1",
    "down_proj": "feed_forward.w2",
    "up_proj": "feed_forward.w3",
    **{name: f"attention.{name}" for name in ("wq", "wk", "wv", "wo")},
    **{name: f"feed_forward.{name}" for name in ("w1", "w2", "w3")},
}
_WEIGHT = re.compile(r"(?:.*\.)?layers\.(\d+)\.(?:.*\.)?(\w+)\.lora_([ABab])(?:\.default)?\.weight")


def is_adapter(name: str) -> bool:
    """Whether a parameter of a decoder is an adapter's."""
    return ".lora_a." in name or ".lora_b." in name


def name_as_without_adapters(module: torch.fx.GraphModule) -> None:
    """Gives what stands beside adapters in an exported module the names that it has where there are none.

    By these names programs of several adapters find it in one file.
    """
    adapted = [
        path for path, one in module.named_modules() if hasattr(one, "lora_a") and hasattr(one, "linear")
    ]
    for path in adapted:
        layer: Any = module.get_submodule(path)
        # What the layer has, not a second name for it: of two an export takes the first.
        beside = layer.linear
        del layer.linear
        for name, part in (*beside._parameters.items(), *beside._modules.items()):
            setattr(layer, name, part)
        for name, part in beside._buffers.items():
            layer.register_buffer(name, part, persistent=name not in beside._non_persistent_buffers_set)
    for node in module.graph.find_nodes(op="get_attr"):
        path, _, rest = str(node.target).rpartition(".linear.")
        if path not in adapted:
            continue
        # Another node, because torch finds what is noted of a weight by the name of its node.
        with module.graph.inserting_before(node):
            renamed = module.graph.get_attr(f"{path}.{rest}")
        renamed.meta = node.meta
        node.replace_all_uses_with(renamed)
        module.graph.erase_node(node)
    module.recompile()


def add_adapter(
    model: Transformer,
    weights: Mapping[str, torch.Tensor],
    rank: int,
    alpha: float,
    target_modules: Sequence[str] = (),
) -> Transformer:
    """Puts an adapter's weights beside a decoder's layers; returns the decoder.

    Args:
        weights: by PEFT's names.
        rank, alpha: of its configuration.
        target_modules: what it says that it changes; an error if no weights are there for one of them.

    Raises:
        ValueError: a weight has no place, is of another shape or lacks its other half; or a target has none.
    """
    halves: dict[tuple[int, str], dict[str, torch.Tensor]] = {}
    for name, value in weights.items():
        found = _WEIGHT.fullmatch(name)
        if found is None or found[2] not in _MODULES or int(found[1]) >= len(model.layers):
            raise RefusalError(
                f"the adapter's {name} has no place in the decoder: {', '.join(_MODULES)} of layers have"
            )
        halves.setdefault((int(found[1]), found[2]), {})[found[3].lower()] = value
    missing = set(target_modules) - {module for _, module in halves}
    if missing:
        raise RefusalError(
            f"the adapter has no weights for {', '.join(sorted(missing))}, which its target_modules name"
        )
    for (layer, module), pair in halves.items():
        parent, _, child = _MODULES[module].partition(".")
        _put(getattr(model.layers[layer], parent), child, pair, rank, alpha, f"layers.{layer}.{module}")
        is_of_halves = not (model.params.use_hf_rope or model.params.rope_interleaved)
        if module in ("q_proj", "k_proj") and is_of_halves:
            placed = getattr(getattr(model.layers[layer], parent), child)
            placed.lora_b.weight = nn.Parameter(
                _pairs(placed.lora_b.weight, int(model.params.head_dim or 0)), requires_grad=False
            )
    return model


def _put(parent: Any, child: str, pair: dict[str, torch.Tensor], rank: int, alpha: float, name: str) -> None:
    linear = getattr(parent, child)
    expected = {"a": (rank, linear.in_features), "b": (linear.out_features, rank)}
    for half, shape in expected.items():
        if half not in pair or tuple(pair[half].shape) != shape:
            found = tuple(pair[half].shape) if half in pair else "none"
            raise RefusalError(f"the adapter's lora_{half} of {name} has shape {found}, not {shape}")
    with torch.device("meta"):
        placed = LoRALinear(
            linear.in_features, linear.out_features, rank, alpha, use_bias=linear.bias is not None
        )
    placed.linear = linear
    for half in ("a", "b"):
        # Of a layer whose weight has its few bits already, what it calculates in.
        weight = pair[half].to(getattr(linear, "dtype", linear.weight.dtype))
        getattr(placed, f"lora_{half}").weight = nn.Parameter(weight, requires_grad=False)
    setattr(parent, child, placed.eval())


def _pairs(weight: torch.Tensor, head_dim: int) -> torch.Tensor:
    """Rows in Hugging Face's order of halves to Meta's of pairs."""
    halves = weight.view(-1, 2, head_dim // 2, weight.shape[1])
    return halves.transpose(1, 2).reshape(weight.shape)


def read_adapter(
    checkpoint: str | Path, config: str | Path | None = None
) -> tuple[dict[str, torch.Tensor], dict[str, Any]]:
    """Weights of an adapter's file, mapped, and ``rank``, ``alpha`` and ``target_modules`` of its configuration.

    Args:
        checkpoint: safetensors, or what ``torch.save`` wrote.
        config: JSON; without one the caller knows.

    Raises:
        ValueError: the configuration is no JSON object or lacks one of the three.
        FileNotFoundError: there is no such file.
    """
    path = Path(checkpoint)
    if not path.exists():
        raise FileNotFoundError(f"there is no adapter {path}")
    if path.suffix == ".safetensors":
        from safetensors.torch import load_file

        weights = load_file(path)
    else:
        weights = torch.load(path, map_location="cpu", weights_only=True)
    if config is None:
        return weights, {}
    try:
        said = json.loads(Path(config).read_text())
        rank = said["r"]
        return weights, {
            "rank": int(rank),
            "alpha": float(said["lora_alpha"]),
            "target_modules": list(said["target_modules"]),
        }
    except (json.JSONDecodeError, KeyError, TypeError, ValueError) as error:
        raise RefusalError(
            f"{config} is no configuration of an adapter, with r, lora_alpha and target_modules: {error}"
        ) from error
