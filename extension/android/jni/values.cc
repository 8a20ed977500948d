#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include <executorch/extension/android/jni/calls.h>
#include <executorch/extension/android/jni/values.h>

namespace executorch {
namespace extension {
namespace jni {
namespace {

/// Bytes of a direct buffer, whose capacity counts elements unless it is one of bytes; negative for
/// what is no direct buffer.
jlong bytes_of(JNIEnv* env, jobject buffer, jlong dtype) {
  static const jclass byte_buffer = keep_class(env, "java/nio/ByteBuffer");
  const jlong capacity = buffer != nullptr ? env->GetDirectBufferCapacity(buffer) : -1;
  if (capacity <= 0 || byte_buffer == nullptr || env->IsInstanceOf(buffer, byte_buffer)) {
    return capacity;
  }
  return capacity * static_cast<jlong>(executorch_dtype_size(static_cast<int32_t>(dtype)));
}

/// Goes through the numbers of an array of values.
class Numbers {
 public:
  /// False with a pending exception.
  bool read(JNIEnv* env, jobjectArray values) {
    auto array = static_cast<jlongArray>(env->GetObjectArrayElement(values, 0));
    if (array != nullptr) {
      numbers_.resize(static_cast<size_t>(env->GetArrayLength(array)));
      env->GetLongArrayRegion(array, 0, static_cast<jsize>(numbers_.size()), numbers_.data());
      env->DeleteLocalRef(array);
    }
    return !env->ExceptionCheck();
  }
  size_t left() const { return numbers_.size() - next_; }
  /// Only if there is one left.
  jlong take() { return numbers_[next_++]; }

