#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <executorch/extension/android/jni/calls.h>
#include <executorch/extension/android/jni/guarded.h>
#include <executorch/extension/android/jni/llm.h>
#include <executorch/extension/android/jni/text.h>
#include <executorch/extension/llm/runner/llm_runner_helper.h>
#include <executorch/extension/module/module.h>
#include <executorch/runtime/platform/log.h>

using namespace executorch::extension::jni;
using executorch::runtime::Error;
namespace llm = executorch::extension::llm;

namespace {

using TextCallback = std::function<void(const std::string&)>;
using StatsCallback = std::function<void(const llm::Stats&)>;

/// What a handle stands for: a runner of one kind or the other, and what waits for the next prompt.
class Opened {
 public:
  explicit Opened(std::unique_ptr<llm::TextLLMRunner> text) : text_(std::move(text)) {}
  explicit Opened(std::unique_ptr<llm::MultimodalRunner> multimodal)
      : multimodal_(std::move(multimodal)) {}

  Error load() { return text_ != nullptr ? text_->load() : multimodal_->load(); }
  void stop() { text_ != nullptr ? text_->stop() : multimodal_->stop(); }
  void reset() {
    waiting_.clear();
    text_ != nullptr ? text_->reset() : multimodal_->reset();
  }

  Error append(llm::MultimodalInput input) {
    if (text_ != nullptr && !input.is_text()) {
      ET_LOG(Error, "A model of text takes no image and no audio: open it with another model type");
      return Error::NotSupported;
    }
    waiting_.push_back(std::move(input));
    return Error::Ok;
  }

  /// What waits goes first, and waits no more, whatever comes of it.
  Error generate(const std::string& prompt, const llm::GenerationConfig& config,
                 const TextCallback& on_text, const StatsCallback& on_stats) {
    std::vector<llm::MultimodalInput> inputs = std::exchange(waiting_, {});
    if (text_ != nullptr) {
      std::string all;
      for (const auto& input : inputs) {
        all += input.get_text();
      }
      return text_->generate(all + prompt, config, on_text, on_stats);
    }
    if (!prompt.empty()) {
      inputs.push_back(llm::make_text_input(prompt));
    }
    return multimodal_->generate(inputs, config, on_text, on_stats);
  }

 private:
  std::unique_ptr<llm::TextLLMRunner> text_;
  std::unique_ptr<llm::MultimodalRunner> multimodal_;
  std::vector<llm::MultimodalInput> waiting_;
};

Opened* to_opened(jlong handle) { return reinterpret_cast<Opened*>(static_cast<intptr_t>(handle)); }

/// The values of whichever array is not null, in `take`, which makes an input of them.
template <typename Take>
void append(JNIEnv* env, jlong module, jbyteArray bytes, jfloatArray floats, Take take) {
  guarded(env, "Taking the input failed", [&] {
    if (bytes != nullptr) {
      std::vector<uint8_t> values(static_cast<size_t>(env->GetArrayLength(bytes)));
      env->GetByteArrayRegion(bytes, 0, static_cast<jsize>(values.size()),
                              reinterpret_cast<jbyte*>(values.data()));
      return to_opened(module)->append(take(std::move(values)));
    }
    std::vector<float> values(static_cast<size_t>(env->GetArrayLength(floats)));
    env->GetFloatArrayRegion(floats, 0, static_cast<jsize>(values.size()), values.data());
    return to_opened(module)->append(take(std::move(values)));
  });
}

/// Hands text and figures to an LlmCallback; what it throws ends the run.
class Callback {
 public:
  Callback(JNIEnv* env, jobject callback, Opened* runner)
      : env_(env),
        callback_(callback),
        runner_(runner),
        text_([this](const std::string& text) { call(on_result_, text); }) {
    jclass type = env->GetObjectClass(callback);
    on_result_ = env->GetMethodID(type, "onResult", "(Ljava/lang/String;)V");
    on_stats_ = env->ExceptionCheck() ? nullptr
                                      : env->GetMethodID(type, "onStats", "(Ljava/lang/String;)V");
    env->DeleteLocalRef(type);
  }

  /// False with a pending exception.
  bool is_usable() const { return on_result_ != nullptr && on_stats_ != nullptr; }

  void take(const std::string& piece) { text_.take(piece); }
  void finish() { text_.finish(); }

  void take(const llm::Stats& stats) {
    finish();
    call(on_stats_, llm::stats_to_json_string(stats));
  }

 private:
  void call(jmethodID method, const std::string& text) {
    if (!tell(env_, callback_, method, text)) {
      runner_->stop();
    }
  }

  JNIEnv* env_;
  jobject callback_;
  Opened* runner_;
  jmethodID on_result_ = nullptr;
  jmethodID on_stats_ = nullptr;
  WholeCharacters text_;
};

}  // namespace

