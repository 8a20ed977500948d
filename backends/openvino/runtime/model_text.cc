#include <algorithm>
#include <array>
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <utility>

#include <executorch/backends/openvino/runtime/model_text.h>
#include <executorch/runtime/core/little_endian.h>
#include <executorch/runtime/platform/log.h>

namespace executorch {
namespace backends {
namespace openvino {

using runtime::Error;
using runtime::FreeableBuffer;
using runtime::NamedDataMap;
using runtime::Result;

namespace {

constexpr char kMagic[] = {'E', 'T', 'O', 'V', 'T', 'E', 'X', 'T'};
constexpr size_t kHeader = sizeof(kMagic) + 4 * sizeof(uint64_t);
constexpr size_t kRow = 4 * sizeof(uint64_t);
constexpr size_t kDigest = 32;
constexpr size_t kAlignment = 64;
constexpr size_t kDigits = 20;
constexpr char kAttribute[] = "offset";
constexpr char kBefore[] = "offset=\"";

/// One constant, as the delegate's bytes describe it.
struct Row {
  uint64_t place;
  uint64_t size;
  uint64_t content;
  uint64_t offset;
};

/// The parts of the delegate's bytes.
struct Parts {
  const char* rows = nullptr;
  const char* digests = nullptr;
  const char* text = nullptr;
  const char* small = nullptr;
  uint64_t text_size = 0;
  uint64_t num_rows = 0;
  uint64_t num_contents = 0;
  uint64_t small_size = 0;
};

uint64_t number(const char* from) { return runtime::read_little_endian<uint64_t>(from); }

Row row_at(const Parts& parts, size_t index) {
  const char* const from = parts.rows + index * kRow;
  return {number(from), number(from + 8), number(from + 16), number(from + 24)};
}

/// False where the bytes end before what their header says.
bool split(const char* bytes, size_t size, Parts& parts) {
  if (size < kHeader) {
    return false;
  }
  const char* const numbers = bytes + sizeof(kMagic);
  parts.text_size = number(numbers);
  parts.num_rows = number(numbers + 8);
  parts.num_contents = number(numbers + 16);
  parts.small_size = number(numbers + 24);
  size_t rest = size - kHeader;
  if (parts.num_rows > rest / kRow) {
    return false;
  }
  parts.rows = bytes + kHeader;
  rest -= size_t(parts.num_rows) * kRow;
  if (parts.num_contents > rest / kDigest) {
    return false;
  }
  parts.digests = parts.rows + parts.num_rows * kRow;
  rest -= size_t(parts.num_contents) * kDigest;
  if (parts.text_size > rest) {
    return false;
  }
  parts.text = parts.digests + parts.num_contents * kDigest;
  const size_t end = size_t(parts.text - bytes) + size_t(parts.text_size);
  const size_t padding = (kAlignment - end % kAlignment) % kAlignment;
  if (padding > size - end || parts.small_size > size - end - padding) {
    return false;
  }
  parts.small = bytes + end + padding;
  return true;
}

Result<FreeableBuffer> content_at(const Parts& parts, size_t index, const NamedDataMap* named) {
  static constexpr char kHex[] = "0123456789abcdef";
  std::string key = "openvino_";
  for (size_t i = 0; i < kDigest; ++i) {
    const auto byte = static_cast<unsigned char>(parts.digests[index * kDigest + i]);
    key += {kHex[byte >> 4], kHex[byte & 15]};
  }
  if (named != nullptr) {
    Result<FreeableBuffer> found = named->get_data(key.c_str());
    if (found.ok()) {
      return found;
    }
  }
  ET_LOG(Error,
         "OpenVINO: there is no named data %s. Way out: load the program with the .ptd file that "
         "was written beside it",
         key.c_str());
  return Error::NotFound;
}

/// Where a constant lies; null where the bytes that it is said to be do not have its size.
const char* constant_of(const Parts& parts, const ModelText& model, const Row& row) {
  if (row.content < parts.num_contents) {
    const FreeableBuffer& buffer = model.shared[size_t(row.content)];
    return row.offset == 0 && buffer.size() == row.size ? static_cast<const char*>(buffer.data())
                                                        : nullptr;
  }
  const bool fits = row.content == parts.num_contents && row.offset <= parts.small_size &&
                    row.size <= parts.small_size - row.offset;
  return fits ? parts.small + row.offset : nullptr;
}

/// Whether the text has digits for a constant of this size at the row's place.
bool is_place(const std::string& text, const Row& row) {
  const std::string behind = "\" size=\"" + std::to_string(row.size) + "\"";
  const size_t before = sizeof(kBefore) - 1;
  if (row.place < before || row.place > text.size() ||
      text.size() - row.place < kDigits + behind.size()) {
    return false;
  }
  const size_t place = size_t(row.place);
  return text.compare(place - before, before, kBefore) == 0 &&
         text.find_first_not_of("0123456789", place) == place + kDigits &&
         text.compare(place + kDigits, behind.size(), behind) == 0;
}

/// Every mention of a place in the text is a row's, and the rows are in the text's order.
bool places_are_rows(const std::string& text, const Parts& parts) {
  size_t found = text.find(kAttribute);
  for (size_t i = 0; i < parts.num_rows; ++i) {
    const Row row = row_at(parts, i);
    if (!is_place(text, row) || found != row.place - (sizeof(kBefore) - 1)) {
      return false;
    }
    found = text.find(kAttribute, size_t(row.place));
  }
  return found == std::string::npos && text.find('\0') == std::string::npos &&
         text.compare(0, 5, "<?xml") == 0;
}

}  // namespace

bool is_model_text(const void* data, size_t size) {
  return data != nullptr && size >= sizeof(kMagic) &&
         std::memcmp(data, kMagic, sizeof(kMagic)) == 0;
}

Result<ModelText> read_model_text(const void* data, size_t size, const NamedDataMap* named_data) {
  Parts parts;
  ET_CHECK_OR_RETURN_ERROR(
      is_model_text(data, size) && split(static_cast<const char*>(data), size, parts),
      DelegateInvalidCompatibility, "OpenVINO: the delegate's bytes end in their header");
  ModelText model;
  model.text.assign(parts.text, size_t(parts.text_size));
  ET_CHECK_OR_RETURN_ERROR(places_are_rows(model.text, parts), DelegateInvalidCompatibility,
                           "OpenVINO: the delegate's text names places that are no constants");
  for (size_t i = 0; i < parts.num_contents; ++i) {
    Result<FreeableBuffer> content = content_at(parts, i, named_data);
    if (!content.ok()) {
      return content.error();
    }
    model.shared.push_back(std::move(*content));
  }
  // Numbers, since the addresses are of several objects.
  std::vector<uintptr_t> constants;
  uintptr_t end = 0;
  for (size_t i = 0; i < parts.num_rows; ++i) {
    const Row row = row_at(parts, i);
    const char* const constant = constant_of(parts, model, row);
    ET_CHECK_OR_RETURN_ERROR(constant != nullptr, DelegateInvalidCompatibility,
                             "OpenVINO: constant %zu of %" PRIu64 " bytes is not there", i,
                             row.size);
    constants.push_back(reinterpret_cast<uintptr_t>(constant));
    end = std::max(end, constants.back() + size_t(row.size));
  }
  const uintptr_t begin =
      constants.empty() ? 0 : *std::min_element(constants.begin(), constants.end());
  model.begin = reinterpret_cast<void*>(begin);
  model.size = end - begin;
  for (size_t i = 0; i < constants.size(); ++i) {
    std::array<char, kDigits + 1> digits = {};
    (void)std::snprintf(digits.data(), digits.size(), "%020" PRIu64,
                        uint64_t(constants[i] - begin));
    model.text.replace(size_t(row_at(parts, i).place), kDigits, digits.data());
  }
  return model;
}

}  // namespace openvino
}  // namespace backends
}  // namespace executorch
