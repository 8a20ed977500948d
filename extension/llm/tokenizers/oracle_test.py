"""The same tokens and texts as `tokenizers`, `tiktoken` and `sentencepiece`, whose models are trained here."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest
import pytorch_tokenizers
import sentencepiece
import tiktoken

from executorch.extension.llm.tokenizers.models_for_tests import (
    KINDS,
    PATTERNS,
    SENTENCEPIECE,
    sentencepiece_model,
    tekken_file,
    tiktoken_file,
    tiktoken_ranks,
)
from executorch.extension.llm.tokenizers.texts_for_tests import texts

TEXTS = int(os.environ.get("TEXTS", "50"))
NAMES = ["<|x|>", "<|xx|>", "<|l|>", "hello", "<s>"]


def differences(pairs: Iterator[tuple[str, object, object]]) -> list[tuple[str, object, object]]:
    """The first few of (text, theirs, ours) that are not equal."""
    found = []
    for text, theirs, ours in pairs:
        if theirs != ours:
            found.append((text, theirs, ours))
        if len(found) == 3:
            break
    return found


@pytest.mark.parametrize("kind", KINDS)
def test_tokenizer_json(kind):
    theirs = KINDS[kind].train()
    ours = pytorch_tokenizers.CppHFTokenizer()
    ours.load_text(theirs.to_str())
    assert ours.vocab_size() == theirs.get_vocab_size()

    def pairs():
        for text in texts(TEXTS, 7, NAMES):
            tokens = theirs.encode(text, add_special_tokens=False).ids
            yield text, tokens, ours.encode(text)
            if theirs.post_processor is not None:
                yield text, theirs.encode(text).ids, ours.encode(text, 1, 1)
            for skip in (True, False):
                yield text, theirs.decode(tokens, skip_special_tokens=skip), ours.decode_batch(tokens, skip)

    assert differences(pairs()) == []


@pytest.mark.parametrize("pattern", PATTERNS)
def test_tiktoken(pattern, tmp_path):
    ranks = tiktoken_ranks()
    special = ["<|begin|>", "<|end|>", "<|x|>"]
    theirs = tiktoken.Encoding(
        pattern,
        pat_str=PATTERNS[pattern],
        mergeable_ranks=ranks,
        special_tokens={name: len(ranks) + i for i, name in enumerate(special)},
    )
    (tmp_path / "file").write_bytes(tiktoken_file(ranks))
    ours = pytorch_tokenizers.CppTiktoken(PATTERNS[pattern], special, 0, 1)
    ours.load(str(tmp_path / "file"))

    def pairs():
        for text in texts(TEXTS, 8, special):
            tokens = theirs.encode(text, allowed_special="all")
            yield text, tokens, ours.encode(text)
            yield text, theirs.encode_ordinary(text), ours.encode_allowing(text, [])
            yield text, theirs.decode(tokens), ours.decode_batch(tokens)

    assert differences(pairs()) == []


@pytest.mark.parametrize(
    "names", [None, ["<unk>", "<s>", "</s>", "[INST]", "<|x|>"]], ids=["former names", "names"]
)
def test_tekken(names, tmp_path):
    ranks, reserved = tiktoken_ranks(), 30
    used = {piece: rank for piece, rank in ranks.items() if rank < len(ranks) - 3}
    special = {name: rank for rank, name in enumerate(names or ["<unk>", "<s>", "</s>", "[INST]", "[/INST]"])}
    theirs = tiktoken.Encoding(
        "tekken",
        pat_str=PATTERNS["o200k"],
        mergeable_ranks={piece: rank + reserved for piece, rank in used.items()},
        special_tokens=special,
    )
    (tmp_path / "file").write_text(tekken_file(ranks, reserved, names))
    ours = pytorch_tokenizers.CppTekken()
    ours.load(str(tmp_path / "file"))
    assert (ours.bos_tok(), ours.eos_tok(), ours.vocab_size()) == (1, 2, len(used) + reserved)
    assert ours.piece_to_id("<SPECIAL_29>") == 29
    assert isinstance(
        pytorch_tokenizers.get_tokenizer(str(tmp_path / "file")), pytorch_tokenizers.TekkenTokenizer
    )

    def pairs():
        for text in texts(TEXTS, 8, list(special)):
            tokens = theirs.encode(text, allowed_special="all")
            yield text, tokens, ours.encode(text)
            yield text, [1, *tokens, 2], ours.encode(text, 1, 1)
            yield text, theirs.encode_ordinary(text), ours.encode_allowing(text, [])
            yield text, theirs.decode(tokens), ours.decode_batch(tokens)

    assert differences(pairs()) == []


@pytest.mark.parametrize("options", SENTENCEPIECE)
@pytest.mark.parametrize("kind", ["bpe", "unigram"])
def test_sentencepiece(kind, options, tmp_path):
    model = sentencepiece_model(kind, SENTENCEPIECE[options])
    theirs = sentencepiece.SentencePieceProcessor(model_proto=model)
    (tmp_path / "file").write_bytes(model)
    ours = pytorch_tokenizers.CppSPTokenizer()
    ours.load(str(tmp_path / "file"))

    def pairs():
        for text in texts(TEXTS, 9, NAMES):
            tokens = theirs.encode(text)
            yield text, tokens, ours.encode(text)
            yield text, theirs.decode(tokens), ours.decode_batch(tokens)

    assert differences(pairs()) == []
