"""What a detector of calls finds, and what all of them do alike."""

from __future__ import annotations

import abc
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

#: Name of a tool to the JSON schema of its arguments.
Tools = Mapping[str, Mapping[str, Any]]


class MalformedError(ValueError):
    """Text that begins as a call does is none."""


@dataclass(frozen=True)
class ToolCall:
    """A call: the tool, its arguments as a JSON object, and which call of the text it is, from 0."""

    name: str
    arguments: str
    tool_index: int


@dataclass(frozen=True)
class Detected:
    """What stands before the first call, or all if there is none, and the calls."""

    normal_text: str
    calls: list[ToolCall] = field(default_factory=list)


class Detector(abc.ABC):
    """Finds calls of one form. All of a text's calls count, or none."""

    #: Where the first call begins.
    _start: re.Pattern[str]

    @abc.abstractmethod
    def _parsed(self, text: str, tools: Tools) -> Iterator[tuple[str, Mapping[str, Any]]]:
        """Names and arguments of the calls in a text that begins with one; raises :class:`MalformedError`."""

    def _before(self, text: str) -> str:
        """What is said in the text before the first call."""
        return text.rstrip()

    def detect_and_parse(self, text: str, tools: Tools) -> Detected:
        """The calls of a whole answer.

        Args:
            text: what the model said.
            tools: what it may call. A call of anything else makes the whole text an answer in words.

        Returns:
            Calls. Without any the text as it is; of a call that is cut off or damaged, only what stands before it.
        """
        start = self._start.search(text)
        if start is None:
            return Detected(text)
        before = self._before(text[: start.start()])
        try:
            found = [
                (name, json.dumps(arguments, ensure_ascii=False, allow_nan=False))
                for name, arguments in self._parsed(text[start.start() :], tools)
            ]
        except (ValueError, RecursionError):
            return Detected(before)
        if any(name not in tools for name, _ in found):
            return Detected(text)
        return Detected(before, [ToolCall(*call, index) for index, call in enumerate(found)])
