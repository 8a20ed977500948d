#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <jni.h>

#include <executorch/extension/c_api/executorch_c.h>

namespace executorch {
namespace extension {
namespace jni {

// What every native method does: a handle, text both ways, and an exception for what fails.

constexpr executorch_error kInternal = 0x01;
constexpr executorch_error kInvalidArgument = 0x12;

executorch_module* to_module(jlong handle);

jstring to_java(JNIEnv* env, const std::string& text);

/// Calls a method of one String; nothing while an exception is pending. False with one then.
bool tell(JNIEnv* env, jobject listener, jmethodID method, const std::string& text);

/// False with a pending exception for null. `what` names the text in it.
bool to_native(JNIEnv* env, jstring text, const char* what, std::string& made);

/// Appends the elements of a String[], which may be null for none; false with a pending exception.
bool to_native_names(JNIEnv* env, jobjectArray names, const char* what,
                     std::vector<std::string>& made);

/// Throws unless a Java exception is pending already, which then says more.
void raise(JNIEnv* env, executorch_error error, const std::string& message);

/// Whether a call of the C interface succeeded; if not, an exception is pending.
bool succeeded(JNIEnv* env, executorch_error error);

/// A class that stays what it is for as long as the process lives; looked up once by who keeps it.
/// Null with a pending exception.
jclass keep_class(JNIEnv* env, const char* name);

/// `name_of(i)` for each i below `count` as a String[]; null with a pending exception.
template <typename NameOf>
jobjectArray to_java_names(JNIEnv* env, size_t count, NameOf name_of) {
  static const jclass string = keep_class(env, "java/lang/String");
  jobjectArray names =
      string != nullptr ? env->NewObjectArray(static_cast<jsize>(count), string, nullptr) : nullptr;
  for (size_t i = 0; names != nullptr && i < count; ++i) {
    std::string name;
    if (!name_of(i, name)) {
      return nullptr;
    }
    jstring made = to_java(env, name);
    if (made == nullptr) {
      return nullptr;
    }
    env->SetObjectArrayElement(names, static_cast<jsize>(i), made);
    env->DeleteLocalRef(made);
  }
  return names;
}

}  // namespace jni
}  // namespace extension
}  // namespace executorch
