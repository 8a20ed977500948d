#include <cstdio>
#include <cstdlib>
#include <new>

#include <executorch/runtime/core/testing_util/forbidden_heap.h>

namespace executorch {
namespace runtime {
namespace testing {

bool heap_is_forbidden = false;

void* allocate_or_die(size_t size) {
  if (heap_is_forbidden) {
    std::fputs("the heap was used\n", stderr);
    std::abort();
  }
  return std::malloc(size);
}

}  // namespace testing
}  // namespace runtime
}  // namespace executorch

using executorch::runtime::testing::allocate_or_die;

void* operator new(size_t size) { return allocate_or_die(size); }
void* operator new[](size_t size) { return allocate_or_die(size); }
void operator delete(void* ptr) noexcept { std::free(ptr); }
void operator delete[](void* ptr) noexcept { std::free(ptr); }
void operator delete(void* ptr, size_t) noexcept { std::free(ptr); }
void operator delete[](void* ptr, size_t) noexcept { std::free(ptr); }
