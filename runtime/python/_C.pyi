"""What bindings.cc puts into the extension module."""

import enum
import os
from collections.abc import Callable, Sequence
from typing import Any

class Verification(enum.IntEnum):
    """How thoroughly Program::load() checks a file. Both levels are safe."""

    Minimal = 0
    InternalConsistency = 1

class TensorInfo:
    """What a tensor of a method looks like."""

    def sizes(self) -> tuple[int, ...]:
        """Elements in each dimension; upper bounds where they are dynamic."""
    def dim_order(self) -> tuple[int, ...]:
        """The dimensions from the outermost in memory to the innermost."""
    def dtype(self) -> int:
        """The number of the element type; see executorch.runtime.ScalarType."""
    def dtype_name(self) -> str:
        """The element type as torch and NumPy spell it."""
    def is_memory_planned(self) -> bool:
        """Whether the tensor has a place in the method's own memory."""
    def nbytes(self) -> int:
        """Size of the data in bytes."""
    def name(self) -> str:
        """The fully qualified name; empty for a tensor without one."""

class MethodMeta:
    """What a method takes and gives. Indices out of range raise OutOfRangeError, an IndexError."""

    def name(self) -> str: ...
    def num_inputs(self) -> int: ...
    def num_outputs(self) -> int: ...
    def num_attributes(self) -> int: ...
    def num_instructions(self) -> int: ...
    def num_memory_planned_buffers(self) -> int: ...
    def memory_planned_buffer_size(self, index: int) -> int:
        """Bytes in one arena of the memory plan."""
    def input_tensor_meta(self, index: int) -> TensorInfo: ...
    def output_tensor_meta(self, index: int) -> TensorInfo: ...
    def attribute_tensor_meta(self, index: int) -> TensorInfo: ...
    def input_kind(self, index: int) -> str:
        """ "tensor", "int", "float", "bool" and so on."""
    def output_kind(self, index: int) -> str: ...
    def uses_backend(self, backend_name: str) -> bool: ...
    def backend_names(self) -> list[str]:
        """The backends that parts of the method are for."""

class Method:
    """A loaded method; see executorch.runtime.Method and portable_lib.ExecuTorchMethod."""

    def call(self, inputs: Sequence[Any], clone_outputs: bool = True) -> list[Any]: ...
    def set_inputs(self, inputs: Sequence[Any]) -> None: ...
    def execute(self) -> None: ...
    def get_outputs(self, clone_outputs: bool = True) -> list[Any]: ...
    def verify_bundled(self, testset_idx: int, rtol: float = 1e-5, atol: float = 1e-8) -> list[Any]:
        """Runs a test case of the bundle; the outputs."""
    def get_attribute(self, name: str) -> Any: ...
    def method_meta(self) -> MethodMeta: ...

class Program:
    """A program in memory; see executorch.runtime.Program."""

    def method_names(self) -> list[str]: ...
    def method_meta(self, method_name: str) -> MethodMeta: ...
    def load_method(
        self, method_name: str, backend_options: dict[str, dict[str, bool | int | str]] = ...
    ) -> Method: ...
    def name(self) -> str:
        """What the program was loaded from."""
    def is_bundled(self) -> bool:
        """Whether it came in a bundled program."""
    def has_etdump(self) -> bool:
        """Whether its methods record what they do."""
    def take_etdump(self) -> bytes:
        """The ETDump of what methods did; the next run begins another one."""
    def debug_data(self) -> bytes:
        """The values that the ETDump refers to."""

def load_program(
    program: str | os.PathLike[str] | bytes | bytearray | memoryview,
    data: list[str | os.PathLike[str] | bytes | bytearray | memoryview],
    verification: Verification,
    enable_etdump: bool = False,
    debug_buffer_size: int = 0,
) -> Program: ...
def operator_names() -> list[str]: ...
def backend_names() -> list[str]: ...
def is_backend_available(backend_name: str) -> bool: ...
def set_backend_options(backend_name: str, options: dict[str, bool | int | str]) -> None: ...
def thread_count() -> int:
    """The number of threads of kernels and backends."""

def reset_threads(num_threads: int) -> None: ...

