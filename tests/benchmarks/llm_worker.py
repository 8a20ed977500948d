"""One engine with one file in a process of its own: prefill and decode, and the bandwidth of a copy beside them.

    python llm_worker.py ENGINE FILE THREADS PROMPT STEPS VOCABULARY

times what one thread does by the processor's time, so that other processes count less, and several threads by the clock. It
prints a JSON object: `prefill_s`, `decode_s` (a token), `load_s`, `rss_mib` (the most, less what it was once everything was imported),
`copy_gb_s`.
"""

from __future__ import annotations

import ctypes
import importlib
import json
import pathlib
import statistics
import sys
import threading
import time
from collections.abc import Callable

#: More than the caches of processors.
_COPIED = 64 << 20

#: Times that a prompt is run, of which the least counts; of a long one, that takes seconds.
_PROMPTS = 3
_LONG_PROMPTS = 1
_LONG = 512

#: The most tokens of a prompt at once, as our runner (`kPrefillChunk`) and llama.cpp (`n_ubatch`) have it by default.
_CHUNK, _PEER_CHUNK = 128, 512

#: What the tokens of a prompt are for an engine that takes text alone: see `llm_models.write_tokenizer`.
_FIRST_LETTER, _LETTERS = ord("!"), 94

#: Takes tokens and the position of the first of them.
Step = Callable[[list[int], int], None]

#: Runs a prompt and so many single tokens behind it: seconds of the prompt, and of each token.
Run = Callable[[list[int], int], list[float]]


def clock_of(threads: int) -> Callable[[], float]:
    """Seconds, as the module says."""
    return time.process_time if threads == 1 else time.perf_counter


def copy_bandwidth(threads: int, rounds: int = 5) -> float:
    """Bytes read and written a second by the best of some copies, in 10^9; each thread copies a part."""
    source, target = (ctypes.create_string_buffer(_COPIED) for _ in range(2))
    ctypes.memset(source, 1, _COPIED)
    part = _COPIED // threads
    best = float("inf")
    clock = clock_of(threads)
    for _ in range(rounds):
        start = clock()
        workers = [
            threading.Thread(
                target=ctypes.memmove,
                args=(ctypes.addressof(target) + i * part, ctypes.addressof(source) + i * part, part),
            )
            for i in range(threads)
        ]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        best = min(best, clock() - start)
    return 2 * _COPIED / best / 1e9


def by_steps(step: Step, threads: int, vocabulary: int) -> Run:
    """Of an engine that says when it is done with tokens."""
    clock = clock_of(threads)

    def run(prompt: list[int], count: int) -> list[float]:
        found = []
        for i in range(count + 1):
            begin = clock()
            step([(5 * i) % vocabulary] if i else prompt, len(prompt) + i - 1 if i else 0)
            found.append(clock() - begin)
        return found

    return run


def between(begin: float, ends: list[float], count: int) -> list[float]:
    """Seconds of a prompt and of each token, from the clock where each token came, the first by the prompt.

    Raises:
        RuntimeError: there are not so many behind the first.
    """
    if len(ends) != count + 1:
        raise RuntimeError(f"{len(ends)} tokens came, where {count + 1} were asked for")
    return [end - start for start, end in zip([begin, *ends], ends, strict=False)]


def ours(file: str, threads: int, most: int, vocabulary: int) -> Run:
    del most
    import torch

    from executorch.extension.pybindings.portable_lib import _unsafe_reset_threadpool
    from executorch.runtime import Runtime

    _unsafe_reset_threadpool(threads)
    options = {"XnnpackBackend": {"packed_cache_path": f"{file}.packed"}}
    method = Runtime.get().load_program(file).load_method("forward", backend_options=options)
    assert method is not None

    def step(tokens: list[int], position: int) -> None:
        for first in range(0, len(tokens), _CHUNK):
            part = tokens[first : first + _CHUNK]
            method.execute([torch.tensor([part]), torch.tensor([position + first])])

    return by_steps(step, threads, vocabulary)


def published(file: str, threads: int, most: int, vocabulary: int) -> Run:
    """The runner of released ExecuTorch with our program; it loads with its first prompt, and chooses its tokens itself."""
    del most, vocabulary
    # Imported by its name in ENGINES: it is not ours, of which an import here would be an edge.
    library = sys.modules["executorch.extension.llm.runner"]
    kernels = sys.modules["executorch.extension.pybindings.portable_lib"]
    runner = library.TextLLMRunner(file, str(pathlib.Path(file).with_suffix(".tokenizer.json")))
    kernels._unsafe_reset_threadpool(threads)
    clock = clock_of(threads)

    def run(prompt: list[int], count: int) -> list[float]:
        config = library.GenerationConfig()
        config.max_new_tokens, config.echo, config.temperature = count + 1, False, 0.0
        # The first tokens of the tokenizer are letters.
        text = "".join(chr(_FIRST_LETTER + token % _LETTERS) for token in prompt)
        runner.reset()
        ends: list[float] = []
        begin = clock()
        runner.generate(text, config, lambda piece: ends.append(clock()))
        return between(begin, ends, count)

    run([0], 0)
    return run


