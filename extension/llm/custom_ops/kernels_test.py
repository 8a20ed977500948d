"""The kernels compute what eager does, alone and with the optimized loops and threads, and refuse what does not fit."""

from __future__ import annotations

import os
import pathlib
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from executorch.extension.llm.custom_ops import (  # noqa: F401 - importing registers them.
    custom_ops,
    op_fallback,
    preprocess_custom_ops,
)
from executorch.extension.llm.custom_ops.linear_4w import pack
from executorch.extension.llm.custom_ops.quantized_moe import pack_experts
from executorch.kernels.test.op_driver import OpDriver, Out
from executorch.kernels.test.oracle import assert_same, bind, call_out

LLAMA = torch.ops.llama
INVALID = 0x12


def programs() -> list[pathlib.Path]:
    """The drivers with these kernels: the portable loops alone, and the optimized ones with threads."""
    names = ("op_driver_llm", "op_driver_llm_threads")
    here = pathlib.Path(__file__)
    return [pathlib.Path(os.environ.get(f"ET_{name.upper()}", here.with_name(name))) for name in names]


@pytest.fixture(scope="module", params=programs(), ids=["portable", "optimized"])
def driver(request):
    driver = OpDriver(request.param)
    yield driver
    driver.close()


def call(driver, op, *args, like=None, dynamic=False, **options):
    """Calls the kernel of an operator; its output is that of eager, or `like`."""
    if like is None:
        given = [value.like.clone() if isinstance(value, Out) else value for value in args]
        like = op.default(*given)
    outs = [Out(tensor, dynamic=dynamic) for tensor in (like if isinstance(like, tuple) else (like,))]
    return call_out(driver, op.out, bind(op.default, args, {}), outs, **options)


def same(driver, op, *args, tolerance=None):
    """Requires the results of eager."""
    outcome = call(driver, op, *args)
    assert outcome.error == 0
    expected = op.default(*args)
    wants = expected if isinstance(expected, tuple) else (expected,)
    for found, wanted in zip(outcome.outputs, wants, strict=True):
        assert_same(found, wanted, tolerance)


def attention(steps, capacity, heads, key_heads, head_dim, batch=1, dtype=torch.float32, seed=0):
    generator = torch.Generator().manual_seed(seed)

    def rand(*shape):
        return torch.randn(*shape, generator=generator).to(dtype)

    cache = (batch, capacity, key_heads, head_dim)
    return rand(batch, steps, heads, head_dim), rand(*cache), rand(*cache)


# One query and many, one block of keys and several, heads that share keys, sizes that no vector divides.
SHAPES = [
    (1, 4, 0, 1, 1, 8),
    (1, 1500, 1400, 8, 2, 64),
    (1, 300, 299, 6, 6, 20),
    (3, 10, 4, 4, 2, 8),
    (70, 300, 200, 4, 4, 33),
    (130, 130, 0, 2, 1, 16),
    (5, 40, 30, 3, 1, 300),
    (2, 1200, 1100, 2, 2, 5000),
]


@pytest.mark.parametrize("steps, capacity, start, heads, key_heads, head_dim", SHAPES)
@pytest.mark.parametrize("causal", [False, True])
def test_attention(driver, steps, capacity, start, heads, key_heads, head_dim, causal):
    operands = attention(steps, capacity, heads, key_heads, head_dim, batch=2)
    same(driver, LLAMA.custom_sdpa, *operands, start, None, 0.0, causal, None, tolerance=(2e-5, 2e-5))
    same(driver, LLAMA.custom_sdpa, *operands, start, None, 0.0, causal, 0.01, tolerance=(2e-5, 2e-5))


@settings(max_examples=60, deadline=None)
@given(
    steps=st.integers(0, 80),
    start=st.integers(0, 200),
    room=st.integers(0, 5),
    key_heads=st.integers(1, 3),
    shared=st.integers(1, 9),
    head_dim=st.integers(1, 40),
    causal=st.booleans(),
)
def test_attention_of_any_shape(driver, steps, start, room, key_heads, shared, head_dim, causal):
    operands = attention(steps, start + steps + room, key_heads * shared, key_heads, head_dim, seed=steps)
    if start + steps == 0:
        return
    same(driver, LLAMA.custom_sdpa, *operands, start, None, 0.0, causal, tolerance=(2e-5, 2e-5))


