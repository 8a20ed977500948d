/// @file
/// For the sources of this library.
#include <executorch/runtime/executor/method_meta.h>

#import "ExecuTorchMethodMetadata.h"

@interface ExecuTorchMethodMetadata ()

/// Nil, with the error of the runtime in `error`, where the method's description is damaged.
+ (nullable instancetype)metadataOf:(const executorch::runtime::MethodMeta&)meta
                              error:(executorch::runtime::Error&)error;

@end
