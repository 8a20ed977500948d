"""Attention over caches outside of the graph, against attention of PyTorch that has all of a text at once."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import pytest
import torch
from torch import nn
from torch.nn import functional

from executorch.extension.llm.cache.reference_cache import (
    MAX_SEQS,
    AttendSpec,
    CacheConfig,
    CacheSizing,
    CellReferenceCache,
    ContiguousReferenceCache,
    LayerKind,
    LayerPolicy,
    MaskKind,
    attend,
    flatten_step,
)
from executorch.extension.llm.cache.update_and_attend import REGISTRY, update_and_attend

LAYERS, HEADS, KV_HEADS, DIM = 2, 4, 2, 8


class Stack(nn.Module):
    """Layers of attention; queries, keys and values are slices of what a layer makes of its input."""

    def __init__(self) -> None:
        super().__init__()
        width = HEADS * DIM
        self.project = nn.ModuleList(
            nn.Linear(width, (HEADS + 2 * KV_HEADS) * DIM, bias=False) for _ in range(LAYERS)
        )

    def forward(self, x: torch.Tensor, position: torch.Tensor) -> torch.Tensor:
        return self._run(
            x, lambda q, k, v, layer: update_and_attend(q, k, v, position, layer, DIM**-0.5, torch.float32)
        )

    def at_once(self, x: torch.Tensor, window: int = 0) -> torch.Tensor:
        """Without a cache, by PyTorch's attention."""
        distance = torch.arange(x.shape[1]).unsqueeze(1) - torch.arange(x.shape[1])
        mask = (distance >= 0) & (distance < (window or x.shape[1]))

        def attention(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, layer: int) -> torch.Tensor:
            return functional.scaled_dot_product_attention(q, k, v, attn_mask=mask, enable_gqa=True)

        return self._run(x, attention)

    def _run(self, x: torch.Tensor, attention: Callable[..., torch.Tensor]) -> torch.Tensor:
        for layer, project in enumerate(self.project):
            heads = project(x).unflatten(-1, (-1, DIM)).transpose(1, 2)
            parts = heads.split((HEADS, KV_HEADS, KV_HEADS), dim=1)
            x = x + attention(*parts, layer).transpose(1, 2).flatten(2)
        return x


@pytest.fixture
def model() -> Stack:
    torch.manual_seed(0)
    return Stack().eval()


def config(capacity: int = 12, **options: object) -> CacheConfig:
    return CacheConfig(LAYERS, KV_HEADS, DIM, capacity, **options)


def positions(start: int, end: int) -> torch.Tensor:
    return torch.arange(start, end).unsqueeze(1)


def run(cache: object, call: Callable[[], torch.Tensor]) -> torch.Tensor:
    REGISTRY.install("test", cache)
    try:
        with REGISTRY.active("test"), torch.no_grad():
            return call()
    finally:
        REGISTRY.uninstall("test")


@pytest.mark.parametrize("sizing", CacheSizing)
@pytest.mark.parametrize("window", [0, 3])
@pytest.mark.parametrize("cuts", [(0, 9), (0, 4, 9), (0, 1, 2, 3, 9), (0, 6, 7, 8, 9)])
def test_steps_of_any_length_give_what_the_whole_text_gives(
    model: Stack, sizing: CacheSizing, window: int, cuts: tuple[int, ...]
) -> None:
    x = torch.randn(2, 9, HEADS * DIM)
    policy = LayerPolicy.ring(window) if window else LayerPolicy.flat()
    cache = ContiguousReferenceCache(config(sizing=sizing, layers=[policy]))
    parts = [
        run(cache, lambda s=start, e=end: model(x[:, s:e], positions(s, e)))
        for start, end in itertools.pairwise(cuts)
    ]
    torch.testing.assert_close(torch.cat(parts, 1), model.at_once(x, window).detach())


def test_a_step_may_go_back(model: Stack) -> None:
    cache = ContiguousReferenceCache(config())
    x = torch.randn(1, 6, HEADS * DIM)
    run(cache, lambda: model(torch.randn_like(x), positions(0, 6)))
    run(cache, lambda: model(x[:, :2], positions(0, 2)))
    assert cache.used(0) == 2
    torch.testing.assert_close(
        run(cache, lambda: model(x[:, 2:], positions(2, 6))), model.at_once(x)[:, 2:].detach()
    )
    cache.reset()
    assert cache.used(1) == 0


