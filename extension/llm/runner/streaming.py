"""What runners have in common: the whole answer at once, or its pieces as they come."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterator


def collected(generate: Callable[[Callable[[str], object]], None]) -> str:
    """The pieces that a run calls back with, as one text."""
    pieces: list[str] = []
    generate(pieces.append)
    return "".join(pieces)


def streamed(generate: Callable[[Callable[[str], object]], None], stop: Callable[[], None]) -> Iterator[str]:
    """The same one by one, from a thread of their own, which ends with the iterator."""
    pieces: queue.SimpleQueue[str | None] = queue.SimpleQueue()
    raised: list[BaseException] = []
    left = threading.Event()

    def take(piece: str) -> None:
        if left.is_set():
            stop()
        pieces.put(piece)

    def run() -> None:
        try:
            generate(take)
        except BaseException as error:
            raised.append(error)
        pieces.put(None)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    try:
        while (piece := pieces.get()) is not None:
            yield piece
    finally:
        left.set()
        stop()
        thread.join()
    if raised:
        raise raised[0]
