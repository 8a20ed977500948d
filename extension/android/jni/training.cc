#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <executorch/extension/android/jni/calls.h>
#include <executorch/extension/android/jni/guarded.h>
#include <executorch/extension/android/jni/training.h>
#include <executorch/extension/android/jni/values.h>
#include <executorch/extension/c_api/values.h>
#include <executorch/extension/data_loader/file_data_loader.h>
#include <executorch/extension/training/module/training_module.h>
#include <executorch/extension/training/optimizer/sgd.h>
#include <executorch/runtime/platform/log.h>

using namespace executorch::extension::jni;
using executorch::aten::Tensor;
using executorch::extension::FileDataLoader;
using executorch::extension::c_api::Inputs;
using executorch::extension::training::TrainingModule;
using executorch::extension::training::optimizer::SGD;
using executorch::extension::training::optimizer::SGDOptions;
using executorch::runtime::Error;
using executorch::runtime::EValue;
using executorch::runtime::Result;

namespace {

TrainingModule* to_training_module(jlong handle) {
  return reinterpret_cast<TrainingModule*>(static_cast<intptr_t>(handle));
}

/// Java's tensors under their names. The map refers to the rest.
struct Named {
  std::vector<std::string> names;
  InputMemory memory;
  Inputs inputs;
  std::map<std::string_view, Tensor> tensors;
};

/// Refers to the memory of the tensors.
Error fill(Named& named) {
  for (const executorch_value& value : named.memory.values) {
    const Error error = named.inputs.add(value);
    if (error != Error::Ok) {
      return error;
    }
  }
  if (named.names.size() != named.inputs.values().size()) {
    ET_LOG(Error, "There are %zu names for %zu tensors", named.names.size(),
           named.inputs.values().size());
    return Error::InvalidArgument;
  }
  for (size_t i = 0; i < named.names.size(); ++i) {
    const EValue& value = named.inputs.values()[i];
    if (!value.isTensor()) {
      ET_LOG(Error, "%s is no tensor", named.names[i].c_str());
      return Error::InvalidArgument;
    }
    named.tensors.emplace(named.names[i], value.toTensor());
  }
  return Error::Ok;
}

struct Optimizer {
  Named parameters;
  std::unique_ptr<SGD> sgd;
};

Optimizer* to_optimizer(jlong handle) {
  return reinterpret_cast<Optimizer*>(static_cast<intptr_t>(handle));
}

Result<std::unique_ptr<FileDataLoader>> open_file(const std::string& path) {
  auto loader = FileDataLoader::from(path.c_str());
  if (!loader.ok()) {
    return loader.error();
  }
  return std::make_unique<FileDataLoader>(std::move(*loader));
}

/// The values for Java, or null with a pending exception. Their memory is the module's.
jobjectArray to_java_values(JNIEnv* env, std::vector<EValue>& values) {
  std::vector<executorch_value> outputs;
  for (EValue& value : values) {
    outputs.push_back(executorch::extension::c_api::to_c(value));
  }
  return write_outputs(env, outputs);
}

}  // namespace

