"""Four bits by rotation: the values against drawn vectors, the cache against the vectors that went in."""

from __future__ import annotations

import pytest
import torch

from executorch.extension.llm.modules.turboquant import TurboQuantKVCache
from executorch.extension.llm.modules.turboquant.codebook import generate_rotation_matrix, solve_lloyd_max

_HEADS, _DIM, _LENGTH = 2, 64, 16


def test_values_are_means_of_what_is_nearest_to_them() -> None:
    """On a million elements of random directions, drawn and not integrated."""
    centroids, boundaries = solve_lloyd_max(_DIM, 4)
    drawn = torch.randn(16_000, _DIM, generator=torch.Generator().manual_seed(0))
    elements = (drawn / drawn.norm(dim=1, keepdim=True)).flatten()
    nearest = torch.bucketize(elements, boundaries)
    sums = torch.zeros(16).index_add_(0, nearest, elements)
    means = sums / torch.bincount(nearest, minlength=16)
    torch.testing.assert_close(centroids, means, atol=2e-3, rtol=0)
    # Of a normal distribution, 16 such values leave 0.009497 of the variance (Max, 1960).
    lost = (centroids[nearest] - elements).square().mean() * _DIM
    assert 0.0085 < float(lost) < 0.0098


def test_a_cache_has_the_vectors_that_went_in() -> None:
    cache = TurboQuantKVCache(_HEADS, _DIM, _LENGTH)
    text = torch.randn(2, 1, _HEADS, _LENGTH, _DIM, generator=torch.Generator().manual_seed(1))
    # A channel that stands out, as keys have; rotated it does not.
    text[..., 3] *= 20
    for first, count in ((0, 5), (5, 1), (6, 7)):
        new = slice(first, first + count)
        cache.update(torch.arange(first, first + count), text[0, :, :, new], text[1, :, :, new])
    for found, want in zip(cache.values(), text, strict=True):
        written = slice(0, 13)
        error = (found - want)[:, :, written].norm(dim=-1) / want[:, :, written].norm(dim=-1)
        assert float(error.max()) < 0.14 and float(error.mean()) < 0.11
        assert int(found[:, :, 13:].count_nonzero()) == 0


def test_an_exported_cache_goes_on() -> None:
    cache, eager = TurboQuantKVCache(_HEADS, _DIM, _LENGTH), TurboQuantKVCache(_HEADS, _DIM, _LENGTH)
    tokens = torch.export.Dim("tokens", min=1, max=_LENGTH - 1)
    text = torch.randn(1, _HEADS, 9, _DIM, generator=torch.Generator().manual_seed(2))
    new = text[:, :, :2].contiguous()
    example = (torch.arange(2), new, new)
    module = torch.export.export(
        cache, example, dynamic_shapes=({0: tokens}, {2: tokens}, {2: tokens})
    ).module()
    for first, count in ((0, 4), (4, 5)):
        call = (torch.arange(first, first + count), *[text[:, :, first : first + count]] * 2)
        for found, want in zip(module(*call), eager(*call), strict=True):
            assert torch.equal(found, want)


def test_rotations_keep_lengths_and_what_there_is_not_is_refused() -> None:
    rotation = generate_rotation_matrix(_DIM, seed=3)
    torch.testing.assert_close(rotation @ rotation.T, torch.eye(_DIM), atol=1e-5, rtol=0)
    with pytest.raises(ValueError, match="even, not 127"):
        TurboQuantKVCache(2, 127, 32)
    with pytest.raises(ValueError, match="4 bits, not 3"):
        TurboQuantKVCache(2, 64, 32, bits=3)
    with pytest.raises(ValueError, match="3 or more"):
        solve_lloyd_max(2, 4)
