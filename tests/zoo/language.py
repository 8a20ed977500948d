"""Language models: encoders, decoders, both, and decoders that keep a cache of keys and values.

Those named after a class of `transformers` are this class with a configuration of our own and random weights.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import torch
import transformers
from torch import nn
from torch.export import Dim
from torch.nn import functional as F

from executorch.tests.zoo.grouped import grouped_mm
from executorch.tests.zoo.specimen import ALL_FLOATS, Specimen


class FirstOutput(nn.Module):
    """A model of `transformers` that gives its first output only and keeps no cache.

    Args:
        model: the model.
        names: of its keyword arguments, in the order of the inputs.
        fixed: further keyword arguments.
    """

    def __init__(self, model: nn.Module, *names: str, **fixed: Any) -> None:
        super().__init__()
        self.model, self.names, self.fixed = model, names, fixed

    def forward(self, *inputs: torch.Tensor) -> torch.Tensor:
        return self.model(**dict(zip(self.names, inputs, strict=True)), **self.fixed)[0]


def tokens(words: int, *sizes: int) -> torch.Tensor:
    """Random token ids, int64."""
    return torch.randint(3, words, sizes)


def _bert(full: bool) -> tuple[nn.Module, int, int]:
    words, width, layers, heads, length = (8192, 256, 4, 4, 128) if full else (40, 16, 2, 2, 6)
    config = transformers.BertConfig(
        vocab_size=words,
        hidden_size=width,
        num_hidden_layers=layers,
        num_attention_heads=heads,
        intermediate_size=4 * width,
        max_position_embeddings=4 * length,
    )
    return transformers.BertModel(config).eval(), words, length


def bert(full: bool) -> Specimen:
    """Four layers of 256, 128 tokens in full size; gives states and the pooled state."""
    model, words, length = _bert(full)
    return Specimen(_BertOutputs(model), (tokens(words, 1, length),), tolerance=ALL_FLOATS)


class _BertOutputs(nn.Module):
    def __init__(self, model: nn.Module) -> None:
        super().__init__()
        self.model = model

    def forward(self, ids: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        output = self.model(ids)
        return output.last_hidden_state, output.pooler_output


def bert_dynamic(full: bool) -> Specimen:
    """Batch and length are two symbols, and an attention mask comes along."""
    model, words, length = _bert(full)
    batch, size = Dim("batch", min=1, max=4), Dim("length", min=2, max=2 * length)

    def inputs(*sizes: int) -> tuple[torch.Tensor, ...]:
        mask = torch.ones(sizes, dtype=torch.int64)
        mask[:, sizes[1] - 1 :] = 0
        return tokens(words, *sizes), mask

    shapes = ({0: batch, 1: size},) * 2
    module = FirstOutput(model, "input_ids", "attention_mask")
    return Specimen(module, inputs(2, length), (shapes,), (inputs(4, 2 * length), inputs(1, 3)))


def distilbert(full: bool) -> Specimen:
    """Six layers of 768, 128 tokens in full size; answers questions about a text."""
    words, width, layers, heads, length = (30522, 768, 6, 12, 128) if full else (40, 16, 2, 2, 6)
    config = transformers.DistilBertConfig(
        vocab_size=words,
        dim=width,
        n_layers=layers,
        n_heads=heads,
        hidden_dim=4 * width,
        max_position_embeddings=512,
    )
    model = transformers.DistilBertForSequenceClassification(config).eval()
    return Specimen(FirstOutput(model, "input_ids"), (tokens(words, 1, length),))


def albert(full: bool) -> Specimen:
    """Twelve layers that share their weights, in full size."""
    words, width, layers, heads, length = (30000, 768, 12, 12, 128) if full else (40, 16, 3, 2, 6)
    config = transformers.AlbertConfig(
        vocab_size=words,
        embedding_size=width // 2,
        hidden_size=width,
        num_hidden_layers=layers,
        num_attention_heads=heads,
        intermediate_size=4 * width,
    )
    model = transformers.AlbertModel(config, add_pooling_layer=False).eval()
    return Specimen(FirstOutput(model, "input_ids"), (tokens(words, 1, length),))


def gpt2(full: bool) -> Specimen:
    """GPT-2 small over 64 tokens in full size; the length is found to be dynamic by ``Dim.AUTO``."""
    words, width, layers, heads, length = (50257, 768, 12, 12, 64) if full else (40, 16, 2, 2, 6)
    config = transformers.GPT2Config(
        vocab_size=words, n_embd=width, n_layer=layers, n_head=heads, n_positions=2 * length, use_cache=False
    )
    model = FirstOutput(transformers.GPT2LMHeadModel(config).eval(), "input_ids")
    shapes = (({1: Dim.AUTO(min=2, max=2 * length)},),)
    others = (tokens(words, 1, 2 * length),), (tokens(words, 1, 3),)
    return Specimen(model, (tokens(words, 1, length),), shapes, others)


def llama(full: bool) -> Specimen:
    """Llama with `StaticCache`: six layers of 288, vocabulary 32,000 in full size; one token a call."""
    words, width, layers, heads, length = (32000, 288, 6, 6, 256) if full else (40, 16, 2, 4, 8)
    config = transformers.LlamaConfig(
        vocab_size=words,
        hidden_size=width,
        num_hidden_layers=layers,
        num_attention_heads=heads,
        num_key_value_heads=heads // 2,
        intermediate_size=width * 8 // 3,
        max_position_embeddings=length,
        tie_word_embeddings=True,
    )
    model = transformers.LlamaForCausalLM(config).eval()
    steps = [(tokens(words, 1, 1), torch.tensor([position])) for position in range(3)]
    return Specimen(StaticallyCached(model, length), steps[0], others=tuple(steps[1:]))


class StaticallyCached(nn.Module):
    """A causal language model of `transformers` with the tensors of its static cache as buffers."""

    def __init__(self, model: Any, length: int) -> None:
        super().__init__()
        config = model.config
        self.model = model
        self.cache = transformers.StaticCache(config, max_cache_len=length)
        head = config.hidden_size // config.num_attention_heads
        self.cache.early_initialization(
            1, config.num_key_value_heads, head, torch.float32, torch.device("cpu")
        )
        for index, layer in enumerate(self.cache.layers):
            self.register_buffer(f"key_cache_{index}", layer.keys)
            self.register_buffer(f"value_cache_{index}", layer.values)

    def forward(self, ids: torch.Tensor, position: torch.Tensor) -> torch.Tensor:
        # The cache is no module: what torch.export, deepcopy and .to() make of the buffers has to be put into it.
        for index, layer in enumerate(self.cache.layers):
            layer.keys, layer.values = (
                getattr(self, f"key_cache_{index}"),
                getattr(self, f"value_cache_{index}"),
            )
        return self.model(ids, past_key_values=self.cache, cache_position=position, use_cache=True).logits


class LlamaLayer(nn.Module):
    """RMS norm, rotary attention over a cache, SwiGLU."""

    keys: torch.Tensor
    values: torch.Tensor

    def __init__(self, width: int, heads: int, hidden: int, length: int) -> None:
        super().__init__()
        self.heads, self.head = heads, width // heads
        self.norm1, self.norm2 = nn.RMSNorm(width), nn.RMSNorm(width)
        self.qkv, self.out = nn.Linear(width, 3 * width, bias=False), nn.Linear(width, width, bias=False)
        self.gate, self.up = nn.Linear(width, hidden, bias=False), nn.Linear(width, hidden, bias=False)
        self.down = nn.Linear(hidden, width, bias=False)
        self.register_buffer("keys", torch.zeros(1, heads, length, self.head))
        self.register_buffer("values", torch.zeros(1, heads, length, self.head))

    @staticmethod
    def _rotated(x: torch.Tensor, cosine: torch.Tensor, sine: torch.Tensor) -> torch.Tensor:
        first, second = x.chunk(2, -1)
        return torch.cat([first * cosine - second * sine, first * sine + second * cosine], -1)

    def forward(
        self,
        x: torch.Tensor,
        position: torch.Tensor,
        cosine: torch.Tensor,
        sine: torch.Tensor,
        mask: torch.Tensor,
    ) -> torch.Tensor:
        batch, steps, width = x.shape
        query, key, value = (
            part.view(batch, steps, self.heads, self.head).transpose(1, 2)
            for part in self.qkv(self.norm1(x)).chunk(3, -1)
        )
        self.keys[:, :, position] = self._rotated(key, cosine, sine)
        self.values[:, :, position] = value
        query = self._rotated(query, cosine, sine)
        attended = F.scaled_dot_product_attention(query, self.keys, self.values, attn_mask=mask)
        x = x + self.out(attended.transpose(1, 2).reshape(batch, steps, width))
        y = self.norm2(x)
        return x + self.down(F.silu(self.gate(y)) * self.up(y))


class LlamaStep(nn.Module):
    """A decoder that reads new tokens at ``position`` and keeps what came before in a static cache."""

    cosine: torch.Tensor
    sine: torch.Tensor
    mask: torch.Tensor

    def __init__(self, words: int, width: int, layers: int, heads: int, hidden: int, length: int) -> None:
        super().__init__()
        self.embedding, self.norm = nn.Embedding(words, width), nn.RMSNorm(width)
        self.layers = nn.ModuleList(LlamaLayer(width, heads, hidden, length) for _ in range(layers))
        self.head = nn.Linear(width, words, bias=False)
        self.head.weight = self.embedding.weight
        half = width // heads // 2
        angles = torch.outer(torch.arange(length), 10000.0 ** (-torch.arange(half) / half))
        self.register_buffer("cosine", angles.cos())
        self.register_buffer("sine", angles.sin())
        self.register_buffer("mask", torch.ones(length, length, dtype=torch.bool).tril())

    def forward(self, ids: torch.Tensor, position: torch.Tensor) -> torch.Tensor:
        x = self.embedding(ids)
        for layer in self.layers:
            x = layer(x, position, self.cosine[position], self.sine[position], self.mask[position])
        return self.head(self.norm(x))


def llama_step(full: bool) -> Specimen:
    """The decoder of the benchmarks: six layers of 288, six heads, vocabulary 32,000 (tied) in full size."""
    words, width, layers, heads, length = (32000, 288, 6, 6, 128) if full else (40, 16, 2, 2, 8)
    module = LlamaStep(words, width, layers, heads, width * 8 // 3, length).eval()
    steps = [(tokens(words, 1, 1), torch.tensor([position])) for position in range(3)]
    return Specimen(module, steps[0], others=tuple(steps[1:]), tolerance=ALL_FLOATS)


def llama_prefill(full: bool) -> Specimen:
    """The same with a dynamic number of tokens a call."""
    words, width, layers, heads, length = (32000, 288, 6, 6, 128) if full else (40, 16, 2, 2, 8)
    module = LlamaStep(words, width, layers, heads, width * 8 // 3, length).eval()
    size = Dim("tokens", min=1, max=length)
    calls = [
        (tokens(words, 1, stop - start), torch.arange(start, stop))
        for start, stop in ((0, 4), (4, 5), (5, 8))
    ]
    return Specimen(module, calls[0], ({1: size}, {0: size}), tuple(calls[1:]))


def _t5(full: bool) -> tuple[Any, int, int, int]:
    words, width, layers, heads, length = (32128, 512, 6, 8, 64) if full else (40, 16, 2, 2, 6)
    config = transformers.T5Config(
        vocab_size=words,
        d_model=width,
        d_kv=width // heads,
        d_ff=4 * width,
        num_layers=layers,
        num_heads=heads,
        use_cache=False,
        feed_forward_proj="gated-gelu",
    )
    return transformers.T5Model(config).eval(), words, width, length


def t5_encoder(full: bool) -> Specimen:
    """T5-small over 64 tokens in full size."""
    model, words, _, length = _t5(full)
    return Specimen(FirstOutput(model.encoder, "input_ids"), (tokens(words, 1, length),))


def t5_decoder(full: bool) -> Specimen:
    """T5-small's decoder, with cross-attention to given states."""
    model, words, width, length = _t5(full)
    module = FirstOutput(model.decoder, "input_ids", "encoder_hidden_states", use_cache=False)
    return Specimen(module, (tokens(words, 1, length), torch.randn(1, length + 1, width)))


