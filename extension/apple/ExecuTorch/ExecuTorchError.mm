#import "ExecuTorchError.h"

#include <executorch/runtime/core/error.h>

NSErrorDomain const ExecuTorchErrorDomain = @"org.pytorch.executorch.error";

namespace {

using executorch::runtime::Error;

#define EXECUTORCH_SAME_NUMBER(name)                                            \
  static_assert(static_cast<NSInteger>(ExecuTorchErrorCode##name) ==            \
                    static_cast<NSInteger>(static_cast<uint32_t>(Error::name)), \
                "the numbers are the runtime's")
EXECUTORCH_SAME_NUMBER(Internal);
EXECUTORCH_SAME_NUMBER(AlreadyLoaded);
EXECUTORCH_SAME_NUMBER(NotSupported);
EXECUTORCH_SAME_NUMBER(RegistrationAlreadyRegistered);
EXECUTORCH_SAME_NUMBER(NotFound);
EXECUTORCH_SAME_NUMBER(OutOfResources);
EXECUTORCH_SAME_NUMBER(DelegateInvalidHandle);
#undef EXECUTORCH_SAME_NUMBER

/// What helps; null where only the log can tell.
NSString* advice(ExecuTorchErrorCode code) {
  switch (code) {
    case ExecuTorchErrorCodeInvalidArgument:
      return @"Compare number, shapes and data types of the inputs with the method's metadata.";
    case ExecuTorchErrorCodeOperatorMissing:
      return @"Link the kernels that the program needs, and force their loading: -force_load or "
             @"-all_load.";
    case ExecuTorchErrorCodeNotFound:
      return @"If a backend is missing, link its library, and force its loading: -force_load or "
             @"-all_load.";
    case ExecuTorchErrorCodeInvalidProgram:
      return @"The file is damaged, or no program.";
    case ExecuTorchErrorCodeAccessFailed:
      return @"Is the file there, and may it be read?";
    case ExecuTorchErrorCodeDelegateInvalidCompatibility:
      return @"Export the program again for this version of the backend.";
    default:
      return nil;
  }
}

}  // namespace

NSString* ExecuTorchErrorDescription(ExecuTorchErrorCode code) {
  NSString* name =
      [NSString stringWithUTF8String:executorch::runtime::to_string(static_cast<Error>(code))];
  NSString* more = advice(code);
  NSString* text = [NSString stringWithFormat:@"%@ (0x%02lx)", name, static_cast<long>(code)];
  return more == nil ? text : [NSString stringWithFormat:@"%@: %@", text, more];
}

NSError* ExecuTorchErrorWithCode(ExecuTorchErrorCode code) {
  return ExecuTorchErrorWithCodeAndDescription(code, nil);
}

NSError* ExecuTorchErrorWithCodeAndDescription(ExecuTorchErrorCode code, NSString* description) {
  NSString* text = ExecuTorchErrorDescription(code);
  if (description.length > 0) {
    text = [NSString stringWithFormat:@"%@\n%@", text, description];
  }
  return [NSError errorWithDomain:ExecuTorchErrorDomain
                             code:code
                         userInfo:@{NSLocalizedDescriptionKey : text}];
}
