#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include <executorch/runtime/core/error.h>
#include <executorch/runtime/core/evalue.h>
#include <executorch/runtime/core/exec_aten/exec_aten.h>
#include <executorch/runtime/core/result.h>
#include <executorch/runtime/core/span.h>
#include <executorch/runtime/kernel/kernel_runtime_context.h>
#include <executorch/runtime/platform/compiler.h>

namespace executorch {
namespace runtime {

/// A kernel as the executor calls it.
///
/// `stack` holds every argument of the operator's schema in order, out arguments included, and then
/// one slot for the return value. For a kernel with one out argument that slot is the out argument
/// itself, for several it is a list of them, so kernels need not write it.
using OpFunction = void (*)(KernelRuntimeContext& context, Span<EValue*> stack);

/// Dtype and dim order of one tensor argument: what a specialized kernel is chosen by.
struct TensorMeta {
  executorch::aten::ScalarType dtype_ = executorch::aten::ScalarType::Undefined;
  Span<executorch::aten::DimOrderType> dim_order_;

  TensorMeta() = default;
  TensorMeta(executorch::aten::ScalarType dtype, Span<executorch::aten::DimOrderType> order)
      : dtype_(dtype), dim_order_(order) {}

  bool equals(const TensorMeta& other) const {
    return dtype_ == other.dtype_ && dim_order_.size() == other.dim_order_.size() &&
           (dim_order_.empty() || std::memcmp(dim_order_.data(), other.dim_order_.data(),
                                              dim_order_.size() * sizeof(dim_order_[0])) == 0);
  }
  bool operator==(const TensorMeta& other) const { return equals(other); }
  bool operator!=(const TensorMeta& other) const { return !equals(other); }
};

/// Which tensors a kernel is for: `v1/` followed by one `dtype;dim,dim,...` group for each tensor
/// argument in stack order, separated by `|`, all numbers decimal.
///
/// For instance `v1/7;0,1,2,3|1;0,1,2,3,4,5,6,7` is a double tensor of rank 4 and an int8 tensor of
/// rank 8, both contiguous. Arguments that are not tensors, lists of tensors included, leave no
/// trace in the key.
///
/// A key built without text is the fallback key: the kernel takes every combination that no
/// specialized kernel of the same operator takes.
struct KernelKey {
  /// Longest key, with its terminating zero: 16 tensors of 16 dimensions.
  static constexpr size_t MAX_SIZE = 659;

  constexpr KernelKey() = default;
  /// @param kernel_key_data The key's text. Not copied; must stay valid as long as the registry,
  ///     that is, forever. Null gives the fallback key.
  /* implicit */ constexpr KernelKey(const char* kernel_key_data) : data_(kernel_key_data) {}

  constexpr bool is_fallback() const { return data_ == nullptr; }

  /// The key's text, null for the fallback key.
  constexpr const char* data() const { return data_; }

  bool equals(const KernelKey& other) const {
    if (is_fallback() || other.is_fallback()) {
      return is_fallback() == other.is_fallback();
    }
    return std::strcmp(data_, other.data_) == 0;
  }
  bool operator==(const KernelKey& other) const { return equals(other); }
  bool operator!=(const KernelKey& other) const { return !equals(other); }

 private:
  const char* data_ = nullptr;
};

/// Which arguments of a call a kernel writes the elements of, by their places on the stack: what
/// the executor holds a program's memory plan against. In its spare bits: how events name the
/// kernel.
class WrittenArguments {
 public:
  /// Places from here on count as one.
  static constexpr size_t kLastPlace = 23;

  /// Not said. The executor takes for written what the stack's convention says: the return value,
  /// and as many arguments before it as it has tensors.
  constexpr WrittenArguments() = default;

  /// None. For kernels that write no elements, and for those that ask `may_write` themselves and
  /// work on whatever their arguments share.
  static constexpr WrittenArguments none() { return WrittenArguments(kKnown); }

  /// These, and the argument at `place`.
  constexpr WrittenArguments with(size_t place) const {
    return WrittenArguments(bits_ | kKnown | 1u << (place < kLastPlace ? place : kLastPlace));
  }

  /// These, of a kernel that puts another tensor in place of its return value.
  constexpr WrittenArguments with_new_result() const {
    return WrittenArguments(bits_ | kKnown | kNewResult);
  }

  /// These, of a kernel whose events have the operator's whole name. See `Method`'s events.
  constexpr WrittenArguments with_whole_event_name() const {
    return WrittenArguments(bits_ | kKnown | kWholeEventName);
  }

  constexpr bool is_known() const { return (bits_ & kKnown) != 0; }
  constexpr bool has_new_result() const { return (bits_ & kNewResult) != 0; }
  constexpr bool has_whole_event_name() const { return (bits_ & kWholeEventName) != 0; }
  /// A bit for each place.
  constexpr uint32_t places() const { return bits_ & ((2u << kLastPlace) - 1); }

 private:
  static constexpr uint32_t kKnown = 1u << 31;
  static constexpr uint32_t kNewResult = 1u << 30;
  static constexpr uint32_t kWholeEventName = 1u << 29;
  constexpr explicit WrittenArguments(uint32_t bits) : bits_(bits) {}

  uint32_t bits_ = 0;
};

/// A kernel with the operator that it implements.
struct Kernel {
  /// Operator name with overload, such as `aten::add.out`. Not copied by the registry.
  const char* name_ = nullptr;
  KernelKey kernel_key_;
  OpFunction op_ = nullptr;
  WrittenArguments written_;

