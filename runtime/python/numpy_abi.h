#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include <executorch/runtime/core/exec_aten/exec_aten.h>
#include <executorch/runtime/python/py_object.h>

namespace executorch {
namespace runtime {
namespace python {

/// A NumPy array over memory that it keeps a share of. Goes through NumPy's binary interface, whose
/// function table and type numbers are the same in NumPy 1 and 2, so that nothing of NumPy is
/// needed to compile. Needs the GIL. Throws Failure for a dtype that NumPy does not have.
///
/// @param strides In bytes, `rank` of them, as `sizes`.
Object numpy_array(executorch::aten::ScalarType dtype, size_t rank, const int64_t* sizes,
                   const int64_t* strides, const std::shared_ptr<void>& data);

}  // namespace python
}  // namespace runtime
}  // namespace executorch
