"""Caches against attention over all that was ever given, for calls of several lengths, in eager mode and as programs."""

import pytest
import torch
from torch import nn
from torch.nn import functional

from executorch.exir import to_edge
from executorch.extension.llm.cache.custom_kv_cache import (
    CustomKVCache,
    CustomKVCacheWithAttentionSink,
    CustomRingKVCache,
)
from executorch.extension.llm.cache.kv_cache import KVCache, RingKVCache
from executorch.extension.llm.cache.positions import CachePositionsManager, CacheUpdateStrategy
from executorch.extension.llm.cache.quantized_kv_cache import (
    QuantizedCacheType,
    QuantizedKVCache,
    QuantizedRingKVCache,
)
from executorch.extension.llm.cache.replacements import (
    replace_kv_cache_with_custom_kv_cache,
    replace_kv_cache_with_quantized_kv_cache,
    replace_kv_cache_with_ring_kv_cache,
    replace_kv_cache_with_static_quantized_kv_cache,
)
from executorch.extension.llm.cache.static_quantized_kv_cache import (
    StaticQuantizedKVCache,
    enable_static_kv_cache_calibration,
    finalize_static_kv_cache_calibration,
)
from executorch.runtime import Runtime

BATCH, HEADS, DIM, LENGTH, WINDOW, SINK = 2, 2, 8, 24, 5, 2
CALLS = [(0, 4), (4, 1), (5, 5), (10, 3), (13, 1), (14, 5), (19, 2), (21, 1)]
"""First position and number of tokens; the longest are as long as the window."""

ASYMMETRIC = QuantizedCacheType.AffineAsymmetric
SIZES = (BATCH, LENGTH, HEADS, DIM)
RING = (BATCH, WINDOW, HEADS, DIM)

WHOLE = {
    "plain": lambda: KVCache(*SIZES, enable_dynamic_shape=True),
    "plain, static": lambda: KVCache(*SIZES, enable_dynamic_shape=False),
    "custom": lambda: CustomKVCache(*SIZES),
    "int8": lambda: QuantizedKVCache(*SIZES, ASYMMETRIC),
    "int8, symmetric": lambda: QuantizedKVCache(*SIZES),
    "int8, custom": lambda: QuantizedKVCache(*SIZES, ASYMMETRIC, use_custom_update_cache_op=True),
}
RINGS = {
    "plain": lambda: RingKVCache(*RING, enable_dynamic_shape=True),
    "custom": lambda: CustomRingKVCache(*RING),
    "int8": lambda: QuantizedRingKVCache(*RING, ASYMMETRIC),
    "int8, custom": lambda: QuantizedRingKVCache(*RING, ASYMMETRIC, use_custom_update_cache_op=True),
    "sink": lambda: CustomKVCacheWithAttentionSink(BATCH, HEADS, DIM, WINDOW, SINK),
}


def _text():
    generator = torch.Generator().manual_seed(0)
    return tuple(torch.randn(BATCH, HEADS, LENGTH, DIM, generator=generator) for _ in range(3))


def _tolerance(name):
    return {"atol": 0.03, "rtol": 0.0} if "int8" in name else {"atol": 1e-6, "rtol": 1e-6}


def _seen(first, count, window=None, sink=0):
    """Which of all positions the queries see, bool of [count, LENGTH]."""
    query, key = torch.arange(first, first + count).unsqueeze(1), torch.arange(LENGTH)
    seen = key <= query
    return seen if window is None else seen & ((query - key < window) | (key < sink))


@pytest.mark.parametrize("name", WHOLE)
def test_a_cache_holds_all_that_was_written(name):
    cache, (query, key, value) = WHOLE[name](), _text()
    for first, count in CALLS:
        new = slice(first, first + count)
        places = torch.arange(first, first + count)
        keys, values = cache.update(places, key[:, :, new], value[:, :, new])
        assert keys.shape == (BATCH, HEADS, LENGTH, DIM)
        mask = _seen(first, count)
        found = functional.scaled_dot_product_attention(query[:, :, new], keys, values, attn_mask=mask)
        expected = functional.scaled_dot_product_attention(query[:, :, new], key, value, attn_mask=mask)
        torch.testing.assert_close(found, expected, **_tolerance(name))
        torch.testing.assert_close(keys[:, :, new], key[:, :, new], rtol=0, atol=0)  # new tokens are exact


