"""Tokenizers of every kind, trained on the spot."""

from __future__ import annotations

import base64
import io
import json
from collections.abc import Callable
from dataclasses import dataclass, field

import sentencepiece
from tokenizers import (
    AddedToken,
    Regex,
    Tokenizer,
    decoders,
    models,
    normalizers,
    pre_tokenizers,
    processors,
    trainers,
)

from executorch.extension.llm.tokenizers.texts_for_tests import corpus

SPECIAL = ["<s>", "</s>", "<unk>"]

#: How tiktoken's published encodings divide a text, and Llama 3.
PATTERNS = {
    "gpt2": r"""'(?:[sdmt]|ll|ve|re)| ?\p{L}++| ?\p{N}++| ?[^\s\p{L}\p{N}]++|\s++$|\s+(?!\S)|\s""",
    "cl100k": (
        r"""'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+|"""
        r"""\s++$|\s*[\r\n]|\s+(?!\S)|\s"""
    ),
    "o200k": (
        r"""[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|"""
        r"""[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|"""
        r"""\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+"""
    ),
    "llama3": (
        r"""(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|"""
        r"""\s*[\r\n]+|\s+(?!\S)|\s+"""
    ),
}


@dataclass(frozen=True)
class Kind:
    """A model with what stands around it."""

    model: Callable[[], object]
    trainer: Callable[[], object]
    pre_tokenizer: object = None
    normalizer: object = None
    decoder: object = None
    post_processor: object = None
    options: dict = field(default_factory=dict)

    def train(self) -> Tokenizer:
        tokenizer = Tokenizer(self.model())
        for part in ("pre_tokenizer", "normalizer", "decoder", "post_processor"):
            if getattr(self, part) is not None:
                setattr(tokenizer, part, getattr(self, part))
        tokenizer.train_from_iterator(corpus(), self.trainer())
        tokenizer.add_special_tokens([AddedToken("<|x|>", normalized=False), AddedToken("<|xx|>")])
        tokenizer.add_tokens(
            [AddedToken("<|l|>", lstrip=True, rstrip=True), AddedToken("hello", single_word=True)]
        )
        return tokenizer


def _bpe(**options: object) -> Callable[[], object]:
    return lambda: models.BPE(**options)


def _trainer(
    trainer: Callable[..., object], size: int, more: tuple[str, ...] = (), **options: object
) -> Callable[[], object]:
    return lambda: trainer(vocab_size=size, special_tokens=[*SPECIAL, *more], show_progress=False, **options)


_BYTES = _trainer(trainers.BpeTrainer, 1200, initial_alphabet=pre_tokenizers.ByteLevel.alphabet())
_NAMED_BYTES = _trainer(trainers.BpeTrainer, 1500, tuple(f"<0x{i:02X}>" for i in range(256)))
_UNIGRAM = _trainer(trainers.UnigramTrainer, 1500, unk_token="<unk>")
_FALLBACK = {"unk_token": "<unk>", "byte_fallback": True, "fuse_unk": True}
_AS_BYTES = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
_METASPACE = "\u2581"


def _split(pattern: str) -> pre_tokenizers.PreTokenizer:
    return pre_tokenizers.Sequence([pre_tokenizers.Split(Regex(pattern), "isolated"), _AS_BYTES])


def _begin(*, end: bool = False) -> processors.PostProcessor:
    return processors.TemplateProcessing(
        single="$A </s>" if end else "<s> $A", special_tokens=[("<s>", 0), ("</s>", 1)]
    )


