"""Reads damaged event dumps, as the Inspector does: a `ValueError` is an answer, anything else a finding."""

from __future__ import annotations

import pathlib
import signal
import time
import traceback
from types import FrameType

from executorch.devtools.etdump.serialize import deserialize_from_etdump_flatcc

_TIMEOUT_SECONDS = 20


class Hang(BaseException):
    """Reading took too long; not an `Exception`, so that nobody on the way takes it for one."""


def _on_alarm(number: int, frame: FrameType | None) -> None:
    raise Hang


def read_all(directory: pathlib.Path, original: bytes, deadline: float | None = None) -> dict[str, int]:
    """Reads every file of a directory; the counts of a target.

    Args:
        directory: the damaged files.
        original: what they were made from, for `changed`: read without a word, and something else.
        deadline: by `time.monotonic`, after which no further file is read.
    """
    counts = dict.fromkeys(("executions", "ok", "errors", "changed", "crashes", "hangs"), 0)
    whole = deserialize_from_etdump_flatcc(original)
    signal.signal(signal.SIGALRM, _on_alarm)
    for path in sorted(directory.iterdir()):
        if deadline is not None and time.monotonic() > deadline:
            break
        counts["executions"] += 1
        signal.alarm(_TIMEOUT_SECONDS)
        try:
            read = deserialize_from_etdump_flatcc(path.read_bytes())
            counts["ok"] += 1
            counts["changed"] += read != whole
        except ValueError:
            counts["errors"] += 1
        except Hang:
            counts["hangs"] += 1
        except Exception:
            counts["crashes"] += 1
            print(f"{path.name}:\n{traceback.format_exc(limit=-3)}")
        finally:
            signal.alarm(0)
    return counts
