"""Shapes of public language models, with random weights: as programs of ours, and as GGUF files for llama.cpp."""

from __future__ import annotations

import json
import pathlib
import tempfile
from dataclasses import dataclass

import numpy


@dataclass(frozen=True)
class Shape:
    """A decoder's sizes, as a model card has them.

    Attributes:
        dim, n_layers, n_heads, n_kv_heads, head_dim, hidden_dim, vocab_size: sizes.
        rope_theta: base of the rotations.
        use_qk_norm: whether queries and keys are normed.
    """

    dim: int
    n_layers: int
    n_heads: int
    n_kv_heads: int
    head_dim: int
    hidden_dim: int
    vocab_size: int
    rope_theta: float
    use_qk_norm: bool = False

    def linear_weights(self) -> int:
        """Weights that every token reads: of all linear layers, the output's too; not the embedding, of which a token reads a row."""
        heads = 2 * self.n_heads + 2 * self.n_kv_heads
        layer = self.dim * self.head_dim * heads + 3 * self.dim * self.hidden_dim
        return self.n_layers * layer + self.dim * self.vocab_size

    def cache_values(self, positions: int) -> int:
        """Keys and values of so many positions, in all layers."""
        return 2 * self.n_layers * self.n_kv_heads * self.head_dim * positions

    def params(self) -> dict[str, object]:
        """As `params.json` has it."""
        return {
            "dim": self.dim,
            "n_layers": self.n_layers,
            "n_heads": self.n_heads,
            "n_kv_heads": self.n_kv_heads,
            "head_dim": self.head_dim,
            "hidden_dim": self.hidden_dim,
            "vocab_size": self.vocab_size,
            "rope_theta": self.rope_theta,
            "use_qk_norm": self.use_qk_norm,
            "use_hf_rope": True,
        }


SHAPES = {
    "smollm2-135m": Shape(576, 30, 9, 3, 64, 1536, 49152, 100000.0),
    "qwen3-0.6b": Shape(1024, 28, 16, 8, 128, 3072, 151936, 1000000.0, use_qk_norm=True),
    "llama3.2-1b": Shape(2048, 16, 32, 8, 64, 8192, 128256, 500000.0),
    # Not a public model: for the test of this benchmark.
    "tiny": Shape(64, 1, 2, 1, 32, 96, 512, 10000.0),
}

#: Bits to the qmode of an export, the type of a GGUF file, and the bytes of a weight in the latter, scales included.
MODES = {4: ("8da4w", "Q4_0", 18 / 32), 8: ("int8", "Q8_0", 34 / 32)}

#: Bytes of a number in an engine's cache.
CACHE_BYTES = {
    "ours": 4,
    "ours-int8-cache": 69 / 64,
    "published": 4,
    "llama.cpp": 2,
    "onnxruntime-genai": 4,
    "openvino-genai": 1,
}


def write_tokenizer(vocabulary: int, file: pathlib.Path) -> None:
    """A `tokenizer.json` that a model with random weights can do with: a token for each of 94 signs, from `!` on, and the others without use."""
    names = [chr(ord("!") + i) for i in range(94)]
    names += [f"<{i}>" for i in range(len(names), vocabulary)]
    bytes_as_letters = {
        "type": "ByteLevel",
        "add_prefix_space": False,
        "trim_offsets": True,
        "use_regex": False,
    }
    known = {
        "version": "1.0",
        "added_tokens": [],
        "pre_tokenizer": bytes_as_letters,
        "decoder": bytes_as_letters,
        "model": {"type": "BPE", "vocab": {name: i for i, name in enumerate(names)}, "merges": []},
    }
    file.write_text(json.dumps(known))