 private:
  std::vector<jlong> numbers_;
  size_t next_ = 0;
};

bool refuse(JNIEnv* env, const std::string& message) {
  raise(env, kInvalidArgument, message);
  return false;
}

bool refuse_numbers(JNIEnv* env) {
  return refuse(env, "The inputs have numbers and objects that do not belong together");
}

bool read_tensor(JNIEnv* env, jobject buffer, jlong dtype, size_t index, Numbers& numbers,
                 InputMemory& memory) {
  if (numbers.left() == 0) {
    return refuse_numbers(env);
  }
  const jlong rank = numbers.take();
  if (rank < 0 || static_cast<uint64_t>(rank) > numbers.left()) {
    return refuse_numbers(env);
  }
  executorch_tensor& tensor = memory.values.back().as.tensor;
  // There is room for all numbers, so that what is there already does not move.
  tensor.sizes = memory.sizes.data() + memory.sizes.size();
  tensor.rank = static_cast<size_t>(rank);
  for (jlong i = 0; i < rank; ++i) {
    const jlong size = numbers.take();
    if (size < 0 || size > INT32_MAX) {
      return refuse(env, "Input " + std::to_string(index) + " has a dimension of size " +
                             std::to_string(size));
    }
    memory.sizes.push_back(static_cast<int32_t>(size));
  }
  const jlong bytes = bytes_of(env, buffer, dtype);
  if (bytes < 0) {
    return refuse(env, "Input " + std::to_string(index) + " needs a direct buffer");
  }
  tensor.data = env->GetDirectBufferAddress(buffer);
  tensor.nbytes = static_cast<size_t>(bytes);
  // A number that is not of 32 bits is no dtype either.
  tensor.dtype = dtype >= 0 && dtype <= INT32_MAX ? static_cast<int32_t>(dtype) : -1;
  return true;
}

bool read_value(JNIEnv* env, jobjectArray values, size_t index, Numbers& numbers,
                InputMemory& memory) {
  if (numbers.left() < 2) {
    return refuse_numbers(env);
  }
  const jlong kind = numbers.take();
  const jlong bits = numbers.take();
  executorch_value& value = memory.values.emplace_back();
  value.kind = kind >= 0 && kind <= INT32_MAX ? static_cast<int32_t>(kind) : -1;
  if (value.kind == EXECUTORCH_KIND_INT) {
    value.as.int_value = bits;
  } else if (value.kind == EXECUTORCH_KIND_DOUBLE) {
    std::memcpy(&value.as.double_value, &bits, sizeof(bits));
  } else if (value.kind == EXECUTORCH_KIND_BOOL) {
    value.as.bool_value = bits != 0;
  } else if (value.kind == EXECUTORCH_KIND_STRING || value.kind == EXECUTORCH_KIND_TENSOR) {
    jobject object = env->GetObjectArrayElement(values, static_cast<jsize>(1 + index));
    bool is_read = false;
    if (value.kind == EXECUTORCH_KIND_TENSOR) {
      is_read = read_tensor(env, object, bits, index, numbers, memory);
    } else {
      auto text = std::make_unique<std::string>();
      is_read = to_native(env, static_cast<jstring>(object), "A string input", *text);
      value.as.string_value = {text->data(), text->size()};
      memory.strings.push_back(std::move(text));
    }
    env->DeleteLocalRef(object);
    return is_read;
  }
  return true;  // None, or a number that the C interface refuses.
}

/// The ByteBuffer of a tensor; its dtype and shape are appended to `numbers`. Null with a pending
/// exception.
jobject write_tensor(JNIEnv* env, const executorch_tensor& tensor, size_t index,
                     std::vector<jlong>& numbers) {
  for (size_t i = 0; tensor.dim_order != nullptr && i < tensor.rank; ++i) {
    if (tensor.dim_order[i] != i) {
      raise(env, kInvalidArgument,
            "Output " + std::to_string(index) + " is not contiguous, which Java's tensors are");
      return nullptr;
    }
  }
  numbers.push_back(tensor.dtype);
  numbers.push_back(static_cast<jlong>(tensor.rank));
  numbers.insert(numbers.end(), tensor.sizes, tensor.sizes + tensor.rank);
  static char empty = 0;
  jobject buffer = env->NewDirectByteBuffer(tensor.data != nullptr ? tensor.data : &empty,
                                            static_cast<jlong>(tensor.nbytes));
  if (buffer == nullptr) {
    raise(env, kInternal, "No memory for output " + std::to_string(index));
  }
  return buffer;
}

/// A value's number that has no object, the bits of `NativeValues`.
jlong bits_of(const executorch_value& value) {
  jlong bits = 0;
  if (value.kind == EXECUTORCH_KIND_INT) {
    bits = value.as.int_value;
  } else if (value.kind == EXECUTORCH_KIND_DOUBLE) {
    std::memcpy(&bits, &value.as.double_value, sizeof(bits));
  } else if (value.kind == EXECUTORCH_KIND_BOOL) {
    bits = value.as.bool_value ? 1 : 0;
  }
  return bits;
}

/// False with a pending exception.
bool write_value(JNIEnv* env, const executorch_value& value, size_t index,
                 std::vector<jlong>& numbers, jobjectArray values) {
  numbers.push_back(value.kind);
  jobject object = nullptr;
  if (value.kind == EXECUTORCH_KIND_TENSOR) {
    object = write_tensor(env, value.as.tensor, index, numbers);
  } else {
    numbers.push_back(bits_of(value));
    if (value.kind != EXECUTORCH_KIND_STRING) {
      return true;
    }
    object = to_java(env, std::string(value.as.string_value.data, value.as.string_value.size));
  }
  if (object == nullptr) {
    return false;
  }
  env->SetObjectArrayElement(values, static_cast<jsize>(1 + index), object);
  env->DeleteLocalRef(object);
  return true;
}

}  // namespace

bool read_inputs(JNIEnv* env, jobjectArray values, InputMemory& memory) {
  const jsize length = values != nullptr ? env->GetArrayLength(values) : 0;
  if (length == 0) {
    return refuse(env, "The array of the inputs is null or empty");
  }
  Numbers numbers;
  if (!numbers.read(env, values)) {
    return false;
  }
  const auto count = static_cast<size_t>(length - 1);
  memory.values.reserve(count);
  memory.sizes.reserve(numbers.left());
  for (size_t i = 0; i < count; ++i) {
    if (!read_value(env, values, i, numbers, memory)) {
      return false;
    }
  }
  return numbers.left() == 0 || refuse_numbers(env);
}

jobjectArray write_outputs(JNIEnv* env, const std::vector<executorch_value>& values) {
  static const jclass object = keep_class(env, "java/lang/Object");
  jobjectArray made = object != nullptr ? env->NewObjectArray(static_cast<jsize>(1 + values.size()),
                                                              object, nullptr)
                                        : nullptr;
  if (made == nullptr) {
    return nullptr;  // Java throws OutOfMemoryError.
  }
  std::vector<jlong> numbers;
  numbers.reserve(8 * values.size());
  for (size_t i = 0; i < values.size(); ++i) {
    if (!write_value(env, values[i], i, numbers, made)) {
      return nullptr;
    }
  }
  jlongArray array = env->NewLongArray(static_cast<jsize>(numbers.size()));
  if (array == nullptr) {
    return nullptr;
  }
  env->SetLongArrayRegion(array, 0, static_cast<jsize>(numbers.size()), numbers.data());
  env->SetObjectArrayElement(made, 0, array);
  env->DeleteLocalRef(array);
  return made;
}

}  // namespace jni
}  // namespace extension
}  // namespace executorch
