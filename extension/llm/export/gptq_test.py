"""Rounding by inputs: against the algorithm as it is written down, an inverse for each column, and against rounding alone."""

from __future__ import annotations

import pathlib

import pytest
import torch
from tokenizers import Tokenizer, models, pre_tokenizers
from torchao.quantization import IntxUnpackedToInt8Tensor

from executorch.extension.llm.export import decoder
from executorch.extension.llm.export.config.reading import from_yaml
from executorch.extension.llm.export.gptq import _DAMPING, gptq_transform, round_by_inputs
from executorch.extension.llm.export.pipeline import export_llama
from executorch.extension.llm.export.weight_quantization import linear_transform
from executorch.extension.llm.models.model_args import ModelArgs
from executorch.extension.llm.models.transformer import Transformer, construct_transformer
from executorch.runtime import Runtime

_SIZES = {"dim": 64, "n_layers": 2, "n_heads": 4, "n_kv_heads": 2, "vocab_size": 96, "hidden_dim": 160}


def _inputs(columns: int) -> torch.Tensor:
    draw = torch.Generator().manual_seed(columns)
    return torch.randn(400, columns // 4, generator=draw) @ torch.randn(columns // 4, columns, generator=draw)


def _by_the_book(weight: torch.Tensor, squares: torch.Tensor, group: int) -> torch.Tensor:
    """One column after the other, each with the inverse of what is left, in double; scales of a group when it begins."""
    rest, squares = weight.double().clone(), squares.double().clone()
    squares += torch.eye(len(squares)) * _DAMPING * squares.diagonal().mean()
    values = torch.zeros_like(rest)
    for column in range(rest.shape[1]):
        if column % group == 0:
            scale = rest[:, column : column + group].abs().amax(1) / 7.5
        inverse = torch.linalg.inv(squares[column:, column:])
        values[:, column] = (rest[:, column] / scale).round().clamp(-8, 7) * scale
        lost = (rest[:, column] - values[:, column]) / inverse[0, 0]
        rest[:, column:] -= torch.outer(lost, inverse[0])
    return values.float()


@pytest.mark.parametrize("columns", [64, 96])
def test_columns_make_up_for_each_other(columns: int) -> None:
    weight, x = torch.randn(24, columns, generator=torch.Generator().manual_seed(0)), _inputs(columns)
    bits, scales = round_by_inputs(weight, x.T @ x, 32)
    assert bits.dtype == torch.int8 and scales.shape == (24, columns // 32)
    values = (bits.unflatten(1, (-1, 32)) * scales[..., None]).flatten(1)
    want = _by_the_book(weight, x.T @ x, 32)
    # A number beside a border may fall on either side, and takes those behind it along.
    assert float((values - want).abs().gt(1e-4).float().mean()) < 0.02
    alone = IntxUnpackedToInt8Tensor.from_hp(weight, (1, 32), torch.int4).dequantize()
    errors = [float((x @ (one - weight).T).norm()) for one in (values, alone)]
    assert errors[0] < 0.6 * errors[1]


def test_blocks_of_columns_and_inputs_that_are_never_there() -> None:
    weight, x = torch.randn(8, 288, generator=torch.Generator().manual_seed(1)), _inputs(288)
    x[:, 5] = 0
    bits, scales = round_by_inputs(weight, x.T @ x, 32)
    values = (bits.unflatten(1, (-1, 32)) * scales[..., None]).flatten(1)
    alone = IntxUnpackedToInt8Tensor.from_hp(weight, (1, 32), torch.int4).dequantize()
    errors = [float((x @ (one - weight).T).norm()) for one in (values, alone)]
    assert errors[0] < 0.6 * errors[1]


def _decoder(**more: bool) -> Transformer:
    torch.manual_seed(0)
    return (
        construct_transformer(ModelArgs(**_SIZES, generate_full_logits=True, **more))
        .eval()
        .requires_grad_(False)
    )  # type: ignore[arg-type]


def test_a_decoder_is_nearer_to_its_floats() -> None:
    tokens = torch.randint(0, 96, (4, 1, 32), generator=torch.Generator().manual_seed(2))
    model = _decoder()
    want = model(tokens[0])
    errors = []
    for transform in (
        gptq_transform([(one,) for one in tokens], 32),
        linear_transform("8da4w", 32, use_hqq=False),
    ):
        errors.append(float((transform(_decoder())(tokens[0]) - want).norm()))
    assert errors[0] < 0.8 * errors[1]


def test_by_configuration(tmp_path: pathlib.Path) -> None:
    tokenizer = Tokenizer(models.WordLevel({f"w{number}": number for number in range(96)}, unk_token="w0"))
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    tokenizer.save(str(tmp_path / "tokenizer.json"))
    torch.save(_decoder().state_dict(), tmp_path / "model.pth")
    draw = torch.randint(0, 96, (60,), generator=torch.Generator().manual_seed(3))
    text = " ".join(f"w{number}" for number in draw)
    base = [
        f"base.checkpoint={tmp_path / 'model.pth'}",
        f"export.output_dir={tmp_path}",
        "export.max_seq_length=16",
    ]
    sizes = ", ".join(f'"{name}": {size}' for name, size in _SIZES.items())
    (tmp_path / "params.json").write_text(f"{{{sizes}}}")
    config = from_yaml(
        "model: {use_kv_cache: True, use_sdpa_with_kv_cache: True}\nbackend: {xnnpack: {enabled: True}}",
        [
            *base,
            f"base.params={tmp_path / 'params.json'}",
            f"base.tokenizer_path={tmp_path / 'tokenizer.json'}",
            "quantization.qmode=8da4w-gptq",
            "quantization.group_size=32",
            "debug.generate_full_logits=true",
        ],
    )
    config.quantization.calibration_data = text
    path = export_llama(config)
    call = (torch.tensor([[4, 90, 17]]), torch.tensor([0]))
    (found,) = Runtime.get().load_program(path).load_method("forward").execute(call)
    eager = decoder.manager(config).model(call[0], {"input_pos": call[1]})
    assert float((found - eager).abs().max() / eager.abs().max()) < 0.03
    assert pathlib.Path(path).stat().st_size < 160_000  # floats are 393,000
    floats = _decoder()(call[0])
    assert float((found - floats).abs().max() / floats.abs().max()) < 0.35