extern "C" {

JNIEXPORT jlong JNICALL Java_org_pytorch_executorch_training_NativeTraining_load(
    JNIEnv* env, jclass, jstring path, jstring data_path) {
  std::string program;
  std::string weights;
  if (!to_native(env, path, "The path of a program", program) ||
      (data_path != nullptr && !to_native(env, data_path, "The path of the weights", weights))) {
    return 0;
  }
  std::unique_ptr<TrainingModule> module;
  guarded(env, "Loading the program failed", [&] {
    auto loader = open_file(program);
    if (!loader.ok()) {
      return loader.error();
    }
    std::unique_ptr<FileDataLoader> weights_loader;
    if (!weights.empty()) {
      auto opened = open_file(weights);
      if (!opened.ok()) {
        return opened.error();
      }
      weights_loader = std::move(*opened);
    }
    module = std::make_unique<TrainingModule>(std::move(*loader), nullptr, nullptr, nullptr,
                                              std::move(weights_loader));
    return module->load();
  });
  return env->ExceptionCheck() ? 0
                               : static_cast<jlong>(reinterpret_cast<intptr_t>(module.release()));
}

JNIEXPORT void JNICALL Java_org_pytorch_executorch_training_NativeTraining_destroy(JNIEnv*, jclass,
                                                                                   jlong module) {
  delete to_training_module(module);
}

JNIEXPORT jobjectArray JNICALL
Java_org_pytorch_executorch_training_NativeTraining_executeForwardBackward(JNIEnv* env, jclass,
                                                                           jlong module,
                                                                           jstring method,
                                                                           jobjectArray values) {
  std::string name;
  InputMemory memory;
  if (!to_native(env, method, "The name of a method", name) || !read_inputs(env, values, memory)) {
    return nullptr;
  }
  std::vector<EValue> outputs;
  guarded(env, "Running forward and backward failed", [&] {
    Inputs inputs;
    for (const executorch_value& value : memory.values) {
      const Error error = inputs.add(value);
      if (error != Error::Ok) {
        return error;
      }
    }
    auto run = to_training_module(module)->execute_forward_backward(name, inputs.values());
    if (run.ok()) {
      outputs = std::move(*run);
    }
    return run.error();
  });
  return env->ExceptionCheck() ? nullptr : to_java_values(env, outputs);
}

JNIEXPORT jobjectArray JNICALL Java_org_pytorch_executorch_training_NativeTraining_named(
    JNIEnv* env, jclass, jlong module, jstring method, jboolean gradients) {
  std::string name;
  if (!to_native(env, method, "The name of a method", name)) {
    return nullptr;
  }
  std::vector<std::string> names;
  std::vector<EValue> values;
  guarded(env, "Naming the tensors failed", [&] {
    TrainingModule* training = to_training_module(module);
    const auto named =
        gradients != JNI_FALSE ? training->named_gradients(name) : training->named_parameters(name);
    if (!named.ok()) {
      return named.error();
    }
    for (const auto& [one, tensor] : *named) {
      names.emplace_back(one);
      values.emplace_back(tensor);
    }
    return Error::Ok;
  });
  if (env->ExceptionCheck()) {
    return nullptr;
  }
  jobjectArray written = to_java_values(env, values);
  const auto name_of = [&](size_t i, std::string& one) {
    one = names[i];
    return true;
  };
  jobjectArray java_names =
      written != nullptr ? to_java_names(env, names.size(), name_of) : nullptr;
  if (java_names == nullptr) {
    return nullptr;
  }
  static const jclass object = keep_class(env, "java/lang/Object");
  jobjectArray made = object != nullptr ? env->NewObjectArray(2, object, java_names) : nullptr;
  if (made != nullptr) {
    env->SetObjectArrayElement(made, 1, written);
  }
  return made;
}

JNIEXPORT jlong JNICALL Java_org_pytorch_executorch_training_NativeTraining_createSgd(
    JNIEnv* env, jclass, jobjectArray names, jobjectArray values, jdoubleArray settings,
    jboolean nesterov) {
  auto made = std::make_unique<Optimizer>();
  jdouble numbers[4] = {};
  env->GetDoubleArrayRegion(settings, 0, 4, numbers);
  if (env->ExceptionCheck() ||
      !to_native_names(env, names, "A parameter's name", made->parameters.names) ||
      !read_inputs(env, values, made->parameters.memory)) {
    return 0;
  }
  guarded(env, "Making the optimizer failed", [&] {
    const Error error = fill(made->parameters);
    if (error == Error::Ok) {
      made->sgd = std::make_unique<SGD>(
          made->parameters.tensors,
          SGDOptions(numbers[0], numbers[1], numbers[2], numbers[3], nesterov != JNI_FALSE));
    }
    return error;
  });
  return env->ExceptionCheck() ? 0 : static_cast<jlong>(reinterpret_cast<intptr_t>(made.release()));
}

JNIEXPORT void JNICALL Java_org_pytorch_executorch_training_NativeTraining_step(
    JNIEnv* env, jclass, jlong optimizer, jobjectArray names, jobjectArray values) {
  Named gradients;
  if (to_native_names(env, names, "A gradient's name", gradients.names) &&
      read_inputs(env, values, gradients.memory)) {
    guarded(env, "The optimizer's step failed", [&] {
      const Error error = fill(gradients);
      return error == Error::Ok ? to_optimizer(optimizer)->sgd->step(gradients.tensors) : error;
    });
  }
}

JNIEXPORT void JNICALL
Java_org_pytorch_executorch_training_NativeTraining_destroySgd(JNIEnv*, jclass, jlong optimizer) {
  delete to_optimizer(optimizer);
}

}  // extern "C"
