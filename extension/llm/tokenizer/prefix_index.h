#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tokenizers {

/// Texts in order, to find those that another text begins with.
class PrefixIndex {
 public:
  void add(const std::string& text, uint64_t value) { entries_.emplace_back(text, value); }

  /// After the last add(); of equal texts the first stays.
  void sort() {
    std::stable_sort(entries_.begin(), entries_.end(),
                     [](const Entry& a, const Entry& b) { return a.first < b.first; });
    const auto same = [](const Entry& a, const Entry& b) { return a.first == b.first; };
    entries_.erase(std::unique(entries_.begin(), entries_.end(), same), entries_.end());
  }

  bool empty() const { return entries_.empty(); }

  /// Calls `found(length, value)` for each, from the shortest on.
  template <typename Function>
  void prefixes_of(std::string_view text, const Function& found) const {
    auto begin = entries_.begin();
    auto end = entries_.end();
    for (size_t length = 0; begin != end; ++length) {
      if (begin->first.size() == length) {
        if (length > 0) {
          found(length, begin->second);
        }
        ++begin;
      }
      if (length == text.size()) {
        return;
      }
      const auto byte = static_cast<unsigned char>(text[length]);
      const auto at = [length](const Entry& entry) {
        return static_cast<unsigned char>(entry.first[length]);
      };
      begin = std::partition_point(begin, end, [&](const Entry& e) { return at(e) < byte; });
      end = std::partition_point(begin, end, [&](const Entry& e) { return at(e) == byte; });
    }
  }

 private:
  using Entry = std::pair<std::string, uint64_t>;
  std::vector<Entry> entries_;
};

}  // namespace tokenizers
