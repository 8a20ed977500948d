"""Which tokenizer a file is for."""

from __future__ import annotations

import pathlib
import re

from pytorch_tokenizers.hf_tokenizer import HuggingFaceTokenizer
from pytorch_tokenizers.llama2c import Llama2cTokenizer
from pytorch_tokenizers.tekken import MARKS, TekkenTokenizer
from pytorch_tokenizers.tiktoken import TiktokenTokenizer

_RANK = re.compile(rb"[A-Za-z0-9+/]+=* \d")


def get_tokenizer(
    tokenizer_path: str, tokenizer_config_path: str | None = None
) -> HuggingFaceTokenizer | TekkenTokenizer | TiktokenTokenizer | Llama2cTokenizer:
    """The tokenizer of a file, by what it begins with.

    Args:
        tokenizer_path: a `tokenizer.json` or the directory that has it, a model of SentencePiece, a file of tiktoken, or
            a `tekken.json`.
        tokenizer_config_path: a `tokenizer_config.json` for the first of these.

    Raises:
        FileNotFoundError: there is no such file.
        RuntimeError: it has none of these formats; the message says what is wrong.
    """
    path = pathlib.Path(tokenizer_path)
    if path.is_dir():
        return HuggingFaceTokenizer(tokenizer_path, tokenizer_config_path)
    with path.open("rb") as file:
        first = file.read(4096)
    if first.lstrip()[:1] == b"{" and any(mark in first for mark in MARKS):
        return TekkenTokenizer(tokenizer_path)
    if first.lstrip()[:1] == b"{":
        return HuggingFaceTokenizer(tokenizer_path, tokenizer_config_path)
    if _RANK.match(first):
        return TiktokenTokenizer(tokenizer_path)
    return Llama2cTokenizer(tokenizer_path)
