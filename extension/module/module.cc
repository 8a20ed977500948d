#include <algorithm>

#include <executorch/extension/data_loader/file_data_loader.h>
#include <executorch/extension/data_loader/mmap_data_loader.h>
#include <executorch/extension/flat_tensor/flat_tensor_data_map.h>
#include <executorch/extension/memory_allocator/malloc_memory_allocator.h>
#include <executorch/extension/module/module.h>
#include <executorch/extension/named_data_map/merged_data_map.h>
#include <executorch/runtime/platform/log.h>
#include <executorch/runtime/platform/runtime.h>

namespace executorch {
namespace extension {

using runtime::BackendOption;
using runtime::DataLoader;
using runtime::Error;
using runtime::EventTracer;
using runtime::HierarchicalAllocator;
using runtime::LoadBackendOptionsMap;
using runtime::MemoryAllocator;
using runtime::MemoryManager;
using runtime::Method;
using runtime::MethodMeta;
using runtime::NamedDataMap;
using runtime::Program;
using runtime::Result;

namespace {

template <typename Loader>
Result<std::unique_ptr<DataLoader>> boxed(Result<Loader> loader) {
  if (!loader.ok()) {
    return loader.error();
  }
  return std::unique_ptr<DataLoader>(std::make_unique<Loader>(std::move(*loader)));
}

Result<std::unique_ptr<DataLoader>> make_loader(const std::string& path, Module::LoadMode mode) {
  using MlockConfig = MmapDataLoader::MlockConfig;
  switch (mode) {
    case Module::LoadMode::Mmap:
      return boxed(MmapDataLoader::from(path.c_str(), MlockConfig::NoMlock));
    case Module::LoadMode::MmapUseMlock:
      return boxed(MmapDataLoader::from(path.c_str(), MlockConfig::UseMlock));
    case Module::LoadMode::MmapUseMlockIgnoreErrors:
      return boxed(MmapDataLoader::from(path.c_str(), MlockConfig::UseMlockIgnoreErrors));
    case Module::LoadMode::MmapUseMadvise:
      return boxed(MmapDataLoader::from(path.c_str(), MlockConfig::UseMadvise));
    case Module::LoadMode::File:
      break;
  }
  return boxed(FileDataLoader::from(path.c_str()));
}

std::unique_ptr<MemoryAllocator> or_malloc(std::unique_ptr<MemoryAllocator> allocator) {
  return allocator != nullptr ? std::move(allocator) : std::make_unique<MallocMemoryAllocator>();
}

}  // namespace

/// Keeps the loader alive as long as anybody holds the program.
struct Module::LoadedProgram {
  LoadedProgram(std::unique_ptr<DataLoader> loader_in, Program&& program_in)
      : loader(std::move(loader_in)), program(std::move(program_in)) {}

