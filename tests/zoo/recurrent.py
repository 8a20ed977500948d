"""Recurrent networks, and a state-space model."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch import nn
from torch.export import Dim
from torch.nn import functional as F

from executorch.tests.zoo.specimen import ALL_FLOATS, Specimen


class Recurrent(nn.Module):
    """A recurrent layer that starts at a given state and gives outputs and the new state."""

    def __init__(self, layer: nn.RNNBase, classes: int) -> None:
        super().__init__()
        self.layer = layer
        width = layer.hidden_size * (2 if layer.bidirectional else 1)
        self.head = nn.Linear(width, classes)

    def forward(self, x: torch.Tensor, state: Any) -> Any:
        y, state = self.layer(x, state)
        return self.head(y), state


def lstm(full: bool) -> Specimen:
    """Two layers; 256 units and 32 steps in full size."""
    width, steps = (256, 32) if full else (6, 4)
    state = torch.randn(2, 1, width), torch.randn(2, 1, width)
    module = Recurrent(nn.LSTM(width, width, 2, batch_first=True), 5).eval()
    return Specimen(module, (torch.randn(1, steps, width), state), tolerance=ALL_FLOATS)


def lstm_dynamic(full: bool) -> Specimen:
    """The batch is dynamic and shared between the input and both states."""
    width, steps = (256, 32) if full else (6, 4)
    batch = Dim("batch", min=1, max=6)

    def inputs(size: int) -> tuple[Any, ...]:
        return torch.randn(size, steps, width), (torch.randn(1, size, width), torch.randn(1, size, width))

    module = Recurrent(nn.LSTM(width, width, batch_first=True), 5).eval()
    return Specimen(module, inputs(2), ({0: batch}, ({1: batch}, {1: batch})), (inputs(6), inputs(1)))


def bidirectional_lstm(full: bool) -> Specimen:
    """A tagger that reads tokens in both directions."""
    width, steps, words = (256, 32, 10_000) if full else (5, 4, 11)

    class Tagger(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.embedding = nn.Embedding(words, width)
            self.layer = nn.LSTM(width, width, bidirectional=True, batch_first=True)
            self.head = nn.Linear(2 * width, 4)

        def forward(self, tokens: torch.Tensor) -> torch.Tensor:
            return self.head(self.layer(self.embedding(tokens))[0]).argmax(-1)

    return Specimen(Tagger().eval(), (torch.randint(0, words, (2, steps)),))


def gru(full: bool) -> Specimen:
    """Two layers; 256 units and 32 steps in full size."""
    width, steps = (256, 32) if full else (6, 4)
    module = Recurrent(nn.GRU(width, width, 2, batch_first=True), 5).eval()
    return Specimen(module, (torch.randn(1, steps, width), torch.randn(2, 1, width)))


def elman(full: bool) -> Specimen:
    """The plain recurrent network, with ReLU, time first."""
    width, steps = (256, 32) if full else (6, 4)
    module = Recurrent(nn.RNN(width, width, nonlinearity="relu"), 5).eval()
    return Specimen(module, (torch.randn(steps, 2, width), torch.randn(1, 2, width)))


class Streaming(nn.Module):
    """A cell that keeps its state in buffers from call to call."""

    hidden: torch.Tensor
    memory: torch.Tensor

    def __init__(self, width: int) -> None:
        super().__init__()
        self.cell, self.head = nn.LSTMCell(width, width), nn.Linear(width, 3)
        self.register_buffer("hidden", torch.randn(1, width))
        self.register_buffer("memory", torch.randn(1, width))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        hidden, memory = self.cell(x, (self.hidden, self.memory))
        self.hidden.copy_(hidden)
        self.memory.copy_(memory)
        return self.head(hidden)


def streaming_lstm(full: bool) -> Specimen:
    """The state starts at numbers of its own and is carried over between calls."""
    width = 256 if full else 6
    first, *others = ((torch.randn(1, width),) for _ in range(3))
    return Specimen(Streaming(width).eval(), first, others=tuple(others))


class Seq2Seq(nn.Module):
    """Translation with attention (Bahdanau et al. 2015): an encoder, and a decoder that looks back at each step."""

    def __init__(self, words: int, width: int, steps: int) -> None:
        super().__init__()
        self.steps = steps
        self.embedding = nn.Embedding(words, width)
        self.encoder, self.decoder = nn.GRU(width, width, batch_first=True), nn.GRUCell(2 * width, width)
        self.query, self.key, self.score = (
            nn.Linear(width, width),
            nn.Linear(width, width),
            nn.Linear(width, 1),
        )
        self.head = nn.Linear(width, words)

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        encoded, state = self.encoder(self.embedding(tokens))
        hidden, token = state[0], tokens[:, 0]
        keys, outputs = self.key(encoded), []
        for _ in range(self.steps):
            scores = self.score(torch.tanh(self.query(hidden).unsqueeze(1) + keys))
            context = (F.softmax(scores, 1) * encoded).sum(1)
            hidden = self.decoder(torch.cat([self.embedding(token), context], -1), hidden)
            logits = self.head(hidden)
            token = logits.argmax(-1)
            outputs.append(logits)
        return torch.stack(outputs, 1)


def seq2seq(full: bool) -> Specimen:
    """Eight greedy steps in full size."""
    words, width, steps, length = (8000, 256, 8, 16) if full else (9, 5, 3, 4)
    return Specimen(Seq2Seq(words, width, steps).eval(), (torch.randint(0, words, (2, length)),))


class StateSpace(nn.Module):
    """A selective state-space layer in the style of Mamba, with its scan written out."""

    def __init__(self, width: int, states: int) -> None:
        super().__init__()
        self.expand, self.contract = nn.Linear(width, 2 * width), nn.Linear(width, width)
        self.conv = nn.Conv1d(width, width, 3, groups=width, padding=2)
        self.select = nn.Linear(width, 2 * states + 1)
        self.log_decay = nn.Parameter(torch.log(torch.arange(1.0, states + 1)).repeat(width, 1))
        self.skip, self.states = nn.Parameter(torch.ones(width)), states

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        length = x.shape[1]
        x, gate = self.expand(x).chunk(2, -1)
        x = F.silu(self.conv(x.transpose(1, 2))[..., :length].transpose(1, 2))
        into, out, step = self.select(x).split([self.states, self.states, 1], -1)
        step = F.softplus(step)
        decay = torch.exp(-step.unsqueeze(-1) * self.log_decay.exp())
        driven = (step * x).unsqueeze(-1) * into.unsqueeze(2)
        state, outputs = torch.zeros_like(decay[:, 0]), []
        for index in range(length):
            state = decay[:, index] * state + driven[:, index]
            outputs.append((state * out[:, index].unsqueeze(1)).sum(-1))
        y = torch.stack(outputs, 1) + self.skip * x
        return self.contract(y * F.silu(gate))


def mamba(full: bool) -> Specimen:
    """One layer of 256 channels with 16 states over 16 steps in full size."""
    width, states, length = (256, 16, 16) if full else (6, 3, 4)
    return Specimen(StateSpace(width, states).eval(), (torch.randn(1, length, width),))


FACTORIES: Mapping[str, Callable[[bool], Specimen]] = {
    factory.__name__: factory
    for factory in (
        lstm,
        lstm_dynamic,
        bidirectional_lstm,
        gru,
        elman,
        streaming_lstm,
        seq2seq,
        mamba,
    )
}
