"""Calls as Hermes, Qwen 2.5 and Qwen 3 write them: ``<tool_call>{"name": ..., "arguments": {...}}</tool_call>``."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from executorch.extension.llm.tool_calls.detector import Detector, MalformedError, Tools
from executorch.extension.llm.tool_calls.values import leading_json

_OPEN, _CLOSE = re.compile(r"<tool_call>\s*"), re.compile(r"\s*</tool_call>")


class HermesDetector(Detector):
    """JSON between tags; ``parameters`` is another name of ``arguments``."""

    _start = _OPEN

    def _parsed(self, text: str, tools: Tools) -> Iterator[tuple[str, Mapping[str, Any]]]:
        del tools
        opened = _OPEN.search(text)
        while opened is not None:
            call, end = leading_json(text, opened.end())
            closed = _CLOSE.match(text, end)
            if closed is None:
                raise MalformedError("a call has no end")
            yield _call(call)
            opened = _OPEN.search(text, closed.end())


def _call(call: Any) -> tuple[str, Mapping[str, Any]]:
    name = call.get("name") if isinstance(call, dict) else None
    if not isinstance(name, str):
        raise MalformedError("a call has no name")
    given = [call[key] for key in ("arguments", "parameters") if call.get(key) is not None]
    arguments = given[0] if given else {}
    if not isinstance(arguments, dict):
        raise MalformedError(f"arguments of {name} are no object")
    return name, arguments
