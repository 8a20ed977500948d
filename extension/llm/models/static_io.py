"""Text through a decoder of fixed shapes: pieces of one length, caches and masks between calls; token by token, or several at once."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import torch
from torch import nn
from torch.utils._pytree import tree_leaves

from executorch.extension.llm.models.model_args import ModelArgs
from executorch.extension.llm.models.rope import Rope
from executorch.extension.llm.models.static_attention import StaticAttention
from executorch.extension.llm.models.static_cache import StaticKVCache, call_mask, check_style

#: Takes tokens and options, gives logits and what layers say: a decoder, or what `torch.export` made of it.
Decoder = Callable[[torch.Tensor, dict[str, Any]], tuple[torch.Tensor, dict[str, Any]]]


class NGramCache:
    """What followed a token of late, newest first.

    Args:
        max_size: how many continuations are kept.
    """

    def __init__(self, max_size: int) -> None:
        self._kept: deque[tuple[int, ...]] = deque(maxlen=max_size)

    def add(self, tokens: Sequence[int]) -> None:
        """Keeps a continuation, as the newest."""
        found = tuple(tokens)
        if found in self._kept:
            self._kept.remove(found)
        self._kept.appendleft(found)

    def __iter__(self) -> Iterator[tuple[int, ...]]:
        return iter(self._kept)

    def __len__(self) -> int:
        return len(self._kept)


#: Continuations by the token that they follow.
NGramCaches = defaultdict[int, NGramCache]


class StaticAttentionIOManager:
    """Keeps what a decoder with static attention takes and gives.

    Args:
        config: the decoder's arguments, or a module with its static attention.
        input_len: tokens of a call.
        cache_lens: tokens of each layer's cache. One number is for all, and each sees all that is there. Of a list, layers with shorter caches
            than the longest see so many tokens, themselves among them, and no more.
        batch_size: rows.
        dtype: of caches, masks and rotations.
        style: how caches are kept, see `static_cache`.
        mask_val: what hides a token.

    Attributes:
        masks, k_caches, v_caches: of the next call, as its options are named.
        freqs_cos, freqs_sin: rotations of all positions.
        pos: tokens so far.
    """

    NGramCache = NGramCache

    def __init__(
        self,
        config: ModelArgs | nn.Module,
        input_len: int,
        cache_lens: int | Sequence[int],
        batch_size: int = 1,
        dtype: torch.dtype = torch.float32,
        style: str = "shift_pointer",
        mask_val: float = float("-inf"),
    ) -> None:
        check_style(style)
        layers = _layers(config)
        count = max(layers) + 1
        lengths = [cache_lens] * count if isinstance(cache_lens, int) else list(cache_lens)
        if len(lengths) != count:
            raise ValueError(f"cache_lens has {len(lengths)} entries for {count} layers")
        self.input_len, self.batch_size, self.dtype = input_len, batch_size, dtype
        self.style, self.mask_val, self.pos = style, mask_val, 0
        self._windows = {length: length if length < max(lengths) else None for length in lengths}
        self._shapes = {
            key: (batch_size, *heads, lengths[layer], size)
            for layer, (keys, heads, size) in layers.items()
            for key in keys
        }
        rope = _rope(config)
        self.freqs_cos, self.freqs_sin = rope.freqs_cos.to(dtype), rope.freqs_sin.to(dtype)
        self.reset()

    def reset(self) -> None:
        """Forgets all tokens."""
        self.pos = 0
        self.k_caches, self.v_caches = (
            {key: torch.zeros(shape, dtype=self.dtype) for key, shape in self._shapes.items()}
            for _ in range(2)
        )
        self.masks = self._masks_of(torch.arange(self.input_len), self._causal())

    def prefill(self, model: Decoder, tokens: Sequence[int] | torch.Tensor) -> torch.Tensor:
        """Logits of tokens, ``[batch, tokens, vocab]``, or of the last alone if the decoder gives no others, ``[batch, vocab]``.

        Args:
            model: the decoder.
            tokens: ``[batch, tokens]``, or a list for a batch of one.

        Raises:
            ValueError: the decoder gives the last token's logits alone, and that one is filling.
        """
        rows = torch.as_tensor(tokens, dtype=torch.long)
        rows = rows[None] if rows.dim() == 1 else rows
        found = [self._piece(model, piece) for piece in rows.split(self.input_len, dim=1)]
        return torch.cat(found, dim=1) if found[-1].dim() == 3 else found[-1]

    def decode(self, model: Decoder, init_token: int, n: int, stop_tokens: Sequence[int] = ()) -> list[int]:
        """A token and up to ``n`` that greedily follow it, to the first that stops it."""
        found = [init_token]
        while len(found) <= n and found[-1] not in stop_tokens:
            logits = self._piece(model, torch.tensor([[found[-1]]]))
            found.append(int(logits[0, -1].argmax()))
        return found

    def lookahead_decode(
        self,
        model: Decoder,
        init_token: int,
        n: int,
        ngram_size: int,
        window_size: int,
        n_verifications: int,
        stop_tokens: Sequence[int] = (),
        ngram_caches: NGramCaches | None = None,
    ) -> list[int]:
        """:meth:`decode` with several tokens a call (https://arxiv.org/abs/2402.02057).

        Beside the token that is due, a call guesses what comes later, ``ngram_size`` tokens in ``window_size`` columns, and looks whether
        former guesses of what follows the token are right, ``n_verifications`` at once. Those that are cost no call of their own.

        Args:
            ngram_caches: guesses by the token that they follow, kept for other texts too.

        Raises:
            ValueError: calls are too short for that, or sizes are below 2, 1 and 1; or the decoder gives the last token's logits alone.
        """
        if ngram_size < 2 or window_size < 1 or n_verifications < 1:
            raise ValueError(
                "lookahead needs an ngram_size of 2, a window_size of 1 and n_verifications of 1 at least"
            )
        need = (ngram_size - 1) * (window_size + n_verifications)
        if need > self.input_len:
            raise ValueError(
                f"lookahead by these sizes takes {need} tokens a call, which has {self.input_len}. Way out: "
                "smaller window_size, ngram_size or n_verifications, or a longer input_len"
            )
        if ngram_caches is None:
            ngram_caches = defaultdict(lambda: NGramCache(n_verifications))
        window = [[init_token] * window_size for _ in range(ngram_size - 1)]
        found = [init_token]
        while len(found) <= n and found[-1] not in stop_tokens:
            window[0][0] = found[-1]
            guesses = list(ngram_caches[found[-1]])[:n_verifications]
            for token in self._look(model, window, guesses, ngram_caches):
                found.append(token)
                if token in stop_tokens:
                    break
        return found[: n + 1]

    def _look(
        self,
        model: Decoder,
        window: list[list[int]],
        guesses: Sequence[tuple[int, ...]],
        ngram_caches: NGramCaches,
    ) -> list[int]:
        """One call: moves the window, keeps its guesses, and gives the tokens that are sure, one or more."""
        levels, columns = len(window), len(window[0])
        flat = [token for level in window for token in level]
        first = len(flat)
        flat += [token for guess in guesses for token in guess]
        ahead = [level + column for level in range(levels) for column in range(columns)]
        ahead += [1 + place for _ in guesses for place in range(levels)]
        seen = _looks(levels, columns, len(guesses), self.input_len)
        logits, said = self._call(model, torch.tensor([flat]), ahead, seen)
        if logits.dim() != 3:
            raise ValueError(
                "lookahead needs logits of all tokens: make the decoder with generate_full_logits"
            )
        says = logits[0].argmax(dim=-1).tolist()
        sure, kept = _verified(says, guesses, first)
        newest = says[first - columns : first]
        for column in range(columns):
            after = [window[level][column] for level in range(1, levels)]
            ngram_caches[window[0][column]].add([*after, newest[column]])
        window[:] = [*window[1:], newest]
        self._keep(said, kept)
        return sure

    def _piece(self, model: Decoder, tokens: torch.Tensor) -> torch.Tensor:
        """A call of up to ``input_len`` tokens, of which each sees those before it."""
        count = tokens.shape[1]
        logits, said = self._call(model, tokens, list(range(count)), self._causal())
        if logits.dim() != 3 and count != self.input_len:
            raise ValueError(
                f"{count} tokens do not fill a call of {self.input_len}, and the decoder gives logits of the last alone. "
                "Way out: make it with generate_full_logits"
            )
        self._keep(said, list(range(count)))
        return logits[:, :count] if logits.dim() == 3 else logits

    def _call(
        self, model: Decoder, tokens: torch.Tensor, ahead: Sequence[int], seen: torch.Tensor
    ) -> tuple[torch.Tensor, dict[str, Any]]:
        """Tokens at ``ahead`` behind those so far, filled up; ``seen`` as of `call_mask`."""
        missing = self.input_len - len(ahead)
        filled = torch.nn.functional.pad(tokens, (0, missing))
        positions = torch.tensor([*ahead, *[len(ahead)] * missing])
        self.masks = self._masks_of(positions, seen)
        # Filling may lie behind the last position; nobody sees it.
        rows = (positions + self.pos).clamp(max=len(self.freqs_cos) - 1)
        return model(filled, self.options(rows))

    def options(self, rows: torch.Tensor) -> dict[str, Any]:
        """Of a call whose tokens have the rotations of these positions, beside its masks and caches: for ``torch.export``, say."""
        return {
            "masks": self.masks,
            "freqs_cos_override": self.freqs_cos[rows],
            "freqs_sin_override": self.freqs_sin[rows],
            "in_cache_state": (self.k_caches, self.v_caches),
        }

    def decoder_of(self, execute: Callable[[Sequence[torch.Tensor]], Sequence[torch.Tensor]]) -> Decoder:
        """A program as a decoder.

        Args:
            execute: runs it: ``Method.execute`` of what a decoder with static attention became.
        """

        def call(tokens: torch.Tensor, options: dict[str, Any]) -> tuple[torch.Tensor, dict[str, Any]]:
            logits, *new = execute(tree_leaves((tokens, options)))
            keys = list(self.k_caches)
            half = dict(zip(keys, new, strict=False)), dict(zip(keys, new[len(keys) :], strict=True))
            return logits, {"out_cache_state": half}

        return call

    def _keep(self, said: dict[str, Any], kept: Sequence[int]) -> None:
        """Puts some of a call's tokens into the caches."""
        keys, values = said["out_cache_state"]
        rows = torch.tensor(kept)
        self.k_caches, self.v_caches = (
            {
                key: StaticKVCache.apply_update(
                    cache, added[key].index_select(-2, rows), self.pos, self.style
                )
                for key, cache in caches.items()
            }
            for caches, added in ((self.k_caches, keys), (self.v_caches, values))
        )
        self.pos += len(kept)

    def _masks_of(self, ahead: torch.Tensor, seen: torch.Tensor) -> dict[int, torch.Tensor]:
        return {
            length: call_mask(
                self.style, length, self.pos, self.pos + ahead, seen, window, self.mask_val, self.dtype
            )
            for length, window in self._windows.items()
        }

    def _causal(self) -> torch.Tensor:
        return torch.ones(self.input_len, self.input_len, dtype=torch.bool).tril()


def _layers(config: ModelArgs | nn.Module) -> dict[int, tuple[list[str], tuple[int, ...], int]]:
    """Of each layer by its number: the keys of its caches, the dimension of heads if there is one, and the size of a head."""
    if isinstance(config, nn.Module):
        static = [part for part in config.modules() if isinstance(part, StaticAttention)]
        if not static:
            raise ValueError(
                "the module has no static attention. Way out: transform_attention_mha_to_static_attention"
            )
        splits = {part.layer_id: part.split_mha for part in static}
        config = static[0].rope.params
    else:
        if config.attention_type not in ("static", "static_mha"):
            raise ValueError(f"attention_type is static or static_mha, not {config.attention_type}")
        splits = dict.fromkeys(range(config.n_layers), config.attention_type == "static")
    heads, size = int(config.n_kv_heads or 0), int(config.head_dim or 0)
    return {
        layer: (
            [
                StaticKVCache.calculate_cache_key(layer, head)
                for head in range(0 if config.is_kv_shared(layer) else heads if split else 1)
            ],
            () if split else (heads,),
            size,
        )
        for layer, split in splits.items()
    }


def _rope(config: ModelArgs | nn.Module) -> Rope:
    if isinstance(config, ModelArgs):
        return Rope(config)
    static = next(part for part in config.modules() if isinstance(part, StaticAttention))
    if static.use_hf_rope == static.rope.params.use_hf_rope:
        return static.rope
    return Rope(replace(static.rope.params, use_hf_rope=True))


def _looks(levels: int, columns: int, guesses: int, tokens: int) -> torch.Tensor:
    """Who sees whom of a call that looks ahead, bool of ``[tokens, tokens]``.

    A token of the window sees the first level up to its column, and its column up to itself; one of a guess sees the token
    that is due, and the guess up to itself.
    """
    seen = torch.eye(tokens, dtype=torch.bool)
    for level in range(levels):
        for column in range(columns):
            row = level * columns + column
            seen[row, : column + 1] = True
            seen[row, column : row + 1 : columns] = True
    for guess in range(guesses):
        begin = columns * levels + guess * levels
        for place in range(levels):
            seen[begin + place, 0] = True
            seen[begin + place, begin : begin + place + 1] = True
    return seen


def _verified(
    says: Sequence[int], guesses: Sequence[tuple[int, ...]], first: int
) -> tuple[list[int], list[int]]:
    """The tokens that are sure, and which of the call's tokens they follow: the one that is due and the best guess as far as it is right."""
    sure, kept = [says[0]], [0]
    for number, guess in enumerate(guesses):
        begin = first + number * len(guess)
        right, rows = [says[0]], [0]
        for place, token in enumerate(guess):
            if token != right[-1]:
                break
            rows.append(begin + place)
            right.append(says[begin + place])
        if len(right) > len(sure):
            sure, kept = right, rows
    return sure, kept
