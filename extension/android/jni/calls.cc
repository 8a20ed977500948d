#include <utility>

#include <executorch/extension/android/jni/calls.h>
#include <executorch/extension/android/jni/log_output.h>
#include <executorch/extension/android/jni/text.h>

namespace executorch {
namespace extension {
namespace jni {
namespace {

constexpr char kException[] = "org/pytorch/executorch/ExecutorchRuntimeException";
constexpr char kArgumentException[] = "org/pytorch/executorch/ExecutorchInvalidArgumentException";

}  // namespace

executorch_module* to_module(jlong handle) {
  return reinterpret_cast<executorch_module*>(static_cast<intptr_t>(handle));
}

jstring to_java(JNIEnv* env, const std::string& text) {
  const std::u16string wide = to_utf16(text);
  return env->NewString(reinterpret_cast<const jchar*>(wide.data()),
                        static_cast<jsize>(wide.size()));
}

bool tell(JNIEnv* env, jobject listener, jmethodID method, const std::string& text) {
  jstring argument = env->ExceptionCheck() ? nullptr : to_java(env, text);
  if (argument != nullptr) {
    env->CallVoidMethod(listener, method, argument);
    // Who tells more pieces than a native call may have references lets go of each.
    env->DeleteLocalRef(argument);
  }
  return !env->ExceptionCheck();
}

bool to_native(JNIEnv* env, jstring text, const char* what, std::string& made) {
  if (text == nullptr) {
    raise(env, kInvalidArgument, std::string(what) + " is null");
    return false;
  }
  std::u16string wide(static_cast<size_t>(env->GetStringLength(text)), u'\0');
  env->GetStringRegion(text, 0, static_cast<jsize>(wide.size()),
                       reinterpret_cast<jchar*>(wide.data()));
  made = to_utf8(wide);
  return !env->ExceptionCheck();
}

bool to_native_names(JNIEnv* env, jobjectArray names, const char* what,
                     std::vector<std::string>& made) {
  const jsize count = names != nullptr ? env->GetArrayLength(names) : 0;
  for (jsize i = 0; i < count; ++i) {
    auto name = static_cast<jstring>(env->GetObjectArrayElement(names, i));
    std::string text;
    const bool is_text = to_native(env, name, what, text);
    env->DeleteLocalRef(name);
    if (!is_text) {
      return false;
    }
    made.push_back(std::move(text));
  }
  return true;
}

void raise(JNIEnv* env, executorch_error error, const std::string& message) {
  if (env->ExceptionCheck()) {
    return;
  }
  keep_log_line("E " + message);
  jclass type = env->FindClass(error == kInvalidArgument ? kArgumentException : kException);
  jmethodID make =
      type != nullptr ? env->GetMethodID(type, "<init>", "(ILjava/lang/String;)V") : nullptr;
  jstring text = make != nullptr ? to_java(env, message) : nullptr;
  if (text != nullptr) {
    jobject exception = env->NewObject(type, make, static_cast<jint>(error), text);
    if (exception != nullptr) {
      env->Throw(static_cast<jthrowable>(exception));
    }
  }
}

bool succeeded(JNIEnv* env, executorch_error error) {
  if (error != 0) {
    raise(env, error, executorch_last_message());
  }
  return error == 0;
}

jclass keep_class(JNIEnv* env, const char* name) {
  jclass found = env->FindClass(name);
  jobject kept = found != nullptr ? env->NewGlobalRef(found) : nullptr;
  env->DeleteLocalRef(found);
  return static_cast<jclass>(kept);
}

}  // namespace jni
}  // namespace extension
}  // namespace executorch
