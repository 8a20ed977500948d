"""Memory that is given back to the system before what it belongs to ends: a mapped file, the allocator."""

from __future__ import annotations

import ctypes
import mmap
import sys

import torch

#: ``MADV_PAGEOUT`` of Linux: pages of files that nobody has changed are dropped, and read again if somebody wants them.
_PAGE_OUT = 21


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


def trim() -> None:
    """Gives back what the allocator keeps of tensors that are gone; does nothing where the C library has no ``malloc_trim``.

    Tensors of a few mebibytes lie between each other in its heap: what is made step by step leaves holes that nothing later fits.
    """
    trims = getattr(ctypes.CDLL(None), "malloc_trim", None) if sys.platform == "linux" else None
    if trims is not None:
        trims(ctypes.c_size_t(0))
