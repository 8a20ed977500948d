#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <jni.h>

#include <executorch/extension/c_api/executorch_c.h>

namespace executorch {
namespace extension {
namespace jni {

// Values in the array that NativeValues.java describes, and as those of the C interface. Each call
// into the virtual machine costs tens of nanoseconds, so numbers cross in one array, shapes with
// them.

/// What the inputs of a call refer to while it runs.
struct InputMemory {
  std::vector<executorch_value> values;
  std::vector<int32_t> sizes;
  std::vector<std::unique_ptr<std::string>> strings;
};

/// Fills an empty `memory` with the values of the array; false with a pending exception. Direct
/// buffers are referred to, and so their objects have to stay.
bool read_inputs(JNIEnv* env, jobjectArray values, InputMemory& memory);

/// The array of some values; null with a pending exception. The buffers are views of the tensors'
/// memory.
jobjectArray write_outputs(JNIEnv* env, const std::vector<executorch_value>& values);

}  // namespace jni
}  // namespace extension
}  // namespace executorch
