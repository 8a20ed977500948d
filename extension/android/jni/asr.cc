#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <executorch/extension/android/jni/asr.h>
#include <executorch/extension/android/jni/calls.h>
#include <executorch/extension/android/jni/guarded.h>
#include <executorch/extension/android/jni/text.h>
#include <executorch/extension/asr/runner/recording.h>
#include <executorch/extension/asr/runner/runner.h>
#include <executorch/extension/module/module.h>

using namespace executorch::extension::jni;
using executorch::runtime::Error;
namespace asr = executorch::extension::asr;

namespace {

/// What a handle stands for.
struct Opened {
  asr::AsrRunner runner;
  /// Null for a model that takes samples.
  std::unique_ptr<executorch::extension::Module> preprocessor;
};

Opened* to_opened(jlong handle) { return reinterpret_cast<Opened*>(static_cast<intptr_t>(handle)); }

/// As to_native(), of what may be null for none.
bool to_native_if_any(JNIEnv* env, jstring text, const char* what,
                      std::optional<std::string>& made) {
  return text == nullptr || to_native(env, text, what, made.emplace());
}

}  // namespace

extern "C" {

JNIEXPORT jlong JNICALL Java_org_pytorch_executorch_extension_asr_NativeAsr_open(
    JNIEnv* env, jclass, jstring model_path, jstring tokenizer_path, jstring data_path,
    jstring preprocessor_path) {
  std::string model;
  std::string tokenizer;
  std::optional<std::string> data;
  std::optional<std::string> preprocessor;
  if (!to_native(env, model_path, "The model's path", model) ||
      !to_native(env, tokenizer_path, "The tokenizer's path", tokenizer) ||
      !to_native_if_any(env, data_path, "The path of the data file", data) ||
      !to_native_if_any(env, preprocessor_path, "The preprocessor's path", preprocessor)) {
    return 0;
  }
  Opened* opened = nullptr;
  guarded(env, "Opening the model failed", [&] {
    auto module =
        preprocessor ? std::make_unique<executorch::extension::Module>(*preprocessor) : nullptr;
    opened = new Opened{{model, data, tokenizer}, std::move(module)};
    return Error::Ok;
  });
  return static_cast<jlong>(reinterpret_cast<intptr_t>(opened));
}

JNIEXPORT void JNICALL Java_org_pytorch_executorch_extension_asr_NativeAsr_destroy(JNIEnv*, jclass,
                                                                                   jlong module) {
  delete to_opened(module);
}

JNIEXPORT void JNICALL Java_org_pytorch_executorch_extension_asr_NativeAsr_load(JNIEnv* env, jclass,
                                                                                jlong module) {
  guarded(env, "Loading the model failed", [&] { return to_opened(module)->runner.load(); });
}

JNIEXPORT void JNICALL Java_org_pytorch_executorch_extension_asr_NativeAsr_transcribe(
    JNIEnv* env, jclass, jlong module, jstring recording, jlong max_new_tokens, jfloat temperature,
    jlong decoder_start_token_id, jobject callback) {
  std::string path;
  if (!to_native(env, recording, "The path of the recording", path)) {
    return;
  }
  jmethodID on_token = nullptr;
  if (callback != nullptr) {
    jclass type = env->GetObjectClass(callback);
    on_token = env->GetMethodID(type, "onToken", "(Ljava/lang/String;)V");
    env->DeleteLocalRef(type);
    if (on_token == nullptr) {
      return;
    }
  }
  asr::AsrTranscribeConfig config;
  config.max_new_tokens = max_new_tokens;
  config.temperature = temperature;
  config.decoder_start_token_id = decoder_start_token_id;
  guarded(env, "Transcribing failed", [&] {
    Opened& opened = *to_opened(module);
    WholeCharacters told([&](const std::string& text) {
      if (on_token != nullptr && !tell(env, callback, on_token, text)) {
        opened.runner.stop();
      }
    });
    const auto tokens =
        asr::transcribe_recording(opened.runner, opened.preprocessor.get(), path, config,
                                  [&](const std::string& piece) { told.take(piece); });
    told.finish();
    return tokens.error();
  });
}

JNIEXPORT void JNICALL Java_org_pytorch_executorch_extension_asr_NativeAsr_stop(JNIEnv*, jclass,
                                                                                jlong module) {
  to_opened(module)->runner.stop();
}

}  // extern "C"