@pytest.mark.parametrize(
    "steps, capacity, heads, key_heads, head_dim", [(1, 70, 4, 2, 16), (67, 300, 2, 2, 24)]
)
@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16], ids=str)
def test_masks(driver, steps, capacity, heads, key_heads, head_dim, dtype):
    operands = attention(steps, capacity, heads, key_heads, head_dim)
    mask = torch.randn(steps, capacity, generator=torch.Generator().manual_seed(1)).to(dtype)
    mask[:, : capacity // 2] = float("-inf")
    same(driver, LLAMA.custom_sdpa, *operands, 0, mask)


def test_a_query_that_sees_nothing_gives_zeros(driver):
    operands = attention(2, 300, 2, 2, 8)
    mask = torch.zeros(2, 300)
    mask[1] = float("-inf")
    outcome = call(driver, LLAMA.custom_sdpa, *operands, 0, mask)
    assert outcome.outputs[0][:, 1].count_nonzero() == 0
    assert_same(outcome.outputs[0][:, 0], LLAMA.custom_sdpa(*operands, 0, mask)[:, 0])


@pytest.mark.parametrize("steps", [1, 40])
@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16], ids=str)
def test_short_floats(driver, steps, dtype):
    operands = attention(steps, 400, 4, 2, 16, dtype=dtype)
    same(driver, LLAMA.custom_sdpa, *operands, 350, None, 0.0, True)


def test_no_number_stays_no_number(driver):
    query, key, value = attention(3, 300, 2, 2, 8)
    key[0, 1, 0, 0] = float("nan")
    result = call(driver, LLAMA.custom_sdpa, query, key, value, 290).outputs[0]
    assert result[:, :, 0].isnan().all() and result[:, :, 1].isfinite().all()


def quantized(tensor):
    scales = tensor.abs().amax(-1, keepdim=True) / 127
    zero_points = torch.arange(scales.numel(), dtype=torch.int8).reshape(scales.shape) % 5
    return (tensor / scales + zero_points).round().clamp(-128, 127).to(torch.int8), zero_points, scales


@pytest.mark.parametrize("heads_first", [False, True])
@pytest.mark.parametrize("steps", [1, 33])
@pytest.mark.parametrize("float_query", [False, True])
def test_quantized_attention(driver, heads_first, steps, float_query):
    operands = attention(steps, 300, 4, 2, 32, batch=2)
    given = [tensor.transpose(1, 2).contiguous() if heads_first else tensor for tensor in operands]
    values, zero_points, scales = map(list, zip(*map(quantized, given), strict=True))
    if float_query:
        values[0], zero_points[0], scales[0] = given[0], None, None
    pairs = [item for pair in zip(zero_points, scales, strict=True) for item in pair]
    args = (*values, 260, None, 0.0, True, None, *pairs, heads_first)
    same(driver, LLAMA.custom_quantized_sdpa, *args, tolerance=(5e-5, 5e-5))
    mask = torch.randn(steps, 300)
    args = (*values, 0, mask, 0.0, False, None, *pairs, heads_first)
    same(driver, LLAMA.custom_quantized_sdpa, *args, tolerance=(5e-5, 5e-5))


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.int8, torch.int64], ids=str)
def test_caches_are_written(driver, dtype):
    value, cache = (torch.randint(-9, 9, (2, size, 2, 4)).to(dtype) for size in (3, 8))
    for op, *rest in (
        (LLAMA.update_cache, 5),
        (LLAMA.update_cache_with_indices, 0, torch.tensor([[5, 1, 7], [0, 2, 1]])),
    ):
        outcome = call(driver, op, value, Out(cache, initial=True), *rest)
        assert outcome.error == 0
        expected = cache.clone()
        op(value, expected, *rest)
        assert torch.equal(outcome.outputs[0], expected)
        assert outcome.outputs[1].tolist() == [0]


def test_attention_with_caches(driver):
    query, keys, values = attention(3, 10, 4, 2, 8)
    _, key, value = attention(1, 3, 4, 2, 8, seed=1)
    caches = [Out(cache, initial=True) for cache in (keys, values)]
    outcome = call(driver, LLAMA.sdpa_with_kv_cache, query, key, value, *caches, 4, 3, None, 0.0, True)
    assert outcome.error == 0
    expected = LLAMA.sdpa_with_kv_cache(query, key, value, keys, values, 4, 3, None, 0.0, True)
    for found, wanted in zip(outcome.outputs, (keys, values, expected), strict=True):
        assert_same(found, wanted)


@pytest.mark.parametrize("size", [1, 2, 64, 2048, 28, 56, 28 * 512])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.float16, torch.bfloat16], ids=str)
def test_hadamard_transforms(driver, size, dtype):
    matrix = torch.randn(3, 2, size, generator=torch.Generator().manual_seed(0)).to(dtype)
    outcome = call(driver, LLAMA.fast_hadamard_transform, matrix, temp_bytes=1 << 17)
    assert_same(outcome.outputs[0], LLAMA.fast_hadamard_transform(matrix))
    if dtype == torch.float16 and size > 1024:
        assert call(driver, LLAMA.fast_hadamard_transform, matrix).error != 0


