"""Calls as Gemma writes them: ``<|tool_call>call:NAME{key:<|"|>text<|"|>,other:1}<tool_call|>``."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from executorch.extension.llm.tool_calls.detector import Detector, MalformedError, Tools
from executorch.extension.llm.tool_calls.values import schema_of, typed

_QUOTE = '<|"|>'
_OPEN, _CLOSE = re.compile(r"<\|tool_call>"), "<tool_call|>"
_CALL = re.compile(r"<\|tool_call>\s*call:([^{\s]+)\s*(?={)")
_BARE = re.compile(r"[^,:\[\]{}<]+")
#: More containers in each other than any tool has.
_DEEPEST = 64


class GemmaToolCallDetector(Detector):
    """Objects, arrays and bare words in JSON's place, texts between quotes that are tokens."""

    _start = _OPEN

    def _parsed(self, text: str, tools: Tools) -> Iterator[tuple[str, Mapping[str, Any]]]:
        opened = _OPEN.search(text)
        while opened is not None:
            call = _CALL.match(text, opened.start())
            if call is None:
                raise MalformedError("a call has no name")
            values = _Values(text, call.end())
            yield call[1], values.object(tools.get(call[1]) or {}, 0)
            values.take(_CLOSE)
            opened = _OPEN.search(text, values.at)


class _Values:
    """Values from a place on, which is behind the last one."""

    def __init__(self, text: str, at: int) -> None:
        self.text, self.at = text, at

    def take(self, mark: str) -> None:
        if not self._took(mark):
            raise MalformedError(f"{mark} is missing")

    def object(self, schema: Mapping[str, Any], depth: int) -> dict[str, Any]:
        """``{key:value,...}``."""
        found: dict[str, Any] = {}
        self._deeper(depth)
        self.take("{")
        while not self._took("}"):
            if found:
                self.take(",")
            key = self._quoted() if self._is_at(_QUOTE) else self._bare()
            self.take(":")
            found[key] = self._value(schema_of(schema, key), depth + 1)
        return found

    def _array(self, schema: Mapping[str, Any], depth: int) -> list[Any]:
        found: list[Any] = []
        self._deeper(depth)
        self.take("[")
        items = schema.get("items")
        while not self._took("]"):
            if found:
                self.take(",")
            found.append(self._value(items if isinstance(items, Mapping) else {}, depth + 1))
        return found

    def _value(self, schema: Mapping[str, Any], depth: int) -> Any:
        if self._is_at(_QUOTE):
            return self._quoted()
        if self._is_at("{"):
            return self.object(schema, depth)
        return self._array(schema, depth) if self._is_at("[") else typed(self._bare(), schema)

    def _quoted(self) -> str:
        self.take(_QUOTE)
        end = self.text.find(_QUOTE, self.at)
        if end < 0:
            raise MalformedError("a text has no end")
        found, self.at = self.text[self.at : end], end + len(_QUOTE)
        return found

    def _bare(self) -> str:
        word = _BARE.match(self.text, self.at)
        if word is None:
            raise MalformedError("a value is missing")
        self.at = word.end()
        return word[0].strip()

    def _took(self, mark: str) -> bool:
        if not self._is_at(mark):
            return False
        self.at += len(mark)
        return True

    def _is_at(self, mark: str) -> bool:
        while self.at < len(self.text) and self.text[self.at].isspace():
            self.at += 1
        return self.text.startswith(mark, self.at)

    @staticmethod
    def _deeper(depth: int) -> None:
        if depth > _DEEPEST:
            raise MalformedError(f"values are in each other more than {_DEEPEST} deep")
