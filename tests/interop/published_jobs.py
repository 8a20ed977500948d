"""Lets the published package run and write programs, in a process that sees nothing of ours."""

from __future__ import annotations

import os
import pathlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch

from executorch.tests import published

_HERE = pathlib.Path(os.path.abspath(__file__)).parent


class PublishedError(RuntimeError):
    """A script failed in the other process; the message ends with what it printed."""


def why_not() -> str | None:
    """The reason to skip a test that needs the package; None if it can run."""
    return None if published.search_path() else "the published package is not here: PUBLISHED_PATH is not set"


def run_script(name: str, *arguments: str) -> None:
    """Runs a script of this directory with the published package.

    Raises:
        PublishedError: it failed, or died of a signal.
    """
    done = published.run((_HERE / name).read_text(), *arguments)
    if done.returncode:
        raise PublishedError(f"{name} ended with {done.returncode}:\n{(done.stdout + done.stderr)[-4000:]}")


@dataclass(frozen=True)
class Job:
    """A program to run.

    Attributes:
        pte: its file.
        calls: (method, flat inputs) in order.
        ptd: external data, None without any.
    """

    pte: bytes
    calls: Sequence[tuple[str, list[Any]]]
    ptd: bytes | None = None


def run_jobs(jobs: dict[str, Job], directory: pathlib.Path) -> dict[str, list[list[Any]] | str]:
    """Runs programs with the published runtime, all in one process unless one of them kills it.

    Returns:
        for each job the outputs of its calls, or the text of the error.
    """
    for name, job in jobs.items():
        (directory / f"{name}.pte").write_bytes(job.pte)
        if job.ptd is not None:
            (directory / f"{name}.ptd").write_bytes(job.ptd)
        torch.save(list(job.calls), directory / f"{name}.calls")
    results: dict[str, list[list[Any]] | str] = {}
    while len(results) < len(jobs):
        waiting = [name for name in jobs if name not in results]
        death = None
        try:
            run_script("run_published.py", str(directory), *waiting)
        except PublishedError as error:
            death = str(error)
        for name in waiting:
            output = directory / f"{name}.outputs"
            if output.exists():
                results[name] = torch.load(output, weights_only=False)
        if death is not None:
            # The first one without a result is the one that it died of.
            results[next(name for name in waiting if name not in results)] = death
    return results


def write_programs(names: Sequence[str], directory: pathlib.Path) -> None:
    """Lets the published compiler write specimens: NAME.pte, NAME.data (external weights) or NAME.error."""
    run_script("write_published.py", str(_HERE), str(directory), *names)
