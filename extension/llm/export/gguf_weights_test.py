"""Weights of a GGUF file are made floats where they are quantized again, a part of a layer at a time."""

import gguf
import numpy
import pytest
import torch

from executorch.extension.llm.export import decoder, weight_quantization
from executorch.extension.llm.export.config.reading import from_yaml
from executorch.extension.llm.models import gguf_files
from executorch.extension.llm.models.checkpoints import load_decoder
from executorch.extension.llm.models.gguf_for_tests import gguf_file

DIM, HIDDEN, VOCABULARY, TOKENS = 64, 96, 40, torch.tensor([[3, 1, 4]])
KIND = gguf.GGMLQuantizationType.Q4_0


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    file = tmp_path_factory.mktemp("model") / "m.gguf"
    draw = numpy.random.default_rng(0)
    shapes = {"token_embd": (VOCABULARY, DIM), "blk.0.attn_q": (DIM, DIM), "blk.0.attn_k": (DIM // 2, DIM)}
    shapes |= {"blk.0.attn_v": (DIM // 2, DIM), "blk.0.attn_output": (DIM, DIM)}
    shapes |= {
        "blk.0.ffn_gate": (HIDDEN, DIM),
        "blk.0.ffn_up": (HIDDEN, DIM),
        "blk.0.ffn_down": (DIM, HIDDEN),
    }
    sizes = {"block_count": 1, "embedding_length": DIM, "feed_forward_length": HIDDEN}
    sizes |= {"head_count": 2, "head_count_kv": 1, "layer_norm_rms_eps": 1e-5}
    with gguf_file(file, "llama", **sizes) as writer:
        for name, shape in shapes.items():
            values = draw.standard_normal(shape, numpy.float32) * 0.1
            writer.add_tensor(f"{name}.weight", gguf.quants.quantize(values, KIND), raw_dtype=KIND)
        for name in ("output_norm", "blk.0.attn_norm", "blk.0.ffn_norm"):
            writer.add_tensor(f"{name}.weight", numpy.ones(DIM, numpy.float32))
    return file


def _decoder(path, *more):
    return decoder.manager(
        from_yaml("", [f"base.checkpoint={path}", "debug.generate_full_logits=true", *more])
    ).model


@pytest.mark.parametrize("qmode", ["8da4w", "int8", None])
def test_floats_are_there_for_a_part_of_a_layer_only(path, qmode, monkeypatch):
    asked = []
    given = gguf_files._rows

    def rows(library, tensor):
        make = given(library, tensor)
        return lambda first, last: asked.append(last - first) or make(first, last)

    monkeypatch.setattr(gguf_files, "_rows", rows)
    monkeypatch.setattr(weight_quantization, "_SLICE", 10 * DIM)
    quantized = ["quantization.use_hqq=false", "quantization.embedding_quantize=8,0"]
    quantized = [*quantized, f"quantization.qmode={qmode}"] if qmode else []
    found = _decoder(path, *quantized)
    assert max(asked) <= (10 if qmode else HIDDEN)
    # An output layer that the file has not is the embedding, once where it stays floats.
    assert (found.output.weight is found.tok_embeddings.weight) == (qmode is None)
    expected = load_decoder(path, generate_full_logits=True)
    if qmode:
        expected = weight_quantization.linear_transform(qmode, use_hqq=False)(expected)
        expected = weight_quantization.embedding_transform("8,0")(expected)
    with torch.no_grad():
        torch.testing.assert_close(found(TOKENS), expected(TOKENS), atol=1e-6, rtol=1e-5)
