"""TOSA, Ethos-U and VGF, ahead of time. The names are imported when asked for, so that each part needs its own packages only."""

import importlib
import pkgutil
from typing import Any

# In a checkout, what is generated lies below bazel-bin.
__path__ = pkgutil.extend_path(__path__, __name__)

#: Name -> the module that has it.
LAZY_IMPORTS = {
    name: (f"{__name__}.{module}", name)
    for module, names in {
        "ethosu": ("EthosUBackend", "EthosUCompileSpec", "EthosUPartitioner"),
        "quantizer": (
            "EthosUQuantizer",
            "VgfQuantizer",
            "get_symmetric_a16w8_quantization_config",
            "get_symmetric_quantization_config",
        ),
        "vgf": ("VgfBackend", "VgfCompileSpec", "VgfPartitioner"),
    }.items()
    for name in names
}


def __getattr__(name: str) -> Any:
    if name not in LAZY_IMPORTS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module, attribute = LAZY_IMPORTS[name]
    return getattr(importlib.import_module(module), attribute)


def __dir__() -> list[str]:
    return sorted([*globals(), *LAZY_IMPORTS])
