#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <executorch/extension/llm/runner/cache_state.h>
#include <executorch/runtime/core/error.h>
#include <executorch/runtime/core/result.h>

namespace executorch {
namespace extension {
namespace llm {

/// Where a conversation is: the tokens that have run, those that have not, and the caches.
struct SessionState {
  std::vector<uint64_t> tokens;
  std::vector<uint64_t> pending;
  CacheState caches;
};

/// A number for the contents of some files, in this order. Not for defence against forgery.
///
/// @returns AccessFailed for a file that cannot be read.
runtime::Result<uint64_t> fingerprint_of(const std::vector<std::string>& files);

/// Writes a prompt-cache file. One that was there is replaced when the new one is whole.
///
/// @param model As fingerprint_of() gives it for the program and its data.
/// @returns AccessFailed, after saying why.
[[nodiscard]] runtime::Error write_session(const std::string& path, uint64_t model,
                                           const SessionState& state);

/// Reads one.
///
/// @returns AccessFailed for a file that cannot be read; InvalidExternalData for one that is none,
///     or is damaged; InvalidArgument for that of another model.
runtime::Result<SessionState> read_session(const std::string& path, uint64_t model);

}  // namespace llm
}  // namespace extension
}  // namespace executorch
