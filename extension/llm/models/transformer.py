"""Decoders: layers of attention and of feed-forward networks between an embedding and logits."""

from __future__ import annotations

from typing import Any

import torch
from torch import nn

from executorch.extension.llm.models.attention import (
    ATTENTION_REGISTRY,
    Attention,
    AttentionSkip,
    ForwardOptions,
)
from executorch.extension.llm.models.feed_forward import FeedForward, MOEFeedForward
from executorch.extension.llm.models.gated_delta_net import GatedDeltaNet  # noqa: F401  # registers itself
from executorch.extension.llm.models.model_args import ModelArgs
from executorch.extension.llm.models.norm import RMSNorm
from executorch.extension.llm.models.refusal import RefusalError
from executorch.extension.llm.models.rope import Rope
from executorch.extension.llm.models.short_conv import ShortConv  # noqa: F401  # registers itself


class TransformerBlock(nn.Module):
    """A layer: norms, attention and a feed-forward network, each added to what came in.

    Args:
        args: of the model.
        attention: of the layer.
        mlp_type: `default`, or `skip` for a layer without a feed-forward network.
        layer_id: number of the layer, from 0.

    Raises:
        ValueError: there is no such ``mlp_type``.
    """

    def __init__(
        self, args: ModelArgs, attention: Attention, mlp_type: str = "default", layer_id: int = 0
    ) -> None:
        super().__init__()
        if mlp_type not in ("default", "skip"):
            raise RefusalError(f"mlp_type is default or skip, not {mlp_type}")
        self.dim, self.layer_id, self.mlp_type = args.dim, layer_id, mlp_type
        self.residual_multiplier = args.residual_multiplier
        self.attention = attention
        if mlp_type == "default":
            if args.moe:
                self.block_sparse_moe = MOEFeedForward(args)
            else:
                self.feed_forward = FeedForward(args.dim, int(args.hidden_dim or 0), args.act_fn)
        # Attention that does nothing has nothing to be normed, and adds nothing.
        self.attention_norm = None if isinstance(attention, AttentionSkip) else _norm(args)
        self.ffn_norm = _norm(args) if mlp_type == "default" and args.use_ffn_norm else None
        self.post_attention_norm = _norm(args) if args.post_attention_norm else None
        self.post_ffn_norm = _norm(args) if args.post_ffn_norm and mlp_type == "default" else None

    @classmethod
    def from_type(cls, layer_id: int, args: ModelArgs, rope: Rope) -> TransformerBlock:
        """The layer of a number, with the attention of ``args.attention_type``, or what its type of layer has.

        Raises:
            ValueError: no attention is registered by that name.
        """
        name = args.attention_of(layer_id)
        if name not in ATTENTION_REGISTRY:
            known = ", ".join(sorted(ATTENTION_REGISTRY))
            raise RefusalError(f"Unknown attention type: {name}; there are {known}, and register_attention")
        kind: Any = ATTENTION_REGISTRY[name]
        return cls(args, kind(args, layer_id, rope, **args.attention_kwargs), layer_id=layer_id)

    def forward(
        self,
        x: torch.Tensor,
        freqs_cos: torch.Tensor,
        freqs_sin: torch.Tensor,
        attn_options: ForwardOptions | None = None,
    ) -> tuple[torch.Tensor, Any]:
        """``[batch, tokens, dim]`` to the same, and what the attention says besides."""
        said = None
        if self.attention_norm is not None:
            normed = self.attention_norm(x)
            added, said = self.attention(normed, freqs_cos, freqs_sin, **(attn_options or {}))
            x = self._add(x, added, self.post_attention_norm)
        if self.mlp_type == "default":
            network = self.block_sparse_moe if hasattr(self, "block_sparse_moe") else self.feed_forward
            x = self._add(x, network(x if self.ffn_norm is None else self.ffn_norm(x)), self.post_ffn_norm)
        return x, said

    def _add(self, x: torch.Tensor, added: torch.Tensor, norm: nn.Module | None) -> torch.Tensor:
        added = added if norm is None else norm(added)
        return x + (added if self.residual_multiplier is None else added * self.residual_multiplier)


