#include <executorch/extension/llm/runner/program_constants.h>
#include <executorch/runtime/core/evalue.h>
#include <executorch/runtime/platform/log.h>

namespace executorch {
namespace extension {
namespace llm {

using runtime::EValue;

namespace {

/// Appends whole numbers: a value itself, or the elements of a list or tensor of them.
bool append_integers(const EValue& value, std::vector<int64_t>& numbers) {
  if (value.isInt()) {
    numbers.push_back(value.toInt());
  } else if (value.isBool()) {
    numbers.push_back(value.toBool() ? 1 : 0);
  } else if (value.isIntList()) {
    for (const int64_t number : value.toIntList()) {
      numbers.push_back(number);
    }
  } else if (value.isTensor() &&
             value.toTensor().scalar_type() == executorch::aten::ScalarType::Long) {
    const auto tensor = value.toTensor();
    const int64_t* const data = tensor.const_data_ptr<int64_t>();
    numbers.insert(numbers.end(), data, data + tensor.numel());
  } else {
    return false;
  }
  return true;
}

}  // namespace

std::vector<int64_t> integers_of(Module& module, const std::unordered_set<std::string>& methods,
                                 const char* name) {
  std::vector<int64_t> numbers;
  if (methods.count(name) == 0) {
    return numbers;
  }
  const auto values = module.execute(name);
  bool fits = values.ok();
  for (size_t i = 0; fits && i < values->size(); ++i) {
    fits = append_integers((*values)[i], numbers);
  }
  if (!fits) {
    ET_LOG(Error, "Method %s must give whole numbers; what it gives is ignored", name);
    numbers.clear();
  }
  return numbers;
}

}  // namespace llm
}  // namespace extension
}  // namespace executorch