def mixture_of_experts(full: bool) -> Specimen:
    """A transformer layer whose tokens each use two of several experts (in the style of Mixtral)."""
    width, experts, length = (256, 8, 64) if full else (8, 4, 5)
    return Specimen(MixtureOfExperts(width, 4 * width, experts).eval(), (torch.randn(1, length, width),))


class MixtureOfExperts(nn.Module):
    """All experts' weights in one tensor; those of the two best are gathered for each token."""

    def __init__(self, width: int, hidden: int, experts: int) -> None:
        super().__init__()
        self.norm, self.gate = nn.LayerNorm(width), nn.Linear(width, experts, bias=False)
        self.up = nn.Parameter(torch.randn(experts, width, hidden) * width**-0.5)
        self.down = nn.Parameter(torch.randn(experts, hidden, width) * hidden**-0.5)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = self.norm(x)
        weights, chosen = torch.topk(F.softmax(self.gate(y), -1), 2, dim=-1)
        weights = weights / weights.sum(-1, keepdim=True)
        hidden = F.silu(torch.einsum("bld,blkdh->blkh", y, self.up[chosen]))
        expert_outputs = torch.einsum("blkh,blkhd->blkd", hidden, self.down[chosen])
        return x + (weights.unsqueeze(-1) * expert_outputs).sum(2)


