#pragma once

namespace executorch {
namespace extension {
namespace jni {

/// Sends what the runtime logs to Android's log, with the tag "ExecuTorch". False, without a
/// change, where there is no such log.
bool send_logs_to_android();

}  // namespace jni
}  // namespace extension
}  // namespace executorch
