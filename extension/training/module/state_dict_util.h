#pragma once

#include <map>
#include <string>

#include <executorch/extension/tensor/tensor_ptr.h>
#include <executorch/runtime/core/named_data_map.h>
#include <executorch/runtime/core/result.h>

namespace executorch {
namespace extension {
namespace training {

/// All tensors of a data map (the weights of a `.ptd` file) by name, with copies of their data:
/// they outlive the map.
///
/// Errors of the map come back as they are; InvalidExternalData if a tensor has fewer bytes than
/// its shape needs.
runtime::Result<std::map<std::string, TensorPtr>> load_state_dict(
    const runtime::NamedDataMap& data_map);

}  // namespace training
}  // namespace extension
}  // namespace executorch
