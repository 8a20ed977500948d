#import "ExecuTorchModule.h"

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#import <ExecuTorch/Reporting.h>
#include <executorch/extension/module/module.h>

#import "MethodMetadataReading.h"
#import "Native.h"
#import "ValueConversion.h"

using executorch::extension::Module;
using executorch::extension::apple::Failure;
using executorch::extension::apple::Inputs;
using executorch::extension::apple::raise;
using executorch::extension::apple::to_value;
using executorch::runtime::Error;
using executorch::runtime::Program;

namespace {

std::string file_name(NSString* path) { return path.fileSystemRepresentation; }

std::unique_ptr<Module> make_module(NSString* path, NSArray<NSString*>* data_paths,
                                    ExecuTorchModuleLoadMode mode) {
  if (mode < ExecuTorchModuleLoadModeFile ||
      mode > ExecuTorchModuleLoadModeMmapUseMlockIgnoreErrors) {
    raise(@"%ld is no load mode", static_cast<long>(mode));
  }
  std::vector<std::string> data_files;
  for (NSString* data_path in data_paths) {
    data_files.push_back(file_name(data_path));
  }
  return std::make_unique<Module>(file_name(path), std::move(data_files),
                                  static_cast<Module::LoadMode>(mode));
}

NSArray<ExecuTorchValue*>* values_of(NSArray<ExecuTorchTensor*>* tensors) {
  NSMutableArray<ExecuTorchValue*>* values = [NSMutableArray arrayWithCapacity:tensors.count];
  for (ExecuTorchTensor* tensor in tensors) {
    [values addObject:[ExecuTorchValue valueWithTensor:tensor]];
  }
  return values;
}

/// What a module is made of; `_impl` points to one.
struct Impl {
  std::unique_ptr<Module> module;
  // By method: the runtime keeps pointers to what stored inputs are made of.
  std::unordered_map<std::string, Inputs> stored_inputs;
};

Impl& impl(void* pointer) { return *static_cast<Impl*>(pointer); }

NSString* const kForward = @"forward";

}  // namespace

@implementation ExecuTorchModule

- (instancetype)initWithFilePath:(NSString*)filePath
                   dataFilePaths:(NSArray<NSString*>*)dataFilePaths
                        loadMode:(ExecuTorchModuleLoadMode)loadMode {
  if (self = [super init]) {
    _impl = new Impl{make_module(filePath, dataFilePaths, loadMode), {}};
  }
  return self;
}

- (instancetype)initWithFilePath:(NSString*)filePath
                   dataFilePaths:(NSArray<NSString*>*)dataFilePaths {
  return [self initWithFilePath:filePath
                  dataFilePaths:dataFilePaths
                       loadMode:ExecuTorchModuleLoadModeFile];
}

- (instancetype)initWithFilePath:(NSString*)filePath loadMode:(ExecuTorchModuleLoadMode)loadMode {
  return [self initWithFilePath:filePath dataFilePaths:@[] loadMode:loadMode];
}

- (instancetype)initWithFilePath:(NSString*)filePath {
  return [self initWithFilePath:filePath loadMode:ExecuTorchModuleLoadModeFile];
}

- (void)dealloc {
  delete static_cast<Impl*>(_impl);
  [super dealloc];
}

- (BOOL)load:(NSError**)error {
  return [self loadWithVerification:ExecuTorchVerificationMinimal error:error];
}

- (BOOL)loadWithVerification:(ExecuTorchVerification)verification error:(NSError**)error {
  @synchronized(self) {
    Failure failure;
    const Error status = impl(_impl).module->load(verification == ExecuTorchVerificationMinimal
                                                      ? Program::Verification::Minimal
                                                      : Program::Verification::InternalConsistency);
    return status == Error::Ok ? YES : failure.report(status, error);
  }
}

- (BOOL)isLoaded {
  @synchronized(self) {
    return impl(_impl).module->is_loaded();
  }
}

- (BOOL)loadMethod:(NSString*)methodName error:(NSError**)error {
  @synchronized(self) {
    Failure failure;
    const Error status = impl(_impl).module->load_method(methodName.UTF8String);
    return status == Error::Ok ? YES : failure.report(status, error);
  }
}

- (BOOL)isMethodLoaded:(NSString*)methodName {
  @synchronized(self) {
    return impl(_impl).module->is_method_loaded(methodName.UTF8String);
  }
}

- (BOOL)unloadMethod:(NSString*)methodName {
  @synchronized(self) {
    const bool unloaded = impl(_impl).module->unload_method(methodName.UTF8String);
    impl(_impl).stored_inputs.erase(methodName.UTF8String);
    return unloaded;
  }
}

