"""The sizes and options of a decoder, by the names that files of parameters (`params.json`) have."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

import torch
from torch.nn import functional

from executorch.extension.llm.models.refusal import RefusalError


class ActFn(Enum):
    """What is between the two products of a feed-forward layer."""

    SILU = "silu"
    GELU = "gelu"
    GELU_APPROX = "gelu_approx"

    @classmethod
    def from_string(cls, value: str) -> ActFn:
        """The member of a name.

        Raises:
            ValueError: there is none.
        """
        try:
            return cls(value)
        except ValueError:
            names = ", ".join(one.value for one in cls)
            raise RefusalError(f"Unsupported act_fn: {value}; give one of {names}") from None

    def get_function(self) -> Callable[[torch.Tensor], torch.Tensor]:
        """The function itself."""
        functions: dict[ActFn, Callable[[torch.Tensor], torch.Tensor]] = {
            ActFn.SILU: functional.silu,
            ActFn.GELU: functional.gelu,
            ActFn.GELU_APPROX: _gelu_approx,
        }
        return functions[self]


def _gelu_approx(x: torch.Tensor) -> torch.Tensor:
    return functional.gelu(x, approximate="tanh")


#: Types of layers that carry a state in place of keys and values, to the names that they are registered by.
_WITHOUT_CACHE = {"linear_attention": "gated_deltanet", "conv": "short_conv"}


@dataclass
class ModelArgs:
    """A decoder.

    Attributes:
        dim, n_layers, n_heads, n_kv_heads, head_dim: sizes; as many heads of keys as of queries, and `dim / n_heads`, by default.
        vocab_size: tokens.
        hidden_dim: of feed-forward layers; otherwise two thirds of `4 * dim`, times `ffn_dim_multiplier`, rounded up to a multiple
            of `multiple_of`.
        norm_eps, rms_norm_add_unit_offset: of RMS norms; the weight is an offset from one.
        post_attention_norm, post_ffn_norm: norms of what a layer adds.
        max_batch_size, max_seq_len, max_context_len: the most rows, tokens of a call, and positions.
        moe, num_experts, num_activated_experts, moe_hidden_dim: feed-forward layers of experts.
        norm_topk_prob: experts of a token are weighted among themselves, not among all.
        shared_expert_hidden_dim: of what all tokens go through beside their experts; None: nothing.
        act_fn: of feed-forward layers.
        attention_qkv_bias, output_bias: whether those layers have a bias.
        use_qk_norm, qk_norm_before_rope: norms of queries and keys.
        use_q_gate: the layer of queries gives as many numbers more, whose sigmoids results of attention are multiplied by.
        linear_conv_kernel_dim, linear_key_head_dim, linear_value_head_dim, linear_num_key_heads, linear_num_value_heads: of layers
            of `linear_attention`, which are gated delta networks.
        short_conv_kernel_dim, short_conv_bias: positions that layers of `conv` see, and whether what they are made of has biases.
        attention_multiplier: what products of queries and keys are multiplied by in place of `1 / sqrt(head_dim)`.
        use_kv_cache, use_sdpa_with_kv_cache_op, enable_dynamic_shape: how keys and values of former calls are kept.
        generate_full_logits: logits of all tokens, not of the last alone.
        input_prune_map, output_prune_map: tokens to rows of the embedding and of the output layer that are left of them.
        apply_embedding, apply_output: whether the model has these two layers.
        attn_logit_softcapping: what products of queries and keys are held below.
        embedding_scale_factor, residual_multiplier, logits_scaling, final_logit_softcapping: what those are multiplied or divided by,
            or held below.
        use_hf_rope, partial_rotary_factor, rope_theta, rope_freq_base: rotations of halves (Hugging Face's order of weights) or of pairs
            (Meta's), of which share of a head, and their base.
        rope_interleaved: Hugging Face's weights have pairs too, as GLM's, so that rows of adapters stay where they are.
        local_rope_theta: the base in layers that see a window, if it is another one there.
        rope_frequency_factors, rope_attention_factor: what frequencies are divided by, one by one, and what tables
            are multiplied by.
        use_scaled_rope, rope_scale_factor, high_freq_factor: Llama 3.1's stretching of slow rotations.
        no_rope_layer_interval: every so many layers one has no rotations.
        num_kv_shared_layers: so many of the last layers attend to the keys and values of the layer before them, and have none.
        r, lora_alpha, target_modules: rank, scale and places (`q_proj`, `k_proj`, `v_proj`, `o_proj`) of an adapter that is made with the model.
        layer_types, sliding_window: `full_attention`, `sliding_attention`, `linear_attention` or `conv` for each layer, and how far
            the second sees.
        bos_idx, eos_idx, bos_count, eos_count: tokens that begin and end a text.
        quantization_args, lora_args, attention_kwargs, model_architecture, device: kept for those who ask.
    """

    dim: int = 4096
    n_layers: int = 1
    n_heads: int = 32
    n_kv_heads: int | None = None
    vocab_size: int = 512
    hidden_dim: int | None = None
    head_dim: int | None = None
    rms_norm_add_unit_offset: bool = False
    multiple_of: int = 256
    ffn_dim_multiplier: float | None = None
    model_architecture: str | None = None
    attention_multiplier: float | None = None
    norm_eps: float = 1e-5
    post_attention_norm: bool = False
    post_ffn_norm: bool = False
    max_batch_size: int = 1
    max_seq_len: int = 2048
    max_context_len: int = 2048
    use_ffn_norm: bool = True
    output_bias: bool = False
    moe: bool = False
    num_experts: int = 8
    num_activated_experts: int = 2
    moe_hidden_dim: int | None = None
    norm_topk_prob: bool = True
    shared_expert_hidden_dim: int | None = None
    attention_type: str = "mha"
    norm_type: str = "rmsnorm"
    act_fn: ActFn = ActFn.SILU
    attention_qkv_bias: bool = False
    use_kv_cache: bool = False
    use_sdpa_with_kv_cache_op: bool = False
    device: str = "cpu"
    generate_full_logits: bool = False
    logits_scaling: float | None = None
    enable_dynamic_shape: bool = False
    input_prune_map: dict[int, int] | None = None
    output_prune_map: dict[int, int] | None = None
    apply_embedding: bool = True
    embedding_scale_factor: float = 1.0
    apply_output: bool = True
    use_qk_norm: bool = False
    qk_norm_before_rope: bool = False
    use_q_gate: bool = False
    linear_conv_kernel_dim: int = 4
    linear_key_head_dim: int | None = None
    linear_value_head_dim: int | None = None
    linear_num_key_heads: int | None = None
    linear_num_value_heads: int | None = None
    short_conv_kernel_dim: int = 3
    short_conv_bias: bool = False
    residual_multiplier: float | None = None
    use_hf_rope: bool = False
    rope_interleaved: bool = False
    no_rope_layer_interval: int | None = None
    partial_rotary_factor: float = 1.0
    rope_theta: float | None = None
    rope_freq_base: float = 10000.0
    use_scaled_rope: bool = False
    rope_scale_factor: int = 8
    high_freq_factor: int = 4
    bos_idx: int = 1
    eos_idx: int = 3
    bos_count: int = -1
    eos_count: int = 2
    quantization_args: dict[str, Any] | None = None
    lora_args: dict[str, Any] | None = None
    attention_kwargs: dict[str, Any] = field(default_factory=dict)
    layer_types: list[str] | None = None
    sliding_window: int | None = None
    num_kv_shared_layers: int = 0
    r: int | None = None
    lora_alpha: float | None = None
    target_modules: list[str] | None = None
    final_logit_softcapping: float | None = None
    attn_logit_softcapping: float | None = None
    local_rope_theta: float | None = None
    rope_frequency_factors: list[float] | None = None
    rope_attention_factor: float = 1.0

    def __post_init__(self) -> None:
        if self.n_kv_heads is None:
            self.n_kv_heads = self.n_heads
        if self.n_heads % self.n_kv_heads:
            raise RefusalError(
                f"{self.n_heads} heads cannot share {self.n_kv_heads} heads of keys: n_heads must be a multiple"
            )
        if self.head_dim is None:
            self.head_dim = self.dim // self.n_heads
        if self.use_sdpa_with_kv_cache_op and not self.use_kv_cache:
            raise RefusalError("use_sdpa_with_kv_cache_op needs a cache: set use_kv_cache")
        if self.hidden_dim is None:
            hidden = int(8 * self.dim / 3)
            if self.ffn_dim_multiplier is not None:
                hidden = int(self.ffn_dim_multiplier * hidden)
            self.hidden_dim = math.ceil(hidden / self.multiple_of) * self.multiple_of
        if isinstance(self.act_fn, str):
            self.act_fn = ActFn.from_string(self.act_fn)
        self._check_layer_types()
        self._check_shared()

    @property
    def rope_base(self) -> float:
        """The base of rotations, by either of its names."""
        return self.rope_freq_base if self.rope_theta is None else self.rope_theta

    def window_of(self, layer: int) -> int | None:
        """How many positions a layer sees; None: all."""
        if self.layer_types is None or self.layer_types[layer] != "sliding_attention":
            return None
        return self.sliding_window

    def attention_of(self, layer: int) -> str:
        """The name that a layer's attention is registered by."""
        kind = "full_attention" if self.layer_types is None else self.layer_types[layer]
        return _WITHOUT_CACHE.get(kind, self.attention_type)

    def carries_state(self, layer: int) -> bool:
        """Whether a layer has a state of one size, not keys and values of each position."""
        return self.layer_types is not None and self.layer_types[layer] in _WITHOUT_CACHE

    def rotates(self, layer: int) -> bool:
        """Whether a layer has rotations."""
        return not self.no_rope_layer_interval or (layer + 1) % self.no_rope_layer_interval != 0

    def is_kv_shared(self, layer: int) -> bool:
        """Whether a layer attends to another's keys and values."""
        return is_kv_shared_layer(layer, self.n_layers, self.num_kv_shared_layers)

    def is_kv_donor(self, layer: int) -> bool:
        """Whether a layer gives its keys and values to those behind it."""
        return is_kv_donor_layer(layer, self.n_layers, self.num_kv_shared_layers)

    def _check_shared(self) -> None:
        windows = [
            layer
            for layer in range(self.n_layers)
            if (self.is_kv_shared(layer) or self.is_kv_donor(layer)) and self.window_of(layer) is not None
        ]
        if windows:
            raise RefusalError(
                f"layers that share keys and values see all positions, but {windows} have a window"
            )

    def _check_layer_types(self) -> None:
        if self.layer_types is None:
            return
        known = ("full_attention", "sliding_attention", *_WITHOUT_CACHE)
        unknown = set(self.layer_types) - set(known)
        if unknown:
            raise RefusalError(f"layer_types are {', '.join(known)}, not {', '.join(sorted(unknown))}")
        if len(self.layer_types) != self.n_layers:
            raise RefusalError(f"layer_types has {len(self.layer_types)} entries for {self.n_layers} layers")
        if "sliding_attention" in self.layer_types and not self.sliding_window:
            raise RefusalError("layers of sliding_attention need sliding_window")


def is_kv_shared_layer(layer: int, n_layers: int, num_kv_shared_layers: int) -> bool:
    """Whether a layer is one of so many last ones that attend to the keys and values of the layer before them."""
    return 0 < n_layers - num_kv_shared_layers <= layer


def is_kv_donor_layer(layer: int, n_layers: int, num_kv_shared_layers: int) -> bool:
    """Whether a layer is the one before those."""
    return 0 < n_layers - num_kv_shared_layers == layer + 1 < n_layers
