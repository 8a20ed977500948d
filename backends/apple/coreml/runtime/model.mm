#include <executorch/backends/apple/coreml/runtime/model.h>
#include <executorch/runtime/platform/log.h>

namespace executorch {
namespace backends {
namespace coreml {

using executorch::aten::Tensor;
using runtime::BackendExecutionContext;
using runtime::Error;
using runtime::EValue;
using runtime::Result;
using runtime::Span;

namespace {

const char* words_of(NSError* error) {
  const char* const words = [[error localizedDescription] UTF8String];
  return words == nullptr ? "no reason given" : words;
}

NSString* text(const std::string& name) { return [NSString stringWithUTF8String:name.c_str()]; }

/// The ports of these names; the model has no others.
Error ports_of(NSDictionary<NSString*, MLFeatureDescription*>* described,
               const std::vector<std::string>& names, const char* direction,
               std::vector<Port>& ports) {
  ET_CHECK_OR_RETURN_ERROR([described count] == names.size(), DelegateInvalidCompatibility,
                           "Core ML: the delegate names %zu %ss, its model has %zu", names.size(),
                           direction, size_t([described count]));
  for (const std::string& name : names) {
    MLFeatureDescription* port = [described objectForKey:text(name)];
    ET_CHECK_OR_RETURN_ERROR(
        port != nil && [port type] == MLFeatureTypeMultiArray && [port multiArrayConstraint] != nil,
        DelegateInvalidCompatibility, "Core ML: the model has no %s %s that is an array", direction,
        name.c_str());
    ports.push_back({name, [port multiArrayConstraint], {}});
  }
  return Error::Ok;
}

/// Of a model that has several; empty for one that has not.
Error choose_function(MLModelConfiguration* configuration, const std::string& name) {
  if (name.empty()) {
    return Error::Ok;
  }
  if (@available(macOS 15.0, iOS 18.0, tvOS 18.0, watchOS 11.0, *)) {
    [configuration setFunctionName:text(name)];
    return Error::Ok;
  }
  ET_LOG(Error,
         "Core ML: %s shares its model with other methods, which this system does not have. Way "
         "out: macOS 15 or iOS 18, or lower without sharing",
         name.c_str());
  return Error::DelegateInvalidCompatibility;
}

}  // namespace

Result<std::unique_ptr<Model>> Model::load(const Blob& blob, const std::string& path,
                                           MLComputeUnits units) {
  @autoreleasepool {
    MLModelConfiguration* configuration = [[[MLModelConfiguration alloc] init] autorelease];
    [configuration setComputeUnits:units];
    ET_CHECK_OK_OR_RETURN_ERROR(choose_function(configuration, blob.function));
    NSError* error = nil;
    std::unique_ptr<Model> made(new Model());
    made->model_ = [[MLModel modelWithContentsOfURL:[NSURL fileURLWithPath:text(path)]
                                      configuration:configuration
                                              error:&error] retain];
    ET_CHECK_OR_RETURN_ERROR(made->model_ != nil, Internal,
                             "Core ML: cannot load the model %s of %s: %s", blob.identifier.c_str(),
                             path.c_str(), words_of(error));
    ET_CHECK_OK_OR_RETURN_ERROR(made->find_ports(blob));
    ET_CHECK_OK_OR_RETURN_ERROR(made->make_state());
    return made;
  }
}

Model::~Model() {
  [state_ release];
  [model_ release];
}

Error Model::find_ports(const Blob& blob) {
  MLModelDescription* description = [model_ modelDescription];
  ET_CHECK_OK_OR_RETURN_ERROR(
      ports_of([description inputDescriptionsByName], blob.inputs, "input", inputs_));
  return ports_of([description outputDescriptionsByName], blob.outputs, "output", outputs_);
}

Error Model::make_state() {
  if (@available(macOS 15.0, iOS 18.0, tvOS 18.0, watchOS 11.0, *)) {
    if ([[[model_ modelDescription] stateDescriptionsByName] count] > 0) {
      state_ = [model_ newState];
      ET_CHECK_OR_RETURN_ERROR(state_ != nil, Internal, "Core ML: no memory for the model's state");
    }
  }
  // An older system refuses to load a model with state: there is no way to here with one.
  return Error::Ok;
}

Result<id<MLFeatureProvider>> Model::inputs_of(Span<EValue*> args) {
  NSMutableDictionary* values = [NSMutableDictionary dictionary];
  for (size_t i = 0; i < inputs_.size(); ++i) {
    const Result<MLMultiArray*> array = input_array(inputs_[i], *args[i]);
    if (!array.ok()) {
      return array.error();
    }
    [values setObject:[MLFeatureValue featureValueWithMultiArray:*array]
               forKey:text(inputs_[i].name)];
  }
  NSError* error = nil;
  id<MLFeatureProvider> made =
      [[[MLDictionaryFeatureProvider alloc] initWithDictionary:values error:&error] autorelease];
  ET_CHECK_OR_RETURN_ERROR(made != nil, Internal, "Core ML: no inputs: %s", words_of(error));
  return made;
}

Result<MLPredictionOptions*> Model::options_of(Span<EValue*> args,
                                               BackendExecutionContext& context) {
  NSMutableDictionary* backings = [NSMutableDictionary dictionary];
  for (size_t i = 0; i < outputs_.size(); ++i) {
    EValue& arg = *args[inputs_.size() + i];
    ET_CHECK_OR_RETURN_ERROR(arg.isTensor(), InvalidArgument, "Core ML: %s is no tensor",
                             outputs_[i].name.c_str());
    ET_CHECK_OR_RETURN_ERROR(context.may_write(arg.toTensor()), InvalidProgram,
                             "Core ML: %s is a constant, or shows memory that is smaller",
                             outputs_[i].name.c_str());
    MLMultiArray* array = output_array(outputs_[i], arg.toTensor());
    if (array != nil) {
      [backings setObject:array forKey:text(outputs_[i].name)];
    }
  }
  MLPredictionOptions* options = [[[MLPredictionOptions alloc] init] autorelease];
  [options setOutputBackings:backings];
  return options;
}

Result<id<MLFeatureProvider>> Model::predict(id<MLFeatureProvider> inputs,
                                             MLPredictionOptions* options) {
  NSError* error = nil;
  id<MLFeatureProvider> made = nil;
  @try {
    if (state_ == nil) {
      made = [model_ predictionFromFeatures:inputs options:options error:&error];
    } else if (@available(macOS 15.0, iOS 18.0, tvOS 18.0, watchOS 11.0, *)) {
      made = [model_ predictionFromFeatures:inputs usingState:state_ options:options error:&error];
    }
  } @catch (NSException* exception) {
    ET_LOG(Error, "Core ML: the delegate failed: %s", [[exception reason] UTF8String]);
    return Error::Internal;
  }
  ET_CHECK_OR_RETURN_ERROR(made != nil, Internal, "Core ML: the delegate failed: %s",
                           words_of(error));
  return made;
}

Error Model::run(Span<EValue*> args, BackendExecutionContext& context) {
  ET_CHECK_OR_RETURN_ERROR(args.size() == inputs_.size() + outputs_.size(), InvalidArgument,
                           "Core ML: the delegate has %zu inputs and %zu outputs, got %zu",
                           inputs_.size(), outputs_.size(), args.size());
  for (size_t i = 0; i < args.size(); ++i) {
    ET_CHECK_OR_RETURN_ERROR(args[i] != nullptr, InvalidArgument, "Core ML: no argument %zu", i);
  }
  const Result<id<MLFeatureProvider>> inputs = inputs_of(args);
  if (!inputs.ok()) {
    return inputs.error();
  }
  const Result<MLPredictionOptions*> options = options_of(args, context);
  if (!options.ok()) {
    return options.error();
  }
  const Result<id<MLFeatureProvider>> results = predict(*inputs, *options);
  if (!results.ok()) {
    return results.error();
  }
  for (size_t i = 0; i < outputs_.size(); ++i) {
    MLMultiArray* array = [[*results featureValueForName:text(outputs_[i].name)] multiArrayValue];
    ET_CHECK_OR_RETURN_ERROR(array != nil, Internal, "Core ML: the model gave no %s",
                             outputs_[i].name.c_str());
    ET_CHECK_OK_OR_RETURN_ERROR(
        write_output(outputs_[i], array, args[inputs_.size() + i]->toTensor()));
  }
  return Error::Ok;
}

Error Model::execute(Span<EValue*> args, BackendExecutionContext& context) {
  return guard_.run("Core ML", [&] {
    @autoreleasepool {
      return run(args, context);
    }
  });
}

}  // namespace coreml
}  // namespace backends
}  // namespace executorch
