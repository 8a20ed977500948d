#pragma once

#include <ostream>

#include <executorch/runtime/core/evalue.h>

namespace executorch {
namespace extension {

/// Sets how many elements of a long list or tensor an ostream prints at either end:
/// `std::cout << evalue_edge_items(10) << value`. Three unless set, and again after a number below
/// one.
class evalue_edge_items final {
 public:
  explicit evalue_edge_items(long edge_items) : edge_items_(edge_items) {}

  friend std::ostream& operator<<(std::ostream& os, const evalue_edge_items& setting);

 private:
  const long edge_items_;
};

std::ostream& operator<<(std::ostream& os, const evalue_edge_items& setting);

}  // namespace extension

namespace runtime {

/// Prints a value the way PyTorch would, on one line where it fits:
/// `tensor(sizes=[1, 3], [0.5, -2., 3.])`, `(len=2)[1, 2]`, `True`, `"text"`, `None`. More than ten
/// items come in lines of ten.
///
/// Elements of a tensor come in logical order, whatever its dim order.
std::ostream& operator<<(std::ostream& os, const EValue& value);

}  // namespace runtime
}  // namespace executorch

namespace torch {
namespace executor {
namespace util {
using ::executorch::extension::evalue_edge_items;
}  // namespace util
}  // namespace executor
}  // namespace torch
