#include <new>

#include <executorch/runtime/kernel/operator_registry.h>
#include <executorch/runtime/platform/assert.h>
#include <executorch/runtime/platform/log.h>
#include <executorch/runtime/platform/platform.h>

namespace executorch {
namespace runtime {
namespace {

#ifdef MAX_KERNEL_NUM
constexpr uint32_t kMaxKernels = MAX_KERNEL_NUM;
#else
constexpr uint32_t kMaxKernels = 2000;
#endif
static_assert(kMaxKernels > 0 && kMaxKernels < 0x8000, "MAX_KERNEL_NUM must lie in 1..32767");

constexpr uint32_t next_power_of_two(uint32_t value) {
  uint32_t power = 1;
  while (power < value) {
    power *= 2;
  }
  return power;
}

// At most half of the index is ever in use, so probe sequences stay short and always end.
constexpr uint32_t kIndexSize = next_power_of_two(2 * kMaxKernels);
constexpr uint32_t kIndexMask = kIndexSize - 1;

// All of this is zero-initialized memory: kernels are registered from static constructors, in an
// order nobody controls, so nothing here may need a constructor of its own.
alignas(Kernel) unsigned char kernel_storage[kMaxKernels * sizeof(Kernel)];
uint32_t num_kernels = 0;
// Open addressing by the hash of the operator's name; holds 1 + the kernel's position, 0 is free.
uint16_t kernel_index[kIndexSize];

const Kernel* kernels() { return reinterpret_cast<const Kernel*>(kernel_storage); }

constexpr uint32_t kHashSeed = 2166136261u;

// FNV-1a; the seed lets a name be hashed in pieces.
uint32_t hash_bytes(const char* bytes, size_t length, uint32_t hash = kHashSeed) {
  for (size_t i = 0; i < length; ++i) {
    hash = (hash ^ static_cast<uint8_t>(bytes[i])) * 16777619u;
  }
  return hash;
}

uint32_t first_probe(uint32_t hash) { return (hash ^ (hash >> 15)) & kIndexMask; }

// Whether the zero-terminated `full_name` is `name.overload`, or `name` if `overload` is empty.
bool name_matches(const char* full_name, const char* name, size_t name_length, const char* overload,
                  size_t overload_length) {
  if (std::strncmp(full_name, name, name_length) != 0) {
    return false;
  }
  const char* rest = full_name + name_length;
  if (overload_length == 0) {
    return *rest == '\0';
  }
  return *rest == '.' && std::strncmp(rest + 1, overload, overload_length) == 0 &&
         rest[1 + overload_length] == '\0';
}

bool is_registered(const Kernel& kernel) {
  uint32_t probe = first_probe(hash_bytes(kernel.name_, std::strlen(kernel.name_)));
  for (; kernel_index[probe] != 0; probe = (probe + 1) & kIndexMask) {
    const Kernel& other = kernels()[kernel_index[probe] - 1];
    if (std::strcmp(other.name_, kernel.name_) == 0 && other.kernel_key_ == kernel.kernel_key_) {
      return true;
    }
  }
  return false;
}

void insert(const Kernel& kernel) {
  uint32_t probe = first_probe(hash_bytes(kernel.name_, std::strlen(kernel.name_)));
  while (kernel_index[probe] != 0) {
    probe = (probe + 1) & kIndexMask;
  }
  new (kernel_storage + num_kernels * sizeof(Kernel)) Kernel(kernel);
  ++num_kernels;
  kernel_index[probe] = static_cast<uint16_t>(num_kernels);
}

// Writes decimal numbers and separators into a buffer and remembers whether all of them fitted.
class KeyWriter {
 public:
  KeyWriter(char* buffer, size_t size) : next_(buffer), left_(size) {}

  void put(char c) {
    if (left_ == 0) {
      ok_ = false;
      return;
    }
    *next_++ = c;
    --left_;
  }

  void put_number(int number) {
    if (number < 0 || number > 99) {
      ok_ = false;
      return;
    }
    if (number >= 10) {
      put(static_cast<char>('0' + number / 10));
    }
    put(static_cast<char>('0' + number % 10));
  }

  bool ok() const { return ok_; }

