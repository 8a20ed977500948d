#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>

#include <executorch/extension/evalue_util/print_evalue.h>
#include <executorch/runtime/core/exec_aten/exec_aten.h>
#include <executorch/runtime/core/exec_aten/util/scalar_type_util.h>

namespace executorch {
namespace runtime {
namespace {

using executorch::aten::ArrayRef;
using executorch::aten::ScalarType;
using executorch::aten::Tensor;

constexpr long kDefaultEdgeItems = 3;
constexpr size_t kItemsPerLine = 10;

int edge_items_slot() {
  static const int slot = std::ios_base::xalloc();
  return slot;
}

/// How many items to print at either end. An unset slot is zero.
size_t edge_items_of(std::ostream& os) {
  const long stored = os.iword(edge_items_slot());
  return static_cast<size_t>(stored < 1 ? kDefaultEdgeItems : stored);
}

void print_item(std::ostream& os, double value) {
  os << value;
  // Like PyTorch: the dot tells 1. from the integer 1, unless an exponent does already.
  if (std::isfinite(value) && value == std::floor(value) && std::fabs(value) < 1e6) {
    os << ".";
  }
}
void print_item(std::ostream& os, float value) { print_item(os, static_cast<double>(value)); }
void print_item(std::ostream& os, executorch::aten::Half value) {
  print_item(os, static_cast<double>(static_cast<float>(value)));
}
void print_item(std::ostream& os, executorch::aten::BFloat16 value) {
  print_item(os, static_cast<double>(static_cast<float>(value)));
}
/// Like `1.+2.j`, with the sign of the imaginary part as the operator.
template <typename T>
void print_item(std::ostream& os, executorch::aten::complex<T> value) {
  print_item(os, value.real());
  os << (std::signbit(static_cast<double>(value.imag())) ? "" : "+");
  print_item(os, value.imag());
  os << "j";
}
void print_item(std::ostream& os, bool value) { os << (value ? "True" : "False"); }
void print_item(std::ostream& os, int64_t value) { os << value; }
void print_item(std::ostream& os, uint64_t value) { os << value; }

/// The items `[begin, end)` in lines of kItemsPerLine; what does not fill a line comes in the first
/// one if `short_line_first`, or else in the last.
template <typename Print>
void print_lines(std::ostream& os, size_t begin, size_t end, bool short_line_first, Print&& print) {
  const size_t rest = (end - begin) % kItemsPerLine;
  size_t line_end = begin + (short_line_first && rest != 0 ? rest : kItemsPerLine);
  for (size_t i = begin; i < end;) {
    os << "  ";
    for (; i < end && i < line_end; ++i) {
      print(i);
      os << ", ";
    }
    os << "\n";
    line_end += kItemsPerLine;
  }
}

/// The items `[0, count)` in brackets, of a list of more than twice `edge` items only those at the
/// ends. `print` writes the item at an index. When lines wrap, the short one comes right after the
/// gap, so that the end is aligned.
template <typename Print>
void print_items(std::ostream& os, size_t count, size_t edge, Print&& print) {
  const bool elided = edge <= count / 2 && count > 2 * edge;
  const size_t gap_begin = elided ? edge : count;
  const size_t gap_end = elided ? count - edge : count;
  os << "[";
  if (gap_begin + (count - gap_end) > kItemsPerLine) {
    os << "\n";
    print_lines(os, 0, gap_begin, false, print);
    os << (elided ? "  ...,\n" : "");
    print_lines(os, gap_end, count, true, print);
  } else {
    for (size_t i = 0; i < count; i = i + 1 == gap_begin ? gap_end : i + 1) {
      os << (elided && i == gap_end ? "..., " : "");
      print(i);
      os << (i + 1 < count ? ", " : "");
    }
  }
  os << "]";
}

/// As above, with the number of items at the ends that the stream is set to.
template <typename Print>
void print_items(std::ostream& os, size_t count, Print&& print) {
  print_items(os, count, edge_items_of(os), print);
}

/// The position in memory of the element at `index`, counted in logical (row-major) order.
size_t memory_position(const Tensor& tensor, size_t index) {
  size_t position = 0;
  for (ssize_t dim = tensor.dim(); dim-- > 0;) {
    const auto size = static_cast<size_t>(tensor.size(dim));
    position += (index % size) * static_cast<size_t>(tensor.strides()[dim]);
    index /= size;
  }
  return position;
}

template <typename T, typename Printed = T>
void print_elements(std::ostream& os, const Tensor& tensor) {
  const T* data = tensor.const_data_ptr<T>();
  print_items(os, static_cast<size_t>(tensor.numel()), [&](size_t i) {
    print_item(os, static_cast<Printed>(data[memory_position(tensor, i)]));
  });
}

void print_tensor_data(std::ostream& os, const Tensor& tensor) {
  switch (tensor.scalar_type()) {
    case ScalarType::Byte:
      return print_elements<uint8_t, uint64_t>(os, tensor);
    case ScalarType::Char:
      return print_elements<int8_t, int64_t>(os, tensor);
    case ScalarType::Short:
      return print_elements<int16_t, int64_t>(os, tensor);
    case ScalarType::Int:
      return print_elements<int32_t, int64_t>(os, tensor);
    case ScalarType::Long:
      return print_elements<int64_t>(os, tensor);
    case ScalarType::UInt16:
      return print_elements<uint16_t, uint64_t>(os, tensor);
    case ScalarType::UInt32:
      return print_elements<uint32_t, uint64_t>(os, tensor);
    case ScalarType::UInt64:
      return print_elements<uint64_t>(os, tensor);
    case ScalarType::Half:
      return print_elements<executorch::aten::Half>(os, tensor);
    case ScalarType::BFloat16:
      return print_elements<executorch::aten::BFloat16>(os, tensor);
    case ScalarType::Float:
      return print_elements<float>(os, tensor);
    case ScalarType::Double:
      return print_elements<double>(os, tensor);
    case ScalarType::ComplexFloat:
      return print_elements<executorch::aten::complex<float>>(os, tensor);
    case ScalarType::ComplexDouble:
      return print_elements<executorch::aten::complex<double>>(os, tensor);
    case ScalarType::Bool:
      return print_elements<bool>(os, tensor);
    default:
      os << "[<" << toString(tensor.scalar_type()) << ">]";
  }
}

void print_tensor(std::ostream& os, const Tensor& tensor) {
  os << "tensor(sizes=";
  const auto rank = static_cast<size_t>(tensor.dim());
  print_items(os, rank, rank, [&](size_t i) { os << tensor.sizes()[i]; });
  os << ", ";
  if (tensor.numel() > 0 && tensor.const_data_ptr() == nullptr) {
    os << "<no data>";
  } else if (!tensor.device().is_cpu()) {
    os << "<on a device>";
  } else {
    print_tensor_data(os, tensor);
  }
  os << ")";
}

template <typename T>
void print_list(std::ostream& os, ArrayRef<T> list) {
  os << "(len=" << list.size() << ")";
  print_items(os, list.size(), [&](size_t i) { print_item(os, list[i]); });
}

const Tensor* as_pointer(const Tensor& tensor) { return &tensor; }
template <typename Optional>
const Tensor* as_pointer(const Optional& tensor) {
  return tensor.has_value() ? &tensor.value() : nullptr;
}

/// One tensor to a line, with its index; a single one right in the brackets.
template <typename T>
void print_tensor_list(std::ostream& os, ArrayRef<T> list) {
  os << "(len=" << list.size() << ")[";
  for (size_t i = 0; i < list.size(); ++i) {
    if (list.size() > 1) {
      os << "\n  [" << i << "]: ";
    }
    const Tensor* tensor = as_pointer(list[i]);
    if (tensor == nullptr) {
      os << "None";
    } else {
      print_tensor(os, *tensor);
    }
    os << (list.size() > 1 ? "," : "");
  }
  os << (list.size() > 1 ? "\n]" : "]");
}

void print_quoted(std::ostream& os, const char* text, size_t size) {
  os << '"';
  for (size_t i = 0; i < size; ++i) {
    const char c = text[i];
    if (c == '"' || c == '\\') {
      os << '\\';
    }
    os << c;
  }
  os << '"';
}

}  // namespace

std::ostream& operator<<(std::ostream& os, const EValue& value) {
  switch (value.tag) {
    case Tag::None:
      os << "None";
      break;
    case Tag::Bool:
      print_item(os, value.toBool());
      break;
    case Tag::Int:
      print_item(os, value.toInt());
      break;
    case Tag::Double:
      print_item(os, value.toDouble());
      break;
    case Tag::String: {
      const auto text = value.toString();
      print_quoted(os, text.data(), text.size());
      break;
    }
    case Tag::Tensor:
      print_tensor(os, value.toTensor());
      break;
    case Tag::ListBool:
      print_list(os, value.toBoolList());
      break;
    case Tag::ListDouble:
      print_list(os, value.toDoubleList());
      break;
    case Tag::ListInt:
      print_list(os, value.toIntList());
      break;
    case Tag::ListTensor:
      print_tensor_list(os, value.toTensorList());
      break;
    case Tag::ListOptionalTensor:
      print_tensor_list(os, value.toListOptionalTensor());
      break;
    default:
      os << "<Unknown EValue tag " << static_cast<uint32_t>(value.tag) << ">";
  }
  return os;
}

namespace internal {

void set_edge_items(std::ostream& os, long edge_items) { os.iword(edge_items_slot()) = edge_items; }

}  // namespace internal
}  // namespace runtime

namespace extension {

std::ostream& operator<<(std::ostream& os, const evalue_edge_items& setting) {
  runtime::internal::set_edge_items(os, setting.edge_items_);
  return os;
}

}  // namespace extension
}  // namespace executorch
