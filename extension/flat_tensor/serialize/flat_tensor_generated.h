#pragma once

/// The `.ptd` schema under the path at which the documents have it.
#include <executorch/schema/flat_tensor_generated.h>
