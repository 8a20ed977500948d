#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <unistd.h>

#include <executorch/runtime/core/exec_aten/util/scalar_type_util.h>
#include <executorch/tests/fuzz/call_results.h>

namespace executorch {
namespace fuzz {

using aten::ScalarType;

namespace {

bool is_guess(const std::string& name) {
  for (const char* const part :
       {"::empty", "_empty_dim_order", "::rand", "dropout", "::resize", "::_h2d", "::_d2h"}) {
    if (name.find(part) != std::string::npos) {
      return true;
    }
  }
  return false;
}

double number_at(const CallResult::Output& output, size_t i) {
  const uint8_t* const at = output.bytes.data() + i * runtime::elementSize(output.dtype);
  const auto load = [at](auto value) {
    std::memcpy(&value, at, sizeof(value));
    return static_cast<double>(value);
  };
  switch (output.dtype) {
    case ScalarType::Float:
      return load(float{});
    case ScalarType::Double:
      return load(double{});
    case ScalarType::Half:
      return load(aten::Half{});
    case ScalarType::BFloat16:
      return load(aten::BFloat16{});
    default:
      return std::nan("");
  }
}

double tolerance_of(ScalarType dtype) {
  switch (dtype) {
    case ScalarType::Float:
      return 1e-4;
    case ScalarType::Double:
      return 1e-9;
    case ScalarType::Half:
      return 4e-3;
    case ScalarType::BFloat16:
      return 2e-2;
    default:
      return 0;
  }
}

bool is_near(double a, double b, double tolerance) {
  if (std::isnan(a) || std::isnan(b) || std::isinf(a) || std::isinf(b)) {
    return (std::isnan(a) && std::isnan(b)) || a == b;
  }
  return std::abs(a - b) <= tolerance * (1 + std::abs(b));
}

std::string compare(const CallResult::Output& ours, const CallResult::Output& theirs,
                    double of_inputs) {
  if (ours.dtype != theirs.dtype || ours.sizes != theirs.sizes) {
    return "another shape";
  }
  const double own = tolerance_of(ours.dtype);
  if (own == 0) {
    return ours.bytes == theirs.bytes ? "" : "other elements";
  }
  const double tolerance = std::max(own, of_inputs);
  for (size_t i = 0; i < ours.bytes.size() / runtime::elementSize(ours.dtype); ++i) {
    const double a = number_at(ours, i);
    const double b = number_at(theirs, i);
    if (!is_near(a, b, tolerance)) {
      char text[96];
      std::snprintf(text, sizeof(text), "element %zu: %.9g here, %.9g there", i, a, b);
      return text;
    }
  }
  return "";
}

template <typename T>
void put(std::vector<uint8_t>& bytes, const T& value) {
  const auto* const from = reinterpret_cast<const uint8_t*>(&value);
  bytes.insert(bytes.end(), from, from + sizeof(value));
}

bool transfer(int fd, uint8_t* data, size_t size, bool is_write) {
  while (size > 0) {
    const ssize_t done = is_write ? ::write(fd, data, size) : ::read(fd, data, size);
    if (done < 0 && errno == EINTR) {
      continue;
    }
    if (done <= 0) {
      return false;
    }
    data += done;
    size -= static_cast<size_t>(done);
  }
  return true;
}

}  // namespace

const Operator* run_call(const uint8_t* data, size_t size, CallResult& result) {
  Choices choices(data, size);
  const Operator& op = kOperators[choices.below(kNumOperators)];
  if (is_guess(op.name)) {
    return nullptr;
  }
  RandomCall call(op, choices, /*is_hostile=*/false);
  result.error = static_cast<uint32_t>(call.run());
  for (const ScalarType dtype : call.dtypes()) {
    result.tolerance = std::max(result.tolerance, tolerance_of(dtype));
  }
  for (const aten::Tensor& tensor : call.outputs()) {
    const auto* const bytes = static_cast<const uint8_t*>(tensor.const_data_ptr());
    result.outputs.push_back({tensor.scalar_type(),
                              {tensor.sizes().begin(), tensor.sizes().end()},
                              {bytes, bytes + tensor.nbytes()}});
  }
  return &op;
}

std::string difference(const CallResult& ours, const CallResult& theirs) {
  // Which calls a library has kernels for is its own affair; what it answers is not.
  if (ours.error != 0 || theirs.error != 0) {
    return "";
  }
  for (size_t i = 0; i < ours.outputs.size(); ++i) {
    const std::string found = compare(ours.outputs[i], theirs.outputs[i], ours.tolerance);
    if (!found.empty()) {
      return "output " + std::to_string(i) + ", " + found;
    }
  }
  return "";
}

void send_bytes(int fd, const std::vector<uint8_t>& bytes) {
  std::vector<uint8_t> message;
  put(message, static_cast<uint32_t>(bytes.size()));
  message.insert(message.end(), bytes.begin(), bytes.end());
  if (!transfer(fd, message.data(), message.size(), true)) {
    std::fprintf(stderr, "the other program is gone\n");
    std::abort();
  }
}

bool receive_bytes(int fd, std::vector<uint8_t>& bytes) {
  uint32_t size = 0;
  if (!transfer(fd, reinterpret_cast<uint8_t*>(&size), sizeof(size), false)) {
    return false;
  }
  bytes.resize(size);
  return transfer(fd, bytes.data(), size, false);
}

std::vector<uint8_t> to_bytes(const CallResult& result) {
  std::vector<uint8_t> bytes;
  put(bytes, result.error);
  put(bytes, static_cast<uint32_t>(result.outputs.size()));
  for (const CallResult::Output& output : result.outputs) {
    put(bytes, output.dtype);
    put(bytes, static_cast<uint32_t>(output.sizes.size()));
    for (const int32_t size : output.sizes) {
      put(bytes, size);
    }
    put(bytes, static_cast<uint32_t>(output.bytes.size()));
    bytes.insert(bytes.end(), output.bytes.begin(), output.bytes.end());
  }
  return bytes;
}

CallResult from_bytes(const std::vector<uint8_t>& bytes) {
  size_t at = 0;
  const auto get = [&](auto value) {
    std::memcpy(&value, bytes.data() + at, sizeof(value));
    at += sizeof(value);
    return value;
  };
  CallResult result;
  result.error = get(uint32_t{});
  result.outputs.resize(get(uint32_t{}));
  for (CallResult::Output& output : result.outputs) {
    output.dtype = get(ScalarType{});
    output.sizes.resize(get(uint32_t{}));
    for (int32_t& size : output.sizes) {
      size = get(int32_t{});
    }
    const auto size = get(uint32_t{});
    output.bytes.assign(bytes.begin() + static_cast<ptrdiff_t>(at),
                        bytes.begin() + static_cast<ptrdiff_t>(at + size));
    at += size;
  }
  return result;
}

}  // namespace fuzz
}  // namespace executorch
