"""Runs a program: its perplexity, and its text from the C++ program and from Python."""

from __future__ import annotations

import json
import math
import pathlib
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass

import tokenizers
import torch

from executorch.examples.llm.train import BOUNDARY
from executorch.extension.llm.models.transformer import Transformer
from executorch.extension.llm.runner import GenerationConfig, Stats, TextLLMRunner
from executorch.runtime import Runtime

#: Times that an answer is given: the runners' clocks have milliseconds, of which such a model needs few.
_ANSWERS = 8


@dataclass(frozen=True)
class Text:
    """What a runner said, greedily.

    Attributes:
        answer: prompt and answer.
        turns: the answers of a conversation.
        prefill_tokens_s, decode_tokens_s: of all times that the answer was given; 0 where a clock of milliseconds saw no time pass.
        rss_mib: of the process at its end; 0 where it is not a process of its own.
    """

    answer: str
    turns: list[str]
    prefill_tokens_s: float
    decode_tokens_s: float
    rss_mib: float = 0.0


def perplexity(program: pathlib.Path, rows: torch.Tensor) -> float:
    """Of rows of tokens, ``[n, length + 1]``, token by token with the program's cache."""
    method = Runtime.get().load_program(program).load_method("forward")
    assert method is not None
    losses = []
    for row in rows:
        for position in range(len(row) - 1):
            logits = method.execute([row[None, position : position + 1], torch.tensor([position])])[0]
            losses.append(
                torch.nn.functional.cross_entropy(logits.view(1, -1), row[position + 1 : position + 2])
            )
    return math.exp(torch.stack(losses).mean().item())


def eager_text(model: Transformer, tokenizer: tokenizers.Tokenizer, prompt: str, count: int) -> str:
    """Prompt and answer of the decoder itself, which has no cache."""
    boundary = tokenizer.token_to_id(BOUNDARY)
    prompt_ids = tokenizer.encode(prompt).ids
    ids = list(prompt_ids)
    with torch.inference_mode():
        while len(ids) < len(prompt_ids) + count:
            following = int(model(torch.tensor([ids]))[0, -1].argmax())
            if following == boundary:
                break
            ids.append(following)
    return str(tokenizer.decode(ids))


def run_python(
    program: pathlib.Path, tokenizer: pathlib.Path, prompt: str, turns: Sequence[str], count: int
) -> Text:
    """By `executorch.extension.llm.runner`."""
    runner = TextLLMRunner(str(program), str(tokenizer))
    runner.generate(prompt, GenerationConfig(max_new_tokens=count, temperature=0.0, warming=True))
    runner.reset()
    answers: list[str] = []
    figures: list[Stats] = []
    config = GenerationConfig(max_new_tokens=count, temperature=0.0)
    for _ in range(_ANSWERS):
        pieces: list[str] = []
        runner.generate(prompt, config, pieces.append, figures.append)
        runner.reset()
        answers.append("".join(pieces))
    config.echo = False
    said = [runner.generate_text(turn, config) for turn in turns]
    return Text(_same(answers), said, *_rates([json.loads(one.to_json_string()) for one in figures]))


def run_cpp(
    main: pathlib.Path,
    program: pathlib.Path,
    tokenizer: pathlib.Path,
    prompt: str,
    turns: Sequence[str],
    count: int,
) -> Text:
    """By processes of `llama_main`: answers, and a conversation.

    Raises:
        RuntimeError: one fails, with what it said, or two answers differ.
    """
    command = [
        str(main),
        f"--model_path={program}",
        f"--tokenizer_path={tokenizer}",
        f"--max_new_tokens={count}",
        "--temperature=0",
    ]
    done = [_output([*command, f"--prompt={prompt}", "--warmup", "--verbose"]) for _ in range(_ANSWERS)]
    answers, _, figures = zip(*(one.stdout.partition("\nPyTorchObserver ") for one in done), strict=True)
    memory = [line.split()[-2] for line in done[0].stderr.splitlines() if line.startswith("RSS at the end")]
    chat = _output([*command, "--chat", "--chat_template=plain"], "".join(f"{turn}\n" for turn in turns))
    said = chat.stdout.removeprefix("> ").removesuffix("\n> \n").split("\n> ")
    return Text(_same(answers), said, *_rates([json.loads(one) for one in figures]), rss_mib=float(memory[0]))


def _same(answers: Sequence[str]) -> str:
    """What was said each time.

    Raises:
        RuntimeError: that was not the same.
    """
    if len(set(answers)) > 1:
        raise RuntimeError(f"greedy answers to one prompt differ: {answers}")
    return answers[0]


def _output(command: Sequence[str], text: str = "") -> subprocess.CompletedProcess[str]:
    done = subprocess.run(command, input=text, capture_output=True, encoding="utf-8", errors="replace")
    if done.returncode != 0:
        raise RuntimeError(f"llama_main ended with status {done.returncode}:\n{done.stdout}{done.stderr}")
    return done


def _rates(figures: Sequence[dict[str, int]]) -> tuple[float, float]:
    """Tokens a second of prompts and of answers, whose first token comes with the prompt."""
    prompts = sum(one["prompt_eval_end_ms"] - one["inference_start_ms"] for one in figures)
    answers = sum(one["inference_end_ms"] - one["prompt_eval_end_ms"] for one in figures)
    return (
        1000 * sum(one["prompt_tokens"] for one in figures) / prompts if prompts else 0.0,
        1000 * sum(one["generated_tokens"] - 1 for one in figures) / answers if answers else 0.0,
    )


def find_llama_main(root: pathlib.Path) -> pathlib.Path:
    """The program `llama_main`, in Bazel's runfiles or among what Bazel has built in the checkout.

    Raises:
        FileNotFoundError: it has not been built.
    """
    inside = pathlib.Path("examples/models/llama/llama_main")
    for candidate in (root / inside, root / "bazel-bin" / inside):
        if candidate.is_file():
            return candidate
    raise FileNotFoundError(
        "llama_main is not built. Way out: ./bazelw build //examples/models/llama:main, or --llama_main PATH."
    )
