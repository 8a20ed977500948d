/// @file
/// A heap that aborts where it is forbidden: linked into a test, it is the heap of all of it.
#pragma once

#include <cstddef>

namespace executorch {
namespace runtime {
namespace testing {

/// Whether an allocation ends the process. googletest allocates: only the code under test runs so.
extern bool heap_is_forbidden;

/// What `operator new` does.
void* allocate_or_die(size_t size);

}  // namespace testing
}  // namespace runtime
}  // namespace executorch
