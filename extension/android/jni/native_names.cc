// The natives of NativeModule that tell what there is: methods, backends, operators, log lines; and
// how many threads work.

#include <cstddef>
#include <string>
#include <vector>

#include <jni.h>

#include <executorch/extension/android/jni/calls.h>
#include <executorch/extension/android/jni/log_output.h>
#include <executorch/extension/android/jni/native_module.h>
#include <executorch/extension/c_api/executorch_c.h>
#include <executorch/extension/threadpool/threadpool.h>

using namespace executorch::extension::jni;

extern "C" {

JNIEXPORT jobjectArray JNICALL Java_org_pytorch_executorch_NativeModule_methodNames(JNIEnv* env,
                                                                                    jclass,
                                                                                    jlong module) {
  size_t count = 0;
  if (!succeeded(env, executorch_module_num_methods(to_module(module), &count))) {
    return nullptr;
  }
  return to_java_names(env, count, [&](size_t i, std::string& name) {
    const char* found = nullptr;
    if (!succeeded(env, executorch_module_method_name(to_module(module), i, &found))) {
      return false;
    }
    name = found;
    return true;
  });
}

JNIEXPORT jobjectArray JNICALL Java_org_pytorch_executorch_NativeModule_methodBackends(
    JNIEnv* env, jclass, jlong module, jstring method) {
  std::string name;
  size_t count = 0;
  if (!to_native(env, method, "The name of a method", name) ||
      !succeeded(env,
                 executorch_module_method_num_backends(to_module(module), name.c_str(), &count))) {
    return nullptr;
  }
  return to_java_names(env, count, [&](size_t i, std::string& backend) {
    const char* found = nullptr;
    if (!succeeded(env, executorch_module_method_backend_name(to_module(module), name.c_str(), i,
                                                              &found))) {
      return false;
    }
    backend = found;
    return true;
  });
}

JNIEXPORT void JNICALL Java_org_pytorch_executorch_NativeModule_setThreads(JNIEnv* env, jclass,
                                                                           jint threads) {
  executorch::extension::threadpool::ThreadPool* pool =
      executorch::extension::threadpool::get_threadpool();
  if (threads < 1 || !pool->_unsafe_reset_threadpool(static_cast<uint32_t>(threads))) {
    raise(env, kInvalidArgument,
          "There cannot be " + std::to_string(threads) + " threads; there are still " +
              std::to_string(pool->get_thread_count()));
  }
}

JNIEXPORT jobjectArray JNICALL Java_org_pytorch_executorch_NativeModule_logLines(JNIEnv* env,
                                                                                 jclass) {
  const std::vector<std::string> lines = kept_log_lines();
  return to_java_names(env, lines.size(), [&](size_t i, std::string& line) {
    line = lines[i];
    return true;
  });
}

JNIEXPORT jobjectArray JNICALL Java_org_pytorch_executorch_NativeModule_backendNames(JNIEnv* env,
                                                                                     jclass) {
  return to_java_names(env, executorch_num_backends(), [](size_t i, std::string& name) {
    name = executorch_backend_name(i);
    return true;
  });
}

JNIEXPORT jobjectArray JNICALL Java_org_pytorch_executorch_NativeModule_operatorNames(JNIEnv* env,
                                                                                      jclass) {
  return to_java_names(env, executorch_num_operators(), [](size_t i, std::string& name) {
    name = executorch_operator_name(i);
    return true;
  });
}

}  // extern "C"
