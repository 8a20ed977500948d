// The native methods of org.pytorch.executorch.NativeModule; NativeModule.java says what each does.

#include <cstdint>
#include <string>
#include <vector>

#include <jni.h>

#include <executorch/extension/android/jni/calls.h>
#include <executorch/extension/android/jni/log_output.h>
#include <executorch/extension/android/jni/native_module.h>
#include <executorch/extension/android/jni/values.h>
#include <executorch/extension/c_api/executorch_c.h>

using namespace executorch::extension::jni;

extern "C" {

JNIEXPORT jint JNICALL JNI_OnLoad(JavaVM*, void*) {
  send_logs_to_android();
  return JNI_VERSION_1_6;
}

JNIEXPORT jlong JNICALL Java_org_pytorch_executorch_NativeModule_load(JNIEnv* env, jclass,
                                                                      jstring path,
                                                                      jobjectArray data_paths,
                                                                      jint load_mode) {
  std::string native_path;
  std::vector<std::string> native_data_paths;
  if (!to_native(env, path, "The path of a program", native_path) ||
      !to_native_names(env, data_paths, "The path of a data file", native_data_paths)) {
    return 0;
  }
  std::vector<const char*> pointers;
  for (const std::string& data_path : native_data_paths) {
    pointers.push_back(data_path.c_str());
  }
  executorch_module_options options{};
  options.struct_size = sizeof(options);
  options.data_paths = pointers.data();
  options.num_data_paths = pointers.size();
  options.load_mode = load_mode;
  executorch_module* module = nullptr;
  succeeded(env, executorch_module_load(native_path.c_str(), &options, &module));
  return static_cast<jlong>(reinterpret_cast<intptr_t>(module));
}

JNIEXPORT void JNICALL Java_org_pytorch_executorch_NativeModule_destroy(JNIEnv*, jclass,
                                                                        jlong module) {
  executorch_module_destroy(to_module(module));
}

JNIEXPORT void JNICALL Java_org_pytorch_executorch_NativeModule_loadMethod(JNIEnv* env, jclass,
                                                                           jlong module,
                                                                           jstring method) {
  std::string name;
  if (to_native(env, method, "The name of a method", name)) {
    succeeded(env, executorch_module_load_method(to_module(module), name.c_str()));
  }
}

JNIEXPORT jobjectArray JNICALL Java_org_pytorch_executorch_NativeModule_execute(
    JNIEnv* env, jclass, jlong module, jstring method, jobjectArray values) {
  std::string name;
  InputMemory inputs;
  size_t num_outputs = 0;
  if (!to_native(env, method, "The name of a method", name) || !read_inputs(env, values, inputs) ||
      !succeeded(env,
                 executorch_module_num_outputs(to_module(module), name.c_str(), &num_outputs))) {
    return nullptr;
  }
  std::vector<executorch_value> outputs(num_outputs);
  if (!succeeded(env,
                 executorch_module_execute(to_module(module), name.c_str(), inputs.values.data(),
                                           inputs.values.size(), outputs.data(), outputs.size()))) {
    return nullptr;
  }
  return write_outputs(env, outputs);
}

}  // extern "C"
