/// @file
/// ETDumpFilter: chooses by name or number which intermediate outputs of delegates an ETDump keeps.
#pragma once

#include <cstddef>
#include <regex>
#include <string>
#include <vector>

#include <executorch/runtime/core/event_tracer.h>
#include <executorch/runtime/core/result.h>

namespace executorch {
namespace etdump {

/// Give it to ETDumpGen::set_delegation_intermediate_output_filter(). Events with a name are held
/// against the patterns, others against the range; where none was set, all of them match.
class ETDumpFilter : public runtime::EventTracerFilterBase {
 public:
  /// Most patterns that add_regex() takes.
  static constexpr size_t MAX_REGEX_PATTERNS = 100;

  ETDumpFilter() = default;
  ~ETDumpFilter() override = default;

  /// Adds a regular expression (ECMAScript's); a name matches if it is matched as a whole by any.
  ///
  /// @retval true                   Added.
  /// @retval Error::InvalidArgument It is not a regular expression.
  /// @retval Error::OutOfResources  There are MAX_REGEX_PATTERNS already.
  runtime::Result<bool> add_regex(const std::string& pattern);

  /// Numbers match from `start` on, up to but without `end`.
  ///
  /// @retval true                   Set.
  /// @retval Error::InvalidArgument The range is empty.
  runtime::Result<bool> set_debug_handle_range(size_t start, size_t end);

  /// Whether the event of this name, or if that is null of this number, matches.
  ///
  /// @retval Error::InvalidArgument It has neither.
  runtime::Result<bool> filter(const char* name,
                               runtime::DelegateDebugIntId delegate_debug_index) override;

  /// Number of patterns added.
  size_t get_n_regex() const { return patterns_.size(); }

 private:
  std::vector<std::regex> patterns_;
  size_t range_start_ = 0;
  /// 0: no range was set.
  size_t range_end_ = 0;
};

}  // namespace etdump
}  // namespace executorch
