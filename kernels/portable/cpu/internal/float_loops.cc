#include <executorch/kernels/portable/cpu/internal/float_loops.h>

namespace torch::executor::native::util {

// Constant-initialised, so that a library's initialiser never comes too early.
FloatLoops float_loops = {};

}  // namespace torch::executor::native::util