@pytest.mark.parametrize("name", RINGS)
def test_a_ring_holds_what_a_window_sees(name):
    cache, (query, key, value) = RINGS[name](), _text()
    # What was there before a text that begins at 0 is forgotten.
    cache.update(torch.tensor([0]), torch.full_like(key[:, :, :3], 9.0), torch.full_like(key[:, :, :3], 9.0))
    sink = SINK if name == "sink" else 0
    for first, count in CALLS:
        new = slice(first, first + count)
        keys, values = cache.update(torch.tensor([first]), key[:, :, new], value[:, :, new])
        assert keys.shape[2] == 2 * WINDOW + sink
        mask = cache.create_causal_mask_for_ring_buffer(first, count)
        assert mask.dtype == torch.float32
        found = functional.scaled_dot_product_attention(query[:, :, new], keys, values, attn_mask=mask)
        seen = _seen(first, count, WINDOW, sink)
        expected = functional.scaled_dot_product_attention(query[:, :, new], key, value, attn_mask=seen)
        torch.testing.assert_close(found, expected, **_tolerance(name))


def test_a_ring_gives_int8_where_attention_takes_it():
    cache, (_, key, value) = QuantizedKVCache(*SIZES, ASYMMETRIC, return_float_values=False), _text()
    keys, values = cache.update(torch.arange(3), key[:, :, :3], value[:, :, :3])
    assert (keys.dtype, values.dtype) == (torch.int8, torch.int8)
    scales, zero_points = cache.k_cache_scales.transpose(1, 2), cache.k_cache_zero_points.transpose(1, 2)
    back = (keys.float() - zero_points.float()) * scales
    torch.testing.assert_close(back[:, :, :3], key[:, :, :3], atol=0.02, rtol=0)
    assert torch.count_nonzero(back[:, :, 3:]) == 0


@pytest.mark.parametrize("is_custom", [False, True])
def test_static_scales_are_those_of_what_was_observed(is_custom):
    cache, (_, key, value) = StaticQuantizedKVCache(*SIZES, 0.5, is_custom), _text()
    places, value = torch.arange(LENGTH), 3 * value
    with pytest.raises(RuntimeError, match="enable_calibration"):
        cache.finalize_calibration()
    enable_static_kv_cache_calibration(nn.ModuleList([cache]))
    seen = cache.update(places, key, value)
    torch.testing.assert_close(seen, (key, value), rtol=0, atol=0)
    finalize_static_kv_cache_calibration(nn.ModuleList([cache]))
    assert not cache.k_cache.any() and cache.k_calibration_cache is None
    for scales, of in ((cache.k_cache_scales, key), (cache.v_cache_scales, value)):
        torch.testing.assert_close(scales.flatten(), of.abs().amax(dim=(0, 1, 2)) / 127)
    for found, of, scales in zip(
        cache.update(places, key, value),
        (key, value),
        (cache.k_cache_scales, cache.v_cache_scales),
        strict=True,
    ):
        assert bool(((found - of).abs() <= scales * 0.5001).all())
    cache.return_float_values = False
    assert cache.update(places, key, value)[0].dtype is torch.int8


def test_static_scales_are_for_whole_caches():
    module = nn.ModuleList([KVCache(*SIZES, enable_dynamic_shape=False), nn.Identity()])
    replace_kv_cache_with_static_quantized_kv_cache(module, 0.25, use_custom_update_cache_op=False)
    assert (
        isinstance(module[0], StaticQuantizedKVCache) and float(module[0].v_cache_scales[0, 0, 0, 0]) == 0.25
    )
    with pytest.raises(ValueError, match="RingKVCache has no form"):
        replace_kv_cache_with_static_quantized_kv_cache(nn.ModuleList([RingKVCache(*RING, False)]))


class Attention(nn.Module):
    def __init__(self, cache):
        super().__init__()
        self.kv_cache = cache

    def forward(self, query, key, value, input_pos):
        keys, values = self.kv_cache.update(input_pos, key, value)
        start, tokens = input_pos[0].item(), query.shape[2]
        torch._check(start >= 0)
        if hasattr(self.kv_cache, "is_ring_buffer"):
            mask, causal = self.kv_cache.create_causal_mask_for_ring_buffer(start, tokens), False
        else:
            torch._check(start + tokens <= LENGTH)
            mask, causal = None, True
        turned = (one.transpose(1, 2) for one in (query, keys, values))
        return torch.ops.llama.custom_sdpa(*turned, start, mask, 0.0, causal)


