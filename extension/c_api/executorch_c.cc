#include <cstring>
#include <memory>
#include <mutex>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include <executorch/extension/c_api/executorch_c.h>
#include <executorch/extension/c_api/tracing.h>
#include <executorch/extension/c_api/values.h>
#include <executorch/extension/data_loader/buffer_data_loader.h>
#include <executorch/extension/data_loader/file_data_loader.h>
#include <executorch/extension/log_capture/log_capture.h>
#include <executorch/extension/module/module.h>
#include <executorch/runtime/backend/interface.h>
#include <executorch/runtime/kernel/operator_registry.h>
#include <executorch/runtime/platform/log.h>
#include <executorch/runtime/platform/runtime.h>

using executorch::extension::BufferDataLoader;
using executorch::extension::LogCapture;
using executorch::extension::Module;
using executorch::extension::c_api::describe;
using executorch::extension::c_api::EventTracerMaker;
using executorch::extension::c_api::Inputs;
using executorch::extension::c_api::to_c;
using executorch::runtime::Error;
using executorch::runtime::EValue;
using executorch::runtime::Method;
using executorch::runtime::MethodMeta;
using executorch::runtime::Program;
using executorch::runtime::Result;

struct executorch_module {
  explicit executorch_module(std::unique_ptr<Module> module_in) : module(std::move(module_in)) {}

  std::unique_ptr<Module> module;
};

namespace {

/// Instead of last_message() if that is empty.
thread_local const char* plain_message = "";

std::string& last_message() {
  thread_local std::string message;
  return message;
}

/// A message that takes no memory, for when there is none.
executorch_error fail_without_memory(const char* message, Error error) noexcept {
  last_message().clear();
  plain_message = message;
  return static_cast<executorch_error>(error);
}

/// Runs what a function of the interface does; failures leave their message, and nothing is thrown.
template <typename Body>
executorch_error guarded(const char* what, Body&& body) noexcept {
  static std::once_flag installed;
  try {
    std::call_once(installed, [] {
      executorch::runtime::runtime_init();
      LogCapture::install();
    });
    LogCapture log;
    const Error error = body();
    if (error != Error::Ok) {
      std::string message = std::string(what) + ": " + executorch::runtime::to_string(error);
      for (const std::string& line : log.take()) {
        message += "\n" + line;
      }
      last_message() = std::move(message);
    }
    return static_cast<executorch_error>(error);
  } catch (const std::bad_alloc&) {
    return fail_without_memory("MemoryAllocationFailed: the process has no more memory",
                               Error::MemoryAllocationFailed);
  } catch (...) {
    return fail_without_memory("Internal: an unexpected exception", Error::Internal);
  }
}

Error null_argument() {
  ET_LOG(Error, "A pointer that must not be null is null");
  return Error::InvalidArgument;
}

/// The same for what is asked of a loaded method.
template <typename Body>
executorch_error with_method(const char* what, executorch_module* module, const char* name,
                             Body&& body) noexcept {
  return guarded(what, [&] {
    if (module == nullptr || name == nullptr) {
      return null_argument();
    }
    const Result<Method*> method = module->module->method(name);
    return method.ok() ? body(**method) : method.error();
  });
}

/// Calls `body` with what the program says of a method, which is not loaded.
template <typename Body>
executorch_error with_meta(const char* what, executorch_module* module, const char* name,
                           const void* out, Body&& body) noexcept {
  return guarded(what, [&] {
    if (module == nullptr || name == nullptr || out == nullptr) {
      return null_argument();
    }
    const Result<MethodMeta> meta = module->module->program()->method_meta(name);
    return meta.ok() ? body(*meta) : meta.error();
  });
}

EventTracerMaker event_tracer_maker = nullptr;

/// Null unless somebody asked for tracers.
std::unique_ptr<executorch::runtime::EventTracer> make_event_tracer() {
  return event_tracer_maker != nullptr ? event_tracer_maker() : nullptr;
}

/// No version of the options has more; what says so was never set.
constexpr size_t kMostOptionBytes = 4096;

Error check_index(size_t index, size_t count, const char* what) {
  if (index >= count) {
    ET_LOG(Error, "There is no %s %zu, there are %zu", what, index, count);
    return Error::InvalidArgument;
  }
  return Error::Ok;
}

/// The options with their defaults. A caller that was compiled when they were fewer passes fewer
/// bytes. One that knows more of them than this library passes more, which have to be zero.
Error read_options(const executorch_module_options* given, executorch_module_options& options) {
  options = {};
  if (given == nullptr) {
    return Error::Ok;
  }
  const size_t size = given->struct_size;
  bool is_known = size >= sizeof(size) && size <= kMostOptionBytes;
  const auto* bytes = reinterpret_cast<const unsigned char*>(given);
  for (size_t i = sizeof(options); is_known && i < size; ++i) {
    is_known = bytes[i] == 0;
  }
  if (!is_known) {
    ET_LOG(Error,
           "The options say that they have %zu bytes, and this library knows %zu: set struct_size, "
           "zero the rest, or use a newer library",
           size, sizeof(options));
    return Error::InvalidArgument;
  }
  std::memcpy(&options, given, size < sizeof(options) ? size : sizeof(options));
  if (options.load_mode < EXECUTORCH_LOAD_FILE ||
      options.load_mode > EXECUTORCH_LOAD_MMAP_MLOCK_IGNORE_ERRORS) {
    ET_LOG(Error, "There is no load mode %d", static_cast<int>(options.load_mode));
    return Error::InvalidArgument;
  }
  if (options.num_data_paths > 0 && options.data_paths == nullptr) {
    return null_argument();
  }
  for (size_t i = 0; i < options.num_data_paths; ++i) {
    if (options.data_paths[i] == nullptr) {
      return null_argument();
    }
  }
  return Error::Ok;
}

Error finish_load(std::unique_ptr<Module> module, const executorch_module_options& options,
                  executorch_module** out) {
  const Error error =
      module->load(options.check_integrity ? Program::Verification::InternalConsistency
                                           : Program::Verification::Minimal);
  if (error == Error::Ok) {
    *out = new executorch_module(std::move(module));
  }
  return error;
}

}  // namespace