- (NSSet<NSString*>*)methodNames:(NSError**)error {
  @synchronized(self) {
    Failure failure;
    const auto found = impl(_impl).module->method_names();
    if (!found.ok()) {
      failure.report(found.error(), error);
      return nil;
    }
    NSMutableSet<NSString*>* names = [NSMutableSet set];
    for (const std::string& name : *found) {
      [names addObject:[NSString stringWithUTF8String:name.c_str()]];
    }
    return names;
  }
}

- (ExecuTorchMethodMetadata*)methodMetadata:(NSString*)methodName error:(NSError**)error {
  @synchronized(self) {
    Failure failure;
    const auto meta = impl(_impl).module->method_meta(methodName.UTF8String);
    Error status = meta.error();
    ExecuTorchMethodMetadata* made =
        meta.ok() ? [ExecuTorchMethodMetadata metadataOf:*meta error:status] : nil;
    if (made == nil) {
      failure.report(status, error);
    }
    return made;
  }
}

- (NSArray<ExecuTorchValue*>*)executeMethod:(NSString*)methodName
                                 withInputs:(NSArray<ExecuTorchValue*>*)values
                                      error:(NSError**)error {
  @synchronized(self) {
    Failure failure;
    Inputs inputs;
    for (ExecuTorchValue* value in values) {
      if (const Error status = inputs.add(value); status != Error::Ok) {
        failure.report(status, error);
        return nil;
      }
    }
    const auto outputs = impl(_impl).module->execute(methodName.UTF8String, inputs.values());
    if (!outputs.ok()) {
      failure.report(outputs.error(), error);
      return nil;
    }
    NSMutableArray<ExecuTorchValue*>* made = [NSMutableArray arrayWithCapacity:outputs->size()];
    for (const auto& output : *outputs) {
      [made addObject:to_value(output)];
    }
    return made;
  }
}

- (NSArray<ExecuTorchValue*>*)executeMethod:(NSString*)methodName
                                  withInput:(ExecuTorchValue*)value
                                      error:(NSError**)error {
  return [self executeMethod:methodName withInputs:@[ value ] error:error];
}

- (NSArray<ExecuTorchValue*>*)executeMethod:(NSString*)methodName
                                withTensors:(NSArray<ExecuTorchTensor*>*)tensors
                                      error:(NSError**)error {
  return [self executeMethod:methodName withInputs:values_of(tensors) error:error];
}

- (NSArray<ExecuTorchValue*>*)executeMethod:(NSString*)methodName
                                 withTensor:(ExecuTorchTensor*)tensor
                                      error:(NSError**)error {
  return [self executeMethod:methodName withTensors:@[ tensor ] error:error];
}

- (NSArray<ExecuTorchValue*>*)executeMethod:(NSString*)methodName error:(NSError**)error {
  return [self executeMethod:methodName withInputs:@[] error:error];
}

- (NSArray<ExecuTorchValue*>*)forwardWithInputs:(NSArray<ExecuTorchValue*>*)values
                                          error:(NSError**)error {
  return [self executeMethod:kForward withInputs:values error:error];
}

- (NSArray<ExecuTorchValue*>*)forwardWithInput:(ExecuTorchValue*)value error:(NSError**)error {
  return [self executeMethod:kForward withInput:value error:error];
}

- (NSArray<ExecuTorchValue*>*)forwardWithTensors:(NSArray<ExecuTorchTensor*>*)tensors
                                           error:(NSError**)error {
  return [self executeMethod:kForward withTensors:tensors error:error];
}

- (NSArray<ExecuTorchValue*>*)forwardWithTensor:(ExecuTorchTensor*)tensor error:(NSError**)error {
  return [self executeMethod:kForward withTensor:tensor error:error];
}

- (NSArray<ExecuTorchValue*>*)forward:(NSError**)error {
  return [self executeMethod:kForward error:error];
}

- (BOOL)setInputs:(NSArray<ExecuTorchValue*>*)values
        forMethod:(NSString*)methodName
            error:(NSError**)error {
  @synchronized(self) {
    Failure failure;
    Inputs inputs;
    for (ExecuTorchValue* value in values) {
      if (const Error status = inputs.add(value); status != Error::Ok) {
        return failure.report(status, error);
      }
    }
    const Error status = impl(_impl).module->set_inputs(methodName.UTF8String, inputs.values());
    if (status != Error::Ok) {
      return failure.report(status, error);
    }
    impl(_impl).stored_inputs[methodName.UTF8String] = std::move(inputs);
    return YES;
  }
}

- (BOOL)setInputs:(NSArray<ExecuTorchValue*>*)values error:(NSError**)error {
  return [self setInputs:values forMethod:kForward error:error];
}

@end