class Model(nn.Module):
    """As published models are made: layers, each with its attention, each with its cache."""

    def __init__(self, layers=2):
        super().__init__()
        caches = (KVCache(*SIZES, enable_dynamic_shape=True) for _ in range(layers))
        self.layers = nn.ModuleList(nn.ModuleDict({"attention": Attention(cache)}) for cache in caches)
        for layer in self.layers:
            layer.attention = layer["attention"]


@pytest.mark.parametrize("name", ["custom", "int8, custom", "ring", "sink", "int8 ring"])
def test_a_program_with_a_cache(name):
    caches = {
        "custom": WHOLE["custom"],
        "int8, custom": WHOLE["int8, custom"],
        "ring": RINGS["custom"],
        "sink": RINGS["sink"],
        "int8 ring": RINGS["int8, custom"],
    }
    text = _text()
    tokens = torch.export.Dim("tokens", min=1, max=WINDOW)
    shapes = ({2: tokens}, {2: tokens}, {2: tokens}, None)
    inputs = (*(one[:, :, :3] for one in text), torch.tensor([0]))
    exported = torch.export.export(Attention(caches[name]()), inputs, dynamic_shapes=shapes)
    program = Runtime.get().load_program(to_edge(exported).to_executorch().buffer).load_method("forward")
    eager = Attention(caches[name]())
    for first, count in CALLS:
        inputs = (*(one[:, :, first : first + count] for one in text), torch.tensor([first]))
        (found,) = program.execute(inputs)
        torch.testing.assert_close(found, eager(*inputs), atol=1e-5, rtol=1e-5)


def test_caches_are_replaced():
    model = Model()
    assert replace_kv_cache_with_custom_kv_cache(model) is model
    assert [type(layer.attention.kv_cache) for layer in model.layers] == [CustomKVCache] * 2
    replace_kv_cache_with_ring_kv_cache(model, [WINDOW, 0])
    assert [type(layer.attention.kv_cache) for layer in model.layers] == [CustomRingKVCache, CustomKVCache]
    assert model.layers[0].attention.kv_cache.window_size == WINDOW
    replace_kv_cache_with_quantized_kv_cache(model)
    assert [type(layer.attention.kv_cache) for layer in model.layers] == [CustomRingKVCache, QuantizedKVCache]


def test_quantized_caches_become_rings():
    model = replace_kv_cache_with_quantized_kv_cache(Model())
    replace_kv_cache_with_ring_kv_cache(model, [WINDOW])
    caches = [layer.attention.kv_cache for layer in model.layers]
    assert [type(cache) for cache in caches] == [QuantizedRingKVCache] * 2
    assert all(cache.use_custom_update_cache_op and cache.is_asymmetric for cache in caches)


def test_sizes_and_dtype_are_kept():
    cache = replace_kv_cache_with_custom_kv_cache(
        nn.Sequential(KVCache(1, 7, 3, 4, enable_dynamic_shape=True, dtype=torch.float16))
    )[0]
    assert (cache.k_cache.shape, cache.k_cache.dtype) == ((1, 7, 3, 4), torch.float16)


def test_what_does_not_fit_is_refused():
    _, key, value = _text()
    with pytest.raises(RuntimeError):
        CustomKVCache(*SIZES).update(torch.tensor([LENGTH - 1]), key[:, :, :2], value[:, :, :2])
    with pytest.raises(RuntimeError):
        CustomRingKVCache(*RING).update(torch.tensor([0]), key[:, :, : 2 * WINDOW + 1], value[:, :, :11])
    with pytest.raises(ValueError, match="leave indices out"):
        CustomRingKVCache(*RING).update(torch.tensor([0]), key, value, torch.zeros(BATCH, 1))
    with pytest.raises(ValueError, match="AffineSymmetricGroupWise"):
        QuantizedKVCache(*SIZES, QuantizedCacheType.AffineSymmetricGroupWise)
    with pytest.raises(ValueError, match="RING_BUFFER"):
        CachePositionsManager(4, CacheUpdateStrategy.INVALID)
    with pytest.raises(ValueError, match="layer_sizes is empty"):
        replace_kv_cache_with_ring_kv_cache(Model(), [])
