"""Tokens that a program draws come as often as the softmax says, eagerly and in a program."""

from __future__ import annotations

import torch

from executorch.exir import to_edge
from executorch.extension.llm.models.sampling import sample
from executorch.runtime import Runtime

LOGITS = torch.tensor([[2.0, 1.0, 0.0, -1.0]])


class _Sampler(torch.nn.Module):
    def forward(self, logits: torch.Tensor, temperature: torch.Tensor) -> torch.Tensor:
        return sample(logits, temperature)


def _shares(tokens: torch.Tensor) -> torch.Tensor:
    return torch.bincount(tokens.flatten().long(), minlength=4) / tokens.numel()


def test_tokens_come_as_often_as_the_softmax_says() -> None:
    torch.manual_seed(0)
    for temperature in (0.5, 1.0, 3.0):
        found = _shares(sample(LOGITS.expand(20_000, 4), torch.tensor([temperature])))
        torch.testing.assert_close(found, (LOGITS[0] / temperature).softmax(0), atol=0.015, rtol=0)


def test_a_program_takes_the_temperature_of_each_call() -> None:
    many = LOGITS.repeat(5_000, 1)
    program = to_edge(torch.export.export(_Sampler(), (many, torch.ones(1)))).to_executorch()
    method = Runtime.get().load_program(program.buffer).load_method("forward")
    (cold,) = method.execute((many, torch.tensor([1e-4])))
    assert cold.shape == (5_000, 1) and not cold.any()
    (warm,) = method.execute((many, torch.ones(1)))
    torch.testing.assert_close(_shares(warm), LOGITS[0].softmax(0), atol=0.03, rtol=0)


def test_without_a_temperature_logits_stay() -> None:
    assert sample(LOGITS) is LOGITS
