/// @file
/// What the runners of language models have in common, for text alone and for parts of all kinds.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include <executorch/extension/llm/runner/irunner.h>
#include <executorch/extension/llm/runner/llm_runner_helper.h>
#include <executorch/extension/log_capture/log_capture.h>
#include <executorch/runtime/python/failure.h>
#include <executorch/runtime/python/llm_callbacks.h>
#include <executorch/runtime/python/py_object.h>

namespace executorch {
namespace runtime {
namespace python {

/// A runner for one thread at a time; stop() is for all.
template <typename Runner>
class Turns {
 public:
  /// @param make Makes the runner of the tokenizer; null if that fails.
  template <typename Make>
  Turns(const std::string& model_path, const std::string& tokenizer_path, Make make) {
    extension::LogCapture log;
    auto tokenizer = extension::llm::load_tokenizer(tokenizer_path);
    if (tokenizer == nullptr) {
      throw Failure(Error::InvalidExternalData, "loading the tokenizer " + tokenizer_path,
                    log.take());
    }
    vocab_size_ = tokenizer->vocab_size();
    runner_ = make(std::move(tokenizer));
    if (runner_ == nullptr) {
      throw Failure(Error::InvalidProgram, "making a runner for " + model_path, log.take());
    }
  }

  template <typename Prompt>
  void generate(const Prompt& prompt, const extension::llm::GenerationConfig& config,
                const Object& on_text, const Object& on_stats) {
    const std::unique_lock<std::mutex> turn = take_turn(*in_use_);
    generate_with_callbacks(
        on_text, on_stats,
        [&](const TextCallback& text, const StatsCallback& stats) {
          return runner_->generate(prompt, config, text, stats);
        },
        [&] { runner_->stop(); });
  }

  template <typename Prompt>
  void prefill(const Prompt& prompt, const extension::llm::GenerationConfig& config) {
    in_turn("taking a prompt",
            [&] { return runner_->prefill(prompt, config.num_bos, config.num_eos).error(); });
  }

  void load() {
    in_turn("loading the model", [&] { return runner_->load(); });
  }

  void reset() {
    const std::unique_lock<std::mutex> turn = take_turn(*in_use_);
    runner_->reset();
  }

  void stop() { runner_->stop(); }
  int32_t vocab_size() const { return vocab_size_; }

 protected:
  /// With the turns of another one.
  Turns(std::unique_ptr<Runner> runner, const Turns& other)
      : in_use_(other.in_use_), runner_(std::move(runner)), vocab_size_(other.vocab_size_) {}

  template <typename Function>
  void in_turn(const char* what, Function function) {
    const std::unique_lock<std::mutex> turn = take_turn(*in_use_);
    without_gil(what, function);
  }

  std::shared_ptr<std::mutex> in_use_ = std::make_shared<std::mutex>();
  std::unique_ptr<Runner> runner_;
  int32_t vocab_size_ = 0;
};

/// What an object of Python's has: null before `__init__`. Whoever runs it keeps it, whatever
/// Python does with its object meanwhile.
template <typename Runner>
using Held = std::shared_ptr<Runner>;

/// Throws PythonError where `__init__` has not run.
template <typename Runner>
Held<Runner> runner_of(const Held<Runner>& self) {
  if (self == nullptr) {
    PyErr_Format(PyExc_TypeError,
                 "%s: __init__() has not run; a class that has its own calls "
                 "super().__init__(model_path, tokenizer_path)",
                 Runner::kName);
    throw PythonError();
  }
  return self;
}

template <typename Runner, auto kFunction>
Object without_result(Held<Runner>& self) {
  const Held<Runner> runner = runner_of(self);
  ((*runner).*kFunction)();
  return none();
}

template <typename Runner>
Object is_loaded(Held<Runner>& self) {
  return to_python(runner_of(self)->is_loaded());
}

template <typename Runner>
Object vocab_size(Held<Runner>& self) {
  return to_python(runner_of(self)->vocab_size());
}

}  // namespace python
}  // namespace runtime
}  // namespace executorch
