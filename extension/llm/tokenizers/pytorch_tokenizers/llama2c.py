"""Models of SentencePiece, and their way into the files of llama2.c."""

from __future__ import annotations

import pathlib
import struct

from pytorch_tokenizers.pytorch_tokenizers_cpp import SPTokenizer

_SPACE = "\u2581".encode()


class Llama2cTokenizer:
    """A model of SentencePiece.

    Attributes:
        n_words: how many tokens there are.
        bos_id, eos_id: the tokens of begin and end.
        stop_tokens: those that end a text.
    """

    def __init__(self, model_path: str) -> None:
        self.model = SPTokenizer()
        self.model.load(str(model_path))
        self.n_words = self.model.vocab_size()
        self.bos_id = self.model.bos_tok()
        self.eos_id = self.model.eos_tok()
        self.stop_tokens = [self.eos_id]

    def encode(self, s: str, bos: bool, eos: bool) -> list[int]:
        return self.model.encode(s, bos=int(bos), eos=int(eos))

    def decode(self, t: list[int]) -> str:
        return self.model.decode_batch(list(t), skip_special_tokens=True)

    def decode_token(self, t: int) -> str:
        return self.model.decode(t)

    def export(self, output_path: str, *, prepend_padding: bool = False) -> None:
        """Writes what llama2.c reads: the longest length, then each token's score, length and bytes.

        Args:
            output_path: where to.
            prepend_padding: a token "<pad>" comes before all others.
        """
        pieces = [self._piece(token) for token in range(self.n_words)]
        scored = [(piece, self.model.score(token)) for token, piece in enumerate(pieces)]
        if prepend_padding:
            scored.insert(0, (b"<pad>", -1.0))
        longest = max(len(piece) for piece, _ in scored)
        with pathlib.Path(output_path).open("wb") as file:
            file.write(struct.pack("<I", longest))
            for piece, score in scored:
                file.write(struct.pack("<fI", score, len(piece)) + piece)

    def _piece(self, token: int) -> bytes:
        if token in (self.bos_id, self.eos_id):
            return b"\n<s>\n" if token == self.bos_id else b"\n</s>\n"
        return self.model.id_to_piece(token).replace(_SPACE, b" ")
