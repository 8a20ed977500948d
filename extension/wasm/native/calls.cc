#include <cstddef>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <executorch/extension/c_api/values.h>
#include <executorch/extension/data_loader/buffer_data_loader.h>
#include <executorch/extension/flat_tensor/flat_tensor_data_map.h>
#include <executorch/extension/log_capture/log_capture.h>
#include <executorch/extension/memory_allocator/malloc_memory_allocator.h>
#include <executorch/extension/memory_allocator/planned_memory.h>
#include <executorch/extension/wasm/native/calls.h>
#include <executorch/runtime/executor/memory_manager.h>
#include <executorch/runtime/executor/method.h>
#include <executorch/runtime/executor/program.h>
#include <executorch/runtime/kernel/operator_registry.h>
#include <executorch/runtime/platform/log.h>
#include <executorch/runtime/platform/runtime.h>

using executorch::extension::BufferDataLoader;
using executorch::extension::FlatTensorDataMap;
using executorch::extension::LogCapture;
using executorch::extension::MallocMemoryAllocator;
using executorch::extension::PlannedMemory;
using executorch::extension::c_api::describe;
using executorch::extension::c_api::Inputs;
using executorch::extension::c_api::to_c;
using executorch::runtime::Error;
using executorch::runtime::EValue;
using executorch::runtime::MemoryManager;
using executorch::runtime::Method;
using executorch::runtime::MethodMeta;
using executorch::runtime::Program;
using executorch::runtime::Result;
using executorch::runtime::Tag;

/// A loaded method with the memory that it stands on, which is declared first and so freed last.
struct et_method {
  MallocMemoryAllocator structures;
  MallocMemoryAllocator temporary;
  MallocMemoryAllocator dynamic;
  std::unique_ptr<PlannedMemory> planned;
  std::unique_ptr<MemoryManager> memory;
  std::unique_ptr<Method> method;
  std::string name;
};

struct et_module {
  et_module(const void* data, size_t size, const void* weights_data, size_t weights_size)
      : loader(data, size), weights_loader(weights_data, weights_size) {}

  BufferDataLoader loader;
  BufferDataLoader weights_loader;
  std::unique_ptr<FlatTensorDataMap> weights;
  std::unique_ptr<Program> program;
  std::vector<std::unique_ptr<et_method>> methods;
};

namespace {

#if defined(__wasm__)
// Where src/module.ts writes and reads.
static_assert(sizeof(executorch_value) == 32 && offsetof(executorch_value, kind) == 0 &&
              offsetof(executorch_value, as) == 8);
static_assert(offsetof(executorch_string, data) == 0 && offsetof(executorch_string, size) == 4);
static_assert(offsetof(executorch_tensor, data) == 0 && offsetof(executorch_tensor, sizes) == 4 &&
              offsetof(executorch_tensor, dim_order) == 8 &&
              offsetof(executorch_tensor, rank) == 12 &&
              offsetof(executorch_tensor, nbytes) == 16 &&
              offsetof(executorch_tensor, dtype) == 20);
#endif

std::string& last_message() {
  static std::string message;
  return message;
}

/// Runs what a call does. What the runtime logs as errors becomes the message of a call that fails.
template <typename Body>
uint32_t logged(Body&& body) {
  static bool is_installed = false;
  if (!is_installed) {
    executorch::runtime::runtime_init();
    LogCapture::install();
    is_installed = true;
  }
  LogCapture log;
  const Error error = body();
  if (error != Error::Ok) {
    std::string message;
    for (const std::string& line : log.take()) {
      message += message.empty() ? line : "\n" + line;
    }
    last_message() = std::move(message);
  }
  return static_cast<uint32_t>(error);
}

template <typename Body>
uint32_t with_meta(et_module* module, const char* name, Body&& body) {
  return logged([&] {
    const Result<MethodMeta> meta = module->program->method_meta(name);
    return meta.ok() ? body(*meta) : meta.error();
  });
}

Error load(et_module& module) {
  if (*module.weights_loader.size() > 0) {
    Result<FlatTensorDataMap> map = FlatTensorDataMap::load(&module.weights_loader);
    if (!map.ok()) {
      return map.error();
    }
    module.weights = std::make_unique<FlatTensorDataMap>(std::move(*map));
  }
  // A page gets its program from a network: all of it is checked.
  Result<Program> program =
      Program::load(&module.loader, Program::Verification::InternalConsistency);
  if (!program.ok()) {
    return program.error();
  }
  module.program = std::make_unique<Program>(std::move(*program));
  return Error::Ok;
}

Error load_method(et_module& module, const char* name, et_method& loaded) {
  const Result<MethodMeta> meta = module.program->method_meta(name);
  if (!meta.ok()) {
    return meta.error();
  }
  Result<std::unique_ptr<PlannedMemory>> planned = PlannedMemory::create(*meta);
  if (!planned.ok()) {
    return planned.error();
  }
  loaded.planned = std::move(*planned);
  loaded.memory = std::make_unique<MemoryManager>(&loaded.structures, loaded.planned->allocator(),
                                                  &loaded.temporary);
  loaded.memory->set_dynamic_allocator(&loaded.dynamic);
  Result<Method> method =
      module.program->load_method(name, loaded.memory.get(), nullptr, module.weights.get());
  if (!method.ok()) {
    return method.error();
  }
  loaded.method = std::make_unique<Method>(std::move(*method));
  loaded.name = name;
  return Error::Ok;
}

Error set_inputs(et_method& loaded, const Inputs& inputs) {
  Method& method = *loaded.method;
  for (size_t i = 0; i < inputs.values().size(); ++i) {
    const EValue& value = inputs.values()[i];
    const Result<Tag> expected = method.method_meta().input_tag(i);
    if (value.isNone() && !(expected.ok() && *expected == Tag::None)) {
      ET_LOG(Error, "%s: input %zu is missing", loaded.name.c_str(), i);
      return Error::InvalidArgument;
    }
    const Error error = method.set_input(value, i);
    if (error != Error::Ok) {
      return error;
    }
  }
  return Error::Ok;
}

}  // namespace

