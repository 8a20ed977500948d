#pragma once
// ${generated_comment}

#include <optional>
#include <string_view>
#include <tuple>

#include <executorch/runtime/kernel/kernel_includes.h>

${nativeFunctions_declarations}