class llm_runner:
    """A submodule: what executorch.extension.llm.runner stands on."""

    class GenerationConfig:
        """How a text is generated; see GenerationConfig and SamplingOptions in C++."""

        echo: bool
        max_new_tokens: int
        warming: bool
        seq_len: int
        temperature: float
        num_bos: int
        num_eos: int
        ignore_eos: bool
        top_p: float
        top_k: int
        min_p: float
        repetition_penalty: float
        seed: int
        pattern: str
        json_schema: str
        def __init__(
            self,
            echo: bool = True,
            max_new_tokens: int = -1,
            warming: bool = False,
            seq_len: int = -1,
            temperature: float = 0.8,
            num_bos: int = 0,
            num_eos: int = 0,
            *,
            ignore_eos: bool = False,
            top_p: float = 0.9,
            top_k: int = 0,
            min_p: float = 0.0,
            repetition_penalty: float = 1.0,
            seed: int = 0,
            pattern: str = "",
            json_schema: str = "",
        ) -> None: ...
        def resolve_max_new_tokens(self, max_context_len: int, num_tokens_occupied: int) -> int: ...

    class Stats:
        """When the stages of a run began and ended, in milliseconds of one clock."""

        SCALING_FACTOR_UNITS_PER_SECOND: int
        model_load_start_ms: int
        model_load_end_ms: int
        inference_start_ms: int
        token_encode_end_ms: int
        model_execution_start_ms: int
        model_execution_end_ms: int
        prompt_eval_end_ms: int
        first_token_ms: int
        inference_end_ms: int
        aggregate_sampling_time_ms: int
        aggregate_model_execution_time_ms: int
        num_prompt_tokens: int
        num_generated_tokens: int
        def on_sampling_begin(self) -> None: ...
        def on_sampling_end(self) -> None: ...
        def reset(self, all_stats: bool = False) -> None: ...
        def to_json_string(self) -> str: ...

    class TextLLMRunner:
        """A model of text with its tokenizer. Calls release the GIL; one at a time but for stop()."""

        def __init__(
            self,
            model_path: str,
            tokenizer_path: str,
            data_path: str | Sequence[str] | None = None,
            draft_path: str | None = None,
            num_draft_tokens: int = 4,
            method_name: str = "forward",
            prefill_method_name: str | None = None,
        ) -> None: ...
        def generate(
            self,
            prompt: str,
            config: llm_runner.GenerationConfig = ...,
            token_callback: Callable[[str], object] | None = None,
            stats_callback: Callable[[llm_runner.Stats], object] | None = None,
        ) -> None: ...
        def prefill(self, prompt: str, config: llm_runner.GenerationConfig = ...) -> None:
            """Runs a prompt without an answer; the next one goes on behind it."""
        def tokens(self) -> list[int]: ...
        def seek(self, position: int) -> None: ...
        def save_session(self, path: str) -> None: ...
        def restore_session(self, path: str) -> None: ...
        def fork_into(self, runner: llm_runner.TextLLMRunner) -> None:
            """Makes an object of the class, without `__init__`, another conversation of the same model."""
        def load(self) -> None: ...
        def is_loaded(self) -> bool: ...
        def reset(self) -> None: ...
        def stop(self) -> None: ...
        def get_vocab_size(self) -> int: ...

    class Inputs:
        """The parts of a prompt, in their order; values are bytes of uint8, or of float32 in the machine's order."""

        def __init__(self) -> None: ...
        def text(self, text: str) -> None: ...
        def tokens(self, ids: bytes) -> None: ...
        def image(self, data: bytes, is_float: bool, width: int, height: int, channels: int) -> None: ...
        def audio(self, data: bytes, is_float: bool, batch_size: int, n_bins: int, n_frames: int) -> None: ...
        def raw_audio(
            self, data: bytes, is_float: bool, batch_size: int, n_channels: int, n_samples: int
        ) -> None: ...

    class MultimodalRunner:
        """A model of text, images and audio with its tokenizer. Calls release the GIL; one at a time but for stop()."""

        def __init__(self, model_path: str, tokenizer_path: str, data_path: str | None = None) -> None: ...
        def generate_parts(
            self,
            inputs: llm_runner.Inputs,
            config: llm_runner.GenerationConfig = ...,
            token_callback: Callable[[str], object] | None = None,
            stats_callback: Callable[[llm_runner.Stats], object] | None = None,
        ) -> None: ...
        def prefill_parts(
            self, inputs: llm_runner.Inputs, config: llm_runner.GenerationConfig = ...
        ) -> None: ...
        def load(self) -> None: ...
        def is_loaded(self) -> bool: ...
        def reset(self) -> None: ...
        def stop(self) -> None: ...
        def get_vocab_size(self) -> int: ...
