#pragma once

#include <cstdint>
#include <string>
#include <unordered_set>
#include <vector>

#include <executorch/extension/module/module.h>

namespace executorch {
namespace extension {
namespace llm {

/// What a method without inputs gives (a constant method of an export): whole numbers, a list or a
/// tensor of them. None where the program lacks it; none, after saying so, where it gives something
/// else.
///
/// @param methods The names of all methods of the program.
std::vector<int64_t> integers_of(Module& module, const std::unordered_set<std::string>& methods,
                                 const char* name);

}  // namespace llm
}  // namespace extension
}  // namespace executorch