void executorch::extension::c_api::set_event_tracer_maker(EventTracerMaker maker) {
  event_tracer_maker = maker;
}

executorch::runtime::EventTracer* executorch::extension::c_api::event_tracer(
    executorch_module* module) {
  return module->module->event_tracer();
}

uint32_t executorch_c_abi_version(void) { return EXECUTORCH_C_ABI_VERSION; }

const char* executorch_last_message(void) {
  return last_message().empty() ? plain_message : last_message().c_str();
}

executorch_error executorch_module_load(const char* path, const executorch_module_options* options,
                                        executorch_module** out) {
  return guarded(__func__, [&] {
    if (path == nullptr || out == nullptr) {
      return null_argument();
    }
    *out = nullptr;
    executorch_module_options read;
    const Error error = read_options(options, read);
    if (error != Error::Ok) {
      return error;
    }
    const std::vector<std::string> data_files(read.data_paths,
                                              read.data_paths + read.num_data_paths);
    return finish_load(
        std::make_unique<Module>(path, data_files, static_cast<Module::LoadMode>(read.load_mode),
                                 make_event_tracer(), nullptr, nullptr, read.share_memory_arenas),
        read, out);
  });
}

executorch_error executorch_module_load_from_memory(const void* data, size_t size,
                                                    const executorch_module_options* options,
                                                    executorch_module** out) {
  return guarded(__func__, [&] {
    if (data == nullptr || out == nullptr) {
      return null_argument();
    }
    *out = nullptr;
    executorch_module_options read;
    const Error error = read_options(options, read);
    if (error != Error::Ok) {
      return error;
    }
    if (read.num_data_paths > 1) {
      ET_LOG(Error, "A program in memory can have one data file, found %zu", read.num_data_paths);
      return Error::NotSupported;
    }
    std::unique_ptr<executorch::runtime::DataLoader> weights;
    if (read.num_data_paths == 1) {
      auto loader = executorch::extension::FileDataLoader::from(read.data_paths[0]);
      if (!loader.ok()) {
        return loader.error();
      }
      weights = std::make_unique<executorch::extension::FileDataLoader>(std::move(*loader));
    }
    return finish_load(
        std::make_unique<Module>(std::make_unique<BufferDataLoader>(data, size), nullptr, nullptr,
                                 make_event_tracer(), std::move(weights), read.share_memory_arenas),
        read, out);
  });
}

void executorch_module_destroy(executorch_module* module) { delete module; }

executorch_error executorch_module_num_methods(executorch_module* module, size_t* out) {
  return guarded(__func__, [&] {
    if (module == nullptr || out == nullptr) {
      return null_argument();
    }
    *out = module->module->program()->num_methods();
    return Error::Ok;
  });
}

executorch_error executorch_module_method_name(executorch_module* module, size_t index,
                                               const char** out) {
  return guarded(__func__, [&] {
    if (module == nullptr || out == nullptr) {
      return null_argument();
    }
    const Result<const char*> name = module->module->program()->get_method_name(index);
    if (name.ok()) {
      *out = *name;
    }
    return name.error();
  });
}

executorch_error executorch_module_method_num_backends(executorch_module* module,
                                                       const char* method, size_t* out) {
  return with_meta(__func__, module, method, out, [&](const MethodMeta& meta) {
    *out = meta.num_backends();
    return Error::Ok;
  });
}

executorch_error executorch_module_method_backend_name(executorch_module* module,
                                                       const char* method, size_t index,
                                                       const char** out) {
  return with_meta(__func__, module, method, out, [&](const MethodMeta& meta) {
    const Result<const char*> name = meta.get_backend_name(index);
    if (name.ok()) {
      *out = *name;
    }
    return name.error();
  });
}

executorch_error executorch_module_load_method(executorch_module* module, const char* method) {
  return with_method(__func__, module, method, [](Method&) { return Error::Ok; });
}

