"""Tokens are drawn from as many as the share says, as often as their probabilities say."""

import pytest
import torch

from executorch.examples.models.llama.runner.generation import next_token, sample_top_p

_PROBABILITIES = torch.tensor([0.1, 0.4, 0.05, 0.3, 0.15])


def test_without_temperature_the_largest_is_taken():
    assert next_token(_PROBABILITIES.log()[None], 0, 0.9) == 1
    assert next_token(torch.tensor([-1.0, -3.0]), 0.0, 0.0) == 0


@pytest.mark.parametrize(
    ("share", "kept"), [(0.0, [1]), (0.3, [1]), (0.5, [1, 3]), (0.8, [1, 3, 4]), (1.0, [0, 1, 2, 3, 4])]
)
def test_the_fewest_that_reach_the_share_are_drawn_by_their_probability(share, kept):
    torch.manual_seed(0)
    drawn = sample_top_p(_PROBABILITIES.expand(4000, 5), share)
    assert drawn.shape == (4000, 1)
    counts = torch.bincount(drawn.reshape(-1), minlength=5) / 4000
    expected = torch.zeros(5)
    expected[kept] = _PROBABILITIES[kept] / _PROBABILITIES[kept].sum()
    torch.testing.assert_close(counts, expected, rtol=0, atol=0.03)
    assert set(drawn.reshape(-1).tolist()) == set(kept)


def test_a_temperature_flattens():
    torch.manual_seed(0)
    logits = torch.tensor([[0.0, 2.0]])
    share = [sum(next_token(logits, one, 1.0) for _ in range(1000)) / 1000 for one in (0.5, 4.0)]
    assert share == pytest.approx([torch.sigmoid(torch.tensor(x)).item() for x in (4.0, 0.5)], abs=0.05)


def test_logits_of_several_tokens_are_refused():
    with pytest.raises(ValueError, match=r"not \[1, 3, 5\]: give logits\[:, -1\]"):
        next_token(torch.zeros(1, 3, 5), 0, 0)