 private:
  char* next_;
  size_t left_;
  bool ok_ = true;
};

}  // namespace

namespace internal {

Error make_kernel_key_string(Span<const TensorMeta> key, char* buf, size_t buf_size) {
  if (buf == nullptr || buf_size == 0) {
    return Error::InvalidArgument;
  }
  KeyWriter writer(buf, buf_size);
  char separator = '/';
  if (!key.empty()) {
    writer.put('v');
    writer.put('1');
  }
  for (size_t t = 0; t < key.size(); ++t) {
    const TensorMeta& meta = key[t];
    writer.put(separator);
    separator = '|';
    writer.put_number(static_cast<int>(meta.dtype_));
    writer.put(';');
    for (size_t d = 0; d < meta.dim_order_.size(); ++d) {
      if (d > 0) {
        writer.put(',');
      }
      writer.put_number(static_cast<int>(meta.dim_order_[d]));
    }
  }
  writer.put('\0');
  if (!writer.ok()) {
    buf[0] = '\0';
    return Error::InvalidArgument;
  }
  return Error::Ok;
}

OperatorKernels::OperatorKernels(const char* name, size_t name_length, const char* overload,
                                 size_t overload_length) {
  uint32_t hash = hash_bytes(name, name_length);
  if (overload_length > 0) {
    hash = hash_bytes(".", 1, hash);
    hash = hash_bytes(overload, overload_length, hash);
  }
  first_probe_ = first_probe(hash);
  for (uint32_t probe = first_probe_; kernel_index[probe] != 0; probe = (probe + 1) & kIndexMask) {
    const Kernel& kernel = kernels()[kernel_index[probe] - 1];
    if (name_matches(kernel.name_, name, name_length, overload, overload_length)) {
      ++count_;
      name_ = kernel.name_;
      if (kernel.kernel_key_.is_fallback()) {
        fallback_ = &kernel;
      }
    }
  }
}

const Kernel* OperatorKernels::find(const char* key) const {
  uint32_t left = count_;
  for (uint32_t probe = first_probe_; left > 0; probe = (probe + 1) & kIndexMask) {
    const Kernel& kernel = kernels()[kernel_index[probe] - 1];
    if (std::strcmp(kernel.name_, name_) != 0) {
      continue;
    }
    if (!kernel.kernel_key_.is_fallback() && std::strcmp(kernel.kernel_key_.data(), key) == 0) {
      return &kernel;
    }
    --left;
  }
  return fallback_;
}

void OperatorKernels::log_registered() const {
  uint32_t left = count_;
  for (uint32_t probe = first_probe_; left > 0; probe = (probe + 1) & kIndexMask) {
    const Kernel& kernel = kernels()[kernel_index[probe] - 1];
    if (std::strcmp(kernel.name_, name_) == 0) {
      ET_LOG(Error, "  registered for %s: %s", name_,
             kernel.kernel_key_.is_fallback() ? "all tensors" : kernel.kernel_key_.data());
      --left;
    }
  }
}

}  // namespace internal

Error register_kernels(const Span<const Kernel> new_kernels) {
  // A static constructor may be the first to use the platform layer.
  pal_init();

  ET_CHECK_MSG(new_kernels.size() <= kMaxKernels - num_kernels,
               "Error %#x: cannot register %zu kernels, %u of at most %u are there already. Build "
               "with a larger MAX_KERNEL_NUM",
               static_cast<unsigned>(Error::RegistrationExceedingMaxKernels), new_kernels.size(),
               static_cast<unsigned>(num_kernels), static_cast<unsigned>(kMaxKernels));
  for (const Kernel& kernel : new_kernels) {
    if (kernel.name_ == nullptr || kernel.op_ == nullptr) {
      ET_LOG(Error, "Cannot register kernel %s: it needs a name and a function",
             kernel.name_ != nullptr ? kernel.name_ : "(null)");
      return Error::InvalidArgument;
    }
  }
  for (const Kernel& kernel : new_kernels) {
    ET_CHECK_MSG(!is_registered(kernel),
                 "Error %#x: kernel %s with key %s is registered twice. Is a kernel library linked "
                 "twice, or do two have it?",
                 static_cast<unsigned>(Error::RegistrationAlreadyRegistered), kernel.name_,
                 kernel.kernel_key_.is_fallback() ? "(all tensors)" : kernel.kernel_key_.data());
    insert(kernel);
  }
  return Error::Ok;
}

Error register_kernel(const Kernel& kernel) { return register_kernels({&kernel, 1}); }

Result<OpFunction> get_op_function_from_registry(const char* name,
                                                 Span<const TensorMeta> meta_list) {
  if (name == nullptr) {
    return Error::InvalidArgument;
  }
  const internal::OperatorKernels found(name, std::strlen(name), "", 0);
  const Kernel* kernel = found.fallback();
  if (found.has_specialized()) {
    char key[KernelKey::MAX_SIZE];
    const Error error = internal::make_kernel_key_string(meta_list, key, sizeof(key));
    if (error != Error::Ok) {
      ET_LOG(Error, "Tensors of a call of %s cannot be written as a kernel key", name);
      return error;
    }
    kernel = found.find(key);
  }
  if (kernel == nullptr) {
    // Quiet, because asking whether an operator is there is no error; callers that need it log.
    return Error::OperatorMissing;
  }
  return kernel->op_;
}

Result<OpFunction> get_op_function_from_registry(const char* name, Span<const TensorMeta> meta_list,
                                                 Span<const Kernel> kernels) {
  if (name == nullptr) {
    return Error::InvalidArgument;
  }
  char key[KernelKey::MAX_SIZE];
  const Error error = internal::make_kernel_key_string(meta_list, key, sizeof(key));
  if (error != Error::Ok) {
    ET_LOG(Error, "Tensors of a call of %s cannot be written as a kernel key", name);
    return error;
  }
  OpFunction fallback = nullptr;
  for (const Kernel& kernel : kernels) {
    if (kernel.name_ == nullptr || std::strcmp(kernel.name_, name) != 0) {
      continue;
    }
    if (kernel.kernel_key_.is_fallback()) {
      fallback = kernel.op_;
    } else if (std::strcmp(kernel.kernel_key_.data(), key) == 0) {
      return kernel.op_;
    }
  }
  if (fallback == nullptr) {
    return Error::OperatorMissing;
  }
  return fallback;
}

bool registry_has_op_function(const char* name, Span<const TensorMeta> meta_list) {
  return get_op_function_from_registry(name, meta_list).ok();
}

Span<const Kernel> get_registered_kernels() { return {kernels(), num_kernels}; }

}  // namespace runtime
}  // namespace executorch