executorch_error executorch_module_unload_method(executorch_module* module, const char* method) {
  return guarded(__func__, [&] {
    if (module == nullptr || method == nullptr) {
      return null_argument();
    }
    if (!module->module->unload_method(method)) {
      ET_LOG(Error, "%s is not loaded", method);
      return Error::NotFound;
    }
    return Error::Ok;
  });
}

executorch_error executorch_module_num_inputs(executorch_module* module, const char* method,
                                              size_t* out) {
  return with_method(__func__, module, method, [&](Method& loaded) {
    if (out == nullptr) {
      return null_argument();
    }
    *out = loaded.inputs_size();
    return Error::Ok;
  });
}

executorch_error executorch_module_num_outputs(executorch_module* module, const char* method,
                                               size_t* out) {
  return with_method(__func__, module, method, [&](Method& loaded) {
    if (out == nullptr) {
      return null_argument();
    }
    *out = loaded.outputs_size();
    return Error::Ok;
  });
}

executorch_error executorch_module_input_info(executorch_module* module, const char* method,
                                              size_t index, executorch_value* out) {
  return with_method(__func__, module, method, [&](Method& loaded) {
    if (out == nullptr) {
      return null_argument();
    }
    const MethodMeta meta = loaded.method_meta();
    const Error error = check_index(index, meta.num_inputs(), "input");
    if (error != Error::Ok) {
      return error;
    }
    const auto tag = meta.input_tag(index);
    const bool tensor = tag.ok() && *tag == executorch::runtime::Tag::Tensor;
    const auto made = describe(tag, tensor ? meta.input_tensor_meta(index) : Error::InvalidType);
    if (made.ok()) {
      *out = *made;
    }
    return made.error();
  });
}

executorch_error executorch_module_output_info(executorch_module* module, const char* method,
                                               size_t index, executorch_value* out) {
  return with_method(__func__, module, method, [&](Method& loaded) {
    if (out == nullptr) {
      return null_argument();
    }
    const MethodMeta meta = loaded.method_meta();
    const Error error = check_index(index, meta.num_outputs(), "output");
    if (error != Error::Ok) {
      return error;
    }
    const auto tag = meta.output_tag(index);
    const bool tensor = tag.ok() && *tag == executorch::runtime::Tag::Tensor;
    const auto made = describe(tag, tensor ? meta.output_tensor_meta(index) : Error::InvalidType);
    if (made.ok()) {
      *out = *made;
    }
    return made.error();
  });
}

executorch_error executorch_module_set_output_data(executorch_module* module, const char* method,
                                                   size_t index, void* data, size_t size) {
  return with_method(__func__, module, method,
                     [&](Method& loaded) { return loaded.set_output_data_ptr(data, size, index); });
}

executorch_error executorch_module_execute(executorch_module* module, const char* method,
                                           const executorch_value* inputs, size_t num_inputs,
                                           executorch_value* outputs, size_t num_outputs) {
  return with_method(__func__, module, method, [&](Method& loaded) {
    if ((inputs == nullptr && num_inputs > 0) || (outputs == nullptr && num_outputs > 0)) {
      return null_argument();
    }
    if (num_inputs != loaded.inputs_size() ||
        (outputs != nullptr && num_outputs != loaded.outputs_size())) {
      ET_LOG(Error, "%s has %zu inputs and %zu outputs, found %zu and room for %zu", method,
             loaded.inputs_size(), loaded.outputs_size(), num_inputs, num_outputs);
      return Error::InvalidArgument;
    }
    Inputs converted;
    for (size_t i = 0; i < num_inputs; ++i) {
      const Error error = converted.add(inputs[i]);
      if (error != Error::Ok) {
        return error;
      }
    }
    Result<std::vector<EValue>> made = module->module->execute(method, converted.values());
    if (!made.ok()) {
      return made.error();
    }
    for (size_t i = 0; i < num_outputs; ++i) {
      outputs[i] = to_c((*made)[i]);
    }
    return Error::Ok;
  });
}

executorch_error executorch_module_get_output(executorch_module* module, const char* method,
                                              size_t index, executorch_value* out) {
  return with_method(__func__, module, method, [&](Method& loaded) {
    if (out == nullptr) {
      return null_argument();
    }
    const Error error = check_index(index, loaded.outputs_size(), "output");
    if (error != Error::Ok) {
      return error;
    }
    EValue value = loaded.get_output(index);
    *out = to_c(value);
    return Error::Ok;
  });
}

size_t executorch_num_operators(void) {
  return executorch::runtime::get_registered_kernels().size();
}

const char* executorch_operator_name(size_t index) {
  const auto kernels = executorch::runtime::get_registered_kernels();
  return index < kernels.size() ? kernels[index].name_ : nullptr;
}

size_t executorch_num_backends(void) { return executorch::runtime::get_num_registered_backends(); }

const char* executorch_backend_name(size_t index) {
  if (index >= executorch_num_backends()) {
    return nullptr;
  }
  const Result<const char*> name = executorch::runtime::get_backend_name(index);
  return name.ok() ? *name : nullptr;
}