def routed_experts(full: bool) -> Specimen:
    """Two layers with 64 experts of 512, 128 tokens in full size."""
    width, hidden, experts, tokens_ = (256, 512, 64, 128) if full else (16, 24, 4, 6)
    layers = [RoutedExperts(width, hidden, experts) for _ in range(2)]
    x = torch.randn(1, tokens_, width)
    return Specimen(nn.Sequential(*layers).eval(), (x,), tolerance=ALL_FLOATS)


class RoutedExperts(nn.Module):
    """Experts as `transformers` writes them: tokens sorted by expert, one grouped product for all, and back in order."""

    def __init__(self, width: int, hidden: int, experts: int, best: int = 2) -> None:
        super().__init__()
        self.experts, self.best = experts, best
        self.norm, self.gate = nn.LayerNorm(width), nn.Linear(width, experts, bias=False)
        self.up = nn.Parameter(torch.randn(experts, 2 * hidden, width) * width**-0.5)
        self.down = nn.Parameter(torch.randn(experts, width, hidden) * hidden**-0.5)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = self.norm(x).flatten(0, 1)
        weights, chosen = self.gate(y).float().softmax(-1).topk(self.best, dim=-1)
        weights /= weights.sum(-1, keepdim=True)
        expert, order = torch.sort(chosen.flatten())
        counts = torch.histc(expert.float(), bins=self.experts, min=0, max=self.experts - 1)
        ends = torch.cumsum(counts, 0, dtype=torch.int32)
        gate, up = grouped_mm(y[order // self.best], self.up.transpose(1, 2), ends).chunk(2, dim=-1)
        products = grouped_mm(F.silu(gate) * up, self.down.transpose(1, 2), ends)
        products = products * weights.flatten()[order].to(x.dtype).unsqueeze(-1)
        back = torch.empty_like(order)
        back[order] = torch.arange(order.shape[0])
        return x + products[back].view(-1, self.best, x.shape[-1]).sum(1).view(x.shape)


FACTORIES: Mapping[str, Callable[[bool], Specimen]] = {
    factory.__name__: factory
    for factory in (
        bert,
        bert_dynamic,
        distilbert,
        albert,
        gpt2,
        llama,
        llama_step,
        llama_prefill,
        t5_encoder,
        t5_decoder,
        mixture_of_experts,
        routed_experts,
    )
}
