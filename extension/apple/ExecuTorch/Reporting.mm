#include <string>

#import <ExecuTorch/Reporting.h>

namespace executorch {
namespace extension {
namespace apple {

NSString* to_string(std::string_view text) {
  const auto read = [text](NSStringEncoding encoding) {
    return [[[NSString alloc] initWithBytes:text.data() length:text.size()
                                   encoding:encoding] autorelease];
  };
  NSString* made = read(NSUTF8StringEncoding);
  return made != nil ? made : read(NSISOLatin1StringEncoding);
}

BOOL Failure::report(runtime::Error error, NSError** out) {
  if (out != nullptr) {
    NSMutableArray<NSString*>* lines = [NSMutableArray array];
    for (const std::string& line : log_.take()) {
      [lines addObject:to_string(line)];
    }
    *out = ExecuTorchErrorWithCodeAndDescription(static_cast<ExecuTorchErrorCode>(error),
                                                 [lines componentsJoinedByString:@"\n"]);
  }
  return NO;
}

}  // namespace apple
}  // namespace extension
}  // namespace executorch
