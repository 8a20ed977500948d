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

bool read_tensor(JNIEnv* env, jobject buffer, jlongArray shape, jlong dtype, size_t index,
                 InputMemory& memory) {
  void* data = buffer != nullptr ? env->GetDirectBufferAddress(buffer) : nullptr;
  const jlong bytes = bytes_of(env, buffer, dtype);
  if (shape == nullptr || bytes < 0) {
    raise(env, kInvalidArgument,
          "Input " + std::to_string(index) + " needs a direct buffer and a shape");
    return false;
  }
  std::vector<jlong> wide(static_cast<size_t>(env->GetArrayLength(shape)));
  env->GetLongArrayRegion(shape, 0, static_cast<jsize>(wide.size()), wide.data());
  auto sizes = std::make_unique<std::vector<int32_t>>();
  for (const jlong size : wide) {
    if (size < 0 || size > INT32_MAX) {
      raise(env, kInvalidArgument,
            "Input " + std::to_string(index) + " has a dimension of size " + std::to_string(size));
      return false;
    }
    sizes->push_back(static_cast<int32_t>(size));
  }
  executorch_value& value = memory.values.back();
  value.as.tensor.data = data;
  value.as.tensor.sizes = sizes->data();
  value.as.tensor.rank = sizes->size();
  value.as.tensor.nbytes = static_cast<size_t>(bytes);
  // A number that is not of 32 bits is no dtype either.
  value.as.tensor.dtype = dtype >= 0 && dtype <= INT32_MAX ? static_cast<int32_t>(dtype) : -1;
  memory.sizes.push_back(std::move(sizes));
  return !env->ExceptionCheck();
}

bool read_value(JNIEnv* env, jint kind, jlong bits, jobjectArray objects, size_t index,
                InputMemory& memory) {
  executorch_value& value = memory.values.emplace_back();
  value.kind = kind;
  const auto object = [&](size_t which) {
    return env->GetObjectArrayElement(objects, static_cast<jsize>(2 * index + which));
  };
  switch (kind) {
    case EXECUTORCH_KIND_INT:
      value.as.int_value = bits;
      return true;
    case EXECUTORCH_KIND_DOUBLE:
      std::memcpy(&value.as.double_value, &bits, sizeof(bits));
      return true;
    case EXECUTORCH_KIND_BOOL:
      value.as.bool_value = bits != 0;
      return true;
    case EXECUTORCH_KIND_STRING: {
      auto text = std::make_unique<std::string>();
      if (!to_native(env, static_cast<jstring>(object(0)), "A string input", *text)) {
        return false;
      }
      value.as.string_value = {text->data(), text->size()};
      memory.strings.push_back(std::move(text));
      return true;
    }
    case EXECUTORCH_KIND_TENSOR: {
      jobject buffer = object(0);
      jobject shape = object(1);
      const bool read =
          read_tensor(env, buffer, static_cast<jlongArray>(shape), bits, index, memory);
      env->DeleteLocalRef(buffer);
      env->DeleteLocalRef(shape);
      return read;
    }
    default:
      return true;  // None, or a number that the C interface refuses.
  }
}

/// The ByteBuffer and the shape of a tensor, into two elements of `objects`.
bool write_tensor(JNIEnv* env, const executorch_tensor& tensor, size_t index,
                  jobjectArray objects) {
  for (size_t i = 0; tensor.dim_order != nullptr && i < tensor.rank; ++i) {
    if (tensor.dim_order[i] != i) {
      raise(env, kInvalidArgument,
            "Output " + std::to_string(index) + " is not contiguous, which Java's tensors are");
      return false;
    }
  }
  static char empty = 0;
  jobject buffer = env->NewDirectByteBuffer(tensor.data != nullptr ? tensor.data : &empty,
                                            static_cast<jlong>(tensor.nbytes));
  jlongArray shape = env->NewLongArray(static_cast<jsize>(tensor.rank));
  if (buffer == nullptr || shape == nullptr) {
    raise(env, kInternal, "No memory for output " + std::to_string(index));
    return false;
  }
  const std::vector<jlong> sizes(tensor.sizes, tensor.sizes + tensor.rank);
  env->SetLongArrayRegion(shape, 0, static_cast<jsize>(tensor.rank), sizes.data());
  env->SetObjectArrayElement(objects, static_cast<jsize>(2 * index), buffer);
  env->SetObjectArrayElement(objects, static_cast<jsize>(2 * index + 1), shape);
  env->DeleteLocalRef(buffer);
  env->DeleteLocalRef(shape);
  return !env->ExceptionCheck();
}

