#pragma once

/// The binary interface of DLPack (major version 1), by which array libraries hand tensors to each
/// other without copies and without knowing each other. Only what the bindings use; the layout is
/// fixed by the DLPack specification and must not change.

#include <cstdint>

namespace executorch {
namespace runtime {
namespace python {
namespace dlpack {

constexpr uint32_t kMajorVersion = 1;
constexpr uint32_t kMinorVersion = 1;

/// Device types whose memory the CPU can read.
constexpr int32_t kCpu = 1;
constexpr int32_t kCudaHost = 3;

/// Codes of element types; the width in bits completes them.
enum TypeCode : uint8_t {
  kInt = 0,
  kUInt = 1,
  kFloat = 2,
  kBfloat = 4,
  kComplex = 5,
  kBool = 6,
  kFloat8E4M3FN = 10,
  kFloat8E4M3FNUZ = 11,
  kFloat8E5M2 = 12,
  kFloat8E5M2FNUZ = 13,
};

constexpr uint64_t kFlagReadOnly = 1;

struct Version {
  uint32_t major;
  uint32_t minor;
};

struct Device {
  int32_t type;
  int32_t id;
};

struct DataType {
  uint8_t code;
  uint8_t bits;
  uint16_t lanes;
};

struct Tensor {
  void* data;
  Device device;
  int32_t ndim;
  DataType dtype;
  int64_t* shape;
  int64_t* strides;  // In elements; null means contiguous (before version 1.2).
  uint64_t byte_offset;
};

/// What a capsule named "dltensor" holds.
struct ManagedTensor {
  Tensor tensor;
  void* manager_context;
  void (*deleter)(ManagedTensor* self);
};

/// What a capsule named "dltensor_versioned" holds.
struct ManagedTensorVersioned {
  Version version;
  void* manager_context;
  void (*deleter)(ManagedTensorVersioned* self);
  uint64_t flags;
  Tensor tensor;
};

/// What `type.__dlpack_c_exchange_api__` holds: the same exchange through C functions. Each returns
/// 0, or -1 with a Python exception set.
struct ExchangeApi {
  Version version;
  ExchangeApi* previous;
  int (*allocate)(Tensor* prototype, ManagedTensorVersioned** out, void* context,
                  void (*set_error)(void* context, const char* kind, const char* message));
  int (*managed_from_object)(void* object, ManagedTensorVersioned** out);
  int (*object_from_managed)(ManagedTensorVersioned* tensor, void** out);
  int (*view_of_object)(void* object, Tensor* out);  // May be null. Borrows from the object.
  int (*current_stream)(int32_t device_type, int32_t device_id, void** out);
};

}  // namespace dlpack
}  // namespace python
}  // namespace runtime
}  // namespace executorch