KINDS = {
    "gpt2": Kind(
        models.BPE, _BYTES, pre_tokenizers.ByteLevel(add_prefix_space=False), decoder=decoders.ByteLevel()
    ),
    "roberta": Kind(
        models.BPE,
        _BYTES,
        pre_tokenizers.ByteLevel(add_prefix_space=True),
        decoder=decoders.ByteLevel(),
        post_processor=processors.RobertaProcessing(("</s>", 1), ("<s>", 0)),
    ),
    "llama3": Kind(
        _bpe(ignore_merges=True),
        _BYTES,
        _split(PATTERNS["llama3"]),
        decoder=decoders.ByteLevel(),
        post_processor=processors.Sequence([processors.ByteLevel(trim_offsets=False), _begin()]),
    ),
    "qwen": Kind(
        models.BPE,
        _BYTES,
        _split(PATTERNS["llama3"].replace("{1,3}", "")),
        normalizers.NFC(),
        decoders.ByteLevel(),
    ),
    "smollm": Kind(
        models.BPE,
        _BYTES,
        pre_tokenizers.Sequence(
            [pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(add_prefix_space=False)]
        ),
        decoder=decoders.ByteLevel(),
    ),
    "llama2": Kind(
        _bpe(**_FALLBACK),
        _NAMED_BYTES,
        normalizer=normalizers.Sequence(
            [normalizers.Prepend(_METASPACE), normalizers.Replace(" ", _METASPACE)]
        ),
        decoder=decoders.Sequence(
            [
                decoders.Replace(_METASPACE, " "),
                decoders.ByteFallback(),
                decoders.Fuse(),
                decoders.Strip(" ", 1, 0),
            ]
        ),
        post_processor=_begin(),
    ),
    "gemma": Kind(
        _bpe(**_FALLBACK),
        _NAMED_BYTES,
        pre_tokenizers.Split(" ", "merged_with_previous"),
        normalizers.Replace(" ", _METASPACE),
        decoders.Sequence([decoders.Replace(_METASPACE, " "), decoders.ByteFallback(), decoders.Fuse()]),
    ),
    "metaspace": Kind(
        _bpe(unk_token="<unk>"),
        _trainer(trainers.BpeTrainer, 600),
        pre_tokenizers.Metaspace(_METASPACE, "first"),
        decoder=decoders.Metaspace(_METASPACE, "first"),
    ),
    "suffix": Kind(
        _bpe(unk_token="<unk>", end_of_word_suffix="</w>"),
        _trainer(trainers.BpeTrainer, 600, end_of_word_suffix="</w>"),
        pre_tokenizers.WhitespaceSplit(),
        normalizers.Sequence([normalizers.NFKC(), normalizers.Lowercase()]),
        decoders.BPEDecoder("</w>"),
    ),
    "prefix": Kind(
        _bpe(unk_token="<unk>", continuing_subword_prefix="##"),
        _trainer(trainers.BpeTrainer, 600, continuing_subword_prefix="##"),
        pre_tokenizers.Whitespace(),
        normalizers.NFKD(),
        decoders.WordPiece(),
    ),
    "bert": Kind(
        lambda: models.WordPiece(unk_token="<unk>"),
        _trainer(trainers.WordPieceTrainer, 800),
        pre_tokenizers.BertPreTokenizer(),
        normalizers.BertNormalizer(),
        decoders.WordPiece(),
        processors.BertProcessing(("</s>", 1), ("<s>", 0)),
    ),
    "bert cased": Kind(
        lambda: models.WordPiece(unk_token="<unk>", max_input_chars_per_word=6),
        _trainer(trainers.WordPieceTrainer, 800),
        pre_tokenizers.BertPreTokenizer(),
        normalizers.BertNormalizer(lowercase=False, strip_accents=False, handle_chinese_chars=False),
        decoders.WordPiece(cleanup=False),
    ),
    "t5": Kind(
        models.Unigram,
        _UNIGRAM,
        pre_tokenizers.Metaspace(),
        normalizers.Sequence(
            [normalizers.Nmt(), normalizers.NFKC(), normalizers.Replace(Regex(" {2,}"), " ")]
        ),
        decoders.Metaspace(),
        _begin(end=True),
    ),
    "unigram": Kind(
        models.Unigram,
        _UNIGRAM,
        pre_tokenizers.Sequence(
            [
                pre_tokenizers.WhitespaceSplit(),
                pre_tokenizers.Punctuation("contiguous"),
                pre_tokenizers.Metaspace(_METASPACE, "always", False),
            ]
        ),
        normalizers.Sequence([normalizers.Strip(), normalizers.NFD(), normalizers.StripAccents()]),
        decoders.Metaspace(),
    ),
    "words": Kind(
        lambda: models.WordLevel(unk_token="<unk>"),
        _trainer(trainers.WordLevelTrainer, 800),
        pre_tokenizers.Sequence([pre_tokenizers.CharDelimiterSplit("-"), pre_tokenizers.Whitespace()]),
    ),
    "ctc": Kind(
        lambda: models.WordLevel(unk_token="<unk>"),
        _trainer(trainers.WordLevelTrainer, 300, ("<pad>", "|")),
        pre_tokenizers.Split("", "isolated"),
        decoder=decoders.CTC(),
    ),
}

#: Options of SentencePiece's trainer.
SENTENCEPIECE = {
    "plain": {},
    "bytes": {
        "normalization_rule_name": "identity",
        "byte_fallback": True,
        "remove_extra_whitespaces": False,
    },
    "user defined": {
        "normalization_rule_name": "nmt_nfkc_cf",
        "user_defined_symbols": ["<|x|>", "hello"],
        "add_dummy_prefix": False,
    },
    "digits": {
        "byte_fallback": True,
        "split_digits": True,
        "allow_whitespace_only_pieces": True,
        "remove_extra_whitespaces": False,
    },
}


def sentencepiece_model(kind: str, options: dict) -> bytes:
    """A model of SentencePiece, "bpe" or "unigram"."""
    model = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(corpus(1500)),
        model_writer=model,
        vocab_size=1700,
        model_type=kind,
        character_coverage=0.98,
        hard_vocab_limit=False,
        minloglevel=2,
        num_threads=1,
        **options,
    )
    return model.getvalue()


def tiktoken_ranks() -> dict[bytes, int]:
    """All bytes and the pieces that a byte-level BPE has found, by their rank."""
    printable = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = [byte for byte in range(256) if byte not in printable]
    byte_of = {chr(byte): byte for byte in printable}
    byte_of |= {chr(256 + i): byte for i, byte in enumerate(others)}
    vocabulary = json.loads(KINDS["gpt2"].train().to_str())["model"]["vocab"]
    ranks = {bytes([byte]): byte for byte in range(256)}
    for piece in sorted(vocabulary, key=vocabulary.get):
        if piece not in SPECIAL:
            ranks.setdefault(bytes(byte_of[character] for character in piece), len(ranks))
    return ranks


def tiktoken_file(ranks: dict[bytes, int]) -> bytes:
    return b"".join(base64.b64encode(piece) + b" %d\n" % rank for piece, rank in ranks.items())


def tekken_file(ranks: dict[bytes, int], reserved: int, special: list[str] | None, unused: int = 3) -> str:
    """A `tekken.json` with `reserved` special tokens, of which some have names; its last tokens are not used."""
    config = {
        "pattern": PATTERNS["o200k"],
        "num_vocab_tokens": len(ranks),
        "default_vocab_size": len(ranks) - unused + reserved,
        "default_num_special_tokens": reserved,
        "version": "v7" if special is None else "v11",
    }
    tokens = [
        {"rank": rank, "token_bytes": base64.b64encode(piece).decode(), "token_str": None}
        for piece, rank in ranks.items()
    ]
    named = special and [
        {"rank": rank, "token_str": name, "is_control": True} for rank, name in enumerate(special)
    ]
    parts = {"config": config, "vocab": tokens} | ({} if named is None else {"special_tokens": named})
    return json.dumps(parts)
