#include <executorch/backends/arm/runtime/fast_scratch.h>
#include <executorch/runtime/platform/compiler.h>

extern "C" {
ET_WEAK unsigned char* ethosu_fast_scratch = nullptr;
ET_WEAK size_t ethosu_fast_scratch_size = 0;
}
