"""The user's source lines behind an instruction."""

from __future__ import annotations

import re

from torch.fx import Node

from executorch.dialects import meta_keys
from executorch.schema.program import Frame, FrameList

_FRAME = re.compile(r'^\s*File "(?P<file>[^"]+)", line (?P<line>\d+), in (?P<name>.+?)\s*$')


def frames(node: Node) -> FrameList:
    """The frames that torch recorded for a node, outermost first; empty when there are none."""
    lines = (node.meta.get(meta_keys.STACK_TRACE) or "").splitlines()
    found = []
    for index, line in enumerate(lines):
        match = _FRAME.match(line)
        if match:
            following = lines[index + 1].strip() if index + 1 < len(lines) else ""
            context = "" if _FRAME.match(following) else following
            found.append(Frame(match["file"], int(match["line"]), match["name"], context))
    return FrameList(found)
