"""Tokenizers of language models: those that the C++ runners use."""

from pkgutil import extend_path

# The extension module lies beside this file in a wheel, and below bazel-bin in a checkout.
__path__ = extend_path(__path__, __name__)

from pytorch_tokenizers import constants
from pytorch_tokenizers.choice import get_tokenizer
from pytorch_tokenizers.hf_tokenizer import HuggingFaceTokenizer
from pytorch_tokenizers.llama2c import Llama2cTokenizer
from pytorch_tokenizers.pytorch_tokenizers_cpp import (
    Error,
    TokenIndex,
    Tokenizer,
)
from pytorch_tokenizers.pytorch_tokenizers_cpp import (
    HFTokenizer as CppHFTokenizer,
)
from pytorch_tokenizers.pytorch_tokenizers_cpp import (
    Llama2cTokenizer as CppLlama2cTokenizer,
)
from pytorch_tokenizers.pytorch_tokenizers_cpp import (
    SPTokenizer as CppSPTokenizer,
)
from pytorch_tokenizers.pytorch_tokenizers_cpp import (
    Tekken as CppTekken,
)
from pytorch_tokenizers.pytorch_tokenizers_cpp import (
    Tiktoken as CppTiktoken,
)
from pytorch_tokenizers.tekken import TekkenTokenizer
from pytorch_tokenizers.tiktoken import TiktokenTokenizer

#: The release of pytorch-tokenizers whose interface this is; the wheel has a version of its own.
__version__ = "1.5.0"

__all__ = [
    "CppHFTokenizer",
    "CppLlama2cTokenizer",
    "CppSPTokenizer",
    "CppTekken",
    "CppTiktoken",
    "Error",
    "HuggingFaceTokenizer",
    "Llama2cTokenizer",
    "TekkenTokenizer",
    "TiktokenTokenizer",
    "TokenIndex",
    "Tokenizer",
    "constants",
    "get_tokenizer",
]
