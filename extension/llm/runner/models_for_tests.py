"""A program of a page with a tokenizer of bytes."""

from __future__ import annotations

import json

import torch

VOCABULARY = 257
END = 256


class Successor(torch.nn.Module):
    """The token after the last one is by far the most probable; with what other tokens there are it does nothing."""

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        following = tokens[:, -1:] + 1
        return torch.where(torch.arange(VOCABULARY) == following, 5.0, 0.0)


def tokenizer_json() -> str:
    """A `tokenizer.json` in which each byte is its own token."""
    printable = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    characters = {byte: chr(byte) for byte in printable}
    for byte in range(256):
        characters.setdefault(byte, chr(256 + sum(b not in printable for b in range(byte))))
    return json.dumps(
        {
            "added_tokens": [{"id": END, "content": "</s>", "special": True, "normalized": False}],
            "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": False, "use_regex": False},
            "decoder": {"type": "ByteLevel"},
            "model": {
                "type": "BPE",
                "vocab": {characters[byte]: byte for byte in range(256)},
                "merges": [],
            },
        }
    )


#: What the runner asks of a program, as constant methods.
CONSTANTS = {"get_max_seq_len": 63, "get_eos_ids": [END], "use_kv_cache": False}


def exported_successor() -> torch.export.ExportedProgram:
    length = torch.export.Dim("length", min=2, max=63)
    example = torch.zeros(1, 4, dtype=torch.long)
    return torch.export.export(Successor(), (example,), dynamic_shapes=({1: length},))


class Hearing(torch.nn.Module):
    """Eight samples, of which each is the number of a letter over 256."""

    def forward(self, samples: torch.Tensor) -> torch.Tensor:
        return samples * 256


class Saying(torch.nn.Module):
    """What was heard at a position follows the token there."""

    def forward(self, token: torch.Tensor, heard: torch.Tensor, position: torch.Tensor) -> torch.Tensor:
        following = heard.index_select(1, position).round().to(torch.long) + 0 * token
        return torch.where(torch.arange(VOCABULARY) == following, 5.0, 0.0)[:, None]


LISTENER_CONSTANTS = {"get_max_seq_len": 8, "get_eos_id": END}


def exported_listener() -> dict[str, torch.export.ExportedProgram]:
    """A model of speech, as `extension/asr` runs it."""
    samples, token = torch.zeros(1, 8), torch.zeros(1, 1, dtype=torch.long)
    return {
        "encoder": torch.export.export(Hearing(), (samples,)),
        "text_decoder": torch.export.export(Saying(), (token, samples, torch.zeros(1, dtype=torch.long))),
    }


class Sum(torch.nn.Module):
    """Of all tokens so far, which a cache has by their positions, follows the letter of their sum.

    Args:
        places: of the cache; with fewer than there are positions it is a ring.
    """

    seen: torch.Tensor

    def __init__(self, places: int) -> None:
        super().__init__()
        self.register_buffer("seen", torch.zeros(1, places, dtype=torch.long))

    def forward(self, tokens: torch.Tensor, position: torch.Tensor) -> torch.Tensor:
        places = self.seen.shape[1]
        positions = position + torch.arange(tokens.shape[1])
        self.seen[:, positions % places] = tokens
        is_past = torch.arange(places) <= positions[-1]
        following = ord("a") + torch.where(is_past, self.seen, 0).sum() % 26
        return torch.where(torch.arange(VOCABULARY)[None] == following, 5.0, 0.0)


CONTEXT = 48

#: Of a `Sum`.
CACHE_CONSTANTS = {
    "get_max_seq_len": 16,
    "get_max_context_len": CONTEXT,
    "get_eos_ids": [END],
    "enable_dynamic_shape": True,
}


def exported_sum(places: int = CONTEXT) -> torch.export.ExportedProgram:
    example = (torch.zeros(1, 4, dtype=torch.long), torch.zeros(1, dtype=torch.long))
    shapes = ({1: torch.export.Dim("length", min=1, max=16)}, None)
    return torch.export.export(Sum(places), example, dynamic_shapes=shapes)


