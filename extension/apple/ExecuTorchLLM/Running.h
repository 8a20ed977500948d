/// @file
/// What both runners do; for the sources of this library.
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#import <ExecuTorch/Reporting.h>
#include <executorch/extension/llm/runner/llm_runner_helper.h>
#include <executorch/runtime/core/error.h>

#import "ExecuTorchLLMConfig.h"

namespace executorch {
namespace extension {
namespace llm {
namespace apple {

GenerationConfig to_config(ExecuTorchLLMConfig* config);

/// Hands pieces of text to a block. A piece may end within a character, the rest of which comes
/// with the next one.
class TextPieces {
 public:
  explicit TextPieces(void (^callback)(NSString*)) : callback_(callback) {}

  void add(const std::string& piece);

  /// What is left at the end is no character: shown as bytes are in Latin-1.
  void finish();

 private:
  void (^callback_)(NSString*);
  std::string pending_;
};

/// The files of a model, and what runs it once it is loaded.
template <typename Runner>
class Model {
 public:
  using Make = std::function<std::unique_ptr<Runner>()>;

  explicit Model(Make make) : make_(std::move(make)) {}

  bool is_loaded() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return runner_ != nullptr && runner_->is_loaded();
  }

  /// Makes and loads the runner. InvalidArgument where a file is not what it should be: the log has
  /// which.
  runtime::Error load() {
    std::unique_ptr<Runner> made;
    if (runner() == nullptr) {
      made = make_();
      if (made == nullptr) {
        return runtime::Error::InvalidArgument;
      }
      const std::lock_guard<std::mutex> lock(mutex_);
      runner_ = std::move(made);
    }
    return runner_->load();
  }

  /// Null before it is loaded. stop() is called on another thread than what is going on.
  Runner* runner() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return runner_.get();
  }

 private:
  Make make_;
  std::mutex mutex_;
  std::unique_ptr<Runner> runner_;
};

/// Loads if needed, then has `run` generate with a callback for pieces of text.
template <typename Runner, typename Run>
BOOL generate(Model<Runner>& model, void (^callback)(NSString*), NSError** error, Run run) {
  extension::apple::Failure failure;
  if (const runtime::Error status = model.load(); status != runtime::Error::Ok) {
    return failure.report(status, error);
  }
  TextPieces pieces(callback);
  const runtime::Error status =
      run(*model.runner(), [&pieces](const std::string& piece) { pieces.add(piece); });
  pieces.finish();
  return status == runtime::Error::Ok ? YES : failure.report(status, error);
}

}  // namespace apple
}  // namespace llm
}  // namespace extension
}  // namespace executorch
