"""Memory that is given back to the system before what it belongs to ends: a mapped file, the allocator; and that two models have in common."""

from __future__ import annotations

import contextlib
import copy
import ctypes
import mmap
import sys
from collections.abc import Iterator
from typing import TypeVar

import torch

#: ``MADV_PAGEOUT`` of Linux: pages of files that nobody has changed are dropped, and read again if somebody wants them.
_PAGE_OUT = 21

#: ``M_MMAP_THRESHOLD`` of ``mallopt``, what is large here, and what the C library comes to by itself.
_MMAP_THRESHOLD, _LARGE, _LARGEST_BETWEEN_OTHERS = -3, 1 << 20, 32 << 20


def let_go(weight: torch.Tensor) -> None:
    """Tells the system that nobody will read a dense tensor of a mapped file soon; its values stay what they are.

    Elsewhere than on Linux, and on one that knows no such advice, nothing happens.
    """
    if sys.platform != "linux" or weight.device.type != "cpu" or not weight.is_contiguous():
        return
    begin = -(-weight.data_ptr() // mmap.PAGESIZE) * mmap.PAGESIZE
    end = (weight.data_ptr() + weight.nbytes) // mmap.PAGESIZE * mmap.PAGESIZE
    if begin < end:
        ctypes.CDLL(None).madvise(ctypes.c_void_p(begin), ctypes.c_size_t(end - begin), _PAGE_OUT)


ModuleT = TypeVar("ModuleT", bound=torch.nn.Module)


def with_same_tensors(model: ModuleT) -> ModuleT:
    """A model of its own modules, which can be exchanged, with the parameters and buffers of another one."""
    tensors = [*model.parameters(), *model.buffers()]
    return copy.deepcopy(model, {id(one): one for one in tensors})


@contextlib.contextmanager
def large_blocks_apart() -> Iterator[None]:
    """Inside, the allocator maps each block of more than a mebibyte by itself, so that it is given back when it is gone.

    The C library of Linux otherwise puts blocks of up to 32 MiB between each other once it has seen such: tensors that are made step by
    step leave holes that nothing later fits. Afterwards it does so again. Where there is no ``mallopt``, nothing happens.
    """
    set_option = getattr(ctypes.CDLL(None), "mallopt", None) if sys.platform == "linux" else None
    if set_option is None:
        yield
        return
    set_option(_MMAP_THRESHOLD, _LARGE)
    try:
        yield
    finally:
        set_option(_MMAP_THRESHOLD, _LARGEST_BETWEEN_OTHERS)