bool write_value(JNIEnv* env, const executorch_value& value, size_t index, jlong& bits,
                 jobjectArray objects) {
  switch (value.kind) {
    case EXECUTORCH_KIND_INT:
      bits = value.as.int_value;
      return true;
    case EXECUTORCH_KIND_DOUBLE:
      std::memcpy(&bits, &value.as.double_value, sizeof(bits));
      return true;
    case EXECUTORCH_KIND_BOOL:
      bits = value.as.bool_value ? 1 : 0;
      return true;
    case EXECUTORCH_KIND_STRING: {
      const executorch_string& text = value.as.string_value;
      jstring made = to_java(env, std::string(text.data, text.size));
      env->SetObjectArrayElement(objects, static_cast<jsize>(2 * index), made);
      env->DeleteLocalRef(made);
      return !env->ExceptionCheck();
    }
    case EXECUTORCH_KIND_TENSOR:
      bits = value.as.tensor.dtype;
      return write_tensor(env, value.as.tensor, index, objects);
    default:
      return true;
  }
}

}  // namespace

bool read_inputs(JNIEnv* env, jintArray kinds, jlongArray bits, jobjectArray objects,
                 InputMemory& memory) {
  if (kinds == nullptr || bits == nullptr || objects == nullptr) {
    raise(env, kInvalidArgument, "The kinds, bits or objects of the inputs are null");
    return false;
  }
  const auto count = static_cast<size_t>(env->GetArrayLength(kinds));
  if (static_cast<size_t>(env->GetArrayLength(bits)) != count ||
      static_cast<size_t>(env->GetArrayLength(objects)) != 2 * count) {
    raise(env, kInvalidArgument, "The inputs' arrays have lengths that do not belong together");
    return false;
  }
  std::vector<jint> all_kinds(count);
  std::vector<jlong> all_bits(count);
  env->GetIntArrayRegion(kinds, 0, static_cast<jsize>(count), all_kinds.data());
  env->GetLongArrayRegion(bits, 0, static_cast<jsize>(count), all_bits.data());
  for (size_t i = 0; i < count; ++i) {
    if (!read_value(env, all_kinds[i], all_bits[i], objects, i, memory)) {
      return false;
    }
  }
  return !env->ExceptionCheck();
}

jobjectArray write_outputs(JNIEnv* env, const std::vector<executorch_value>& values) {
  const auto count = static_cast<jsize>(values.size());
  static const jclass object = keep_class(env, "java/lang/Object");
  if (object == nullptr) {
    return nullptr;
  }
  jintArray kinds = env->NewIntArray(count);
  jlongArray bits = env->NewLongArray(count);
  jobjectArray objects = env->NewObjectArray(2 * count, object, nullptr);
  jobjectArray made = env->NewObjectArray(3, object, nullptr);
  if (kinds == nullptr || bits == nullptr || objects == nullptr || made == nullptr) {
    return nullptr;  // Java throws OutOfMemoryError.
  }
  std::vector<jint> all_kinds;
  std::vector<jlong> all_bits(values.size());
  for (size_t i = 0; i < values.size(); ++i) {
    all_kinds.push_back(values[i].kind);
    if (!write_value(env, values[i], i, all_bits[i], objects)) {
      return nullptr;
    }
  }
  env->SetIntArrayRegion(kinds, 0, count, all_kinds.data());
  env->SetLongArrayRegion(bits, 0, count, all_bits.data());
  env->SetObjectArrayElement(made, 0, kinds);
  env->SetObjectArrayElement(made, 1, bits);
  env->SetObjectArrayElement(made, 2, objects);
  return made;
}

}  // namespace jni
}  // namespace extension
}  // namespace executorch
