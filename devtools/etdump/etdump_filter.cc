#include <algorithm>

#include <executorch/devtools/etdump/etdump_filter.h>
#include <executorch/runtime/platform/log.h>

namespace executorch {
namespace etdump {

using runtime::DelegateDebugIntId;
using runtime::Error;
using runtime::Result;

Result<bool> ETDumpFilter::add_regex(const std::string& pattern) {
  ET_CHECK_OR_RETURN_ERROR(patterns_.size() < MAX_REGEX_PATTERNS, OutOfResources,
                           "A filter takes %zu patterns", MAX_REGEX_PATTERNS);
  try {
    patterns_.emplace_back(pattern);
  } catch (const std::regex_error& error) {
    ET_LOG(Error, "%s is not a regular expression: %s", pattern.c_str(), error.what());
    return Error::InvalidArgument;
  }
  return true;
}

Result<bool> ETDumpFilter::set_debug_handle_range(size_t start, size_t end) {
  ET_CHECK_OR_RETURN_ERROR(start < end, InvalidArgument, "The range [%zu, %zu) is empty", start,
                           end);
  range_start_ = start;
  range_end_ = end;
  return true;
}

Result<bool> ETDumpFilter::filter(const char* name, DelegateDebugIntId delegate_debug_index) {
  if (name != nullptr) {
    return patterns_.empty() ||
           std::any_of(patterns_.begin(), patterns_.end(),
                       [&](const std::regex& pattern) { return std::regex_match(name, pattern); });
  }
  ET_CHECK_OR_RETURN_ERROR(delegate_debug_index >= 0, InvalidArgument,
                           "An event without a name and without a number");
  const auto index = static_cast<size_t>(delegate_debug_index);
  return range_end_ == 0 || (range_start_ <= index && index < range_end_);
}

}  // namespace etdump
}  // namespace executorch
