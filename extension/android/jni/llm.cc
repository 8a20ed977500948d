#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <executorch/extension/android/jni/calls.h>
#include <executorch/extension/android/jni/guarded.h>
#include <executorch/extension/android/jni/llm.h>
#include <executorch/extension/android/jni/text.h>
#include <executorch/extension/llm/runner/llm_runner_helper.h>
#include <executorch/runtime/platform/log.h>

using namespace executorch::extension::jni;
using executorch::runtime::Error;
namespace llm = executorch::extension::llm;

namespace {

llm::IRunner* to_runner(jlong handle) {
  return reinterpret_cast<llm::IRunner*>(static_cast<intptr_t>(handle));
}

/// Hands text and figures to an LlmCallback. A token need not end where a character does: what is
/// not whole yet waits for the next piece.
class Callback {
 public:
  Callback(JNIEnv* env, jobject callback, llm::IRunner* runner)
      : env_(env), callback_(callback), runner_(runner) {
    jclass type = env->GetObjectClass(callback);
    on_result_ = env->GetMethodID(type, "onResult", "(Ljava/lang/String;)V");
    on_stats_ = env->ExceptionCheck() ? nullptr
                                      : env->GetMethodID(type, "onStats", "(Ljava/lang/String;)V");
    env->DeleteLocalRef(type);
  }

  /// False with a pending exception.
  bool is_usable() const { return on_result_ != nullptr && on_stats_ != nullptr; }

  void take(const std::string& piece) {
    pending_ += piece;
    const size_t whole = whole_characters(pending_);
    if (whole > 0) {
      call(on_result_, pending_.substr(0, whole));
      pending_.erase(0, whole);
    }
  }

  /// What is left at the end is no character.
  void finish() {
    if (!pending_.empty()) {
      call(on_result_, std::exchange(pending_, {}));
    }
  }

  void take(const llm::Stats& stats) {
    finish();
    call(on_stats_, llm::stats_to_json_string(stats));
  }

 private:
  void call(jmethodID method, const std::string& text) {
    if (env_->ExceptionCheck()) {
      return;  // It threw before, and the run is about to end.
    }
    jstring argument = to_java(env_, text);
    if (argument != nullptr) {
      env_->CallVoidMethod(callback_, method, argument);
      // A run has more pieces than a native call may have references.
      env_->DeleteLocalRef(argument);
    }
    if (env_->ExceptionCheck()) {
      runner_->stop();
    }
  }

  JNIEnv* env_;
  jobject callback_;
  llm::IRunner* runner_;
  jmethodID on_result_ = nullptr;
  jmethodID on_stats_ = nullptr;
  std::string pending_;
};

}  // namespace

extern "C" {

JNIEXPORT jlong JNICALL Java_org_pytorch_executorch_extension_llm_NativeLlm_open(
    JNIEnv* env, jclass, jstring module_path, jstring tokenizer_path, jobjectArray data_paths) {
  std::string model;
  std::string tokenizer_file;
  std::vector<std::string> data_files;
  if (!to_native(env, module_path, "The model's path", model) ||
      !to_native(env, tokenizer_path, "The tokenizer's path", tokenizer_file) ||
      !to_native_names(env, data_paths, "The path of a data file", data_files)) {
    return 0;
  }
  llm::IRunner* opened = nullptr;
  guarded(env, "Opening the model failed", [&] {
    auto tokenizer = llm::load_tokenizer(tokenizer_file);
    if (tokenizer == nullptr) {
      ET_LOG(Error, "%s is no tokenizer that this runtime can read", tokenizer_file.c_str());
      return Error::InvalidArgument;
    }
    // The temperature of each run is its configuration's.
    opened =
        llm::create_text_llm_runner(model, std::move(tokenizer), std::move(data_files)).release();
    return opened != nullptr ? Error::Ok : Error::InvalidProgram;
  });
  return static_cast<jlong>(reinterpret_cast<intptr_t>(opened));
}

JNIEXPORT void JNICALL Java_org_pytorch_executorch_extension_llm_NativeLlm_destroy(JNIEnv*, jclass,
                                                                                   jlong module) {
  delete to_runner(module);
}

JNIEXPORT void JNICALL Java_org_pytorch_executorch_extension_llm_NativeLlm_load(JNIEnv* env, jclass,
                                                                                jlong module) {
  guarded(env, "Loading the model failed", [&] { return to_runner(module)->load(); });
}

JNIEXPORT void JNICALL Java_org_pytorch_executorch_extension_llm_NativeLlm_generate(
    JNIEnv* env, jclass, jlong module, jstring prompt, jboolean echo, jint max_new_tokens,
    jboolean warming, jint seq_len, jfloat temperature, jint num_bos, jint num_eos,
    jobject callback) {
  std::string text;
  Callback told(env, callback, to_runner(module));
  if (!told.is_usable() || !to_native(env, prompt, "The prompt", text)) {
    return;
  }
  llm::GenerationConfig config;
  config.echo = echo != JNI_FALSE;
  config.max_new_tokens = max_new_tokens;
  config.warming = warming != JNI_FALSE;
  config.seq_len = seq_len;
  config.temperature = temperature;
  config.num_bos = num_bos;
  config.num_eos = num_eos;
  guarded(env, "Generating failed", [&] {
    const Error error = to_runner(module)->generate(
        text, config, [&](const std::string& piece) { told.take(piece); },
        [&](const llm::Stats& stats) { told.take(stats); });
    told.finish();
    return error;
  });
}

JNIEXPORT void JNICALL Java_org_pytorch_executorch_extension_llm_NativeLlm_stop(JNIEnv*, jclass,
                                                                                jlong module) {
  to_runner(module)->stop();
}

JNIEXPORT void JNICALL Java_org_pytorch_executorch_extension_llm_NativeLlm_reset(JNIEnv* env,
                                                                                 jclass,
                                                                                 jlong module) {
  guarded(env, "Forgetting failed", [&] {
    to_runner(module)->reset();
    return Error::Ok;
  });
}

}  // extern "C"
