#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace executorch {
namespace extension {
namespace jni {

/// Sends what the runtime logs to Android's log, with the tag "ExecuTorch", or to the standard
/// error where there is none; and keeps the last kKeptLogLines lines. False if the runtime's log
/// has another output already.
bool send_logs_to_android();

constexpr size_t kKeptLogLines = 200;

/// Keeps a line that did not go through the runtime's log, such as the reason of an exception.
void keep_log_line(std::string line);

/// The last lines, oldest first. May be called from any thread.
std::vector<std::string> kept_log_lines();

}  // namespace jni
}  // namespace extension
}  // namespace executorch
