#include <cstring>
#include <limits>
#include <utility>

#include <executorch/backends/arm/runtime/vela_blob.h>
#include <executorch/runtime/core/little_endian.h>
#include <executorch/runtime/platform/log.h>

namespace executorch {
namespace backends {
namespace arm {

using runtime::Error;
using runtime::FreeableBuffer;
using runtime::read_little_endian;
using runtime::Result;

namespace {

// A block's header: its name, the bytes that follow, whether they are a key, zeros.
constexpr size_t kName = 16;
constexpr size_t kIsKey = 20;
constexpr size_t kHeader = 32;
constexpr size_t kAlignment = 16;
// An input or output: six sizes, the size of an element, offset, region.
constexpr size_t kRow = (kVelaDimensions + 3) * sizeof(uint32_t);
constexpr uint32_t kMost = std::numeric_limits<int32_t>::max();

struct Block {
  const uint8_t* data = nullptr;
  size_t size = 0;
  bool is_key = false;
};

enum Name { kFirst, kCommands, kWeightData, kScratchSize, kInputs, kOutputs, kLast, kNames };
constexpr const char* kBlockNames[kNames] = {"vela_bin_stream", "cmd_data", "weight_data",
                                             "scratch_size",    "inputs",   "outputs",
                                             "vela_end_stream"};

// Which of the names this is; kNames for one that nobody here knows.
size_t name_of(const uint8_t* header) {
  for (size_t i = 0; i < kNames; ++i) {
    if (std::strncmp(reinterpret_cast<const char*>(header), kBlockNames[i], kName) == 0) {
      return i;
    }
  }
  return kNames;
}

// Finds all blocks. Those of other names are passed over: later versions of Vela may write more.
Error find_blocks(const uint8_t* data, size_t size, Block (&blocks)[kNames]) {
  for (size_t at = 0; blocks[kLast].data == nullptr;) {
    ET_CHECK_OR_RETURN_ERROR(size - at >= kHeader, DelegateInvalidCompatibility,
                             "Ethos-U: the blob of %zu bytes ends without its last block", size);
    const uint8_t* const header = data + at;
    const size_t name = name_of(header);
    ET_CHECK_OR_RETURN_ERROR((at == 0) == (name == kFirst), DelegateInvalidCompatibility,
                             "Ethos-U: what begins at byte %zu is no blob of Vela's", at);
    const size_t bytes = read_little_endian<uint32_t>(header + kName);
    at += kHeader;
    ET_CHECK_OR_RETURN_ERROR(bytes <= kMost && bytes <= size - at, DelegateInvalidCompatibility,
                             "Ethos-U: a block of %zu bytes at byte %zu ends behind the blob's %zu",
                             bytes, at, size);
    if (name != kNames) {
      ET_CHECK_OR_RETURN_ERROR(blocks[name].data == nullptr, DelegateInvalidCompatibility,
                               "Ethos-U: the blob has two blocks %s", kBlockNames[name]);
      blocks[name] = {data + at, bytes, header[kIsKey] != 0};
    }
    // Padded; after the last block nothing need follow.
    const size_t padded = bytes + (kAlignment - bytes % kAlignment) % kAlignment;
    at = padded < size - at ? at + padded : size;
  }
  for (size_t i = 0; i < kNames; ++i) {
    ET_CHECK_OR_RETURN_ERROR(blocks[i].data != nullptr, DelegateInvalidCompatibility,
                             "Ethos-U: the blob has no block %s", kBlockNames[i]);
  }
  return Error::Ok;
}

// Puts the content in the place of each key.
Error find_external(Block (&blocks)[kNames], VelaExternal& external) {
  for (size_t i = 0; i < kNames; ++i) {
    Block& block = blocks[i];
    if (!block.is_key) {
      continue;
    }
    ET_CHECK_OR_RETURN_ERROR(i != kFirst && i != kLast, DelegateInvalidCompatibility,
                             "Ethos-U: the block %s has no content", kBlockNames[i]);
    ET_CHECK_OR_RETURN_ERROR(external.data != nullptr, InvalidExternalData,
                             "Ethos-U: the block %s stands in a file beside the program; load it "
                             "with that file as named data",
                             kBlockNames[i]);
    Result<FreeableBuffer> found =
        external.data->get_data({reinterpret_cast<const char*>(block.data), block.size});
    ET_CHECK_OR_RETURN_ERROR(found.ok(), NotFound,
                             "Ethos-U: the named data has no block %s of this program",
                             kBlockNames[i]);
    FreeableBuffer& held = external.buffers[external.size++];
    held = std::move(*found);
    block = {static_cast<const uint8_t*>(held.data()), held.size(), false};
  }
  return Error::Ok;
}

VelaIo read_row(const uint8_t* row) {
  VelaIo io{};
  for (size_t i = 0; i < kVelaDimensions; ++i) {
    io.shape[i] = read_little_endian<uint32_t>(row + i * sizeof(uint32_t));
  }
  const uint8_t* const rest = row + kVelaDimensions * sizeof(uint32_t);
  io.element_size = read_little_endian<uint32_t>(rest);
  io.offset = read_little_endian<uint32_t>(rest + 4);
  io.region = read_little_endian<uint32_t>(rest + 8);
  io.elements = 1;
  for (const uint32_t size : io.shape) {
    io.elements *= size;
  }
  return io;
}

// Whether the product of its sizes, in bytes, can be counted.
bool is_countable(const VelaIo& io) {
  uint64_t bytes = io.element_size;
  for (const uint32_t size : io.shape) {
    if (size == 0 || size > kMost / bytes) {
      return false;
    }
    bytes *= size;
  }
  return true;
}

Error check_row(const VelaIo& io, const char* kind, size_t index, VelaBlob& blob) {
  const bool is_element =
      io.element_size == 1 || io.element_size == 2 || io.element_size == 4 || io.element_size == 8;
  ET_CHECK_OR_RETURN_ERROR(is_element && is_countable(io), DelegateInvalidCompatibility,
                           "Ethos-U: %s %zu of the blob has a size that cannot be", kind, index);
  ET_CHECK_OR_RETURN_ERROR(io.region == kScratch || io.region == kFastScratch,
                           DelegateInvalidCompatibility,
                           "Ethos-U: %s %zu lies in region %u, which is no scratch buffer", kind,
                           index, static_cast<unsigned>(io.region));
  ET_CHECK_OR_RETURN_ERROR(io.offset <= kMost, DelegateInvalidCompatibility,
                           "Ethos-U: the offset of %s %zu is negative", kind, index);
  const size_t end = io.offset + io.bytes();
  if (io.region == kFastScratch) {
    blob.fast_scratch_used = end > blob.fast_scratch_used ? end : blob.fast_scratch_used;
    return Error::Ok;
  }
  ET_CHECK_OR_RETURN_ERROR(
      end <= blob.scratch_size, DelegateInvalidCompatibility,
      "Ethos-U: %s %zu reaches to byte %zu of a scratch buffer that has %zu bytes", kind, index,
      end, blob.scratch_size);
  return Error::Ok;
}

Result<VelaIos> read_ios(const Block& block, const char* kind, VelaBlob& blob) {
  const uint32_t count =
      block.size < sizeof(uint32_t) ? kMost : read_little_endian<uint32_t>(block.data);
  ET_CHECK_OR_RETURN_ERROR(count <= (block.size - sizeof(uint32_t)) / kRow &&
                               block.size == sizeof(uint32_t) + count * kRow,
                           DelegateInvalidCompatibility, "Ethos-U: a list of %u %ss in %zu bytes",
                           static_cast<unsigned>(count), kind, block.size);
  const VelaIos ios{block.data + sizeof(uint32_t), count};
  for (size_t i = 0; i < count; ++i) {
    ET_CHECK_OK_OR_RETURN_ERROR(check_row(read_row(ios.rows + i * kRow), kind, i, blob));
  }
  return ios;
}

}  // namespace

VelaIo VelaIos::operator[](size_t index) const { return read_row(rows + index * kRow); }

Result<VelaBlob> read_vela_blob(const void* data, size_t size, VelaExternal& external) {
  ET_CHECK_OR_RETURN_ERROR(data != nullptr, DelegateInvalidCompatibility,
                           "Ethos-U: the delegate has no bytes");
  Block blocks[kNames] = {};
  ET_CHECK_OK_OR_RETURN_ERROR(find_blocks(static_cast<const uint8_t*>(data), size, blocks));
  ET_CHECK_OK_OR_RETURN_ERROR(find_external(blocks, external));
  VelaBlob blob{};
  blob.commands = blocks[kCommands].data;
  blob.commands_size = blocks[kCommands].size;
  blob.weights = blocks[kWeightData].data;
  blob.weights_size = blocks[kWeightData].size;
  ET_CHECK_OR_RETURN_ERROR(blocks[kScratchSize].size == sizeof(uint32_t) &&
                               read_little_endian<uint32_t>(blocks[kScratchSize].data) <= kMost,
                           DelegateInvalidCompatibility,
                           "Ethos-U: the size of the scratch buffer is none");
  blob.scratch_size = read_little_endian<uint32_t>(blocks[kScratchSize].data);
  const Result<VelaIos> inputs = read_ios(blocks[kInputs], "input", blob);
  if (!inputs.ok()) {
    return inputs.error();
  }
  const Result<VelaIos> outputs = read_ios(blocks[kOutputs], "output", blob);
  if (!outputs.ok()) {
    return outputs.error();
  }
  blob.inputs = *inputs;
  blob.outputs = *outputs;
  return blob;
}

}  // namespace arm
}  // namespace backends
}  // namespace executorch
