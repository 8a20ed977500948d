/// @file
/// Language models in Objective-C.
#import <ExecuTorchLLM/ExecuTorchLLMConfig.h>
#import <ExecuTorchLLM/ExecuTorchLLMMultimodalInput.h>
#import <ExecuTorchLLM/ExecuTorchLLMMultimodalRunner.h>
#import <ExecuTorchLLM/ExecuTorchLLMTextRunner.h>