  std::unique_ptr<DataLoader> loader;
  Program program;
};

Module::Module(const std::string& file_path, LoadMode load_mode,
               std::unique_ptr<EventTracer> event_tracer,
               std::unique_ptr<MemoryAllocator> memory_allocator,
               std::unique_ptr<MemoryAllocator> temp_allocator, bool share_memory_arenas)
    : Module(file_path, std::vector<std::string>{}, load_mode, std::move(event_tracer),
             std::move(memory_allocator), std::move(temp_allocator), share_memory_arenas) {}

Module::Module(const std::string& file_path, const std::string& data_map_path, LoadMode load_mode,
               std::unique_ptr<EventTracer> event_tracer,
               std::unique_ptr<MemoryAllocator> memory_allocator,
               std::unique_ptr<MemoryAllocator> temp_allocator, bool share_memory_arenas)
    : Module(file_path,
             data_map_path.empty() ? std::vector<std::string>{}
                                   : std::vector<std::string>{data_map_path},
             load_mode, std::move(event_tracer), std::move(memory_allocator),
             std::move(temp_allocator), share_memory_arenas) {}

Module::Module(const std::string& file_path, std::vector<std::string> data_files,
               LoadMode load_mode, std::unique_ptr<EventTracer> event_tracer,
               std::unique_ptr<MemoryAllocator> memory_allocator,
               std::unique_ptr<MemoryAllocator> temp_allocator, bool share_memory_arenas)
    : file_path_(file_path),
      data_files_(std::move(data_files)),
      load_mode_(load_mode),
      share_memory_arenas_(share_memory_arenas),
      event_tracer_(std::move(event_tracer)),
      memory_allocator_(std::move(memory_allocator)),
      temp_allocator_(or_malloc(std::move(temp_allocator))) {
  runtime::runtime_init();
}

Module::Module(std::unique_ptr<DataLoader> data_loader,
               std::unique_ptr<MemoryAllocator> memory_allocator,
               std::unique_ptr<MemoryAllocator> temp_allocator,
               std::unique_ptr<EventTracer> event_tracer,
               std::unique_ptr<DataLoader> data_map_loader, bool share_memory_arenas)
    : share_memory_arenas_(share_memory_arenas),
      data_loader_(std::move(data_loader)),
      event_tracer_(std::move(event_tracer)),
      memory_allocator_(std::move(memory_allocator)),
      temp_allocator_(or_malloc(std::move(temp_allocator))) {
  if (data_map_loader != nullptr) {
    data_map_loaders_.push_back(std::move(data_map_loader));
  }
  runtime::runtime_init();
}

Module::Module(std::shared_ptr<Program> program, std::unique_ptr<MemoryAllocator> memory_allocator,
               std::unique_ptr<MemoryAllocator> temp_allocator,
               std::unique_ptr<EventTracer> event_tracer,
               std::unique_ptr<DataLoader> data_map_loader, bool share_memory_arenas)
    : Module(std::unique_ptr<DataLoader>(), std::move(memory_allocator), std::move(temp_allocator),
             std::move(event_tracer), std::move(data_map_loader), share_memory_arenas) {
  program_ = std::move(program);
}

Module::~Module() = default;

Error Module::load(Program::Verification verification) {
  const Error error = load_external_data();
  if (error != Error::Ok || program_ != nullptr) {
    return error;
  }
  if (data_loader_ == nullptr) {
    if (file_path_.empty()) {
      ET_LOG(Error, "The module has neither a file nor a loader nor a program");
      return Error::InvalidArgument;
    }
    Result<std::unique_ptr<DataLoader>> loader = make_loader(file_path_, load_mode_);
    if (!loader.ok()) {
      return loader.error();
    }
    data_loader_ = std::move(*loader);
  }
  Result<Program> program = Program::load(data_loader_.get(), verification);
  if (!program.ok()) {
    return program.error();
  }
  auto loaded = std::make_shared<LoadedProgram>(std::move(data_loader_), std::move(*program));
  Program* pointer = &loaded->program;
  program_ = std::shared_ptr<Program>(std::move(loaded), pointer);
  return Error::Ok;
}

/// A copy of the caller's options with the memory that it refers to.
struct Module::OwnedOptions {
  std::vector<std::vector<BackendOption>> storage;
  LoadBackendOptionsMap map;
};

Error Module::load(const LoadBackendOptionsMap& backend_options,
                   Program::Verification verification) {
  auto options = std::make_unique<OwnedOptions>();
  options->storage.reserve(backend_options.size());
  for (size_t i = 0; i < backend_options.size(); ++i) {
    const LoadBackendOptionsMap::EntryView entry = backend_options.entry_at(i);
    options->storage.emplace_back(entry.options.begin(), entry.options.end());
    const Error error = options->map.set_options(entry.backend_id, options->storage.back());
    if (error != Error::Ok) {
      return error;
    }
  }
  const Error error = load(verification);
  if (error == Error::Ok) {
    backend_options_ = std::move(options);
  }
  return error;
}

const LoadBackendOptionsMap& Module::backend_options() const {
  static const LoadBackendOptionsMap kNone;
  return backend_options_ != nullptr ? backend_options_->map : kNone;
}

bool Module::is_loaded() const { return program_ != nullptr; }

Error Module::load_external_data() {
  while (data_map_loaders_.size() < data_files_.size()) {
    Result<std::unique_ptr<DataLoader>> loader =
        make_loader(data_files_[data_map_loaders_.size()], load_mode_);
    if (!loader.ok()) {
      return loader.error();
    }
    data_map_loaders_.push_back(std::move(*loader));
  }
  while (data_maps_.size() < data_map_loaders_.size()) {
    Result<FlatTensorDataMap> map =
        FlatTensorDataMap::load(data_map_loaders_[data_maps_.size()].get());
    if (!map.ok()) {
      return map.error();
    }
    data_maps_.push_back(std::make_unique<FlatTensorDataMap>(std::move(*map)));
  }
  if (data_maps_.size() > 1 && merged_data_map_ == nullptr) {
    std::vector<const NamedDataMap*> maps;
    for (const auto& map : data_maps_) {
      maps.push_back(map.get());
    }
    Result<MergedDataMap> merged = MergedDataMap::load(maps);
    if (!merged.ok()) {
      return merged.error();
    }
    merged_data_map_ = std::make_unique<MergedDataMap>(std::move(*merged));
  }
  return Error::Ok;
}

Result<size_t> Module::num_methods() {
  const Error error = load();
  if (error != Error::Ok) {
    return error;
  }
  return program_->num_methods();
}

Result<std::unordered_set<std::string>> Module::method_names() {
  const Error error = load();
  if (error != Error::Ok) {
    return error;
  }
  std::unordered_set<std::string> names;
  for (size_t i = 0; i < program_->num_methods(); ++i) {
    const Result<const char*> name = program_->get_method_name(i);
    if (!name.ok()) {
      return name.error();
    }
    names.emplace(*name);
  }
  return names;
}

Result<HierarchicalAllocator*> Module::shared_arenas() {
  if (shared_arenas_ == nullptr) {
    std::vector<PlannedMemory::Arena> largest;
    for (size_t i = 0; i < program_->num_methods(); ++i) {
      const Result<const char*> name = program_->get_method_name(i);
      if (!name.ok()) {
        return name.error();
      }
      const Result<MethodMeta> meta = program_->method_meta(*name);
      if (!meta.ok()) {
        return meta.error();
      }
      const Result<std::vector<PlannedMemory::Arena>> arenas = PlannedMemory::arenas_of(*meta);
      if (!arenas.ok()) {
        return arenas.error();
      }
      for (size_t k = 0; k < arenas->size(); ++k) {
        const PlannedMemory::Arena& arena = (*arenas)[k];
        if (k == largest.size()) {
          largest.push_back(arena);
        }
        if (largest[k].device != arena.device) {
          ET_LOG(Error,
                 "Method %s has arena %zu on another device than methods before it, so they cannot "
                 "share arenas",
                 *name, k);
          return Error::NotSupported;
        }
        largest[k].size = std::max(largest[k].size, arena.size);
      }
    }
    Result<std::unique_ptr<PlannedMemory>> memory = PlannedMemory::create(largest);
    if (!memory.ok()) {
      return memory.error();
    }
    shared_arenas_ = std::move(*memory);
  }
  return shared_arenas_->allocator();
}

Error Module::load_method(const std::string& method_name, HierarchicalAllocator* planned_memory,
                          EventTracer* event_tracer, const LoadBackendOptionsMap* backend_options,
                          std::vector<runtime::Kernel> kernels) {
  if (is_method_loaded(method_name)) {
    return Error::Ok;
  }
  const Error error = load();
  if (error != Error::Ok) {
    return error;
  }
  MethodHolder holder;
  if (planned_memory == nullptr && share_memory_arenas_) {
    const Result<HierarchicalAllocator*> shared = shared_arenas();
    if (!shared.ok()) {
      return shared.error();
    }
    planned_memory = *shared;
  } else if (planned_memory == nullptr) {
    const Result<MethodMeta> meta = program_->method_meta(method_name.c_str());
    if (!meta.ok()) {
      return meta.error();
    }
    Result<std::unique_ptr<PlannedMemory>> memory = PlannedMemory::create(*meta);
    if (!memory.ok()) {
      return memory.error();
    }
    holder.planned_memory = std::move(*memory);
    planned_memory = holder.planned_memory->allocator();
  }
  if (memory_allocator_ == nullptr) {
    holder.method_allocator = std::make_unique<MallocMemoryAllocator>();
  }
  holder.memory_manager = std::make_unique<MemoryManager>(
      memory_allocator_ != nullptr ? memory_allocator_.get() : holder.method_allocator.get(),
      planned_memory, temp_allocator_.get());
  holder.dynamic_allocator = std::make_unique<MallocMemoryAllocator>();
  holder.memory_manager->set_dynamic_allocator(holder.dynamic_allocator.get());
  const NamedDataMap* data_map = merged_data_map_ != nullptr ? merged_data_map_.get()
                                 : data_maps_.empty()        ? nullptr
                                                             : data_maps_.front().get();
  if (backend_options == nullptr && backend_options_ != nullptr) {
    backend_options = &backend_options_->map;
  }
  Result<Method> method = program_->load_method(
      method_name.c_str(), holder.memory_manager.get(),
      event_tracer != nullptr ? event_tracer : event_tracer_.get(), data_map, backend_options,
      runtime::Span<const runtime::Kernel>(kernels.data(), kernels.size()));
  if (!method.ok()) {
    return method.error();
  }
  holder.method = std::make_unique<Method>(std::move(*method));
  holder.inputs.resize(holder.method->inputs_size());
  methods_.emplace(method_name, std::move(holder));
  return Error::Ok;
}

bool Module::unload_method(const std::string& method_name) {
  return methods_.erase(method_name) > 0;
}

bool Module::is_method_loaded(const std::string& method_name) const {
  return methods_.find(method_name) != methods_.end();
}

Result<Module::MethodHolder*> Module::loaded_holder(const std::string& method_name) {
  const Error error = load_method(method_name);
  if (error != Error::Ok) {
    return error;
  }
  const auto position = methods_.find(method_name);
  if (position == methods_.end()) {
    // Only a subclass whose load_method() does not load gets here.
    return Error::InvalidState;
  }
  return &position->second;
}

Result<Method*> Module::method(const std::string& method_name) {
  const Result<MethodHolder*> holder = loaded_holder(method_name);
  if (!holder.ok()) {
    return holder.error();
  }
  return (*holder)->method.get();
}

Result<MethodMeta> Module::method_meta(const std::string& method_name) {
  const Result<MethodHolder*> holder = loaded_holder(method_name);
  if (!holder.ok()) {
    return holder.error();
  }
  return (*holder)->method->method_meta();
}

}  // namespace extension
}  // namespace executorch