extern "C" {

JNIEXPORT jlong JNICALL Java_org_pytorch_executorch_extension_llm_NativeLlm_open(
    JNIEnv* env, jclass, jstring module_path, jstring tokenizer_path, jobjectArray data_paths,
    jboolean multimodal, jint load_mode) {
  std::string model;
  std::string tokenizer_file;
  std::vector<std::string> data_files;
  if (!to_native(env, module_path, "The model's path", model) ||
      !to_native(env, tokenizer_path, "The tokenizer's path", tokenizer_file) ||
      !to_native_names(env, data_paths, "The path of a data file", data_files)) {
    return 0;
  }
  // Java checks it: its numbers are those of the enumeration.
  const auto mode = static_cast<executorch::extension::Module::LoadMode>(load_mode);
  Opened* opened = nullptr;
  guarded(env, "Opening the model failed", [&] {
    auto tokenizer = llm::load_tokenizer(tokenizer_file);
    if (tokenizer == nullptr) {
      ET_LOG(Error, "%s is no tokenizer that this runtime can read", tokenizer_file.c_str());
      return Error::InvalidArgument;
    }
    if (multimodal != JNI_FALSE) {
      if (data_files.size() > 1) {
        ET_LOG(Error, "A model of several kinds of inputs takes one data file, not %zu",
               data_files.size());
        return Error::NotSupported;
      }
      auto runner =
          data_files.empty()
              ? llm::create_multimodal_runner(model, std::move(tokenizer), std::nullopt, mode)
              : llm::create_multimodal_runner(model, std::move(tokenizer), data_files[0], mode);
      opened = runner == nullptr ? nullptr : new Opened(std::move(runner));
    } else {
      // The temperature of each run is its configuration's.
      auto runner = llm::create_text_llm_runner(model, std::move(tokenizer), std::move(data_files),
                                                -1.0f, nullptr, "forward", mode);
      opened = runner == nullptr ? nullptr : new Opened(std::move(runner));
    }
    return opened != nullptr ? Error::Ok : Error::InvalidProgram;
  });
  return static_cast<jlong>(reinterpret_cast<intptr_t>(opened));
}

JNIEXPORT void JNICALL Java_org_pytorch_executorch_extension_llm_NativeLlm_destroy(JNIEnv*, jclass,
                                                                                   jlong module) {
  delete to_opened(module);
}

JNIEXPORT void JNICALL Java_org_pytorch_executorch_extension_llm_NativeLlm_load(JNIEnv* env, jclass,
                                                                                jlong module) {
  guarded(env, "Loading the model failed", [&] { return to_opened(module)->load(); });
}

JNIEXPORT void JNICALL Java_org_pytorch_executorch_extension_llm_NativeLlm_generate(
    JNIEnv* env, jclass, jlong module, jstring prompt, jboolean echo, jint max_new_tokens,
    jboolean warming, jint seq_len, jfloat temperature, jint num_bos, jint num_eos,
    jobject callback) {
  std::string text;
  Callback told(env, callback, to_opened(module));
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
    const Error error = to_opened(module)->generate(
        text, config, [&](const std::string& piece) { told.take(piece); },
        [&](const llm::Stats& stats) { told.take(stats); });
    told.finish();
    return error;
  });
}

JNIEXPORT void JNICALL Java_org_pytorch_executorch_extension_llm_NativeLlm_stop(JNIEnv*, jclass,
                                                                                jlong module) {
  to_opened(module)->stop();
}

JNIEXPORT void JNICALL Java_org_pytorch_executorch_extension_llm_NativeLlm_reset(JNIEnv* env,
                                                                                 jclass,
                                                                                 jlong module) {
  guarded(env, "Forgetting failed", [&] {
    to_opened(module)->reset();
    return Error::Ok;
  });
}

JNIEXPORT void JNICALL Java_org_pytorch_executorch_extension_llm_NativeLlm_appendText(
    JNIEnv* env, jclass, jlong module, jstring text) {
  std::string native;
  if (to_native(env, text, "The text", native)) {
    guarded(env, "Taking the text failed",
            [&] { return to_opened(module)->append(llm::make_text_input(std::move(native))); });
  }
}

JNIEXPORT void JNICALL Java_org_pytorch_executorch_extension_llm_NativeLlm_appendImage(
    JNIEnv* env, jclass, jlong module, jbyteArray bytes, jfloatArray floats, jint width,
    jint height, jint channels) {
  append(env, module, bytes, floats, [&](auto values) {
    return llm::make_image_input(llm::Image(std::move(values), width, height, channels));
  });
}

JNIEXPORT void JNICALL Java_org_pytorch_executorch_extension_llm_NativeLlm_appendAudio(
    JNIEnv* env, jclass, jlong module, jbyteArray bytes, jfloatArray floats, jint batch_size,
    jint bins, jint frames) {
  append(env, module, bytes, floats, [&](auto values) {
    return llm::make_audio_input(llm::Audio(std::move(values), batch_size, bins, frames));
  });
}

JNIEXPORT void JNICALL Java_org_pytorch_executorch_extension_llm_NativeLlm_appendRawAudio(
    JNIEnv* env, jclass, jlong module, jbyteArray bytes, jfloatArray floats, jint batch_size,
    jint channels, jint samples) {
  append(env, module, bytes, floats, [&](auto values) {
    return llm::make_raw_audio_input({std::move(values), batch_size, channels, samples});
  });
}

}  // extern "C"
