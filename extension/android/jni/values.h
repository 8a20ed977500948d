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

// Values in the three arrays that NativeModule.java describes, and as those of the C interface.

/// What the inputs of a call refer to while it runs.
struct InputMemory {
  std::vector<executorch_value> values;
  std::vector<std::unique_ptr<std::vector<int32_t>>> sizes;
  std::vector<std::unique_ptr<std::string>> strings;
};

/// Appends the values of the arrays to `memory`; false with a pending exception. Direct buffers are
/// referred to, and so their objects have to stay.
bool read_inputs(JNIEnv* env, jintArray kinds, jlongArray bits, jobjectArray objects,
                 InputMemory& memory);

/// {int[] kinds, long[] bits, Object[] objects}; null with a pending exception. The buffers are
/// views of the tensors' memory.
jobjectArray write_outputs(JNIEnv* env, const std::vector<executorch_value>& values);

}  // namespace jni
}  // namespace extension
}  // namespace executorch