def ours(shape: Shape, bits: int, context: int, file: pathlib.Path, *options: str) -> None:
    """Exports the shape by the documented configuration, with random weights; `options` are further ones."""
    from executorch.extension.llm.export.config.reading import from_yaml
    from executorch.extension.llm.export.pipeline import export_llama

    with tempfile.TemporaryDirectory() as passing:
        params = pathlib.Path(passing, "params.json")
        params.write_text(json.dumps(shape.params()))
        config = from_yaml(
            "model: {use_kv_cache: true, use_sdpa_with_kv_cache: true}",
            [
                f"base.params={params}",
                f"quantization.qmode={MODES[bits][0]}",
                f"quantization.group_size={32 if bits == 4 else 0}",
                "quantization.use_hqq=false",
                f"quantization.embedding_quantize={bits},32",
                "backend.xnnpack.enabled=true",
                f"export.max_seq_length={context}",
                f"export.max_context_length={2 * context}",
                f"export.output_name={file}",
                *options,
            ],
        )
        export_llama(config)


def ours_with_int8_cache(shape: Shape, bits: int, context: int, file: pathlib.Path) -> None:
    """As :func:`ours`, with keys and values in eight bits, and a scale and a zero point for those of a head and a token."""
    ours(shape, bits, context, file, "model.quantize_kv_cache=true")


def llama_cpp(shape: Shape, bits: int, context: int, file: pathlib.Path) -> None:
    """Writes a GGUF file of the shape, without a vocabulary."""
    import gguf

    kind = getattr(gguf.GGMLQuantizationType, MODES[bits][1])
    writer = gguf.GGUFWriter(str(file), "qwen3" if shape.use_qk_norm else "llama")
    writer.add_context_length(2 * context)
    writer.add_embedding_length(shape.dim)
    writer.add_block_count(shape.n_layers)
    writer.add_feed_forward_length(shape.hidden_dim)
    writer.add_head_count(shape.n_heads)
    writer.add_head_count_kv(shape.n_kv_heads)
    writer.add_key_length(shape.head_dim)
    writer.add_value_length(shape.head_dim)
    writer.add_rope_dimension_count(shape.head_dim)
    writer.add_rope_freq_base(shape.rope_theta)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_vocab_size(shape.vocab_size)
    writer.add_tokenizer_model("no_vocab")
    generator = numpy.random.default_rng(0)
    for name, sizes in _tensors(shape):
        if len(sizes) == 1:
            writer.add_tensor(name, numpy.ones(sizes, numpy.float32))
            continue
        values = generator.standard_normal(sizes, numpy.float32) * 0.02
        writer.add_tensor(name, gguf.quants.quantize(values, kind), raw_dtype=kind)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def _tensors(shape: Shape) -> list[tuple[str, tuple[int, ...]]]:
    """Names and sizes, as llama.cpp has them."""
    queries, keys = shape.n_heads * shape.head_dim, shape.n_kv_heads * shape.head_dim
    found: list[tuple[str, tuple[int, ...]]] = [
        ("token_embd.weight", (shape.vocab_size, shape.dim)),
        ("output.weight", (shape.vocab_size, shape.dim)),
        ("output_norm.weight", (shape.dim,)),
    ]
    for layer in range(shape.n_layers):
        of_layer: list[tuple[str, tuple[int, ...]]] = [
            ("attn_norm", (shape.dim,)),
            ("attn_q", (queries, shape.dim)),
            ("attn_k", (keys, shape.dim)),
            ("attn_v", (keys, shape.dim)),
            ("attn_output", (shape.dim, queries)),
            ("ffn_norm", (shape.dim,)),
            ("ffn_gate", (shape.hidden_dim, shape.dim)),
            ("ffn_up", (shape.hidden_dim, shape.dim)),
            ("ffn_down", (shape.dim, shape.hidden_dim)),
        ]
        if shape.use_qk_norm:
            of_layer += [("attn_q_norm", (shape.head_dim,)), ("attn_k_norm", (shape.head_dim,))]
        found += [(f"blk.{layer}.{name}.weight", sizes) for name, sizes in of_layer]
    return found
