// The half of Module that moves values in and out of methods.

#include <utility>

#include <executorch/extension/module/module.h>
#include <executorch/runtime/core/exec_aten/util/scalar_type_util.h>
#include <executorch/runtime/platform/log.h>

namespace executorch {
namespace extension {

using runtime::Error;
using runtime::EValue;
using runtime::Method;
using runtime::Result;
using runtime::Tag;
using runtime::TensorInfo;

Result<std::vector<EValue>> Module::execute(const std::string& method_name,
                                            const std::vector<EValue>& input_values) {
  const Result<MethodHolder*> holder = loaded_holder(method_name);
  if (!holder.ok()) {
    return holder.error();
  }
  const std::vector<EValue>& stored = (*holder)->inputs;
  if (input_values.size() > stored.size()) {
    ET_LOG(Error, "%s takes %zu inputs, found %zu", method_name.c_str(), stored.size(),
           input_values.size());
    return Error::InvalidArgument;
  }
  Method& method = *(*holder)->method;
  for (size_t i = 0; i < stored.size(); ++i) {
    const bool given = i < input_values.size() && !input_values[i].isNone();
    const EValue& value = given ? input_values[i] : stored[i];
    const Result<Tag> tag = value.isNone() ? method.method_meta().input_tag(i) : value.tag;
    if (value.isNone() && !(tag.ok() && *tag == Tag::None)) {
      ET_LOG(Error, "%s: input %zu of %zu is neither passed nor set", method_name.c_str(), i,
             stored.size());
      return Error::InvalidArgument;
    }
    const Error error = method.set_input(value, i);
    if (error != Error::Ok) {
      return error;
    }
  }
  const Error error = method.execute();
  if (error != Error::Ok) {
    return error;
  }
  return get_outputs(method_name);
}

Result<EValue> Module::get(const std::string& method_name,
                           const std::vector<EValue>& input_values) {
  const Result<std::vector<EValue>> outputs = execute(method_name, input_values);
  if (!outputs.ok()) {
    return outputs.error();
  }
  if (outputs->empty()) {
    ET_LOG(Error, "%s has no outputs", method_name.c_str());
    return Error::InvalidState;
  }
  return outputs->front();
}

Error Module::set_input(const std::string& method_name, const EValue& input_value,
                        size_t input_index) {
  const Result<MethodHolder*> holder = loaded_holder(method_name);
  if (!holder.ok()) {
    return holder.error();
  }
  if (input_index >= (*holder)->inputs.size()) {
    ET_LOG(Error, "%s: input %zu of %zu", method_name.c_str(), input_index,
           (*holder)->inputs.size());
    return Error::InvalidArgument;
  }
  (*holder)->inputs[input_index] = input_value;
  return Error::Ok;
}

Error Module::set_inputs(const std::string& method_name, const std::vector<EValue>& input_values) {
  const Result<MethodHolder*> holder = loaded_holder(method_name);
  if (!holder.ok()) {
    return holder.error();
  }
  if (input_values.size() != (*holder)->inputs.size()) {
    ET_LOG(Error, "%s takes %zu inputs, found %zu", method_name.c_str(), (*holder)->inputs.size(),
           input_values.size());
    return Error::InvalidArgument;
  }
  (*holder)->inputs = input_values;
  return Error::Ok;
}

Error Module::set_output(const std::string& method_name, EValue output_value, size_t output_index) {
  const Result<MethodHolder*> holder = loaded_holder(method_name);
  if (!holder.ok()) {
    return holder.error();
  }
  if (!output_value.isTensor()) {
    ET_LOG(Error, "%s: output %zu can only be set to a tensor", method_name.c_str(), output_index);
    return Error::InvalidArgument;
  }
  const executorch::aten::Tensor& tensor = output_value.toTensor();
  const Result<TensorInfo> expected =
      (*holder)->method->method_meta().output_tensor_meta(output_index);
  if (!expected.ok()) {
    return expected.error();
  }
  if (tensor.scalar_type() != expected->scalar_type() || tensor.nbytes() < expected->nbytes()) {
    ET_LOG(Error, "%s: output %zu needs %zu bytes of %s, found %zu bytes of %s",
           method_name.c_str(), output_index, expected->nbytes(),
           runtime::toString(expected->scalar_type()), static_cast<size_t>(tensor.nbytes()),
           runtime::toString(tensor.scalar_type()));
    return Error::InvalidArgument;
  }
  return (*holder)->method->set_output_data_ptr(tensor.mutable_data_ptr(), tensor.nbytes(),
                                                output_index);
}

Error Module::set_outputs(const std::string& method_name,
                          const std::vector<EValue>& output_values) {
  const Result<MethodHolder*> holder = loaded_holder(method_name);
  if (!holder.ok()) {
    return holder.error();
  }
  if (output_values.size() != (*holder)->method->outputs_size()) {
    ET_LOG(Error, "%s has %zu outputs, found %zu", method_name.c_str(),
           (*holder)->method->outputs_size(), output_values.size());
    return Error::InvalidArgument;
  }
  for (size_t i = 0; i < output_values.size(); ++i) {
    const Error error = set_output(method_name, output_values[i], i);
    if (error != Error::Ok) {
      return error;
    }
  }
  return Error::Ok;
}

Result<std::vector<EValue>> Module::get_outputs(const std::string& method_name) {
  const Result<MethodHolder*> holder = loaded_holder(method_name);
  if (!holder.ok()) {
    return holder.error();
  }
  std::vector<EValue> outputs((*holder)->method->outputs_size());
  const Error error = (*holder)->method->get_outputs(outputs.data(), outputs.size());
  if (error != Error::Ok) {
    return error;
  }
  return outputs;
}

Result<EValue> Module::get_output(const std::string& method_name, size_t output_index) {
  const Result<std::vector<EValue>> outputs = get_outputs(method_name);
  if (!outputs.ok()) {
    return outputs.error();
  }
  if (output_index >= outputs->size()) {
    ET_LOG(Error, "%s: output %zu of %zu", method_name.c_str(), output_index, outputs->size());
    return Error::InvalidArgument;
  }
  return (*outputs)[output_index];
}

}  // namespace extension
}  // namespace executorch
