"""Models of real shapes for engines that read Hugging Face's checkpoints: one is made with random weights, and converted by the engine's tool.

The checkpoint has the whole model in single precision, which takes the memory for it; it is gone afterwards.
"""

from __future__ import annotations

import os
import pathlib
import subprocess
import sys
import tempfile
from typing import Any

from executorch.tests.benchmarks.llm_models import Shape, write_tokenizer


def onnxruntime_genai(shape: Shape, bits: int, context: int, directory: pathlib.Path) -> None:
    """By its model builder: four bits in groups of 32, symmetric, inputs in eight bits, as its documents have it for processors."""
    assert bits == 4
    with tempfile.TemporaryDirectory() as passing:
        _write_checkpoint(shape, context, pathlib.Path(passing, "made"))
        options = ["int4_block_size=32", "int4_accuracy_level=4", "int4_is_symmetric=true"]
        command = [sys.executable, "-m", "onnxruntime_genai.models.builder"]
        command += ["-i", f"{passing}/made", "-o", str(directory), "-c", f"{passing}/cache"]
        command += ["-p", "int4", "-e", "cpu", "--extra_options", *options]
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
        _check(subprocess.run(command, env=environment, capture_output=True, text=True, check=False))


def openvino_genai(shape: Shape, bits: int, context: int, directory: pathlib.Path) -> None:
    """By Optimum Intel, which quantizes with NNCF: four bits in groups of 32, symmetric, in all layers; or eight bits a row."""
    import openvino
    from openvino_tokenizers import convert_tokenizer
    from optimum.intel import OVModelForCausalLM, OVWeightQuantizationConfig
    from transformers import AutoTokenizer

    options: dict[str, Any] = {"bits": bits, "sym": True}
    if bits == 4:
        options |= {"group_size": 32, "ratio": 1.0, "all_layers": True}
    with tempfile.TemporaryDirectory() as passing:
        _write_checkpoint(shape, context, pathlib.Path(passing))
        quantization = OVWeightQuantizationConfig(**options)
        model = OVModelForCausalLM.from_pretrained(passing, export=True, quantization_config=quantization)
        model.save_pretrained(directory)
        both = convert_tokenizer(AutoTokenizer.from_pretrained(passing), with_detokenizer=True)
        for name, one in zip(("tokenizer", "detokenizer"), both, strict=True):
            openvino.save_model(one, directory / f"openvino_{name}.xml")


def _write_checkpoint(shape: Shape, context: int, directory: pathlib.Path) -> None:
    import transformers

    kind = "Qwen3" if shape.use_qk_norm else "Llama"
    config = getattr(transformers, f"{kind}Config")(
        vocab_size=shape.vocab_size,
        hidden_size=shape.dim,
        intermediate_size=shape.hidden_dim,
        num_hidden_layers=shape.n_layers,
        num_attention_heads=shape.n_heads,
        num_key_value_heads=shape.n_kv_heads,
        head_dim=shape.head_dim,
        max_position_embeddings=2 * context,
        rope_theta=shape.rope_theta,
        tie_word_embeddings=False,
        bos_token_id=0,
        eos_token_id=1,
    )
    getattr(transformers, f"{kind}ForCausalLM")(config).save_pretrained(directory)
    written = directory / "written.json"
    write_tokenizer(shape.vocab_size, written)
    tokenizer = transformers.PreTrainedTokenizerFast(
        tokenizer_file=str(written), bos_token=chr(33), eos_token=chr(34)
    )
    tokenizer.save_pretrained(directory)


def _check(done: subprocess.CompletedProcess[str]) -> None:
    """What a tool that failed said last.

    Raises:
        RuntimeError: it failed.
    """
    if done.returncode:
        raise RuntimeError(f"status {done.returncode}: {done.stderr[-2000:]}")
