"""A language model from text to text: tokenizer, training, three programs, C++ and Python.

./bazelw run //examples/llm -- --out llm
"""

from __future__ import annotations

import argparse
import pathlib
import sys
import time
from collections.abc import Sequence

import tokenizers
import torch

from executorch.examples.llm.corpus import load_corpus
from executorch.examples.llm.export import FORMS, Form, export, save_checkpoint
from executorch.examples.llm.report import FormResult, Result, plot, table
from executorch.examples.llm.run import Text, eager_text, find_llama_main, perplexity, run_cpp, run_python
from executorch.examples.llm.train import BOUNDARY, eager_perplexity, encode, train, train_tokenizer, windows
from executorch.examples.quickstart.output import output_directory

# Not resolved: under Bazel this is the tree of runfiles, where the runner lies.
_ROOT = pathlib.Path(__file__).absolute().parents[2]

#: Tokens of the prompt, which is held-out text: enough for the clocks of the runners.
_PROMPT = 96
_TURNS = ("Return a new list", "The argument must be")


def _form(
    form: Form,
    directory: pathlib.Path,
    llama_main: pathlib.Path,
    boundary: int,
    rows: torch.Tensor,
    options: argparse.Namespace,
) -> tuple[FormResult, Text]:
    """Exports a form, measures it, and lets both runners speak."""
    start = time.perf_counter()
    program = export(directory, form, boundary)
    seconds = time.perf_counter() - start
    tokenizer = directory / "tokenizer.json"
    native = run_cpp(llama_main, program, tokenizer, options.prompt, _TURNS, options.tokens)
    python = run_python(program, tokenizer, options.prompt, _TURNS, options.tokens)
    result = FormResult(
        form=form.name,
        pte_bytes=program.stat().st_size,
        perplexity=perplexity(program, rows),
        export_s=seconds,
        cpp={"prefill_tokens_s": native.prefill_tokens_s, "decode_tokens_s": native.decode_tokens_s},
        python={"prefill_tokens_s": python.prefill_tokens_s, "decode_tokens_s": python.decode_tokens_s},
        rss_mib=native.rss_mib,
        same_text=native.answer == python.answer and native.turns == python.turns,
    )
    return result, native


def _trained(
    directory: pathlib.Path, options: argparse.Namespace
) -> tuple[tokenizers.Tokenizer, torch.nn.Module, list[float], int, torch.Tensor, float]:
    corpus = load_corpus(options.characters)
    tokenizer = train_tokenizer(corpus.train, options.vocabulary, directory / "tokenizer.json")
    tokens = encode(tokenizer, corpus.train)
    start = time.perf_counter()
    model, losses = train(tokens, tokenizer.get_vocab_size(), options.steps, progress=not options.quiet)
    seconds = time.perf_counter() - start
    save_checkpoint(model, tokenizer.get_vocab_size(), directory)
    held_out = encode(tokenizer, corpus.test)
    rows = windows(held_out, options.windows)
    if options.prompt is None:
        options.prompt = tokenizer.decode(held_out[1 : _PROMPT + 1].tolist())
    return tokenizer, model, losses, len(tokens), rows, seconds


def run(directory: pathlib.Path, llama_main: pathlib.Path, options: argparse.Namespace) -> Result:
    """Does it all; leaves the tokenizer, the checkpoint, the programs and ``llm.png`` in the directory."""
    tokenizer, model, losses, count, rows, seconds = _trained(directory, options)
    forms, texts = [], []
    for form in FORMS:
        figures, text = _form(form, directory, llama_main, tokenizer.token_to_id(BOUNDARY), rows, options)
        forms.append(figures)
        texts.append(text)
        print(f"--- {form.name}\n{text.answer}")
    expected = eager_text(model, tokenizer, options.prompt, options.tokens)  # type: ignore[arg-type]
    result = Result(
        train_tokens=count,
        parameters=sum(parameter.numel() for parameter in model.parameters()),
        steps=options.steps,
        train_s=seconds,
        eager_perplexity=eager_perplexity(model, rows),  # type: ignore[arg-type]
        eager_text_same=texts[0].answer == expected,
        same_text=all(one.same_text for one in forms),
        forms=forms,
    )
    plot(losses, result).save(directory / "llm.png")
    print(table(result))
    return result


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="llm", description="Trains a small language model, exports it in three forms and lets it speak."
    )
    parser.add_argument("--out", metavar="DIR", help="keep tokenizer, checkpoint, programs and llm.png here")
    parser.add_argument("--steps", type=int, default=400, help="of the training; 30 are a matter of seconds")
    parser.add_argument("--characters", type=int, default=2_000_000, help="the most text to learn from")
    parser.add_argument("--vocabulary", type=int, default=2048, help="tokens; at least 257")
    parser.add_argument("--tokens", type=int, default=64, help="the most of an answer")
    parser.add_argument("--windows", type=int, default=12, help="rows of 128 tokens for the perplexity")
    parser.add_argument("--prompt", help="what the answer goes on from (default: some held-out text)")
    parser.add_argument("--llama_main", type=pathlib.Path, help="the program (default: the one Bazel built)")
    parser.add_argument("--quiet", action="store_true", help="no progress bars")
    options = parser.parse_args(arguments)
    llama_main = options.llama_main or find_llama_main(_ROOT)
    with output_directory(options.out) as directory:
        result = run(directory, llama_main, options)
        if options.out:
            print(f"files in {directory}")
    print(result.line())
    return 0 if result.same_text else 1


if __name__ == "__main__":
    sys.exit(main())
