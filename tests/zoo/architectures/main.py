"""The nightly suite: ``./bazelw run //tests/zoo/architectures -- [--only REGEX] [--ways portable,xnnpack,int8,dynamic]``.

Each architecture runs in a process of its own, so that none can take the others along. Results are added to the file (JSON,
``results.json`` beside this one by default) as they come.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import pathlib
import re
import resource
import signal
import sys
import time
from typing import Any

import torch
from absl import app, flags

from executorch.tests.zoo.architectures import page, registry, run

_ONLY = flags.DEFINE_string("only", "", "names that this regular expression finds")
_WAYS = flags.DEFINE_list("ways", list(run.WAYS), "which of the ways")
_RESUME = flags.DEFINE_bool("resume", False, "leave out what the file has already, way by way")
_OUT = flags.DEFINE_string("out", "", "file of the results; the recorded one by default")
_PAGE = flags.DEFINE_bool("page", False, "only write docs/architectures.md from the recorded results")
_TIMEOUT = flags.DEFINE_integer("timeout", 600, "seconds of processor for one architecture")


def _worker(library: str, name: str, ways: tuple[str, ...], timeout: int, pipe: Any) -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (timeout, timeout))
    try:
        answer = run.run(library, name, ways)
    except Exception as error:
        answer = {way: {"verdict": "failed", "reason": run.one_line(error)} for way in ways}
    pipe.send(answer)
    pipe.close()
    # Not through the interpreter's end, which frees gigabytes one by one.
    os._exit(0)


def _isolated(library: str, name: str, ways: tuple[str, ...], timeout: int) -> dict[str, Any]:
    """What `run.run` says, in a child; a child that dies or takes too long is a failure in every way."""
    receive, send = multiprocessing.Pipe(duplex=False)
    child = multiprocessing.get_context("fork").Process(
        target=_worker, args=(library, name, ways, timeout, send)
    )
    child.start()
    send.close()
    reason = "it waits for something"
    try:
        # Processor time is what is bounded; a machine that does something else besides is no failure of a model.
        if receive.poll(20 * timeout):
            answer: dict[str, Any] = receive.recv()
            return answer
    except EOFError:
        child.join()
        too_long = child.exitcode in (-signal.SIGXCPU, -signal.SIGKILL)
        reason = f"more than {timeout} s" if too_long else f"the process died with {child.exitcode}"
    finally:
        child.kill()
        child.join()
    return {way: {"verdict": "failed", "reason": reason} for way in ways}


def main(argv: list[str]) -> int:
    path = pathlib.Path(_OUT.value) if _OUT.value else page.source(page.RESULTS)
    results = json.loads(path.read_text()) if path.exists() else {}
    if not _PAGE.value:
        ways = tuple(_WAYS.value)
        rows = [row for row in registry.names() if re.search(_ONLY.value, row[1])]
        todo = page.missing(results, rows, ways) if _RESUME.value else {row: ways for row in rows}
        torch.set_num_threads(1)
        run.warm_up()
        for number, ((library, name), mine) in enumerate(todo.items(), 1):
            start = time.perf_counter()
            answer = _isolated(library, name, mine, _TIMEOUT.value)
            results.setdefault(f"{library}/{name}", {}).update(answer)
            path.write_text(page.results_text(results))
            verdicts = ", ".join(
                f"{way} {found['verdict']}" + (f" ({found['reason']})" if found.get("reason") else "")
                for way, found in answer.items()
            )
            print(
                f"{number}/{len(todo)} {library}/{name} {time.perf_counter() - start:.0f} s: {verdicts}",
                flush=True,
            )
    if not _OUT.value:
        page.source(page.PAGE).write_text(page.text(results, ["/".join(row) for row in registry.names()]))
    print(page.summary(results))
    return 0


if __name__ == "__main__":
    sys.exit(app.run(main))
