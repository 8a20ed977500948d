#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <executorch/extension/asr/runner/runner.h>
#include <executorch/extension/module/module.h>
#include <executorch/runtime/core/result.h>

namespace executorch {
namespace extension {
namespace asr {

/// Transcribes a recording: a WAV file of one channel and 16,000 samples a second.
///
/// @param processor Makes features of samples, [samples], as executorch.extension.audio exports it.
///     Null for a model that takes samples, [1, samples].
/// @returns As AsrRunner::transcribe(); InvalidArgument, after saying why, for a file that is no
///     such recording, and InvalidProgram for a processor that gives no tensor.
runtime::Result<std::vector<int64_t>> transcribe_recording(
    AsrRunner& runner, Module* processor, const std::string& path,
    const AsrTranscribeConfig& config = {},
    const std::optional<TokenCallback>& token_callback = std::nullopt);

}  // namespace asr
}  // namespace extension
}  // namespace executorch