  constexpr Kernel() = default;
  /// A kernel for all tensors that no specialized kernel takes.
  constexpr explicit Kernel(const char* name, OpFunction func, WrittenArguments written = {})
      : name_(name), op_(func), written_(written) {}
  /// A kernel for the tensors that `key` describes.
  constexpr explicit Kernel(const char* name, KernelKey key, OpFunction func,
                            WrittenArguments written = {})
      : name_(name), kernel_key_(key), op_(func), written_(written) {}
};

/// Adds kernels to the process-wide registry, usually from a static constructor of the library that
/// has them.
///
/// Not synchronized: register before other threads load methods.
///
/// @retval Error::InvalidArgument A kernel has no name or no function; nothing was registered.
/// Two kernels for the same operator and key (`Error::RegistrationAlreadyRegistered`), and more
/// kernels than `MAX_KERNEL_NUM` (`Error::RegistrationExceedingMaxKernels`), are mistakes in how
/// the binary was built, and static constructors have nobody to return them to: they abort the
/// process after naming the operator.
ET_NODISCARD Error register_kernels(const Span<const Kernel> kernels);

/// Adds one kernel. See `register_kernels`.
ET_NODISCARD Error register_kernel(const Kernel& kernel);

/// Whether some kernel is registered for operator `name` that takes tensors like `meta_list`.
bool registry_has_op_function(const char* name, Span<const TensorMeta> meta_list = {});

/// Finds the kernel for operator `name`: the one specialized on exactly `meta_list`, otherwise the
/// fallback kernel.
///
/// @param meta_list One entry for each tensor argument in stack order; may be empty.
/// @retval Error::OperatorMissing There is neither.
/// @retval Error::InvalidArgument `meta_list` cannot be written as a key.
Result<OpFunction> get_op_function_from_registry(const char* name,
                                                 Span<const TensorMeta> meta_list = {});

/// The same in a list of kernels of the caller's instead of the registry.
Result<OpFunction> get_op_function_from_registry(const char* name, Span<const TensorMeta> meta_list,
                                                 Span<const Kernel> kernels);

/// All registered kernels, in the order of registration.
Span<const Kernel> get_registered_kernels();

namespace internal {

/// Room for any key that the runtime makes; see KernelKey::MAX_SIZE.
constexpr size_t kKernelKeyBufSize = KernelKey::MAX_SIZE;

/// Writes the key for `key` into `buf`, zero-terminated. An empty `key` gives an empty string.
///
/// @param buf_size Bytes in `buf`; `KernelKey::MAX_SIZE` is always enough for what the runtime
///     makes.
/// @retval Error::InvalidArgument `buf` is too small, or a number is outside 0 to 99.
ET_NODISCARD Error make_kernel_key_string(Span<const TensorMeta> key, char* buf, size_t buf_size);

/// The kernels of one operator, found once and then asked for each of its calls in a program.
///
/// Programs hold an operator's name and overload apart; this looks them up without joining them.
class OperatorKernels {
 public:
  /// Looks up the operator `name.overload`, or `name` if `overload` is empty.
  OperatorKernels(const char* name, size_t name_length, const char* overload,
                  size_t overload_length);
  OperatorKernels() = default;

  /// Whether there is any kernel at all.
  bool empty() const { return count_ == 0; }

  /// Whether the choice depends on the tensors. If not, `fallback()` is the answer.
  bool has_specialized() const { return count_ > (fallback_ != nullptr ? 1u : 0u); }

  /// The kernel for all tensors, null if there is none.
  const Kernel* fallback() const { return fallback_; }

  /// The kernel specialized on the text `key`, otherwise the fallback, otherwise null.
  const Kernel* find(const char* key) const;

  /// Logs which kernels there are, for an operator whose call matched none.
  void log_registered() const;

 private:
  uint32_t first_probe_ = 0;
  uint32_t count_ = 0;
  const Kernel* fallback_ = nullptr;
  const char* name_ = nullptr;
};

}  // namespace internal

}  // namespace runtime
}  // namespace executorch

namespace torch {
namespace executor {
using ::executorch::runtime::get_op_function_from_registry;
using ::executorch::runtime::get_registered_kernels;
using ::executorch::runtime::Kernel;
using ::executorch::runtime::KernelKey;
using ::executorch::runtime::OpFunction;
using ::executorch::runtime::register_kernel;
using ::executorch::runtime::register_kernels;
using ::executorch::runtime::registry_has_op_function;
using ::executorch::runtime::TensorMeta;

// Older names of the registry, for sources that still have them.

/// The kernel for an operator; aborts if there is none, so ask hasOpsFn() first.
inline OpFunction getOpsFn(const char* name,
                           ::executorch::aten::ArrayRef<TensorMeta> meta_list = {}) {
  return get_op_function_from_registry(name, {meta_list.data(), meta_list.size()}).get();
}
inline bool hasOpsFn(const char* name, ::executorch::aten::ArrayRef<TensorMeta> meta_list = {}) {
  return registry_has_op_function(name, {meta_list.data(), meta_list.size()});
}
inline ::executorch::aten::ArrayRef<Kernel> get_kernels() {
  const ::executorch::runtime::Span<const Kernel> kernels = get_registered_kernels();
  return {kernels.data(), kernels.size()};
}
}  // namespace executor
}  // namespace torch
