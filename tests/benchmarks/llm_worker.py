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

#: Takes tokens and the position of the first of them.
Step = Callable[[list[int], int], None]


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


def ours(file: str, threads: int, most: int) -> Step:
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

    return step


def llama_cpp(file: str, threads: int, most: int) -> Step:
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

    return step


#: What makes the step of a file, and what is imported before the clock counts.
ENGINES = {
    "ours": (ours, ("torch", "executorch.extension.pybindings.portable_lib", "executorch.runtime")),
    "llama.cpp": (llama_cpp, ("llama_cpp",)),
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
    step = make(file, threads, prompt)
    loaded = time.perf_counter() - begin
    clock = clock_of(threads)
    tokens = [(7 * i + 3) % vocabulary for i in range(prompt)]
    prefill = []
    for _ in range(_PROMPTS if prompt <= _LONG else _LONG_PROMPTS):
        begin = clock()
        step(tokens, 0)
        prefill.append(clock() - begin)
    decode = []
    for i in range(steps):
        begin = clock()
        step([(5 * i + 1) % vocabulary], prompt + i)
        decode.append(clock() - begin)
    return {
        "prefill_s": min(prefill),
        "decode_s": statistics.median(decode),
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
    print(json.dumps(measure(*sys.argv[1:3], *map(int, sys.argv[3:7]))))  # type: ignore[arg-type]
