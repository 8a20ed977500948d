"""The `tekken.json` of Mistral's models."""

from __future__ import annotations

from pytorch_tokenizers.pytorch_tokenizers_cpp import Tekken
from pytorch_tokenizers.wrapped import WrappedTokenizer

#: What stands near the beginning of such a file, and in no other JSON of a tokenizer.
MARKS = (b"default_num_special_tokens", b'"token_bytes"', b"num_vocab_tokens")


class TekkenTokenizer(WrappedTokenizer):
    """A file of tokens in base64 with their ranks, behind special ones that have names."""

    def __init__(self, model_path: str) -> None:
        model = Tekken()
        model.load(str(model_path))
        super().__init__(model)

    def encode(self, s: str, *, bos: bool, eos: bool) -> list[int]:
        """The tokens of a text, in which the names of special tokens are these."""
        tokens: list[int] = self.model.encode(s, bos=int(bos), eos=int(eos))
        return tokens