def test_the_exported_graph_has_no_state_and_keeps_calls_that_nobody_reads(model: Stack) -> None:
    class AlsoWrites(nn.Module):
        def forward(self, q: torch.Tensor, k: torch.Tensor, position: torch.Tensor) -> torch.Tensor:
            update_and_attend(q, k, k, position, 1, 1.0, torch.float32)
            return update_and_attend(q, k, k, position, 0, 1.0, torch.float16)

    q, k = torch.randn(1, HEADS, 3, DIM), torch.randn(1, KV_HEADS, 3, DIM)
    exported = torch.export.export(AlsoWrites(), (q, k, positions(0, 3))).run_decompositions({})
    op = torch.ops.kvcache.update_and_attend.default
    calls = [node for node in exported.graph.nodes if node.target is op]
    assert [node.args[4] for node in calls] == [1, 0]
    assert calls[1].meta["val"].dtype == torch.float16
    assert not exported.graph_signature.buffers and not exported.graph_signature.buffers_to_mutate
    cache = ContiguousReferenceCache(config())
    run(cache, lambda: exported.module()(q, k, positions(0, 3)))
    assert [cache.used(layer) for layer in range(LAYERS)] == [3, 3]


def test_storage_has_its_dtype_and_attention_is_in_single_precision() -> None:
    q, k, v = torch.randn(1, HEADS, 1, DIM), torch.randn(1, KV_HEADS, 1, DIM), torch.randn(1, KV_HEADS, 1, 5)
    cache = ContiguousReferenceCache(config(dtype=torch.float16))
    out = run(cache, lambda: update_and_attend(q, k, v, positions(0, 1), 0, 1.0, torch.bfloat16))
    # One cell: its value, as it was kept.
    expected = v.half().float().repeat_interleave(HEADS // KV_HEADS, 1).bfloat16()
    torch.testing.assert_close(out, expected, rtol=0, atol=0)


def test_sequences_in_one_pass_do_not_see_each_other(model: Stack) -> None:
    cache = CellReferenceCache(config(layers=[LayerPolicy.ring(3)]))
    texts = {5: torch.randn(1, 4, HEADS * DIM), 2: torch.randn(1, 3, HEADS * DIM)}
    for cuts in ((0, 2), (2, 3)):
        part = {number: (text[:, slice(*cuts)], cuts[0]) for number, text in texts.items()}
        tokens, position, owners, last = flatten_step(part)
        cache.begin_step(owners)
        out = run(cache, lambda x=tokens, p=position: model(x, p))
        for row, text in zip(last, texts.values(), strict=True):
            torch.testing.assert_close(out[0, row], model.at_once(text, 3)[0, cuts[1] - 1].detach())


def test_a_branch_goes_on_from_shared_cells(model: Stack) -> None:
    cache = CellReferenceCache(config())
    trunk, ends = torch.randn(1, 3, HEADS * DIM), torch.randn(2, 2, HEADS * DIM)
    cache.begin_step([0] * 3)
    run(cache, lambda: model(trunk, positions(0, 3)))
    cache.seq_cp(0, 1, upto=2)
    assert (cache.seq_len(0), cache.seq_len(1), cache.free_cells()) == (3, 2, 9)
    cache.seq_rm(0, 2)
    tokens, position, owners, _ = flatten_step({0: (ends[:1], 2), 1: (ends[1:], 2)})
    cache.begin_step(owners)
    out = run(cache, lambda: model(tokens, position))
    for number in range(2):
        whole = torch.cat([trunk[:, :2], ends[number : number + 1]], 1)
        torch.testing.assert_close(out[0, 2 * number : 2 * number + 2], model.at_once(whole)[0, 2:].detach())
    cache.seq_rm(1)
    assert (cache.seq_len(0), cache.free_cells()) == (4, 8)
    cache.reset()
    assert cache.free_cells() == 12


def kv(tokens: int) -> torch.Tensor:
    return torch.randn(1, KV_HEADS, tokens, DIM)


def test_cells_want_each_step_announced_and_positions_once() -> None:
    cache = CellReferenceCache(config(capacity=4))
    with pytest.raises(RuntimeError, match="begin_step"):
        cache.update_and_fetch(0, kv(1), kv(1), positions(0, 1))
    with pytest.raises(RuntimeError, match="4 free cells, not 5"):
        cache.begin_step([0] * 5)
    cache.begin_step([0, 0])
    with pytest.raises(ValueError, match="announced 2 tokens and 1 came"):
        cache.update_and_fetch(0, kv(1), kv(1), positions(0, 1))
    cache.begin_step([0, 0])
    cache.update_and_fetch(0, kv(2), kv(2), positions(0, 2))
    with pytest.raises(RuntimeError, match="had its turn"):
        cache.update_and_fetch(0, kv(2), kv(2), positions(0, 2))
    cache.begin_step([0])
    with pytest.raises(ValueError, match="a position twice"):
        cache.update_and_fetch(0, kv(1), kv(1), positions(1, 2))
    assert cache.free_cells() == 2
    cache.begin_step([1])
    cache.update_and_fetch(0, kv(1), kv(1), positions(0, 1))
    with pytest.raises(ValueError, match="a position twice"):
        cache.seq_cp(0, 1)
    with pytest.raises(ValueError, match="numbered from 0"):
        cache.seq_len(MAX_SEQS)
    for tokens, position in ((kv(1), torch.tensor([[-1]])), (kv(1).repeat(2, 1, 1, 1), positions(0, 1))):
        another = CellReferenceCache(config(capacity=4))
        another.begin_step([2])
        with pytest.raises(ValueError, match="along one axis"):
            another.update_and_fetch(0, tokens, tokens, position)
    with pytest.raises(ValueError, match="each has tokens"):
        flatten_step({0: (torch.zeros(1, 0), 0)})


def test_contiguous_caches_refuse_gaps_overflow_and_other_shapes() -> None:
    cache = ContiguousReferenceCache(config(capacity=4))
    for position, error, text in (
        (positions(1, 3), ValueError, "leaves a gap"),
        (torch.tensor([[0], [2]]), ValueError, "do not follow"),
        (positions(0, 1), ValueError, "1 positions for 2 tokens"),
    ):
        with pytest.raises(error, match=text):
            cache.update_and_fetch(0, kv(2), kv(2), position)
    with pytest.raises(RuntimeError, match="the cache is full"):
        cache.update_and_fetch(0, kv(5), kv(5), positions(0, 5))
    with pytest.raises(ValueError, match="are not of"):
        cache.update_and_fetch(0, kv(2)[..., :3], kv(2), positions(0, 2))
    with pytest.raises(IndexError, match="no layer 2"):
        cache.update_and_fetch(2, kv(2), kv(2), positions(0, 2))
    with pytest.raises(ValueError, match="at least one token"):
        cache.update_and_fetch(0, kv(0), kv(0), positions(0, 0))
    cache.update_and_fetch(0, kv(2), kv(2), positions(0, 2))
    for k, v in ((kv(1).repeat(2, 1, 1, 1), kv(1).repeat(2, 1, 1, 1)), (kv(1), kv(1)[..., :3])):
        with pytest.raises(ValueError, match="call reset first"):
            cache.update_and_fetch(0, k, v, positions(2, 3))


def test_specifications_that_contradict_themselves_are_refused() -> None:
    with pytest.raises(ValueError, match="has no window"):
        LayerPolicy(LayerKind.FLAT, 4)
    with pytest.raises(ValueError, match="shows nothing"):
        LayerPolicy.ring(0)
    with pytest.raises(ValueError, match="one for all"):
        config(layers=[LayerPolicy.flat()] * 3)
    with pytest.raises(ValueError, match="capacity is 0"):
        config(capacity=0)
    with pytest.raises(ValueError, match="a mask goes with"):
        AttendSpec(MaskKind.CAUSAL, torch.ones(1, 1, dtype=torch.bool))
    with pytest.raises(ValueError, match=r"needs MaskKind\.EXPLICIT"):
        attend(kv(2), kv(3), kv(3), AttendSpec(MaskKind.CAUSAL), 1.0, torch.float32)


def test_without_an_active_cache_the_operator_says_what_to_do() -> None:
    with pytest.raises(RuntimeError, match="install one in REGISTRY"):
        update_and_attend(kv(1), kv(1), kv(1), positions(0, 1), 0, 1.0, torch.float32)
    with pytest.raises(KeyError, match="no cache was installed as 'other'"), REGISTRY.active("other"):
        pass
