"""The operators compute what their descriptions say, refuse what does not fit, and can be exported."""

import pathlib
import re
from typing import Any

import pytest
import torch
from torch.nn import functional

from executorch.exir import to_edge
from executorch.extension.llm.custom_ops import (  # noqa: F401 - importing registers them.
    custom_ops,
    op_fallback,
    preprocess_custom_ops,
)
from executorch.extension.llm.custom_ops.operands import OperandError

LLAMA = torch.ops.llama
STEPS, START, CAPACITY = 3, 4, 10


@pytest.fixture
def operands():
    torch.manual_seed(0)
    query = torch.randn(1, STEPS, 4, 8)
    return query, torch.randn(1, CAPACITY, 2, 8), torch.randn(1, CAPACITY, 2, 8)


def plain_attention(query, key, value, mask=None, scale=None):
    query, key, value = (tensor.transpose(1, 2) for tensor in (query, key, value))
    attended = functional.scaled_dot_product_attention(
        query, key, value, attn_mask=mask, scale=scale, enable_gqa=True
    )
    return attended.transpose(1, 2)


def causal_mask():
    keys = torch.arange(START + STEPS)
    return keys <= (torch.arange(STEPS) + START)[:, None]


@pytest.mark.parametrize("scale", [None, 0.3])
def test_attention_sees_the_cache_up_to_the_query(operands, scale):
    query, key, value = operands
    front = key[:, : START + STEPS], value[:, : START + STEPS]
    causal = LLAMA.custom_sdpa(query, key, value, START, None, 0.0, True, scale)
    torch.testing.assert_close(causal, plain_attention(query, front[0], front[1], causal_mask(), scale))
    whole = LLAMA.custom_sdpa(query, key, value, START, None, 0.0, False, scale)
    torch.testing.assert_close(whole, plain_attention(query, front[0], front[1], None, scale))
    mask = torch.randn(STEPS, CAPACITY)
    masked = LLAMA.custom_sdpa(query, key, value, 100, mask, 0.0, False, scale)
    torch.testing.assert_close(masked, plain_attention(query, key, value, mask, scale))


def test_attention_with_caches_writes_them_first(operands):
    query, keys, values = operands
    new = torch.randn(2, 1, STEPS, 2, 8)
    expected = [keys.clone(), values.clone()]
    for cache, tensor in zip(expected, new, strict=True):
        cache[:, START : START + STEPS] = tensor
    result = LLAMA.sdpa_with_kv_cache(query, *new, keys, values, START, STEPS, None, 0.0, True)
    assert torch.equal(keys, expected[0]) and torch.equal(values, expected[1])
    torch.testing.assert_close(result, LLAMA.custom_sdpa(query, *expected, START, None, 0.0, True))


def quantized(tensor):
    scales = tensor.abs().amax(-1, keepdim=True) / 127
    zero_points = torch.full(scales.shape, 3, dtype=torch.int8)
    values = (tensor / scales + zero_points).round().clamp(-128, 127).to(torch.int8)
    return values, zero_points, scales


@pytest.mark.parametrize("heads_first", [False, True])
def test_quantized_attention_is_near_to_that_of_floats(operands, heads_first):
    expected = LLAMA.custom_sdpa(*operands, START, None, 0.0, True)
    given = [tensor.transpose(1, 2).contiguous() if heads_first else tensor for tensor in operands]
    values, zero_points, scales = zip(*map(quantized, given), strict=True)
    pairs = [item for pair in zip(zero_points, scales, strict=True) for item in pair]
    result = LLAMA.custom_quantized_sdpa(*values, START, None, 0.0, True, None, *pairs, heads_first)
    torch.testing.assert_close(result.transpose(1, 2) if heads_first else result, expected, atol=0.05, rtol=0)
    with pytest.raises(OperandError, match="zero points"):
        LLAMA.custom_quantized_sdpa(*values, START, is_seq_at_dim_2=heads_first)


def test_caches_are_written_where_they_should_be():
    value, cache = torch.randn(2, 3, 2, 4), torch.zeros(2, 8, 2, 4)
    LLAMA.update_cache(value, cache, 2)
    assert torch.equal(cache[:, 2:5], value) and cache[:, :2].abs().sum() == 0 == cache[:, 5:].abs().sum()
    indices = torch.tensor([[5, 1, 7], [0, 2, 1]])
    cache = torch.zeros(2, 8, 2, 4)
    LLAMA.update_cache_with_indices(value, cache, 0, indices)
    for row in range(2):
        assert torch.equal(cache[row, indices[row]], value[row])
    assert cache.count_nonzero() == value.numel()


@pytest.mark.parametrize("size", [1, 8, 28, 112])
def test_the_hadamard_transform_keeps_angles(size):
    rows = LLAMA.fast_hadamard_transform(torch.eye(size, dtype=torch.float64))
    factor = 28 if size % 28 == 0 else 1
    torch.testing.assert_close(rows @ rows.T, factor * torch.eye(size, dtype=torch.float64))
    torch.testing.assert_close(rows.abs(), torch.full_like(rows, (factor / size) ** 0.5))


