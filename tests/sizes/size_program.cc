/// The least that has kernels, to weigh them: those that are linked register themselves before
/// main. Without any there is the registry alone, to be subtracted.

#include <executorch/runtime/kernel/operator_registry.h>

int main() { return static_cast<int>(executorch::runtime::get_registered_kernels().size()); }
