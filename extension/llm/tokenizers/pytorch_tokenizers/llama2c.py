"""Models of SentencePiece, and their way into the files of llama2.c."""

from __future__ import annotations

import pathlib
import struct

from pytorch_tokenizers.pytorch_tokenizers_cpp import SPTokenizer
from pytorch_tokenizers.wrapped import WrappedTokenizer

_SPACE = "\u2581".encode()


class Llama2cTokenizer(WrappedTokenizer):
    """A model of SentencePiece."""

    def __init__(self, model_path: str) -> None:
        model = SPTokenizer()
        model.load(str(model_path))
        super().__init__(model)

    def encode(self, s: str, bos: bool, eos: bool) -> list[int]:
        tokens: list[int] = self.model.encode(s, bos=int(bos), eos=int(eos))
        return tokens

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
        piece: bytes = self.model.id_to_piece(token)
        return piece.replace(_SPACE, b" ")
