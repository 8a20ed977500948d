#include <new>
#include <utility>

#include <executorch/extension/signature/signed_data_loader.h>
#include <executorch/runtime/platform/log.h>

namespace executorch {
namespace extension {

using runtime::DataLoader;
using runtime::Error;
using runtime::Result;
using runtime::Span;

namespace {

/// Programs and their segments are aligned relative to the start of the file.
constexpr std::align_val_t kAlignment{128};

}  // namespace

void SignedDataLoader::Free::operator()(uint8_t* memory) const {
  ::operator delete(memory, kAlignment);
}

Error SignedDataLoader::read(const DataLoader& source, Memory& memory, size_t& size) {
  const Result<size_t> whole = source.size();
  if (!whole.ok()) {
    return whole.error();
  }
  size = *whole;
  memory.reset(static_cast<uint8_t*>(::operator new(size + 1, kAlignment, std::nothrow)));
  ET_CHECK_OR_RETURN_ERROR(memory != nullptr, MemoryAllocationFailed,
                           "No memory for a signed file of %zu bytes", size);
  const DataLoader::SegmentInfo info(DataLoader::SegmentInfo::Type::Program);
  return source.load_into(0, size, info, memory.get());
}

Result<std::unique_ptr<SignedDataLoader>> SignedDataLoader::load(const DataLoader& source,
                                                                 Span<const PublicKey> trusted) {
  Memory memory;
  size_t size = 0;
  const Error error = read(source, memory, size);
  if (error != Error::Ok) {
    return error;
  }
  const Result<size_t> checked = check_signature(memory.get(), size, trusted);
  if (!checked.ok()) {
    return checked.error();
  }
  return std::unique_ptr<SignedDataLoader>(new SignedDataLoader(std::move(memory), *checked));
}

Result<std::unique_ptr<SignedDataLoader>> SignedDataLoader::load_with_digest(
    const DataLoader& source, const std::optional<ProgramDigest>& expected) {
  Memory memory;
  size_t size = 0;
  const Error error = read(source, memory, size);
  if (error != Error::Ok) {
    return error;
  }
  const Result<size_t> checked = check_digest(memory.get(), size, expected);
  if (!checked.ok()) {
    return checked.error();
  }
  return std::unique_ptr<SignedDataLoader>(new SignedDataLoader(std::move(memory), *checked));
}

}  // namespace extension
}  // namespace executorch
