"""Writes the rest of the corpus: bundles, delegates' blobs, tokenizers, event dumps, programs of one call.

    corpus_files.py DIRECTORY

A directory each, with the name of the target that reads it.
"""

from __future__ import annotations

import json
import pathlib
import struct
import sys
from base64 import b64encode

import torch
from torch import nn
from torch.export import export

from executorch.devtools.bundled_program.config import MethodTestCase, MethodTestSuite
from executorch.devtools.bundled_program.core import BundledProgram
from executorch.devtools.bundled_program.serialize import serialize_from_bundled_program_to_flatbuffer
from executorch.devtools.etdump import schema_flatcc as flatcc
from executorch.devtools.etdump.serialize import serialize_to_etdump_flatcc
from executorch.exir import to_edge
from executorch.schema.scalar_type import ScalarType
from executorch.tests.fuzz import corpus_blobs, corpus_calls


class _Scale(nn.Module):
    def forward(self, x: torch.Tensor, y: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        return x * y, (x + 1).to(torch.int64)


def bundles() -> dict[str, bytes]:
    """Bundled programs, with test cases that pass."""
    x, y = torch.rand(2, 3), torch.rand(2, 3)
    manager = to_edge(export(_Scale(), (x, y))).to_executorch()
    cases = [MethodTestCase((a, y), _Scale()(a, y)) for a in (x, x + 1)]
    bundle = BundledProgram(manager, [MethodTestSuite("forward", cases)])
    return {"two_cases": serialize_from_bundled_program_to_flatbuffer(bundle)}


def _varint(value: int) -> bytes:
    digits = [value & 127]
    while value := value >> 7:
        digits[-1] |= 128
        digits.append(value & 127)
    return bytes(digits)


def _message(number: int, content: bytes) -> bytes:
    return _varint(number << 3 | 2) + _varint(len(content)) + content


def _sentencepiece(unigram: bool) -> bytes:
    pieces = [("<unk>", 0.0, 2), ("<s>", 0.0, 3), ("</s>", 0.0, 3)]
    pieces += [(f"<0x{i:02X}>", 0.0, 6) for i in range(256)]
    pieces += [
        (text, -float(i), 1) for i, text in enumerate(["▁", "a", "b", "aa", "ab", "▁hello", "lo", "l"])
    ]
    pieces += [("<user>", 0.0, 4)]
    body = b"".join(
        _message(
            1,
            _message(1, text.encode()) + b"\x15" + struct.pack("<f", score) + b"\x18" + _varint(kind),
        )
        for text, score, kind in pieces
    )
    trainer = (
        b"\x18"
        + _varint(1 if unigram else 2)
        + b"".join(_varint(number << 3) + _varint(value) for number, value in ((40, 0), (41, 1), (42, 2)))
    )
    return body + _message(2, trainer) + _message(3, b"\x18\x01\x20\x01\x28\x01")


def _hugging_face() -> dict[str, object]:
    """A `tokenizer.json` with most kinds of parts."""
    vocabulary = ["<s>", "</s>", "a", "b", "c", "Ġ", "ab", "Ġab", "Ã", "©", "1"]
    parts = [
        {"type": "NFC"},
        {"type": "Replace", "pattern": {"Regex": " {2,}"}, "content": " "},
        {"type": "Strip", "strip_left": False, "strip_right": True},
    ]
    split = {
        "type": "Split",
        "pattern": {"Regex": r"\s+(?!\S)|\p{N}"},
        "behavior": "Isolated",
        "invert": False,
    }
    return {
        "added_tokens": [
            {"id": i, "content": content, "special": True, "normalized": False}
            for i, content in enumerate(vocabulary[:2])
        ],
        "normalizer": {"type": "Sequence", "normalizers": parts},
        "pre_tokenizer": {
            "type": "Sequence",
            "pretokenizers": [split, {"type": "ByteLevel", "add_prefix_space": False, "use_regex": True}],
        },
        "post_processor": {
            "type": "TemplateProcessing",
            "single": [
                {"SpecialToken": {"id": "<s>", "type_id": 0}},
                {"Sequence": {"id": "A", "type_id": 0}},
            ],
            "special_tokens": {"<s>": {"id": "<s>", "ids": [0], "tokens": ["<s>"]}},
        },
        "decoder": {"type": "ByteLevel"},
        "model": {
            "type": "BPE",
            "unk_token": "<s>",
            "vocab": {piece: i for i, piece in enumerate(vocabulary)},
            "merges": ["a b", ["Ġ", "ab"]],
        },
    }


def tokenizers() -> dict[str, bytes]:
    """Tokenizers of every format."""
    pieces = [b"<unk>", b"<s>", b"</s>"] + [b"<0x%02X>" % i for i in range(256)]
    pieces += [b" ", b"a", b"b", b"aa", b"ab", b" h", b"lo"]
    llama2c = struct.pack("<i", max(map(len, pieces)))
    for i, piece in enumerate(pieces):
        llama2c += struct.pack("<fi", -float(i), len(piece)) + piece
    ranks = [bytes([i]) for i in range(256)] + [b"ab", b" ab"]
    return {
        "llama2c": llama2c,
        "bpe": _sentencepiece(False),
        "unigram": _sentencepiece(True),
        "hugging_face": json.dumps(_hugging_face(), ensure_ascii=False).encode(),
        "tiktoken": b"".join(b64encode(piece) + b" %d\n" % i for i, piece in enumerate(ranks)),
    }


def dumps() -> dict[str, bytes]:
    """An event dump with every kind of event."""
    tensor = flatcc.Tensor(scalar_type=ScalarType.FLOAT, sizes=[2, 3], strides=[3, 1], offset=8)
    value = flatcc.Value(
        val=flatcc.ValueType.TENSOR.value,
        tensor=tensor,
        tensor_list=None,
        int_value=None,
        float_value=None,
        double_value=None,
        bool_value=None,
        output=None,
    )
    profile = flatcc.ProfileEvent(
        name="call",
        chain_index=0,
        instruction_id=1,
        delegate_debug_id_int=-1,
        delegate_debug_id_str="part",
        delegate_debug_metadata=b"more",
        start_time=5,
        end_time=9,
    )
    debug = flatcc.DebugEvent(
        chain_index=0,
        instruction_id=1,
        debug_entry=value,
        delegate_debug_id_int=-1,
        delegate_debug_id_str="",
        name="out",
    )
    allocation = flatcc.AllocationEvent(allocator_id=1, allocation_size=64)
    events = [
        flatcc.Event(profile_event=profile, allocation_event=None, debug_event=None),
        flatcc.Event(profile_event=None, allocation_event=allocation, debug_event=None),
        flatcc.Event(profile_event=None, allocation_event=None, debug_event=debug),
    ]
    run = flatcc.RunData(
        name="execute",
        bundled_input_index=-1,
        allocators=[flatcc.Allocator(name="method")],
        events=events,
    )
    return {"events": serialize_to_etdump_flatcc(flatcc.ETDumpFlatCC(version=0, run_data=[run]))}


def files() -> dict[str, dict[str, bytes]]:
    """Directory to name to content."""
    return {
        "calls": {f"{name}.pte": corpus_calls.one_call(*call) for name, call in corpus_calls.CALLS.items()},
        "bundled": {f"{name}.bpte": data for name, data in bundles().items()},
        "xnnpack": {f"{name}.xnn": data for name, data in corpus_blobs.blobs().items()},
        "tokenizer": {f"{name}.model": data for name, data in tokenizers().items()},
        "etdump": {f"{name}.etdp": data for name, data in dumps().items()},
    }


def main() -> None:
    torch.manual_seed(0)
    root = pathlib.Path(sys.argv[1])
    for directory, contents in files().items():
        (root / directory).mkdir(parents=True, exist_ok=True)
        for name, data in contents.items():
            (root / directory / name).write_bytes(data)


if __name__ == "__main__":
    main()
