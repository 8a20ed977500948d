"""Checkpoints into models without memory, against what was saved."""

from __future__ import annotations

import json
import pathlib

import pytest
import torch
from safetensors.torch import save_file
from torch import nn
from torchao.prototype.safetensors.safetensors_support import flatten_tensor_state_dict
from torchao.quantization.quantize_.workflows.int4.int4_tensor import Int4Tensor

from executorch.extension.llm.export.load import (
    assign_one,
    assign_state_dict,
    iter_checkpoint,
    load_checkpoint,
)
from executorch.extension.llm.export.quant import (
    QuantConfig,
    QuantRecipe,
    QuantRule,
    dequantize_weight,
    identity,
    quantize_stream,
)


class _Model(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.table = nn.Embedding(20, 32)
        self.up = nn.Linear(32, 16, bias=False)
        self.head = nn.Linear(16, 20, bias=False)
        self.register_buffer("steps", torch.arange(4.0))

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        return self.head(self.up(self.table(tokens)))


_RECIPE = QuantRecipe(
    [
        QuantRule(r"table\.weight", QuantConfig(8, 32, True, "min_max")),
        QuantRule(r"up\.weight", QuantConfig(4, 16, False, "min_max")),
    ]
)


def _saved(directory: pathlib.Path, shards: int) -> dict[str, torch.Tensor]:
    """A quantized checkpoint, each part in the next of so many files."""
    state = dict(quantize_stream(_Model().state_dict().items(), _RECIPE, torch.float32))
    parts, metadata = flatten_tensor_state_dict(state)
    if shards == 1:
        save_file(parts, directory / "model.safetensors", metadata=metadata)
        return state
    names = sorted(parts)
    where = {name: f"model-{number % shards}.safetensors" for number, name in enumerate(names)}
    for file in set(where.values()):
        mine = {name: parts[name] for name in names if where[name] == file}
        save_file(mine, directory / file, metadata=metadata)
    (directory / "model.safetensors.index.json").write_text(json.dumps({"weight_map": where}))
    return state


@pytest.mark.parametrize("shards", [1, 3])
def test_a_quantized_checkpoint_is_read_from_its_files(tmp_path: pathlib.Path, shards: int) -> None:
    state = _saved(tmp_path, shards)
    read = dict(iter_checkpoint(str(tmp_path), convert=identity))
    assert set(read) == set(state) and isinstance(read["up.weight"], Int4Tensor)
    with torch.device("meta"):
        model = _Model()
    load_checkpoint(str(tmp_path), model, dtype=torch.float32)
    plain = _Model()
    plain.load_state_dict({name: dequantize_weight(value) for name, value in state.items()})
    tokens = torch.tensor([[0, 19, 3]])
    torch.testing.assert_close(model(tokens), plain(tokens), rtol=1e-5, atol=1e-5)
    assert not any(one.requires_grad for one in model.parameters()) and not isinstance(
        model.steps, nn.Parameter
    )


def test_names_ties_and_dtypes(tmp_path: pathlib.Path) -> None:
    table, up = torch.randn(20, 16), torch.randn(16, 16)
    path = str(tmp_path / "one.safetensors")
    save_file({"model.table.weight": table, "model.up.weight": up, "rotary": torch.ones(2)}, path)

    def named(name: str) -> str | None:
        return name.removeprefix("model.") if name.startswith("model.") else None

    tie = {"table.weight": ("head.weight", True)}
    read = dict(iter_checkpoint(path, key_map=named, tie_map=tie, dtype=torch.bfloat16))
    assert set(read) == {"table.weight", "up.weight", "head.weight"}
    assert torch.equal(read["head.weight"], table.bfloat16())
    assert read["head.weight"].data_ptr() != read["table.weight"].data_ptr()
    shared = dict(iter_checkpoint(path, key_map=named, tie_map={"table.weight": ("head.weight", False)}))
    assert shared["head.weight"] is shared["table.weight"]
    save_file({"model.table.weight": table, "model.head.weight": up}, path)
    assert torch.equal(dict(iter_checkpoint(path, key_map=named, tie_map=tie))["head.weight"], up)
    mine = dict(iter_checkpoint("anywhere", raw_iter=lambda where: [(where, up)]))
    assert mine["anywhere"] is up


def test_what_is_missing_is_named(tmp_path: pathlib.Path) -> None:
    with torch.device("meta"):
        model = _Model()
    with pytest.raises(RuntimeError, match=r"nothing for 2 parameters.*table\.weight, head\.weight"):
        assign_state_dict(model, {"up.weight": torch.zeros(16, 32)})
    with pytest.raises(FileNotFoundError, match=r"no model\.safetensors"):
        list(iter_checkpoint(str(tmp_path)))
    (tmp_path / "weights.bin").write_bytes(b"")
    with pytest.raises(ValueError, match="no checkpoint that is read here"):
        list(iter_checkpoint(str(tmp_path / "weights.bin")))
    with pytest.raises(AttributeError, match="middle"):
        assign_one(model, "middle.weight", torch.zeros(1))
