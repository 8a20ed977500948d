"""Calls whose name and arguments stand in tags of their own, as Qwen 3 Coder, Qwen 3.5 and models of ATEM write them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from executorch.extension.llm.tool_calls.detector import Detector, MalformedError, Tools
from executorch.extension.llm.tool_calls.values import schema_of, typed


class TaggedDetector(Detector):
    """Calls one after the other, arguments one after the other in them. A value ends where what follows can only be tags, so that it may
    have tags in it."""

    #: The beginning of a call, with its name; an argument, with its name and value; the end of a call; of all that begins with `_start`.
    _call: re.Pattern[str]
    _argument: re.Pattern[str]
    _end: re.Pattern[str]
    _last: re.Pattern[str]

    def _value(self, raw: str) -> str:
        """What is between the tags of a value, without what belongs to the form."""
        return raw

    def _parsed(self, text: str, tools: Tools) -> Iterator[tuple[str, Mapping[str, Any]]]:
        at = 0
        while True:
            call = self._call.match(text, at)
            if call is None:
                raise MalformedError("tags are not followed by a call")
            name, at = call[1], call.end()
            arguments: dict[str, Any] = {}
            while (argument := self._argument.match(text, at)) is not None:
                schema = schema_of(tools.get(name), argument[1])
                arguments[argument[1]] = typed(self._value(argument[2]), schema)
                at = argument.end()
            end = self._end.match(text, at)
            if end is None:
                raise MalformedError(f"the call of {name} has no end")
            yield name, arguments
            at = end.end()
            last = self._last.match(text, at)
            if last is None:
                continue
            start = self._start.search(text, last.end())
            if start is None:
                return
            at = start.start()


class QwenFunctionCallDetector(TaggedDetector):
    """``<function=NAME><parameter=KEY>VALUE</parameter></function>``, each on lines of its own and in ``<tool_call>`` as a rule."""

    _start = re.compile(r"<tool_call>|<function=")
    _call = re.compile(r"(?:<tool_call>\s*)?<function=([^>\s]+)>\s*")
    _argument = re.compile(
        r"<parameter=([^>\s]+)>(.*?)</parameter>\s*(?=<parameter=[^>\s]+>|</function>)", re.DOTALL
    )
    _end = re.compile(r"</function>")
    _last = re.compile(r"\s*(?:</tool_call>)?")

    def _value(self, raw: str) -> str:
        return raw.removeprefix("\n").removesuffix("\n")


class AtemToolCallDetector(TaggedDetector):
    """``<atem:function_calls>`` around ``<atem:invoke name="NAME"><atem:parameter name="KEY">VALUE</atem:parameter></atem:invoke>``, in
    messages of the harmony form or without their headers."""

    _start = re.compile(r"<atem:function_calls>|<atem:invoke\b")
    _call = re.compile(r'(?:<atem:function_calls>\s*)?<atem:invoke name="([^"]+)">\s*')
    _argument = re.compile(
        r'<atem:parameter name="([^"]+)">(.*?)</atem:parameter>\s*(?=<atem:parameter name="|</atem:invoke>)',
        re.DOTALL,
    )
    _end = re.compile(r"</atem:invoke>\s*")
    _last = re.compile(r"</atem:function_calls>")

    _frames = re.compile(r"(?:<\|start\|>\w+)?(?:\s*\b\w+=\S+)*<\|message\|>|<\|(?:eom|eot)\|>")

    def _before(self, text: str) -> str:
        return self._frames.sub("", text).rstrip()