@pytest.mark.parametrize("channels", [False, True])
def test_the_delta_rule_with_full_correction_remembers_the_last_value(channels):
    torch.manual_seed(0)
    query, key = torch.randn(1, 4, 5, 8), functional.normalize(torch.randn(1, 2, 5, 8), dim=-1)
    value, beta = torch.randn(1, 2, 5, 3), torch.ones(1, 2, 5)
    decay = torch.rand(1, 2, 5, 8) if channels else torch.rand(1, 2, 5)
    rule = LLAMA.channelwise_gated_delta_rule if channels else LLAMA.gated_delta_rule
    results, state = rule(query, key, value, decay, beta, torch.randn(1, 2, 8, 3))
    # With beta of one, the state's answer to a key of length one is the value just written.
    torch.testing.assert_close((state * key[:, :, -1, :, None]).sum(-2), value[:, :, -1])
    again = (state.repeat_interleave(2, 1) * query[:, :, -1, :, None]).sum(-2)
    torch.testing.assert_close(results[:, :, -1], again)


def test_out_variants_fill_what_they_are_given(operands):
    out = torch.empty(0)
    returned = LLAMA.custom_sdpa.out(*operands, START, None, 0.0, True, out=out)
    assert returned is out
    torch.testing.assert_close(out, LLAMA.custom_sdpa(*operands, START, None, 0.0, True))
    with pytest.raises(OperandError, match="out must not alias mat"):
        LLAMA.fast_hadamard_transform.out(out[0, 0], out=out[0, 0])
    copy = torch.empty(0)
    assert torch.equal(LLAMA.fallback.out(out, output=copy), out) and torch.equal(LLAMA.fallback(out), out)


def test_operands_that_do_not_fit_are_refused(operands):
    query, key, value = operands
    with pytest.raises(OperandError, match="query to be 4 dimensional"):
        LLAMA.custom_sdpa(query[0], key, value, 0)
    with pytest.raises(RuntimeError, match="exceed the cache, which has 10"):
        LLAMA.custom_sdpa(query, key, value, 9)
    with pytest.raises(OperandError, match="a column for each of 10"):
        LLAMA.custom_sdpa(query, key, value, 0, torch.zeros(STEPS, 4))
    with pytest.raises(OperandError, match="same time"):
        LLAMA.custom_sdpa(query, key, value, 0, torch.zeros(STEPS, 10), 0.0, True)
    with pytest.raises(OperandError, match="same dtype as query"):
        LLAMA.custom_sdpa(query.half(), key, value, 0)
    with pytest.raises(OperandError, match="3 heads of the query"):
        LLAMA.custom_sdpa(query[:, :, :3], key, value, 0)
    with pytest.raises(RuntimeError, match="start_pos must not be negative"):
        LLAMA.update_cache(key[:, :1], value, -1)
    with pytest.raises(OperandError, match="lie in the cache"):
        LLAMA.update_cache_with_indices(key[:, :1], value, 0, torch.tensor([[10]]))
    with pytest.raises(OperandError, match="power of two"):
        LLAMA.fast_hadamard_transform(torch.ones(2, 10))
    with pytest.raises(OperandError, match="cannot be cut into tiles of 4"):
        torch.ops.preprocess.tile_crop(torch.ones(3, 8, 6), 4)


def test_the_example_of_the_readme_runs():
    text = pathlib.Path(__file__).parents[1].joinpath("README.md").read_text(encoding="utf-8")
    code = "\n".join(re.findall(r"```python\n(.*?)```", text, re.DOTALL))
    scope: dict[str, Any] = {"__name__": "readme"}
    exec(compile(code, "README.md", "exec"), scope)
    assert scope["attended"].shape == (1, 1, 8, 64) and scope["keys"][0, 5].count_nonzero() > 0


def test_tiles_come_in_reading_order():
    image = torch.arange(24.0).reshape(1, 4, 6)
    tiles = torch.ops.preprocess.tile_crop(image, 2)
    assert tiles.shape == (6, 1, 2, 2)
    assert tiles[1, 0].tolist() == [[2, 3], [8, 9]] and tiles[3, 0].tolist() == [[12, 13], [18, 19]]


def test_a_cross_attention_cache_is_written_and_given_back():
    value, cache = torch.randn(1, 2, 3, 4), torch.zeros(1, 2, 6, 4)
    result = torch.ops.executorch.update_cross_attn_cache(value, cache)
    assert torch.equal(cache[:, :, :3], value) and torch.equal(result, cache)
    assert result.data_ptr() != cache.data_ptr()


class Block(torch.nn.Module):
    """Attention over keys and values that are there already, of rotated queries."""

    def forward(self, query, key, value, position):
        start = position.item()
        torch._check_is_size(start)
        torch._check(start + query.shape[1] <= key.shape[1])
        rotated = LLAMA.fast_hadamard_transform(query)
        return LLAMA.custom_sdpa(rotated, key, value, start, None, 0.0, True)


def test_a_model_with_them_becomes_a_program(operands):
    exported = torch.export.export(Block(), (*operands, torch.tensor([0])), strict=False)
    program = to_edge(exported).to_executorch().executorch_program
    names = {op.name for op in program.execution_plan[0].operators}
    assert {"llama::fast_hadamard_transform", "llama::custom_sdpa"} <= names