const char* et_last_message(void) { return last_message().c_str(); }

const char* et_error_name(uint32_t error) { return executorch_error_name(error); }

uint32_t et_module_load(const void* program, size_t program_size, const void* weights,
                        size_t weights_size, et_module** out) {
  return logged([&] {
    auto module = std::make_unique<et_module>(program, program_size, weights, weights_size);
    const Error error = load(*module);
    *out = error == Error::Ok ? module.release() : nullptr;
    return error;
  });
}

void et_module_destroy(et_module* module) { delete module; }

size_t et_module_num_methods(et_module* module) { return module->program->num_methods(); }

const char* et_module_method_name(et_module* module, size_t index) {
  const Result<const char*> name = module->program->get_method_name(index);
  return name.ok() ? *name : nullptr;
}

uint32_t et_module_method(et_module* module, const char* name, et_method** out) {
  return logged([&] {
    *out = nullptr;
    for (const auto& known : module->methods) {
      if (known->name == name) {
        *out = known.get();
        return Error::Ok;
      }
    }
    auto loaded = std::make_unique<et_method>();
    const Error error = load_method(*module, name, *loaded);
    if (error == Error::Ok) {
      *out = loaded.get();
      module->methods.push_back(std::move(loaded));
    }
    return error;
  });
}

uint32_t et_meta_count(et_module* module, const char* name, int32_t count, size_t* out) {
  return with_meta(module, name, [&](const MethodMeta& meta) {
    switch (count) {
      case ET_COUNT_INPUTS:
        *out = meta.num_inputs();
        return Error::Ok;
      case ET_COUNT_OUTPUTS:
        *out = meta.num_outputs();
        return Error::Ok;
      case ET_COUNT_BACKENDS:
        *out = meta.num_backends();
        return Error::Ok;
      case ET_COUNT_INSTRUCTIONS:
        *out = meta.num_instructions();
        return Error::Ok;
      case ET_COUNT_PLANNED_BUFFERS:
        *out = meta.num_memory_planned_buffers();
        return Error::Ok;
      default:
        ET_LOG(Error, "There is no count %d", static_cast<int>(count));
        return Error::InvalidArgument;
    }
  });
}

uint32_t et_meta_backend(et_module* module, const char* name, size_t index, const char** out) {
  return with_meta(module, name, [&](const MethodMeta& meta) {
    const Result<const char*> backend = meta.get_backend_name(index);
    *out = backend.ok() ? *backend : nullptr;
    return backend.error();
  });
}

uint32_t et_meta_planned_bytes(et_module* module, const char* name, size_t index, size_t* out) {
  return with_meta(module, name, [&](const MethodMeta& meta) {
    const Result<int64_t> bytes = meta.memory_planned_buffer_size(index);
    *out = bytes.ok() ? static_cast<size_t>(*bytes) : 0;
    return bytes.error();
  });
}

uint32_t et_meta_value(et_module* module, const char* name, int32_t outputs, size_t index,
                       executorch_value* out, int32_t* planned) {
  return with_meta(module, name, [&](const MethodMeta& meta) {
    const Result<Tag> tag = outputs != 0 ? meta.output_tag(index) : meta.input_tag(index);
    using Info = Result<executorch::runtime::TensorInfo>;
    const bool is_tensor = tag.ok() && *tag == Tag::Tensor;
    const Info info = !is_tensor     ? Info(Error::InvalidType)
                      : outputs != 0 ? meta.output_tensor_meta(index)
                                     : meta.input_tensor_meta(index);
    const Result<executorch_value> made = describe(tag, info);
    if (made.ok()) {
      *out = *made;
      *planned = info.ok() && info->is_memory_planned() ? 1 : 0;
    }
    return made.error();
  });
}

uint32_t et_method_execute(et_method* method, const executorch_value* inputs, size_t num_inputs,
                           executorch_value* outputs, size_t num_outputs) {
  return logged([&] {
    Method& loaded = *method->method;
    if (num_inputs != loaded.inputs_size() || num_outputs != loaded.outputs_size()) {
      ET_LOG(Error, "%s has %zu inputs and %zu outputs, found %zu and room for %zu",
             method->name.c_str(), loaded.inputs_size(), loaded.outputs_size(), num_inputs,
             num_outputs);
      return Error::InvalidArgument;
    }
    Inputs converted;
    for (size_t i = 0; i < num_inputs; ++i) {
      const Error error = converted.add(inputs[i]);
      if (error != Error::Ok) {
        return error;
      }
    }
    const Error set = set_inputs(*method, converted);
    if (set != Error::Ok) {
      return set;
    }
    const Error error = loaded.execute();
    if (error != Error::Ok) {
      return error;
    }
    for (size_t i = 0; i < num_outputs; ++i) {
      EValue value = loaded.get_output(i);
      outputs[i] = to_c(value);
    }
    return Error::Ok;
  });
}

size_t et_num_operators(void) { return executorch::runtime::get_registered_kernels().size(); }

const char* et_operator_name(size_t index) {
  const auto kernels = executorch::runtime::get_registered_kernels();
  return index < kernels.size() ? kernels[index].name_ : nullptr;
}

void* et_allocate(size_t size) { return std::aligned_alloc(16, (size + 15) & ~size_t{15}); }

void et_free(void* memory) { std::free(memory); }
