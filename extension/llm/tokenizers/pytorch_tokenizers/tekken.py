"""The `tekken.json` of Mistral's models."""

from __future__ import annotations

from pytorch_tokenizers.pytorch_tokenizers_cpp import Tekken

#: What stands near the beginning of such a file, and in no other JSON of a tokenizer.
MARKS = (b"default_num_special_tokens", b'"token_bytes"', b"num_vocab_tokens")


class TekkenTokenizer:
    """A file of tokens in base64 with their ranks, behind special ones that have names.

    Attributes:
        n_words: how many tokens there are.
        bos_id, eos_id: the tokens of begin and end.
        stop_tokens: those that end a text.
    """

    def __init__(self, model_path: str) -> None:
        self.model = Tekken()
        self.model.load(str(model_path))
        self.n_words = self.model.vocab_size()
        self.bos_id = self.model.bos_tok()
        self.eos_id = self.model.eos_tok()
        self.stop_tokens = [self.eos_id]

    def encode(self, s: str, *, bos: bool, eos: bool) -> list[int]:
        """The tokens of a text, in which the names of special tokens are these."""
        return self.model.encode(s, bos=int(bos), eos=int(eos))

    def decode(self, t: list[int]) -> str:
        return self.model.decode_batch(list(t), skip_special_tokens=True)

    def decode_token(self, t: int) -> str:
        return self.model.decode(t)
