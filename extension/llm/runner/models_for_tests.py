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