def answer_of_sum(said: str, count: int) -> str:
    """What :class:`Sum` answers."""
    answer = ""
    for _ in range(count):
        answer += chr(ord("a") + sum(map(ord, said + answer)) % 26)
    return answer


class SumOfAll(Sum):
    """The same for each token that it is given: `[1, n, vocabulary]`."""

    def forward(self, tokens: torch.Tensor, position: torch.Tensor) -> torch.Tensor:
        positions = position + torch.arange(tokens.shape[1])
        self.seen[:, positions] = tokens
        is_past = torch.arange(self.seen.shape[1])[None] <= positions[:, None]
        following = ord("a") + torch.where(is_past, self.seen, 0).sum(1, keepdim=True) % 26
        return torch.where(torch.arange(VOCABULARY)[None, None] == following[None], 5.0, 0.0)


def exported_step() -> torch.export.ExportedProgram:
    """A `Sum` that takes one token."""
    return torch.export.export(
        Sum(CONTEXT), (torch.zeros(1, 1, dtype=torch.long), torch.zeros(1, dtype=torch.long))
    )


def exported_sum_of_all() -> torch.export.ExportedProgram:
    example = (torch.zeros(1, 4, dtype=torch.long), torch.zeros(1, dtype=torch.long))
    shapes = ({1: torch.export.Dim("length", min=1, max=16)}, None)
    return torch.export.export(SumOfAll(CONTEXT), example, dynamic_shapes=shapes)


class Embedding(torch.nn.Module):
    """A token's embedding begins with its number."""

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        return torch.nn.functional.pad(tokens.unsqueeze(-1).float(), (0, 2))


class Encoder(torch.nn.Module):
    """An image or audio as some embeddings, of which the first begins with the sum of the values, the others with 1."""

    def __init__(self, count: int) -> None:
        super().__init__()
        self.count = count

    def forward(self, values: torch.Tensor) -> torch.Tensor:
        first = values.float().sum().view(1, 1, 1).expand(1, 1, 3)
        return torch.cat((first, torch.ones(1, self.count - 1, 3)), dim=1)


class SumOfEmbeddings(torch.nn.Module):
    """As `Sum`, of what embeddings begin with."""

    seen: torch.Tensor

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("seen", torch.zeros(1, CONTEXT))

    def forward(self, embeddings: torch.Tensor, position: torch.Tensor) -> torch.Tensor:
        positions = position + torch.arange(embeddings.shape[1])
        self.seen[:, positions] = embeddings[:, :, 0]
        is_past = torch.arange(CONTEXT) <= positions[-1]
        following = ord("a") + torch.where(is_past, self.seen, 0.0).sum().round().long() % 26
        return torch.where(torch.arange(VOCABULARY)[None] == following, 5.0, 0.0)


def exported_multimodal(
    image_positions: int = 20, decoder: str = "text_decoder", vision: str = "vision_encoder"
) -> dict[str, torch.export.ExportedProgram]:
    """Methods by name; images of [1, 3, 2, 4] floats, audio of [1, 2, 3] bytes in two positions."""
    length = torch.export.Dim("length", min=1, max=16)
    start = torch.zeros(1, dtype=torch.long)
    tokens, embeddings = torch.zeros(1, 4, dtype=torch.long), torch.zeros(1, 4, 3)
    return {
        "token_embedding": torch.export.export(Embedding(), (tokens,), dynamic_shapes=({1: length},)),
        vision: torch.export.export(Encoder(image_positions), (torch.zeros(1, 3, 2, 4),)),
        "audio_encoder": torch.export.export(Encoder(2), (torch.zeros(1, 2, 3, dtype=torch.uint8),)),
        decoder: torch.export.export(
            SumOfEmbeddings(), (embeddings, start), dynamic_shapes=({1: length}, None)
        ),
    }
