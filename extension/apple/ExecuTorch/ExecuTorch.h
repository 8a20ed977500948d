/// @file
/// The Objective-C interface: programs, values, tensors and the log.
#import <ExecuTorch/ExecuTorchError.h>
#import <ExecuTorch/ExecuTorchLog.h>
#import <ExecuTorch/ExecuTorchMethodMetadata.h>
#import <ExecuTorch/ExecuTorchModule.h>
#import <ExecuTorch/ExecuTorchTensor.h>
#import <ExecuTorch/ExecuTorchTensorFactories.h>
#import <ExecuTorch/ExecuTorchTensorScalars.h>
#import <ExecuTorch/ExecuTorchValue.h>