def weight_4w(rows, depth, group, seed=0):
    generator = torch.Generator().manual_seed(seed)
    numbers = torch.randint(-8, 8, (rows, depth), generator=generator)
    scales = torch.rand(rows, depth // group, generator=generator) / 8
    return numbers, scales


@pytest.mark.parametrize("group", [32, 64, 40])
@pytest.mark.parametrize("tokens", [0, 1, 3, 8, 9, 70])
@pytest.mark.parametrize("rows", [1, 64, 200])
def test_linear_layers_of_four_bits(driver, rows, tokens, group):
    numbers, scales = weight_4w(rows, 10 * group, group)
    x = torch.randn(1, tokens, 10 * group, generator=torch.Generator().manual_seed(1))
    args = (x, *pack(numbers, scales), rows)
    outcome = call(driver, LLAMA.linear_4w, *args)
    assert outcome.error == 0
    expected = x.double() @ (numbers * scales.repeat_interleave(group, 1).double()).T
    assert LLAMA.linear_4w(*args).shape == expected.shape
    torch.testing.assert_close(LLAMA.linear_4w(*args).double(), expected, rtol=1e-4, atol=1e-4)
    torch.testing.assert_close(outcome.outputs[0].double(), expected, rtol=1e-4, atol=1e-4)


def test_linear_layers_of_four_bits_that_are_refused(driver):
    weight, scales = pack(*weight_4w(70, 64, 32))
    x, like = torch.ones(2, 64), torch.ones(2, 70)
    assert call(driver, LLAMA.linear_4w, x, weight, scales, 70, like=like).error == 0
    for bad in [
        (x.double(), weight, scales, 70),
        (x[:, :32].contiguous(), weight, scales, 70),
        (x, weight.to(torch.int8), scales, 70),
        (x, weight[:, :, :16].contiguous(), scales, 70),
        (x, weight, scales[:1].contiguous(), 70),
        (x, weight, scales[..., :32].contiguous(), 70),
        (x, weight, torch.ones(2, 3, 64), 70),
        (x, weight, scales.double(), 70),
        (x, weight, scales, 64),
        (x, weight, scales, 129),
        (x, weight, scales, -1),
    ]:
        assert refused(driver, LLAMA.linear_4w, *bad, like=like)
        with pytest.raises(ValueError):
            LLAMA.linear_4w(*bad)


def experts_4w(tokens, experts, dim, hidden, group, biased, seed=0):
    """Operands of experts, and their weights as doubles: `[experts, 2 * hidden, dim]`, `[experts, dim, hidden]`."""
    generator = torch.Generator().manual_seed(seed)
    made, packed = [], []
    for rows, depth in ((2 * hidden, dim), (dim, hidden)):
        numbers = torch.randint(-8, 8, (experts, rows, depth), generator=generator)
        scales = torch.rand(experts, rows, depth // group, generator=generator) / 8
        made.append(numbers * scales.repeat_interleave(group, 2).double())
        packed.append(pack_experts(numbers, scales))
    x, gate = torch.randn(tokens, dim, generator=generator), torch.randn(experts, dim, generator=generator)
    bias = torch.randn(experts if biased else 0, generator=generator)
    return (x, gate, bias, *packed), made


def mixed(x, gate, bias, chosen, score_func, scale, wide, narrow):
    """What a mixture of experts gives, token by token in double precision."""
    rows = []
    for token in x.double():
        scores = gate.double() @ token
        if score_func == "sigmoid":
            scores = scores.sigmoid()
            picked = (scores + bias if bias.numel() else scores).topk(chosen).indices
            weights = scores[picked] * scale / scores[picked].sum()
        else:
            picked = scores.topk(chosen).indices
            weights = scores[picked].softmax(0)
        row = torch.zeros_like(token)
        for expert, weight in zip(picked.tolist(), weights, strict=True):
            gated, up = (wide[expert] @ token).chunk(2)
            row += weight * (narrow[expert] @ (torch.nn.functional.silu(gated) * up))
        rows.append(row)
    return torch.stack(rows) if rows else x.double()


@pytest.mark.parametrize("score_func, biased, scale", [("softmax", False, 1.0), ("sigmoid", True, 2.5)])
@pytest.mark.parametrize("tokens", [0, 1, 5, 150])
@pytest.mark.parametrize(
    "experts, chosen, dim, hidden, group",
    [(4, 2, 32, 64, 32), (3, 3, 96, 40, 8), (9, 1, 16, 16, 16), (2, 1, 5, 5, 5), (3, 2, 9, 15, 3)],
)
def test_experts_of_four_bits(driver, experts, chosen, dim, hidden, group, tokens, score_func, biased, scale):
    operands, weights = experts_4w(tokens, experts, dim, hidden, group, biased)
    args = (*operands, chosen, experts, hidden, dim, group, 4, score_func, scale)
    outcome = call(driver, LLAMA.quantized_moe_ffn, *args, temp_bytes=1 << 19)
    assert outcome.error == 0
    expected = mixed(*operands[:3], chosen, score_func, scale, *weights)
    torch.testing.assert_close(LLAMA.quantized_moe_ffn(*args).double(), expected, rtol=1e-4, atol=1e-4)
    torch.testing.assert_close(outcome.outputs[0].double(), expected, rtol=1e-4, atol=1e-4)


def test_experts_of_four_bits_that_are_refused(driver):
    (x, gate, bias, wide, narrow), _ = experts_4w(2, 4, 32, 64, 32, True)
    sizes = (2, 4, 64, 32, 32, 4)
    like = torch.ones(2, 32)
    op = LLAMA.quantized_moe_ffn
    good = (x, gate, bias, wide, narrow, *sizes, "sigmoid", 1.0)
    assert call(driver, op, *good, like=like, temp_bytes=1 << 19).error == 0
    # Without temporary memory.
    assert call(driver, op, *good, like=like).error != 0
    for place, value in [
        (0, x.half()),
        (0, x[None]),
        (0, x[:, :16].contiguous()),
        (1, gate.half()),
        (1, gate[:3].contiguous()),
        (2, bias.double()),
        (2, bias[:3].contiguous()),
        (3, wide.to(torch.int8)),
        (3, wide[:, :-32].contiguous()),
        (3, wide[:3].contiguous()),
        (4, narrow[:, :-4].contiguous()),
        (5, 0),
        (5, 5),
        (6, 3),
        (7, 32),
        (7, -64),
        (8, 64),
        (9, 0),
        (9, 7),
        (9, 16),
        (10, 3),
        (11, "gelu"),
    ]:
        bad = (*good[:place], value, *good[place + 1 :])
        assert refused(driver, op, *bad, like=like)
        with pytest.raises(ValueError):
            op(*bad)


@pytest.mark.parametrize("channels", [False, True])
@pytest.mark.parametrize("steps", [0, 1, 9])
def test_delta_rules(driver, steps, channels):
    query, key, value = torch.randn(2, 6, steps, 8), torch.randn(2, 3, steps, 8), torch.randn(2, 3, steps, 5)
    decay = torch.rand(2, 3, steps, 8) if channels else torch.rand(2, 3, steps)
    args = (query, key / 3, value, decay, torch.rand(2, 3, steps), torch.randn(2, 3, 8, 5))
    same(driver, LLAMA.channelwise_gated_delta_rule if channels else LLAMA.gated_delta_rule, *args)


def test_copies_and_tiles(driver):
    image = torch.arange(3 * 8 * 12).reshape(3, 8, 12)
    same(driver, LLAMA.fallback, image)
    same(driver, torch.ops.preprocess.tile_crop, image, 4)
    same(driver, torch.ops.preprocess.tile_crop, image.to(torch.uint8), 2)


def refused(driver, op, *args, like=None):
    outcome = call(driver, op, *args, like=torch.zeros(1, 3, 4, 8) if like is None else like, dynamic=True)
    return outcome.error == INVALID


def test_what_does_not_fit_is_refused(driver):
    query, key, value = attention(3, 10, 4, 2, 8)
    sdpa = LLAMA.custom_sdpa
    for start in (8, -1, 2**62, -(2**63)):
        assert refused(driver, sdpa, query, key, value, start)
    assert refused(driver, sdpa, query[0], key, value, 0)
    assert refused(driver, sdpa, query[:, :, :3].contiguous(), key, value, 0)
    assert refused(driver, sdpa, query[..., :4].contiguous(), key, value, 0)
    assert refused(driver, sdpa, query, key, value[:, :5].contiguous(), 0)
    assert refused(driver, sdpa, query, key, value[..., :4].contiguous(), 0)
    assert refused(driver, sdpa, query, key[:, :, :0].contiguous(), value[:, :, :0].contiguous(), 0)
    assert refused(driver, sdpa, query.half(), key, value, 0)
    assert refused(driver, sdpa, query.int(), key.int(), value.int(), 0)
    assert refused(driver, sdpa, query, key, value, 0, torch.zeros(3, 9))
    assert refused(driver, sdpa, query, key, value, 0, torch.zeros(2, 10))
    assert refused(driver, sdpa, query, key, value, 0, torch.zeros(10))
    assert refused(driver, sdpa, query, key, value, 0, torch.zeros(3, 10, dtype=torch.bool))
    assert refused(driver, sdpa, query, key, value, 0, torch.zeros(3, 10), 0.0, True)
    assert refused(driver, sdpa, query, key, value, 0, like=torch.zeros(1, 3, 4, 4))
    assert refused(driver, sdpa, query, key, value, 0, like=torch.zeros(1, 3, 4, 8).half())
    assert refused(driver, sdpa, query.to(memory_format=torch.channels_last), key, value, 0)


def test_quantizations_that_do_not_fit_are_refused(driver):
    operands = attention(3, 10, 4, 2, 8)
    values, zero_points, scales = map(list, zip(*map(quantized, operands), strict=True))

    def args():
        pairs = zip(zero_points, scales, strict=True)
        return [*values, 0, None, 0.0, False, None, *(item for pair in pairs for item in pair)]

    op = LLAMA.custom_quantized_sdpa
    assert not refused(driver, op, *args())
    scales[1] = None
    assert refused(driver, op, *args())
    for wrong in (
        torch.ones(1, 10, 2),
        torch.ones(1, 9, 2, 1),
        torch.ones(1, 10, 2, 8),
        torch.ones(1, 10, 2, 1).half(),
    ):
        scales[1] = wrong
        assert refused(driver, op, *args())


def test_caches_that_do_not_fit_stay_as_they_are(driver):
    value, cache = torch.ones(2, 3, 2, 4), Out(torch.zeros(2, 8, 2, 4), initial=True)
    one = torch.zeros(1)
    wrong: list[tuple[Any, ...]] = [
        (LLAMA.update_cache, value, cache, start) for start in (6, -1, 2**63 - 1)
    ] + [
        (LLAMA.update_cache, value.half(), cache, 0),
        (LLAMA.update_cache, value[:1].contiguous(), cache, 0),
        (LLAMA.update_cache, value[0], cache, 0),
    ]
    indices = torch.zeros(2, 3, dtype=torch.int64)
    for bad in (indices - 1, indices + 8, indices.int(), indices[:1].contiguous(), indices[0]):
        wrong.append((LLAMA.update_cache_with_indices, value, cache, 0, bad))
    for op, *args in wrong:
        assert call(driver, op, *args, like=one).error == INVALID
    # Attention looks at everything before it writes.
    query, key, values = attention(3, 10, 4, 2, 8)
    caches = [Out(torch.zeros(1, 10, 2, 8), initial=True) for _ in range(2)]
    short = key[:, :3].contiguous(), values[:, :2].contiguous()
    outcome = call(driver, LLAMA.sdpa_with_kv_cache, query, *short, *caches, 0, 3, like=query)
    assert outcome.error == INVALID and outcome.outputs[0].count_nonzero() == 0


def test_other_operands_that_do_not_fit_are_refused(driver):
    for size in (0, 3, 28 * 3, 56 * 28):
        assert refused(driver, LLAMA.fast_hadamard_transform, torch.ones(2, size), like=torch.ones(2, size))
    assert refused(driver, LLAMA.fast_hadamard_transform, torch.ones(2, 8, dtype=torch.int32))
    assert refused(driver, torch.ops.preprocess.tile_crop, torch.ones(3, 8, 6), 4)
    assert refused(driver, torch.ops.preprocess.tile_crop, torch.ones(3, 8, 8), 0)
    assert refused(driver, torch.ops.preprocess.tile_crop, torch.ones(8, 8), 4)
    rule = [torch.ones(1, 4, 3, 8), torch.ones(1, 2, 3, 8), torch.ones(1, 2, 3, 5)]
    gates = [torch.ones(1, 2, 3), torch.ones(1, 2, 3), torch.ones(1, 2, 8, 5)]
    like = (torch.ones(1, 4, 3, 5), torch.ones(1, 2, 8, 5))
    assert call(driver, LLAMA.gated_delta_rule, *rule, *gates, like=like).error == 0
    for place in range(6):
        args = [*rule, *gates]
        for bad in (args[place][..., :1].contiguous(), args[place].double(), args[place][0].contiguous()):
            args[place] = bad
            assert call(driver, LLAMA.gated_delta_rule, *args, like=like).error == INVALID, place
