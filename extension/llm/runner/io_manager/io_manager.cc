#include <executorch/extension/llm/runner/io_manager/io_manager.h>
#include <executorch/runtime/platform/log.h>

namespace executorch {
namespace extension {
namespace llm {

runtime::Result<std::vector<runtime::EValue>> IOManager::prepare(const TensorPtr& input,
                                                                 const TensorPtr& start_pos,
                                                                 const std::string& method) {
  const auto meta = module_.method_meta(method);
  if (!meta.ok()) {
    return meta.error();
  }
  const size_t inputs = meta->num_inputs();
  if (inputs != 1 && inputs != 2) {
    ET_LOG(Error,
           "Method %s has %zu inputs: expected tokens and, with a cache, a position. Models with "
           "others need an IOManager of their own",
           method.c_str(), inputs);
    return runtime::Error::InvalidProgram;
  }
  std::vector<runtime::EValue> values = {input};
  if (inputs == 1) {
    return values;
  }
  const auto position = meta->input_tensor_meta(1);
  if (!position.ok()) {
    ET_LOG(Error, "The second input of method %s is no tensor", method.c_str());
    return runtime::Error::InvalidProgram;
  }
  values.emplace_back(start_pos);
  return values;
}

}  // namespace llm
}  // namespace extension
}  // namespace executorch
