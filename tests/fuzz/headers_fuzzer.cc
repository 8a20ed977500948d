// The fixed headers of .pte and .ptd files, which are read before anything is verified.

#include <algorithm>
#include <memory>

#include <executorch/extension/flat_tensor/serialize/flat_tensor_header.h>
#include <executorch/runtime/executor/program.h>
#include <executorch/schema/extended_header.h>
#include <executorch/tests/fuzz/fuzz_target.h>
#include <executorch/tests/fuzz/quiet.h>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  executorch::fuzz::silence_log();
  const std::unique_ptr<uint8_t[]> copy(new uint8_t[size]);
  std::copy(data, data + size, copy.get());
  (void)executorch::runtime::Program::check_header(copy.get(), size);
  (void)executorch::runtime::ExtendedHeader::Parse(copy.get(), size);
  (void)executorch::extension::FlatTensorHeader::Parse(copy.get(), size);
  return 0;
}