class Transformer(nn.Module):
    """A decoder.

    Args:
        params: of the model.
        layers: of :class:`TransformerBlock`.
        rope: rotations, common to all.

    Attributes:
        is_mapped: weights are parts of mapped files as they stand there.
    """

    is_mapped = False

    def __init__(self, params: ModelArgs, layers: nn.ModuleList, rope: Rope) -> None:
        super().__init__()
        self.params, self.vocab_size, self.n_layers = params, params.vocab_size, params.n_layers
        self.num_kv_shared_layers = params.num_kv_shared_layers
        self.apply_embedding, self.apply_output = params.apply_embedding, params.apply_output
        self.use_kv_cache, self.generate_full_logits = params.use_kv_cache, params.generate_full_logits
        self.max_seq_len, self.max_context_len = params.max_seq_len, params.max_context_len
        self.input_prune_map, self.output_prune_map = params.input_prune_map, params.output_prune_map
        kept = params.input_prune_map
        inputs = params.vocab_size if kept is None else len(kept)
        self.tok_embeddings = nn.Embedding(inputs, params.dim) if params.apply_embedding else None
        self.layers, self.rope = layers, rope
        self.norm = _norm(params)
        kept = params.output_prune_map
        outputs = params.vocab_size if kept is None else len(kept)
        self.output = nn.Linear(params.dim, outputs, bias=params.output_bias) if params.apply_output else None
        for name, pruned in (
            ("input_rows", params.input_prune_map),
            ("output_rows", params.output_prune_map),
        ):
            if pruned is not None:
                self.register_buffer(name, _rows(pruned, params.vocab_size, name), persistent=False)

    def forward(
        self,
        tokens: torch.Tensor | None = None,
        attn_options: ForwardOptions | None = None,
        h: torch.Tensor | None = None,
    ) -> Any:
        """Logits.

        Args:
            tokens: int64 of ``[batch, tokens]``.
            attn_options: positions, where there is a cache.
            h: embeddings in their stead, ``[batch, tokens, dim]``.

        Returns:
            Of the last token, ``[batch, vocab_size]``, or of all with ``generate_full_logits``, ``[batch, tokens, vocab_size]``; what
            the last layer gives, if the model has no output layer. If attention says something besides (:class:`StaticAttention`'s new
            keys and values), a tuple with that.

        Raises:
            ValueError: both tokens and embeddings are given, or neither.
        """
        if (tokens is None) == (h is None):
            raise ValueError("You cannot specify both tokens and h at the same time, and must specify one")
        if h is None:
            h = self._embedded(tokens)  # type: ignore[arg-type]
        options = dict(attn_options or {})
        freqs_cos, freqs_sin = (
            options.pop("freqs_cos_override", None),
            options.pop("freqs_sin_override", None),
        )
        if freqs_cos is None or freqs_sin is None:
            freqs_cos, freqs_sin = self.rope.get_freqs(options.get("input_pos"), h.shape[1])  # type: ignore[arg-type]
        wide = (freqs_cos, freqs_sin)
        local = self.rope.get_local_freqs(options.get("input_pos"), h.shape[1])  # type: ignore[arg-type]
        told: dict[str, Any] = {}
        for number, layer in enumerate(self.layers):
            sees_window = local is not None and self.params.window_of(number) is not None
            h, said = layer(h, *(local if sees_window else wide), options)  # type: ignore[misc]
            if said is not None:
                shared = said.pop("kv_to_share", None)
                if self.params.is_kv_donor(number):
                    options["shared_kv"] = shared
                told |= said
                options |= said  # type: ignore[typeddict-item]
        if not self.generate_full_logits:
            h = h[:, -1, :]
        h = self.norm(h)
        logits = h if self.output is None else self._logits(h)
        return (logits, told) if told else logits

    def _embedded(self, tokens: torch.Tensor) -> torch.Tensor:
        if self.tok_embeddings is None:
            raise ValueError("a model without an embedding takes h, not tokens")
        rows = tokens if self.input_prune_map is None else self.input_rows[tokens]  # type: ignore[index]
        h: torch.Tensor = self.tok_embeddings(rows)
        return h if self.params.embedding_scale_factor == 1.0 else h * self.params.embedding_scale_factor

    def _logits(self, h: torch.Tensor) -> torch.Tensor:
        logits: torch.Tensor = self.output(h)  # type: ignore[misc]
        if self.params.logits_scaling is not None:
            logits = logits / self.params.logits_scaling
        if self.params.final_logit_softcapping is not None:
            cap = self.params.final_logit_softcapping
            logits = torch.tanh(logits / cap) * cap
        if self.output_prune_map is None:
            return logits
        # Tokens that are left out are never said: a column of minus infinity stands for them all.
        never = torch.full_like(logits[..., :1], float("-inf"))
        return torch.cat((logits, never), dim=-1)[..., self.output_rows]  # type: ignore[index]


def _norm(args: ModelArgs) -> RMSNorm:
    if args.norm_type != "rmsnorm":
        raise RefusalError(f"norm_type is rmsnorm, not {args.norm_type}")
    return RMSNorm(args.dim, args.norm_eps, args.rms_norm_add_unit_offset)


def _rows(kept: dict[int, int], vocab_size: int, name: str) -> torch.Tensor:
    """Row of each token, int64 of ``[vocab_size]``; of a token that is left out, 0 for inputs, the one behind the last for outputs."""
    rows = torch.full((vocab_size,), 0 if name == "input_rows" else len(kept), dtype=torch.int64)
    rows[torch.tensor([int(token) for token in kept])] = torch.tensor(list(kept.values()))
    return rows


def construct_transformer(model_args: ModelArgs) -> Transformer:
    """The decoder of some arguments, with random weights."""
    rope = Rope(model_args)
    layers = nn.ModuleList(
        TransformerBlock.from_type(number, model_args, rope) for number in range(model_args.n_layers)
    )
    return Transformer(model_args, layers, rope)
