#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace executorch {
namespace extension {
namespace testing {

/// A program for tests, small enough to be understood in a debugger: every method computes
/// `out = a + b` over floats with a kernel of its own (`tiny::add.out`), so that tests of the
/// extensions need no kernel library.
struct TinyProgram {
  /// Where `b` comes from.
  enum class Second {
    kInput,     ///< The second input.
    kSegment,   ///< A constant inside the file: 10, 20, 30 and so on.
    kExternal,  ///< A constant with the key `b` in a `.ptd` file.
  };

  std::vector<std::string> methods = {"forward"};
  std::vector<int32_t> sizes = {2, 3};
  std::vector<uint8_t> dim_order = {0, 1};
  /// Upper bounds instead of fixed sizes.
  bool dynamic = false;
  Second second = Second::kInput;
  bool plan_inputs = true;
  bool plan_outputs = true;
  std::string operator_name = "tiny::add";
  /// Of the schema of both files.
  uint32_t version = 0;

  /// The bytes of the `.pte` file.
  std::vector<uint8_t> build() const;

  /// The bytes of a `.ptd` file with `b` for kExternal, under the given key.
  std::vector<uint8_t> build_data(const std::string& key = "b") const;

  /// The number of elements in each tensor.
  size_t numel() const;
};

}  // namespace testing
}  // namespace extension
}  // namespace executorch
