#include <executorch/runtime/core/defines.h>
#include <executorch/runtime/core/exec_aten/util/scalar_type_basics.h>
#include <executorch/runtime/platform/assert.h>

namespace executorch {
namespace runtime {

const char* toString(etensor::ScalarType type) {
#if ET_ENABLE_ENUM_STRINGS
  switch (type) {
#define ET_INTERNAL_NAME(cpp_type, enumerator) \
  case etensor::ScalarType::enumerator:        \
    return #enumerator;
    ET_FORALL_SCALAR_TYPES(ET_INTERNAL_NAME)
#undef ET_INTERNAL_NAME
    case etensor::ScalarType::Undefined:
      return "Undefined";
    default:
      return "UNKNOWN_SCALAR";
  }
#else
  (void)type;
  return "(dtype names are not built in)";
#endif
}

namespace internal {

void no_element_size(etensor::ScalarType type) {
  ET_LOG(Fatal, "%d is no type of elements", static_cast<int>(type));
  runtime_abort();
}

}  // namespace internal
}  // namespace runtime
}  // namespace executorch
