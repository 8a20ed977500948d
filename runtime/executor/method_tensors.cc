#include <cinttypes>
#include <cstring>
#include <limits>
#include <new>
#include <utility>

#include <executorch/runtime/core/exec_aten/util/dim_order_util.h>
#include <executorch/runtime/core/exec_aten/util/scalar_type_util.h>
#include <executorch/runtime/core/exec_aten/util/tensor_shape_to_c_string.h>
#include <executorch/runtime/core/exec_aten/util/tensor_util.h>
#include <executorch/runtime/core/portable_type/dynamic_memory.h>
#include <executorch/runtime/executor/flatbuffer_util.h>
#include <executorch/runtime/executor/method_loader.h>
#include <executorch/runtime/executor/program.h>
#include <executorch/runtime/platform/log.h>

namespace executorch {
namespace runtime {
namespace internal {

namespace fb = executorch_flatbuffer;

using executorch::aten::DimOrderType;
using executorch::aten::SizesType;
using executorch::aten::StridesType;
using executorch::aten::Tensor;
using executorch::aten::TensorImpl;

namespace {

// Where tensors without elements point to, so that null always means "memory still to come".
alignas(std::max_align_t) unsigned char no_elements[alignof(std::max_align_t)];

bool is_external(const fb::Tensor& tensor) {
  const auto* extra = tensor.extra_tensor_info();
  return extra != nullptr && extra->location() == fb::TensorDataLocation::EXTERNAL;
}

// Whether a dimension is marked, see emitter/dim_marks.py.
bool is_marked(std::string_view marks, size_t dim) {
  return dim / 6 < marks.size() && ((marks[dim / 6] - '0') >> dim % 6 & 1) != 0;
}

// Whether a tensor may wait for its memory until it gets its sizes.
bool has_sizes_to_come(const TensorSpec& spec) {
  return spec.dynamism != TensorShapeDynamism::STATIC && spec.dim != 0;
}

uint32_t hash(const char* text) {
  uint32_t hash = 2166136261u;
  for (; *text != '\0'; ++text) {
    hash = (hash ^ static_cast<uint8_t>(*text)) * 16777619u;
  }
  return hash;
}

}  // namespace

Error MethodLoader::allocate_tensors(const Counts& counts) {
  TensorImpl* tensors = nullptr;
  uint8_t* flags = nullptr;
  ET_CHECK_OK_OR_RETURN_ERROR(allocate(counts.tensors, "tensors", &tensors));
  ET_CHECK_OK_OR_RETURN_ERROR(allocate(counts.tensors, "tensors", &flags));
  ET_CHECK_OK_OR_RETURN_ERROR(allocate(counts.dims, "strides", &next_strides_));
  ET_CHECK_OK_OR_RETURN_ERROR(allocate(counts.dynamic_dims, "dynamic sizes", &next_sizes_));
  ET_CHECK_OK_OR_RETURN_ERROR(
      allocate(counts.external_tensors, "external constants", &external_constants_));
  state_.tensors = {tensors, counts.tensors};
  if (flags != nullptr) {
    std::memset(flags, 0, counts.tensors);
  }
  state_.tensor_access = TensorAccess(tensors, flags, counts.tensors);
  state_.external_constants = {external_constants_, size_t{0}};
  return load_arena(counts.tensors);
}

// Without memory for the first planned buffer it is laid out for the sizes that inputs come with.
Error MethodLoader::load_arena(size_t num_tensors) {
  const HierarchicalAllocator* given = request_.memory_manager->planned_memory();
  MemoryAllocator* const allocator = request_.memory_manager->dynamic_allocator();
  const bool is_given = given != nullptr && given->buffer_size(0) != 0;
  if (!kUnboundedSizes || arena_text_.empty() || is_given || allocator == nullptr) {
    return Error::Ok;
  }
  Result<SizedArena*> arena = SizedArena::load(
      arena_text_, num_tensors, request_.memory_manager->method_allocator(), allocator);
  if (!arena.ok()) {
    return arena.error();
  }
  state_.arena = *arena;
  return Error::Ok;
}

Error MethodLoader::load_tensor(const fb::Tensor& serialized, EValue* value) {
  // Cheap enough to do again; validate_plan does not keep its results.
  Result<TensorSpec> spec = check_tensor(&serialized);
  if (!spec.ok()) {
    return spec.error();
  }
  ET_CHECK_OR_RETURN_ERROR(
      kUnboundedSizes || spec->dynamism != TensorShapeDynamism::DYNAMIC_UNBOUND, NotSupported,
      "A tensor has no bound to its size: build the runtime with enable_unbounded_sizes");
  Result<void*> data = load_tensor_data(serialized, *spec);
  if (!data.ok()) {
    return data.error();
  }
  ET_CHECK_OR_RETURN_ERROR(
      reinterpret_cast<uintptr_t>(*data) % data_alignment(spec->element_size) == 0, InvalidProgram,
      "Memory of a tensor at %p is not aligned for elements of %zu bytes", *data,
      spec->element_size);

  const etensor::Device device =
      kDeviceMemory ? memory_device(plan_, serialized) : etensor::DeviceType::CPU;
  const bool has_bounds = spec->dynamism != TensorShapeDynamism::STATIC && is_loading_input_;
  const bool unbounded = kUnboundedSizes && device.is_cpu() && is_unbounded(serialized, *spec);
  const bool is_sized_later = kUnboundedSizes && state_.arena != nullptr && *data == nullptr &&
                              serialized.allocation_info() != nullptr && has_sizes_to_come(*spec);
  const bool can_grow = unbounded || is_sized_later;
  SizesType* sizes = load_sizes(*spec, has_bounds);
  if (can_grow && *data == nullptr) {
    // Without memory to begin with it is empty.
    std::memset(sizes, 0, spec->dim * sizeof(SizesType));
    *data = no_elements;
  }
  StridesType* strides = next_strides_;
  if (spec->dim > 0) {
    next_strides_ += spec->dim;
    dim_order_to_stride_nocheck(sizes, spec->dim_order, spec->dim, strides);
  }

  TensorImpl* tensor = state_.tensors.data() + num_loaded_tensors_;
  new (tensor) TensorImpl(spec->scalar_type, static_cast<ssize_t>(spec->dim), sizes, *data,
                          const_cast<DimOrderType*>(spec->dim_order), strides,
                          unbounded ? TensorShapeDynamism::DYNAMIC_UNBOUND : spec->dynamism,
                          device.type(), device.index());
  if (has_bounds) {
    TensorResizerFriend::use_dim_bounds(tensor);
  }
  if (can_grow) {
    ET_CHECK_OK_OR_RETURN_ERROR(serve_dynamic_memory(*tensor));
  }
  ++num_loaded_tensors_;
  // Inputs and outputs without planned memory become writable when they get some.
  state_.tensor_access.set_may_write(tensor, can_grow || serialized.allocation_info() != nullptr);
  if (!can_grow && *data != nullptr) {
    state_.tensor_access.set_fixed(tensor);
  }
  *value = EValue(Tensor(tensor));
  return Error::Ok;
}

// Whether a tensor may outgrow its memory. Constants keep their sizes, whatever the program says.
bool MethodLoader::is_unbounded(const fb::Tensor& serialized, const TensorSpec& spec) const {
  const bool is_constant = serialized.allocation_info() == nullptr &&
                           (serialized.data_buffer_idx() != 0 || is_external(serialized));
  if (spec.dynamism == TensorShapeDynamism::STATIC || spec.dim == 0 || is_constant) {
    return false;
  }
  bool unbounded = spec.dynamism == TensorShapeDynamism::DYNAMIC_UNBOUND;
  for (size_t i = 0; i < spec.dim; ++i) {
    unbounded = unbounded || is_marked(unbounded_dims_, num_loaded_dims_ + i);
  }
  return unbounded;
}

// Tensors with one place in the plan are never in use together, so they share what they outgrow it
// to. One that is larger does not: the place of the other ends before. An empty one has no place.
Error MethodLoader::serve_dynamic_memory(TensorImpl& tensor) {
  DynamicMemory* const block =
      state_.arena == nullptr ? nullptr : state_.arena->block_of(num_loaded_tensors_);
  if (block != nullptr) {
    block->serve(tensor);
    return Error::Ok;
  }
  void* const data = tensor.mutable_data();
  for (size_t i = 0; i < num_loaded_tensors_ && tensor.numel() != 0; ++i) {
    DynamicMemory* memory = DynamicMemory::of(state_.tensors[i]);
    if (memory != nullptr && memory->data() == data &&
        state_.tensors[i].nbytes() == tensor.nbytes()) {
      memory->serve(tensor);
      return Error::Ok;
    }
  }
  DynamicMemory* memory = nullptr;
  ET_CHECK_OK_OR_RETURN_ERROR(allocate(1, "a tensor of unbounded size", &memory));
  new (memory) DynamicMemory(request_.memory_manager->dynamic_allocator(), data, tensor.nbytes());
  memory->serve(tensor);
  return Error::Ok;
}

// Kernels take what the planned memory has room for. What comes from outside was exported for
// bounds of each dimension, and works beyond them by accident only.
SizesType* MethodLoader::load_sizes(const TensorSpec& spec, bool with_bounds) {
  const size_t first_dim = num_loaded_dims_;
  num_loaded_dims_ += spec.dim;
  // Static sizes and all dim orders are used where they are, nobody writes them.
  if (spec.dynamism == TensorShapeDynamism::STATIC || spec.dim == 0) {
    return const_cast<SizesType*>(spec.sizes);
  }
  SizesType* sizes = next_sizes_;
  std::memcpy(sizes, spec.sizes, spec.dim * sizeof(SizesType));
  next_sizes_ += spec.dim;
  for (size_t i = 0; with_bounds && i < spec.dim; ++i) {
    const bool is_bound =
        !kUnboundedSizes || (spec.dynamism == TensorShapeDynamism::DYNAMIC_BOUND &&
                             !is_marked(unbounded_dims_, first_dim + i));
    *next_sizes_++ = is_marked(static_dims_, first_dim + i) ? ~sizes[i]
                     : is_bound                             ? sizes[i]
                                                            : std::numeric_limits<SizesType>::max();
  }
  return sizes;
}

// Null if the memory comes later.
Result<void*> MethodLoader::load_tensor_data(const fb::Tensor& serialized, const TensorSpec& spec) {
  const bool external = is_external(serialized);
  const char* key =
      external ? serialized.extra_tensor_info()->fully_qualified_name()->c_str() : nullptr;
  const fb::AllocationDetails* place = serialized.allocation_info();
  const uint32_t buffer_index = serialized.data_buffer_idx();

  if (place == nullptr) {
    if (external) {
      return get_external_constant(key, spec);
    }
    if (buffer_index == 0) {
      return static_cast<void*>(nullptr);
    }
    Result<const void*> data =
        request_.program->get_constant_buffer_data(buffer_index, spec.nbytes);
    if (!data.ok()) {
      return Error::InvalidProgram;
    }
    return *data == nullptr ? static_cast<void*>(no_elements) : const_cast<void*>(*data);
  }

  Result<void*> memory = get_planned_memory(*place, spec);
  if (!memory.ok() || (!external && buffer_index == 0)) {
    return memory;
  }
  ET_CHECK_OR_RETURN_ERROR(*memory != nullptr, InvalidProgram,
                           "A tensor with an initial state lies where nothing stays");
  // Planned memory with an initial state.
  ET_CHECK_OR_RETURN_ERROR(
      !kDeviceMemory || planned_buffer_device(plan_, place->memory_id()).is_cpu(), NotSupported,
      "The initial state of a tensor cannot be read into a device's memory");
  Error error = Error::Ok;
  if (external) {
    error = check_external_layout(key, spec);
    if (error == Error::Ok) {
      error = state_.named_data->load_data_into(key, *memory, spec.nbytes);
    }
  } else {
    const auto* extra = serialized.extra_tensor_info();
    const uint64_t segments_index = extra == nullptr ? 0 : extra->mutable_data_segments_idx();
    error = request_.program->load_mutable_subsegment_into(static_cast<size_t>(segments_index),
                                                           buffer_index, spec.nbytes, *memory);
  }
  if (error != Error::Ok) {
    return error;
  }
  return memory;
}

Result<void*> MethodLoader::get_planned_memory(const fb::AllocationDetails& place,
                                               const TensorSpec& spec) const {
  if (kUnboundedSizes && state_.arena != nullptr && place.memory_id() == 1) {
    return get_arena_memory(
        static_cast<uint64_t>(place.memory_offset_high()) << 32 | place.memory_offset_low(), spec);
  }
  const HierarchicalAllocator* planned_memory = request_.memory_manager->planned_memory();
  ET_CHECK_OR_RETURN_ERROR(planned_memory != nullptr, InvalidArgument,
                           "The method needs planned memory, the memory manager has none");
  const uint64_t offset =
      static_cast<uint64_t>(place.memory_offset_high()) << 32 | place.memory_offset_low();
  ET_CHECK_OR_RETURN_ERROR(offset <= std::numeric_limits<size_t>::max(), NotSupported,
                           "Planned offset %" PRIu64 " is beyond this device's memory", offset);
  // Buffers are numbered from 1 in programs and from 0 in the allocator.
  Result<void*> memory = planned_memory->get_offset_address(
      place.memory_id() - 1, static_cast<size_t>(offset), spec.nbytes);
  if (memory.ok() && *memory == nullptr) {
    return static_cast<void*>(no_elements);  // An empty tensor in an empty buffer.
  }
  return memory;
}

// State has its memory from the beginning. What is in no block was passed in: its elements are
// copied before all sizes are known. Null for what gets its memory with the sizes.
Result<void*> MethodLoader::get_arena_memory(uint64_t offset, const TensorSpec& spec) const {
  if (state_.arena->block_of(num_loaded_tensors_) != nullptr) {
    return static_cast<void*>(nullptr);
  }
  void* const fixed = state_.arena->fixed_address(offset, spec.nbytes);
  if (fixed != nullptr || has_sizes_to_come(spec)) {
    return fixed;
  }
  void* const own = state_.arena->dynamic_allocator()->allocate(spec.nbytes + DynamicMemory::kSlack,
                                                                DynamicMemory::kAlignment);
  ET_CHECK_OR_RETURN_ERROR(own != nullptr, MemoryAllocationFailed,
                           "The dynamic allocator has no %zu bytes for an input", spec.nbytes);
  return own;
}

// Loads the data of a constant from outside of the program, once for all tensors with this key.
Result<void*> MethodLoader::get_external_constant(const char* key, const TensorSpec& spec) {
  Error error = check_external_layout(key, spec);
  if (error != Error::Ok) {
    return error;
  }
  const uint32_t key_hash = hash(key);
  const ExternalConstant* found = nullptr;
  for (const ExternalConstant& constant : state_.external_constants) {
    if (constant.key_hash == key_hash && std::strcmp(constant.key, key) == 0) {
      found = &constant;
      break;
    }
  }
  if (found == nullptr) {
    Result<FreeableBuffer> data = state_.named_data->get_data(key);
    if (!data.ok()) {
      ET_LOG(Error, "Could not load external constant %s", key);
      return data.error();
    }
    const size_t count = state_.external_constants.size();
    found = new (&external_constants_[count]) ExternalConstant{key, key_hash, std::move(*data)};
    state_.external_constants = {external_constants_, count + 1};
  }
  Result<const void*> data = found->data.data_safe();
  if (!data.ok()) {
    return data.error();
  }
  ET_CHECK_OR_RETURN_ERROR(found->data.size() >= spec.nbytes, InvalidExternalData,
                           "External constant %s has %zu bytes, the program expects %zu", key,
                           found->data.size(), spec.nbytes);
  return *data == nullptr ? static_cast<void*>(no_elements) : const_cast<void*>(*data);
}

Error MethodLoader::check_external_layout(const char* key, const TensorSpec& spec) const {
  ET_CHECK_OR_RETURN_ERROR(state_.named_data != nullptr, InvalidState,
                           "The method needs external data such as '%s', but none was given: load "
                           "the .ptd file that belongs to the program",
                           key);
  Result<const TensorLayout> layout = state_.named_data->get_tensor_layout(key);
  if (layout.error() == Error::NotImplemented) {
    return Error::Ok;  // The data comes without a layout; its size is checked all the same.
  }
  if (!layout.ok()) {
    ET_LOG(Error, "External data has no '%s'", key);
    return layout.error();
  }
  const Span<const SizesType> expected_sizes(spec.sizes, spec.dim);
  const bool fits =
      layout->scalar_type() == spec.scalar_type && layout->sizes().size() == spec.dim &&
      layout->dim_order().size() == spec.dim &&
      (spec.dim == 0 ||
       (std::memcmp(layout->sizes().data(), spec.sizes, spec.dim * sizeof(SizesType)) == 0 &&
        std::memcmp(layout->dim_order().data(), spec.dim_order, spec.dim) == 0));
  ET_CHECK_OR_RETURN_ERROR(
      fits, InvalidExternalData,
      "External data '%s' is %s%s, the program expects %s%s in its own dim order", key,
      toString(layout->scalar_type()), tensor_shape_to_c_string(layout->sizes()).data(),
      toString(spec.scalar_type), tensor_shape_to_c_string(expected_sizes).data());
  return Error::Ok;
}

}  // namespace internal
}  // namespace runtime
}  // namespace executorch
