/// @file
/// The tensor vocabulary under the neutral namespace executorch::aten, in which kernels are
/// written.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include <executorch/runtime/core/array_ref.h>
#include <executorch/runtime/core/portable_type/bfloat16.h>
#include <executorch/runtime/core/portable_type/bfloat16_math.h>
#include <executorch/runtime/core/portable_type/complex.h>
#include <executorch/runtime/core/portable_type/device.h>
#include <executorch/runtime/core/portable_type/half.h>
#include <executorch/runtime/core/portable_type/optional.h>
#include <executorch/runtime/core/portable_type/qint_types.h>
#include <executorch/runtime/core/portable_type/scalar.h>
#include <executorch/runtime/core/portable_type/scalar_type.h>
#include <executorch/runtime/core/portable_type/string_view.h>
#include <executorch/runtime/core/portable_type/tensor.h>
#include <executorch/runtime/core/portable_type/tensor_options.h>

#ifdef USE_ATEN_LIB
#error "this runtime has only the portable tensor types; USE_ATEN_LIB (at::Tensor) is not supported"
#endif

/// Last component of the namespace of functions that depend on the tensor type.
#define ET_RUNTIME_NAMESPACE runtime

namespace executorch {
namespace aten {

using TensorShapeDynamism = ::executorch::runtime::TensorShapeDynamism;

using ::executorch::runtime::etensor::Device;
using ::executorch::runtime::etensor::DeviceIndex;
using ::executorch::runtime::etensor::DeviceType;
using ::executorch::runtime::etensor::Layout;
using ::executorch::runtime::etensor::MemoryFormat;
using ::executorch::runtime::etensor::Scalar;
using ::executorch::runtime::etensor::ScalarType;
using ::executorch::runtime::etensor::Tensor;
using ::executorch::runtime::etensor::TensorImpl;

using ::executorch::runtime::etensor::BFloat16;
using ::executorch::runtime::etensor::complex;
using ::executorch::runtime::etensor::Half;
using ::executorch::runtime::etensor::qint32;
using ::executorch::runtime::etensor::qint8;
using ::executorch::runtime::etensor::quint2x4;
using ::executorch::runtime::etensor::quint4x2;
using ::executorch::runtime::etensor::quint8;

using std::nullopt;
using std::nullopt_t;
using std::optional;
using std::string_view;

using ::executorch::runtime::ArrayRef;
using ::executorch::runtime::makeArrayRef;
using TensorList = ArrayRef<Tensor>;
using IntArrayRef = ArrayRef<int64_t>;
template <typename T>
using OptionalArrayRef = std::optional<ArrayRef<T>>;
using OptionalIntArrayRef = OptionalArrayRef<int64_t>;

using SizesType = TensorImpl::SizesType;
using DimOrderType = TensorImpl::DimOrderType;
using StridesType = TensorImpl::StridesType;

using ::executorch::runtime::etensor::compute_numel;
using ::executorch::runtime::etensor::safe_numel;

}  // namespace aten
}  // namespace executorch

// Older spelling of the namespace.
namespace exec_aten = ::executorch::aten;

namespace torch {
namespace executor {
using TensorList = ::executorch::aten::TensorList;
template <typename T>
using OptionalArrayRef = ::executorch::aten::OptionalArrayRef<T>;
using OptionalIntArrayRef = ::executorch::aten::OptionalIntArrayRef;
}  // namespace executor
}  // namespace torch
