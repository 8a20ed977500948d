/// @file
/// From the runtime's texts and errors to Foundation's; for the sources of these libraries.
#include <string_view>

#import <ExecuTorch/ExecuTorchError.h>
#include <executorch/extension/log_capture/log_capture.h>
#include <executorch/runtime/core/error.h>

namespace executorch {
namespace extension {
namespace apple {

/// A string of text, autoreleased. Of bytes that are no UTF-8 each is a character, so that nothing
/// is lost.
NSString* to_string(std::string_view text);

/// An error in the making: what the runtime logs as errors on this thread while the object lives
/// goes into it.
class Failure {
 public:
  Failure() { LogCapture::install(); }

  /// Sets the error, where the caller wants one, and returns NO.
  BOOL report(runtime::Error error, NSError** out);

 private:
  LogCapture log_;
};

}  // namespace apple
}  // namespace extension
}  // namespace executorch