def onnxruntime_genai(directory: str, threads: int, most: int, vocabulary: int) -> Run:
    import numpy
    import onnxruntime_genai as library

    config = library.Config(directory)
    options = {"model": {"decoder": {"session_options": {"intra_op_num_threads": threads}}}}
    config.overlay(json.dumps(options))
    model = library.Model(config)
    parameters = library.GeneratorParams(model)
    parameters.set_search_options(max_length=2 * most)
    generator = library.Generator(model, parameters)

    def step(tokens: list[int], position: int, _keep: object = model) -> None:
        if position == 0:
            generator.rewind_to(0)
        generator.append_tokens(numpy.array([tokens], numpy.int32))
        generator.get_logits()

    return by_steps(step, threads, vocabulary)


def openvino_genai(directory: str, threads: int, most: int, vocabulary: int) -> Run:
    """Its pipeline, which chooses its tokens itself."""
    del most, vocabulary
    import numpy
    import openvino
    import openvino_genai as library

    clock = clock_of(threads)

    class Ends(library.StreamerBase):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.found: list[float] = []

        def write(self, token: object) -> object:
            self.found += [clock()] * (len(token) if isinstance(token, list) else 1)
            return library.StreamingStatus.RUNNING

        def end(self) -> None:
            """Nothing is left to say."""

    pipeline = library.LLMPipeline(directory, "CPU", INFERENCE_NUM_THREADS=threads)

    def run(prompt: list[int], count: int) -> list[float]:
        config = library.GenerationConfig()
        config.max_new_tokens, config.ignore_eos, config.do_sample = count + 1, True, False
        tokens = openvino.Tensor(numpy.array([prompt], numpy.int64))
        mask = openvino.Tensor(numpy.ones((1, len(prompt)), numpy.int64))
        ends = Ends()
        begin = clock()
        pipeline.generate(library.TokenizedInputs(tokens, mask), config, ends)
        return between(begin, ends.found, count)

    return run


def llama_cpp(file: str, threads: int, most: int, vocabulary: int) -> Run:
    import llama_cpp as library

    # What it says of each file is for people.
    quiet = library.llama_log_callback(lambda level, text, data: None)
    library.llama_log_set(quiet, None)
    parameters = library.llama_model_default_params()
    model = library.llama_model_load_from_file(file.encode(), parameters)
    options = library.llama_context_default_params()
    options.n_ctx, options.n_batch, options.n_ubatch = 2 * most, most, min(most, _PEER_CHUNK)
    options.n_threads = options.n_threads_batch = threads
    context = library.llama_init_from_model(model, options)
    if not context:
        raise RuntimeError(f"llama.cpp cannot load {file}")
    batch = library.llama_batch_init(most, 0, 1)
    memory = library.llama_get_memory(context)

    def step(tokens: list[int], position: int, _keep: object = quiet) -> None:
        if position == 0:
            library.llama_memory_clear(memory, True)
        batch.n_tokens = len(tokens)
        for i, token in enumerate(tokens):
            batch.token[i], batch.pos[i], batch.n_seq_id[i], batch.seq_id[i][0] = token, position + i, 1, 0
            batch.logits[i] = i == len(tokens) - 1
        if library.llama_decode(context, batch) != 0:
            raise RuntimeError("llama.cpp cannot run its model")
        library.llama_get_logits(context)

    return by_steps(step, threads, vocabulary)


_OURS = ("torch", "executorch.extension.pybindings.portable_lib", "executorch.runtime")

#: What loads a file, and what is imported before the clock counts.
ENGINES: dict[str, tuple[Callable[[str, int, int, int], Run], tuple[str, ...]]] = {
    "ours": (ours, _OURS),
    "ours-int8-cache": (ours, _OURS),
    # In this order: the runner finds the kernels that the others have registered.
    "published": (
        published,
        (
            "torch",
            "executorch.extension.pybindings.portable_lib",
            "executorch.kernels.quantized",
            "executorch.extension.llm.custom_ops.custom_ops",
            "executorch.extension.llm.runner",
        ),
    ),
    "llama.cpp": (llama_cpp, ("llama_cpp",)),
    "onnxruntime-genai": (onnxruntime_genai, ("numpy", "onnxruntime_genai")),
    "openvino-genai": (openvino_genai, ("numpy", "openvino", "openvino_genai")),
}


def measure(
    engine: str, file: str, threads: int, prompt: int, steps: int, vocabulary: int
) -> dict[str, float]:
    """See the module."""
    make, imports = ENGINES[engine]
    for name in imports:
        importlib.import_module(name)
    imported = most_memory()
    begin = time.perf_counter()
    run = make(file, threads, prompt, vocabulary)
    loaded = time.perf_counter() - begin
    prompts = _PROMPTS if prompt <= _LONG else _LONG_PROMPTS
    # Each prompt is another one: some engines keep what they know of an earlier one that begins alike.
    found = [
        run([(7 * i + 3 + turn) % vocabulary for i in range(prompt)], steps if turn == prompts - 1 else 0)
        for turn in range(prompts)
    ]
    return {
        "prefill_s": min(one[0] for one in found),
        "decode_s": statistics.median(found[-1][1:]),
        "load_s": loaded,
        "rss_mib": (most_memory() - imported) / 2**20,
        "copy_gb_s": copy_bandwidth(threads),
    }


def most_memory() -> int:
    """The most memory of this process, in bytes; 0 where the system does not say."""
    status = pathlib.Path("/proc/self/status")
    lines = status.read_text().splitlines() if status.exists() else []
    return next((int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM")), 0)


if __name__ == "__main__":
    measured = measure(*sys.argv[1:3], *map(int, sys.argv[3:7]))  # type: ignore[arg-type]
    # Engines write to the same output, and may leave their last line open.
    print(f"\n{json.dumps(measured)}", flush=True)
