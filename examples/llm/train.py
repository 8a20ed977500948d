"""A tokenizer of byte pairs and a small decoder in the form of Llama's, trained on one processor."""

from __future__ import annotations

import math
import pathlib
from collections.abc import Sequence

import tokenizers
import torch
from tqdm import trange

from executorch.extension.llm.models.model_args import ModelArgs
from executorch.extension.llm.models.transformer import Transformer, construct_transformer

#: The token between two documents, which begins and ends a text.
BOUNDARY = "<|end|>"

#: Sizes as a Meta checkpoint's `params.json` has them. Groups of 32 divide all of them.
SIZES = {"dim": 128, "n_layers": 4, "n_heads": 4, "n_kv_heads": 2, "hidden_dim": 352, "norm_eps": 1e-5}

#: Tokens of a call, and positions of a conversation.
SEQUENCE, CONTEXT = 128, 256

_BATCH, _RATE, _WARMUP = 12, 3e-3, 20


def train_tokenizer(texts: Sequence[str], vocabulary: int, path: pathlib.Path) -> tokenizers.Tokenizer:
    """Learns the most frequent pairs of bytes, again and again, and writes a `tokenizer.json`."""
    tokenizer = tokenizers.Tokenizer(tokenizers.models.BPE())
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = tokenizers.decoders.ByteLevel()
    trainer = tokenizers.trainers.BpeTrainer(
        vocab_size=vocabulary,
        special_tokens=[BOUNDARY],
        initial_alphabet=tokenizers.pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(texts, trainer)
    tokenizer.save(str(path))
    return tokenizer


def encode(tokenizer: tokenizers.Tokenizer, texts: Sequence[str]) -> torch.Tensor:
    """Documents as one row of tokens, int64, with a boundary before each."""
    boundary = tokenizer.token_to_id(BOUNDARY)
    rows = [torch.tensor([boundary, *one.ids]) for one in tokenizer.encode_batch(list(texts))]
    return torch.cat(rows)


def train(
    tokens: torch.Tensor, vocabulary: int, steps: int, seed: int = 0, progress: bool = True
) -> tuple[Transformer, list[float]]:
    """Trains a decoder that predicts the next token.

    Returns:
        The decoder, which gives logits of all tokens, and the loss of each step.
    """
    torch.manual_seed(seed)
    args = ModelArgs(
        **SIZES,
        vocab_size=vocabulary,
        max_seq_len=SEQUENCE,
        max_context_len=CONTEXT,
        generate_full_logits=True,
    )  # type: ignore[arg-type]
    model = construct_transformer(args)
    for parameter in model.parameters():
        if parameter.dim() > 1:
            torch.nn.init.normal_(parameter, std=0.05)
    optimizer = torch.optim.AdamW(model.parameters(), lr=_RATE, betas=(0.9, 0.95), weight_decay=0.05)
    losses = []
    for step in trange(steps, desc="train", unit="step", disable=None if progress else True):
        for group in optimizer.param_groups:
            group["lr"] = _rate(step, steps)
        first = torch.randint(len(tokens) - SEQUENCE - 1, (_BATCH, 1))
        rows = tokens[first + torch.arange(SEQUENCE + 1)]
        loss = _loss(model, rows)
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        losses.append(loss.item())
    return model.eval(), losses


def _rate(step: int, steps: int) -> float:
    """Up in a line, down in half a cosine to a tenth."""
    rise = min(1.0, (step + 1) / _WARMUP)
    return _RATE * rise * (0.55 + 0.45 * math.cos(math.pi * step / steps))


def _loss(model: Transformer, rows: torch.Tensor) -> torch.Tensor:
    logits = model(rows[:, :-1])
    return torch.nn.functional.cross_entropy(logits.flatten(0, 1), rows[:, 1:].flatten())


def windows(tokens: torch.Tensor, most: int) -> torch.Tensor:
    """Up to ``most`` rows of a call's tokens and one more, ``[n, SEQUENCE + 1]``, one behind the other."""
    rows = tokens[: len(tokens) // (SEQUENCE + 1) * (SEQUENCE + 1)].view(-1, SEQUENCE + 1)
    return rows[torch.linspace(0, len(rows) - 1, min(most, len(rows))).long()]


def eager_perplexity(model: Transformer, rows: torch.Tensor) -> float:
    with torch.inference_mode():
        return math.exp(_loss(model, rows).item())
