#include <array>
#include <cstring>

#include <executorch/backends/apple/coreml/runtime/CoreMLBackend.h>
#include <executorch/backends/apple/coreml/runtime/asset_store.h>
#include <executorch/backends/apple/coreml/runtime/blob.h>
#include <executorch/backends/apple/coreml/runtime/model.h>
#include <executorch/runtime/core/named_data_map.h>
#include <executorch/runtime/platform/log.h>

namespace executorch {
namespace backends {
namespace coreml {

using runtime::ArrayRef;
using runtime::BackendExecutionContext;
using runtime::BackendInitContext;
using runtime::BackendOption;
using runtime::BackendOptionContext;
using runtime::CompileSpec;
using runtime::DelegateHandle;
using runtime::Error;
using runtime::EValue;
using runtime::FreeableBuffer;
using runtime::Result;
using runtime::Span;
using runtime::internal::is_option;

namespace {

Result<MLComputeUnits> units_of(const std::string& text) {
  if (text.empty() || text == "all") {
    return MLComputeUnitsAll;
  }
  if (text == "cpu_only") {
    return MLComputeUnitsCPUOnly;
  }
  if (text == "cpu_and_gpu") {
    return MLComputeUnitsCPUAndGPU;
  }
  if (text == "cpu_and_ne") {
    return MLComputeUnitsCPUAndNeuralEngine;
  }
  ET_LOG(Error, "Core ML: no compute units %s. Way out: all, cpu_only, cpu_and_gpu or cpu_and_ne",
         text.c_str());
  return Error::InvalidArgument;
}

/// What the file says of where its model runs.
std::string units_in(ArrayRef<CompileSpec> specs) {
  for (const CompileSpec& spec : specs) {
    if (spec.key != nullptr && std::strcmp(spec.key, "compute_units") == 0 &&
        spec.value.buffer != nullptr) {
      const char* const text = static_cast<const char*>(spec.value.buffer);
      return std::string(text, strnlen(text, spec.value.nbytes));
    }
  }
  return {};
}

std::string usual_directory() {
  @autoreleasepool {
    NSArray* places = NSSearchPathForDirectoriesInDomains(NSCachesDirectory, NSUserDomainMask, YES);
    NSString* place = [places count] > 0 ? [places objectAtIndex:0] : NSTemporaryDirectory();
    return [[place stringByAppendingPathComponent:@"executorch_coreml"] UTF8String];
  }
}

Result<std::string> compile(const std::string& package) {
  @autoreleasepool {
    NSError* error = nil;
    NSString* path = [NSString stringWithUTF8String:package.c_str()];
    NSURL* made = [MLModel compileModelAtURL:[NSURL fileURLWithPath:path] error:&error];
    ET_CHECK_OR_RETURN_ERROR(
        made != nil, DelegateInvalidCompatibility,
        "Core ML: cannot compile the model: %s. Where the opset is unknown, the "
        "model is for a newer system than this",
        [[error localizedDescription] UTF8String]);
    return std::string([[made path] UTF8String]);
  }
}

/// Compiles or finds a model, and loads it. A compiled one that cannot be loaded is made anew,
/// once: somebody cleaned a part of the caches away, or the compiler's format changed.
Result<std::unique_ptr<Model>> model_of(const AssetStore& store, const Blob& blob,
                                        const FreeableBuffer& data, MLComputeUnits units,
                                        bool is_second = false) {
  const Result<std::string> path = store.compiled(blob, data.data(), data.size());
  if (!path.ok()) {
    return path.error();
  }
  Result<std::unique_ptr<Model>> model = Model::load(blob, *path, units);
  if (model.ok()) {
    return model;
  }
  store.remove(*path);
  if (model.error() != Error::Internal || is_second) {
    return model;
  }
  return model_of(store, blob, data, units, true);
}

/// The data that a delegate refers to, and its function there.
Error find_shared(const BackendInitContext& context, const FreeableBuffer& processed,
                  std::string& function, FreeableBuffer& shared) {
  const Result<Reference> reference = read_reference(processed.data(), processed.size());
  if (!reference.ok()) {
    return reference.error();
  }
  const runtime::NamedDataMap* const named = context.get_named_data_map();
  ET_CHECK_OR_RETURN_ERROR(named != nullptr, NotFound,
                           "Core ML: the model %s lies beside the delegate, and nothing does here",
                           reference->key.c_str());
  Result<FreeableBuffer> found = named->get_data(reference->key);
  ET_CHECK_OR_RETURN_ERROR(found.ok(), NotFound,
                           "Core ML: there is no model %s. Way out: load the .ptd file that came "
                           "with the program",
                           reference->key.c_str());
  function = reference->function;
  shared = std::move(*found);
  return Error::Ok;
}

}  // namespace

Result<DelegateHandle*> CoreMLBackend::init(BackendInitContext& context, FreeableBuffer* processed,
                                            ArrayRef<CompileSpec> compile_specs) const {
  const Result<MLComputeUnits> units =
      units_of(setting(context, compute_units_option_key, units_in(compile_specs)));
  if (!units.ok()) {
    return units.error();
  }
  std::string function;
  FreeableBuffer shared;
  if (is_reference(processed->data(), processed->size())) {
    ET_CHECK_OK_OR_RETURN_ERROR(find_shared(context, *processed, function, shared));
    processed->Free();
    processed = &shared;
  }
  const Result<Blob> blob = read_blob(processed->data(), processed->size(), function);
  if (!blob.ok()) {
    return blob.error();
  }
  const std::string asked = setting(context, cache_directory_option_key, "");
  const AssetStore store(asked.empty() ? usual_directory() : asked, compile);
  Result<std::unique_ptr<Model>> model = model_of(store, *blob, *processed, *units);
  if (!model.ok()) {
    return model.error();
  }
  processed->Free();
  return static_cast<DelegateHandle*>(model->release());
}

Error CoreMLBackend::execute(BackendExecutionContext& context, DelegateHandle* handle,
                             Span<EValue*> args) const {
  return static_cast<Model*>(handle)->execute(args, context);
}

void CoreMLBackend::destroy(DelegateHandle* handle) const { delete static_cast<Model*>(handle); }

size_t CoreMLBackend::num_outputs(DelegateHandle* handle) const {
  return static_cast<const Model*>(handle)->num_outputs();
}

std::string* CoreMLBackend::place_of(const BackendOption& option) {
  if (is_option(option, cache_directory_option_key)) {
    return &cache_directory_;
  }
  return is_option(option, compute_units_option_key) ? &compute_units_ : nullptr;
}

std::string CoreMLBackend::setting(const BackendInitContext& context, const char* key,
                                   const std::string& otherwise) const {
  const Result<const char*> given = context.get_runtime_spec<const char*>(key);
  if (given.ok()) {
    return *given;
  }
  const std::lock_guard<std::mutex> lock(mutex_);
  const std::string& set =
      std::strcmp(key, cache_directory_option_key) == 0 ? cache_directory_ : compute_units_;
  return set.empty() ? otherwise : set;
}

Error CoreMLBackend::set_option(BackendOptionContext& context, const Span<BackendOption>& options) {
  (void)context;
  const std::lock_guard<std::mutex> lock(mutex_);
  for (const BackendOption& option : options) {
    std::string* const place = place_of(option);
    if (place == nullptr) {
      ET_LOG(Info, "Core ML: there is no option %.*s", int(sizeof(option.key)), option.key);
      continue;
    }
    const char* text = nullptr;
    ET_CHECK_OK_OR_RETURN_ERROR(runtime::internal::read_option_value(option, text));
    if (place == &compute_units_) {
      const Result<MLComputeUnits> units = units_of(text);
      if (!units.ok()) {
        return units.error();
      }
    }
    *place = text;
  }
  return Error::Ok;
}

Error CoreMLBackend::get_option(BackendOptionContext& context, Span<BackendOption>& options) {
  (void)context;
  const std::lock_guard<std::mutex> lock(mutex_);
  for (BackendOption& option : options) {
    const std::string* const place = place_of(option);
    if (place != nullptr) {
      std::array<char, runtime::kMaxOptionValueLength> value = {};
      (void)runtime::internal::copy_option_text(value.data(), value.size(), place->c_str());
      option.value = value;
    }
  }
  return Error::Ok;
}

namespace {

CoreMLBackend backend;
[[maybe_unused]] const Error registered = runtime::register_backend({coreml_backend_key, &backend});

}  // namespace

}  // namespace coreml
}  // namespace backends
}  // namespace executorch
